// Written by `types_golden.rs` from `data/algebra.jsonl`.
use super::*;

pub const CASES: &[Case] = cases![
    3270 Layout(ZippedDivide<Identity<shape!(((8),5))>, shape!((8,1))>),
    3272 Layout(ZippedDivide<Identity<shape!(((5),(4),2))>, shape!((5,4,2))>),
    3275 Layout(ZippedDivide<Identity<shape!(((2),3))>, shape!((2,1))>),
    3276 Layout(ZippedDivide<Identity<shape!((4,3))>, shape!((1,1))>),
    3277 Layout(ZippedDivide<Identity<shape!((16,2))>, shape!((1,1))>),
    3278 Layout(ZippedDivide<Identity<shape!((2,(5),6))>, shape!((1,5,3))>),
    3280 Layout(ZippedDivide<Identity<shape!(((3),4))>, shape!((3,2))>),
    3283 Layout(ZippedDivide<Identity<shape!((2,2))>, shape!((2,1))>),
    3286 Layout(ZippedDivide<Identity<shape!((8,4))>, shape!((8,4))>),
    3287 Layout(ZippedDivide<Identity<shape!((4,8))>, shape!((1,8))>),
    3288 Layout(ZippedDivide<Identity<shape!((4,2,4))>, shape!((2,1,1))>),
    3291 Layout(ZippedDivide<Identity<shape!((8,6))>, shape!((2,2))>),
    3292 Layout(ZippedDivide<Identity<shape!(((5),3))>, shape!((1,1))>),
    3293 Layout(ZippedDivide<Identity<shape!((4,4))>, shape!((2,4))>),
];

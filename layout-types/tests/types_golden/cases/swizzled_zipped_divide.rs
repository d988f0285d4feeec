// Written by `types_golden.rs` from `data/algebra.jsonl`.
use super::*;

pub const CASES: &[Case] = cases![
    3408 Layout(ZippedDivide<Composition<Swizzle<3,3,3>, layout!(((4),16):((1),4))>, shape!((4,2))>),
    3409 Layout(ZippedDivide<Composition<Swizzle<3,4,3>, layout!(((6),4):((1),6))>, shape!((2,1))>),
    3415 Layout(ZippedDivide<Composition<Swizzle<3,4,3>, layout!((5,1):(1,5))>, shape!((5,1))>),
    3416 Layout(ZippedDivide<Composition<Swizzle<3,4,3>, layout!((4,3):(1,4))>, shape!((4,3))>),
    3425 Layout(ZippedDivide<Composition<Swizzle<3,0,3>, layout!(((1),4):((1),1))>, shape!((1,4))>),
    3427 Layout(ZippedDivide<Composition<Swizzle<2,0,3>, layout!((8,6):(1,8))>, shape!((8,3))>),
    3429 Layout(ZippedDivide<Composition<Swizzle<3,4,3>, layout!((8,(6,2)):(12,(2,1)))>, shape!((4,3))>),
    3446 Layout(ZippedDivide<Composition<Swizzle<3,0,3>, layout!(((3),((8),16)):((128),((16),1)))>, shape!((3,4))>),
    3450 Layout(ZippedDivide<Composition<Swizzle<3,0,3>, layout!(((5),4):((1),5))>, shape!((5,4))>),
    3452 Layout(ZippedDivide<Composition<Swizzle<2,4,3>, layout!(((2,2),(2,2)):((2,1),(4,8)))>, shape!((2,2))>),
];

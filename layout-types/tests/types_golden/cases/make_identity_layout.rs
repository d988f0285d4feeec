// Written by `types_golden.rs` from `data/algebra.jsonl`.
use super::*;

pub const CASES: &[Case] = cases![
    3271 Layout(Identity<shape!((4,8))>),
    3273 Layout(Identity<shape!((4,4,3))>),
    3274 Layout(Identity<shape!((6,6))>),
    3279 Layout(Identity<shape!(((4),4))>),
    3281 Layout(Identity<shape!((16,4))>),
    3282 Layout(Identity<shape!((8,2))>),
    3284 Layout(Identity<shape!(((4),2))>),
    3285 Layout(Identity<shape!((((4,8)),2))>),
    3289 Layout(Identity<shape!((((2)),4))>),
    3290 Layout(Identity<shape!((5,5))>),
];

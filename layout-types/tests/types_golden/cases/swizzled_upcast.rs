// Written by `types_golden.rs` from `data/algebra.jsonl`.
use super::*;

pub const CASES: &[Case] = cases![
    3422 Layout(Upcast<Composition<Swizzle<2,0,3>, layout!(((8),1):((1),0))>, int!(4)>),
    3434 Layout(Upcast<Composition<Swizzle<3,3,3>, layout!(((2),4):((1),2))>, int!(2)>),
    3435 Layout(Upcast<Composition<Swizzle<2,4,3>, layout!(((4,1),6):((1,1),4))>, int!(2)>),
    3437 Layout(Upcast<Composition<Swizzle<2,0,3>, layout!((2,6):(1,2))>, int!(2)>),
    3444 Layout(Upcast<Composition<Swizzle<3,4,3>, layout!(((4,1),(1,2)):((1,4),(4,4)))>, int!(4)>),
];

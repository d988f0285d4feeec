// Written by `types_golden.rs` from `data/algebra.jsonl`.
use super::*;

pub const CASES: &[Case] = cases![
    3405 Layout(Downcast<Composition<Swizzle<2,4,3>, layout!(((8),8):((8),1))>, int!(4)>),
    3419 Layout(Downcast<Composition<Swizzle<2,0,3>, layout!(((4),5):((5),1))>, int!(4)>),
    3421 Layout(Downcast<Composition<Swizzle<2,3,3>, layout!((4,2):(1,4))>, int!(4)>),
    3431 Layout(Downcast<Composition<Swizzle<3,4,3>, layout!((16,2):(2,1))>, int!(2)>),
    3432 Layout(Downcast<Composition<Swizzle<3,3,3>, layout!(((4,16),8):((128,8),1))>, int!(2)>),
    3433 Layout(Downcast<Composition<Swizzle<2,3,3>, layout!((2,16):(1,2))>, int!(2)>),
    3439 Layout(Downcast<Composition<Swizzle<3,3,3>, layout!(((8,4),2):((1,16),8))>, int!(2)>),
    3441 Layout(Downcast<Composition<Swizzle<3,4,3>, layout!(((5),16):((1),5))>, int!(2)>),
    3445 Layout(Downcast<Composition<Swizzle<2,4,3>, layout!((3,(3,4)):(1,(3,9)))>, int!(4)>),
    3447 Layout(Downcast<Composition<Swizzle<3,4,3>, layout!(((5),6):((6),1))>, int!(2)>),
    3451 Layout(Downcast<Composition<Swizzle<1,3,3>, layout!(((1),5):((5),1))>, int!(4)>),
];

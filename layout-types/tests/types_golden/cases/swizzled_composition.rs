// Written by `types_golden.rs` from `data/algebra.jsonl`.
use super::*;

pub const CASES: &[Case] = cases![
    3411 Layout(Composition<Composition<Swizzle<3,3,3>, layout!(((6),5):((1),6))>, layout!(10:1)>),
    3413 Layout(Composition<Composition<Swizzle<3,4,3>, layout!(((16),1):((1),0))>, layout!((2,3):(8,0))>),
    3414 Layout(Composition<Composition<Swizzle<2,0,3>, layout!(((2,2),2):((4,2),1))>, layout!(8:1)>),
    3417 Layout(Composition<Composition<Swizzle<3,0,3>, layout!(((1),(4,6)):((7),(1,4)))>, layout!(4:6)>),
    3420 Layout(Composition<Composition<Swizzle<2,0,3>, layout!((4,2):(1,4))>, layout!((2,4):(4,1))>),
    3423 Layout(Composition<Composition<Swizzle<2,4,3>, layout!(((4),16):((16),1))>, layout!(32:1)>),
    3426 Layout(Composition<Composition<Swizzle<3,4,3>, layout!(((3),8):((1),3))>, layout!((1,(3,3)):(1,(0,8)))>),
    3430 Layout(Composition<Composition<Swizzle<2,0,3>, layout!((16,8):(1,16))>, layout!(((2),2):((64),2))>),
    3436 Layout(Composition<Composition<Swizzle<2,4,3>, layout!((3,((2),2)):(2,((6),1)))>, layout!((2,2):(0,3))>),
    3440 Layout(Composition<Composition<Swizzle<3,4,3>, layout!(((8),8):((8),1))>, layout!(32:1)>),
    3443 Layout(Composition<Composition<Swizzle<3,4,3>, layout!((1,2):(2,1))>, layout!(1:1)>),
    3448 Layout(Composition<Composition<Swizzle<2,0,3>, layout!((((4)),(3,2)):(((6)),(2,1)))>, layout!(((12),2):((1),12))>),
];

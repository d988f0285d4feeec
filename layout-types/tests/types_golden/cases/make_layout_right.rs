// Written by `types_golden.rs` from `data/algebra.jsonl`.
use super::*;

pub const CASES: &[Case] = cases![
    3066 Layout(LayoutRight<shape!(((4),4))>),
    3071 Layout(LayoutRight<shape!((4,8))>),
    3073 Layout(LayoutRight<shape!(((3),5))>),
    3074 Layout(LayoutRight<shape!((3,16))>),
    3075 Layout(LayoutRight<shape!((1,4))>),
    3078 Layout(LayoutRight<shape!((5))>),
    3081 Layout(LayoutRight<shape!((4,16,8))>),
    3082 Layout(LayoutRight<shape!((3,(8,1,8)))>),
    3085 Layout(LayoutRight<shape!((2,6))>),
    3086 Layout(LayoutRight<shape!((1,2))>),
    3087 Layout(LayoutRight<shape!((8,3,2))>),
    3092 Layout(LayoutRight<shape!(((8),1,4))>),
    3094 Layout(LayoutRight<shape!((((6,4)),2))>),
    3095 Layout(LayoutRight<shape!(5)>),
    3096 Layout(LayoutRight<shape!((2))>),
    3098 Layout(LayoutRight<shape!((2,(16,16)))>),
    3100 Layout(LayoutRight<shape!((8,(2),(3,5)))>),
    3103 Layout(LayoutRight<shape!(((2,4,2),2))>),
];

// Written by `types_golden.rs` from `data/algebra.jsonl`.
use super::*;

pub const CASES: &[Case] = cases![
    2897 Layout(PrependTo<layout!((6,(3,4)):(1,(6,18))), int!(2)>),
    2898 Layout(PrependTo<layout!(((2,8),8):((5,4),2)), int!(5)>),
    2908 Layout(PrependTo<layout!(((8),1):((1),0)), int!(2)>),
    2938 Layout(PrependTo<layout!((5):(1)), int!(4)>),
    2941 Layout(PrependTo<layout!((8,8):(1,8)), int!(5)>),
    2943 Layout(PrependTo<layout!(5:1), int!(1)>),
];

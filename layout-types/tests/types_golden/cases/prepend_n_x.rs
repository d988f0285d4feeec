// Written by `types_golden.rs` from `data/algebra.jsonl`.
use super::*;

pub const CASES: &[Case] = cases![
    2885 Layout(PrependTo<layout!((4):(1)), int!(5), layout!((3):(1))>),
    2887 Layout(PrependTo<layout!((5,16):(1,5)), int!(4), layout!(4:1)>),
    2888 Layout(PrependTo<layout!((5):(1)), int!(3), layout!(((4),4):((32),8))>),
    2896 Layout(PrependTo<layout!((5,5):(1,5)), int!(2), layout!((3):(6))>),
    2899 Layout(PrependTo<layout!((6,4):(4,1)), int!(5), layout!(3:2)>),
    2905 Layout(PrependTo<layout!(((5,4),5):((5,0),1)), int!(3), layout!((1,6):(1,1))>),
    2909 Layout(PrependTo<layout!((3):(1)), int!(1), layout!((4,2):(1,12))>),
    2915 Layout(PrependTo<layout!(8:4), int!(3), layout!(((1),1):((2),0))>),
    2919 Layout(PrependTo<layout!((2,3):(12,1)), int!(3), layout!(((8),2):((0),0))>),
    2927 Layout(PrependTo<layout!((2,(3,6),2):(6,(48,1),432)), int!(4), layout!((2,8):(4,8))>),
    2930 Layout(PrependTo<layout!(((2),2):((24),32)), int!(2), layout!(4:0)>),
    2934 Layout(PrependTo<layout!((1,(8,3,1)):(1,(1,8,24))), int!(5), layout!((4,4):(1,4))>),
    2935 Layout(PrependTo<layout!((4):(1)), int!(2), layout!(3:1)>),
    2940 Layout(PrependTo<layout!((3,3):(1,3)), int!(5), layout!((3,1):(1,0))>),
    2942 Layout(PrependTo<layout!(((2),(2),4):((1),(2),4)), int!(5), layout!(2:1)>),
];

// Written by `types_golden.rs` from `data/algebra.jsonl`.
use super::*;

pub const CASES: &[Case] = cases![
    2891 Layout(AppendTo<layout!(((5),8):((3),2)), int!(3), layout!((5):(3))>),
    2895 Layout(AppendTo<layout!(3:1), int!(4), layout!(5:1)>),
    2901 Layout(AppendTo<layout!(((4),16):((1),4)), int!(4), layout!((2,4):(1,2))>),
    2916 Layout(AppendTo<layout!((3,2):(1,3)), int!(5), layout!((2):(1))>),
    2918 Layout(AppendTo<layout!((4):(1)), int!(2), layout!((6):(1))>),
    2920 Layout(AppendTo<layout!(((4,2),16):((0,0),1)), int!(3), layout!(8:1)>),
    2921 Layout(AppendTo<layout!(((8),5):((1),8)), int!(3), layout!((1,8):(6,8))>),
    2922 Layout(AppendTo<layout!(((4),8):((1),4)), int!(4), layout!(16:1)>),
    2928 Layout(AppendTo<layout!((4,(2,4),4):(1,(4,8),32)), int!(3), layout!(((4),4):((4),1))>),
];

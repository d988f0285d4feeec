// Written by `types_golden.rs` from `data/algebra.jsonl`.
use super::*;

pub const CASES: &[Case] = cases![
    2892 Layout(Append<layout!((1,3):(7,1)), layout!((4,2):(1,4))>),
    2900 Layout(Append<layout!(((2),4):((1),2)), layout!((1,2):(2,1))>),
    2904 Layout(Append<layout!((5,4):(1,5)), layout!((2,3):(48,4))>),
    2913 Layout(Append<layout!(((4,4),8):((1,32),4)), layout!(4:1)>),
    2917 Layout(Append<layout!((2):(1)), layout!(5:1)>),
    2931 Layout(Append<layout!(4:1), layout!((3):(1))>),
];

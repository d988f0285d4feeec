// Written by `types_golden.rs` from `data/algebra.jsonl`.
use super::*;

pub const CASES: &[Case] = cases![
    2890 Layout(Prepend<layout!((16):(1)), layout!(8:1)>),
    2893 Layout(Prepend<layout!(((2),3):((1),2)), layout!((2,3):(1,2))>),
    2903 Layout(Prepend<layout!((4,4):(4,1)), layout!((3,2):(1,3))>),
    2907 Layout(Prepend<layout!((1):(1)), layout!((2,2):(1,2))>),
    2912 Layout(Prepend<layout!((2,8):(0,1)), layout!(8:0)>),
    2929 Layout(Prepend<layout!(((4,2),3):((1,4),8)), layout!(8:1)>),
    2936 Layout(Prepend<layout!(((5),(8),1):((1),(5),40)), layout!((4):(1))>),
    2939 Layout(Prepend<layout!(((6),(3,3)):((1),(6,18))), layout!(((2),2):((1),2))>),
];

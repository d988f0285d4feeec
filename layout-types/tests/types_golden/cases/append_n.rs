// Written by `types_golden.rs` from `data/algebra.jsonl`.
use super::*;

pub const CASES: &[Case] = cases![
    2886 Layout(AppendTo<layout!(((4,2),3):((1,4),8)), int!(4)>),
    2889 Layout(AppendTo<layout!((2,8):(1,2)), int!(3)>),
    2894 Layout(AppendTo<layout!((2,16,2):(1,24,24)), int!(4)>),
    2902 Layout(AppendTo<layout!((4,((4)),2):(1,((4)),0)), int!(4)>),
    2906 Layout(AppendTo<layout!((1,1):(2,0)), int!(4)>),
    2910 Layout(AppendTo<layout!((8,6):(1,8)), int!(2)>),
    2911 Layout(AppendTo<layout!(((4),8,3):((1),4,32)), int!(4)>),
    2914 Layout(AppendTo<layout!((8,2):(2,1)), int!(4)>),
    2923 Layout(AppendTo<layout!((4,6):(4,1)), int!(2)>),
    2924 Layout(AppendTo<layout!((2,2):(2,1)), int!(3)>),
    2925 Layout(AppendTo<layout!((8,2):(2,1)), int!(5)>),
    2926 Layout(AppendTo<layout!((1,4):(2,5)), int!(5)>),
    2932 Layout(AppendTo<layout!((3):(1)), int!(4)>),
    2933 Layout(AppendTo<layout!((3,2):(0,1)), int!(3)>),
    2937 Layout(AppendTo<layout!((8,3,4):(1,8,24)), int!(4)>),
    2944 Layout(AppendTo<layout!((2,(16,3)):(1,(2,32))), int!(3)>),
];

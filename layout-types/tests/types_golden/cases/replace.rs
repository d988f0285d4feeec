// Written by `types_golden.rs` from `data/algebra.jsonl`.
use super::*;

pub const CASES: &[Case] = cases![
    2945 Layout(Replace<layout!((8,8):(1,8)), int!(0), layout!((2,3):(3,1))>),
    2946 Layout(Replace<layout!((2,(5),4):(1,(2),10)), int!(0), layout!((((2)),5):(((3)),6))>),
    2947 Layout(Replace<layout!((2,(1),1):(5,(2),0)), int!(1), layout!(((4),1):((1),4))>),
    2948 Layout(Replace<layout!((2,4):(1,2)), int!(0), layout!((4,2):(1,4))>),
    2949 Layout(Replace<layout!((2,4):(4,1)), int!(0), layout!((1,4):(1,1))>),
    2950 Layout(Replace<layout!((3,8):(1,3)), int!(1), layout!(((8),2):((1),8))>),
    2951 Layout(Replace<layout!((2,1,16):(16,1,1)), int!(1), layout!((5):(1))>),
    2952 Layout(Replace<layout!((5,4):(1,5)), int!(0), layout!((6,1):(1,1))>),
    2953 Layout(Replace<layout!(((5),8):((8),1)), int!(0), layout!(((2),1):((1),1))>),
    2954 Layout(Replace<layout!(((5),2):((6),8)), int!(0), layout!(2:0)>),
    2955 Layout(Replace<layout!((8,8,5):(40,5,1)), int!(1), layout!(16:32)>),
    2956 Layout(Replace<layout!(((2),5):((5),1)), int!(0), layout!(((1),1):((1),1))>),
    2957 Layout(Replace<layout!((1,6):(0,9)), int!(1), layout!((4,3):(3,1))>),
    2958 Layout(Replace<layout!((4,1,(8,6)):(8,1,(1,32))), int!(2), layout!(1:1)>),
    2959 Layout(Replace<layout!(((2,2),5):((8,6),2)), int!(1), layout!(((8),1):((1),8))>),
];

// Written by `types_golden.rs` from `data/algebra.jsonl`.
use super::*;

pub const CASES: &[Case] = cases![
    3065 Layout(LayoutLeft<shape!((4))>),
    3067 Layout(LayoutLeft<shape!(1)>),
    3068 Layout(LayoutLeft<shape!((2,8,4))>),
    3069 Layout(LayoutLeft<shape!((4,2))>),
    3070 Layout(LayoutLeft<shape!((8))>),
    3072 Layout(LayoutLeft<shape!((2,2))>),
    3076 Layout(LayoutLeft<shape!(16)>),
    3077 Layout(LayoutLeft<shape!(2)>),
    3079 Layout(LayoutLeft<shape!((16,(6,2)))>),
    3080 Layout(LayoutLeft<shape!(((2),4))>),
    3083 Layout(LayoutLeft<shape!(((8),8))>),
    3084 Layout(LayoutLeft<shape!((2,5))>),
    3088 Layout(LayoutLeft<shape!((8,4,2))>),
    3089 Layout(LayoutLeft<shape!((4,(1,6,3)))>),
    3090 Layout(LayoutLeft<shape!((3,16))>),
    3091 Layout(LayoutLeft<shape!((2))>),
    3093 Layout(LayoutLeft<shape!(((16),2))>),
    3097 Layout(LayoutLeft<shape!((5,((4),3)))>),
    3099 Layout(LayoutLeft<shape!((16,(1,8,3)))>),
    3101 Layout(LayoutLeft<shape!((16,2))>),
    3102 Layout(LayoutLeft<shape!((3))>),
    3104 Layout(LayoutLeft<shape!(((4),4))>),
];

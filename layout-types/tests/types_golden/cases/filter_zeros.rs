// Written by `types_golden.rs` from `data/algebra.jsonl`.
use super::*;

pub const CASES: &[Case] = cases![
    245 Layout(FilterZeros<layout!((3,(4,1),4):(1,(16,5),1))>),
    246 Layout(FilterZeros<layout!((1,2):(7,1))>),
    247 Layout(FilterZeros<layout!((6):(0))>),
    248 Layout(FilterZeros<layout!(2:3)>),
    249 Layout(FilterZeros<layout!((4,2):(24,6))>),
    250 Layout(FilterZeros<layout!(3:1)>),
    251 Layout(FilterZeros<layout!(4:1)>),
    252 Layout(FilterZeros<layout!((1):(1))>),
    253 Layout(FilterZeros<layout!((4,8):(1,4))>),
    254 Layout(FilterZeros<layout!(((8),8,3):((3),24,1))>),
    255 Layout(FilterZeros<layout!(3:8)>),
    256 Layout(FilterZeros<layout!((2,1):(1,2))>),
    257 Layout(FilterZeros<layout!(((4),2):((2),1))>),
    258 Layout(FilterZeros<layout!((3,(4),4):(1,(3),12))>),
    259 Layout(FilterZeros<layout!((4,2):(1,4))>),
    260 Layout(FilterZeros<layout!(((16),4):((8),1))>),
    261 Layout(FilterZeros<layout!((4):(1))>),
    262 Layout(FilterZeros<layout!(5:1)>),
    263 Layout(FilterZeros<layout!(((8,4),3):((4,1),32))>),
    264 Layout(FilterZeros<layout!((2,6,2):(1,2,12))>),
];

// Written by `types_golden.rs` from `data/algebra.jsonl`.
use super::*;

pub const CASES: &[Case] = cases![
    2990 Layout(ZipModes<layout!(((5,1),(((2,2)),2),(4,2)):((1,1),(((1,2)),0),(32,4)))>),
    2991 Layout(ZipModes<layout!(((3,2),(1,4),(((3,2)),2)):((1,3),(0,1),(((1,3)),6)))>),
    2992 Layout(ZipModes<layout!(((2,(1),4),(1,3,5)):((1,(2),2),(1,5,1)))>),
    2993 Layout(ZipModes<layout!(((2,8,1),(1,4,3)):((3,1,1),(3,3,1)))>),
    2994 Layout(ZipModes<layout!(((2,4),(4,2)):((0,32),(1,4)))>),
    2995 Layout(ZipModes<layout!(((4,((2)),1),(4,1,4)):((1,((4)),8),(6,1,4)))>),
    2996 Layout(ZipModes<layout!(((2,8,1),(1,(4),4),((1),2,8)):((8,1,1),(4,(1),4),((1),1,2)))>),
    2997 Layout(ZipModes<layout!(((3),(4),(3)):((1),(1),(1)))>),
    2998 Layout(ZipModes<layout!(((4),(4)):((1),(1)))>),
    2999 Layout(ZipModes<layout!(((2,4),((2),4),((2),2)):((1,2),((4),8),((1),2)))>),
    3000 Layout(ZipModes<layout!(((1,(4),2),(2,2,2)):((8,(2),1),(48,1,6)))>),
    3001 Layout(ZipModes<layout!(((16),(6)):((1),(8)))>),
    3002 Layout(ZipModes<layout!(((8),(8)):((1),(1)))>),
    3003 Layout(ZipModes<layout!(((1,2,4),((2),8,1)):((8,1,2),((1),6,0)))>),
    3004 Layout(ZipModes<layout!(((8),(2),(16)):((1),(1),(1)))>),
];

// Written by `types_golden.rs` from `data/algebra.jsonl`.
use super::*;

pub const CASES: &[Case] = cases![
    3205 Shape(CeilDivLayout<shape!(64), layout!((4):(1))>),
    3206 Shape(CeilDivLayout<shape!(6), layout!(((2),5):((5),1))>),
    3207 Shape(CeilDivLayout<shape!(32), layout!((5):(1))>),
    3208 Shape(CeilDivLayout<shape!(16), layout!(((2,4),6):((36,3),72))>),
    3209 Shape(CeilDivLayout<shape!(64), layout!(8:1)>),
    3210 Shape(CeilDivLayout<shape!(6), layout!((2,8):(8,1))>),
    3211 Shape(CeilDivLayout<shape!(32), layout!(4:1)>),
    3212 Shape(CeilDivLayout<shape!(16), layout!(2:1)>),
    3213 Shape(CeilDivLayout<shape!(24), layout!((5,6):(1,5))>),
    3214 Shape(CeilDivLayout<shape!(32), layout!((16,1):(24,0))>),
    3215 Shape(CeilDivLayout<shape!(32), layout!((1,2):(0,2))>),
    3216 Shape(CeilDivLayout<shape!(8), layout!(((1),2,1):((1),1,2))>),
    3217 Shape(CeilDivLayout<shape!(4), layout!((2,(8),4):(1,(2),16))>),
    3218 Shape(CeilDivLayout<shape!(8), layout!((2,6):(1,2))>),
    3219 Shape(CeilDivLayout<shape!(24), layout!(4:1)>),
    3220 Shape(CeilDivLayout<shape!(8), layout!(3:1)>),
    3221 Shape(CeilDivLayout<shape!(8), layout!(8:0)>),
    3222 Shape(CeilDivLayout<shape!(3), layout!(4:1)>),
    3223 Shape(CeilDivLayout<shape!(3), layout!((1):(2))>),
    3224 Shape(CeilDivLayout<shape!(4), layout!((2,8):(1,2))>),
];

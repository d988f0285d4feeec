// Written by `types_golden.rs` from `data/algebra.jsonl`.
use super::*;

pub const CASES: &[Case] = cases![
    1789 Layout(ZippedProduct<layout!((2,2):(2,1)), shape!((2))>),
    1794 Layout(ZippedProduct<layout!((4,4,8):(32,1,4)), tile!(3,2,2:1)>),
    1795 Layout(ZippedProduct<layout!(((4),(4,4)):((1),(4,16))), tile!(4:1,2)>),
    1799 Layout(ZippedProduct<layout!((4):(1)), tile!(4:1)>),
    1802 Layout(ZippedProduct<layout!((3,6):(1,3)), shape!((4))>),
    1803 Layout(ZippedProduct<layout!((8,4):(1,8)), tile!(2:1)>),
    1804 Layout(ZippedProduct<layout!((8,2):(2,1)), shape!((4))>),
    1807 Layout(ZippedProduct<layout!((2,(4,16)):(1,(2,8))), shape!((4))>),
    1819 Layout(ZippedProduct<layout!((6,((2),1)):(1,((6),6))), shape!((2))>),
    1821 Layout(ZippedProduct<layout!((2):(1)), tile!(4:1)>),
    1826 Layout(ZippedProduct<layout!(((4),5):((1),4)), shape!((4))>),
    1831 Layout(ZippedProduct<layout!((2,1):(1,2)), shape!((4))>),
    1834 Layout(ZippedProduct<layout!((8):(1)), shape!((2))>),
];

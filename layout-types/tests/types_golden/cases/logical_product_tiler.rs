// Written by `types_golden.rs` from `data/algebra.jsonl`.
use super::*;

pub const CASES: &[Case] = cases![
    1788 Layout(LogicalProduct<layout!((4,3):(1,4)), shape!((3))>),
    1791 Layout(LogicalProduct<layout!(((2),2):((1),2)), tile!(4:1)>),
    1792 Layout(LogicalProduct<layout!(((4),(8,4)):((1),(4,32))), shape!((3,2))>),
    1793 Layout(LogicalProduct<layout!((4,(4,3)):(3,(12,1))), shape!((2))>),
    1797 Layout(LogicalProduct<layout!(((16,4),2):((4,1),64)), tile!((2,2):(2,1),3)>),
    1798 Layout(LogicalProduct<layout!(((6),8):((1),6)), tile!((2,2):(2,1))>),
    1800 Layout(LogicalProduct<layout!((16,6):(1,16)), shape!((2))>),
    1805 Layout(LogicalProduct<layout!((8,2,3):(6,1,2)), shape!((2))>),
    1809 Layout(LogicalProduct<layout!((3,2):(1,3)), shape!((2))>),
    1810 Layout(LogicalProduct<layout!((4):(1)), shape!((3))>),
    1812 Layout(LogicalProduct<layout!((4,2,2):(1,4,8)), shape!((3))>),
    1813 Layout(LogicalProduct<layout!((4,4):(1,4)), tile!(4:1,4)>),
    1814 Layout(LogicalProduct<layout!(((2,1),(8),2):((1,0),(2),16)), tile!(4:1,2)>),
    1815 Layout(LogicalProduct<layout!(((5,2),(1,2)):((1,10),(1,5))), tile!((2,2):(2,1),3)>),
    1817 Layout(LogicalProduct<layout!((2,5):(1,2)), tile!(4:1)>),
    1818 Layout(LogicalProduct<layout!((8,8):(8,1)), tile!((2,2):(2,1),4)>),
    1822 Layout(LogicalProduct<layout!(((4),8):((1),4)), tile!(4:1,(2,2):(2,1))>),
    1825 Layout(LogicalProduct<layout!((8,4):(4,1)), shape!((3))>),
    1827 Layout(LogicalProduct<layout!((5,2,1):(1,5,10)), tile!(4,2:1)>),
    1828 Layout(LogicalProduct<layout!(((2,8),2):((1,2),16)), tile!(4:1,3)>),
];

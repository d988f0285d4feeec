// Written by `types_golden.rs` from `data/algebra.jsonl`.
use super::*;

pub const CASES: &[Case] = cases![
    1785 Layout(TiledProduct<layout!(((2,8),(2,2)):((1,2),(16,32))), shape!((2))>),
    1786 Layout(TiledProduct<layout!(((4,1),3):((1,4),4)), shape!((2,2))>),
    1790 Layout(TiledProduct<layout!((6,5):(1,6)), tile!(2:1,4:1)>),
    1796 Layout(TiledProduct<layout!((4,16):(1,4)), tile!(2:1,2)>),
    1801 Layout(TiledProduct<layout!((((2),8),2):(((1),2),16)), shape!((4,2))>),
    1806 Layout(TiledProduct<layout!((1,3):(0,1)), tile!(3,4:1)>),
    1808 Layout(TiledProduct<layout!((4,4):(1,4)), tile!((2,2):(2,1))>),
    1811 Layout(TiledProduct<layout!((2,8):(8,1)), shape!((3,4))>),
    1816 Layout(TiledProduct<layout!(((2),(6,4)):((1),(8,2))), tile!((2,2):(2,1))>),
    1820 Layout(TiledProduct<layout!((4,4):(1,4)), shape!((4))>),
    1823 Layout(TiledProduct<layout!((5,3):(1,5)), tile!(4,4:1)>),
    1824 Layout(TiledProduct<layout!((1,(2),4):(0,(1),2)), shape!((4,4))>),
    1829 Layout(TiledProduct<layout!(((4),16):((16),1)), shape!((4,2))>),
    1830 Layout(TiledProduct<layout!((3):(1)), shape!((2))>),
    1832 Layout(TiledProduct<layout!((8,(8,2)):(1,(8,64))), shape!((2))>),
    1833 Layout(TiledProduct<layout!(((8,2),8):((1,8),16)), tile!(4:1,4)>),
];

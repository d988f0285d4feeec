// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    Group(layout!(2:3), int!(0), int!(1));
    #[cfg(feature = "all-cases")]
    Group(layout!(3:1), int!(0), int!(1));
    #[cfg(feature = "all-cases")]
    Group(layout!((3,(4)):(1,(3))), int!(0), int!(2));
    #[cfg(feature = "all-cases")]
    Group(layout!((2):(1)), int!(0), int!(1));
    Group(layout!(((2),2,8,1):((0),0,4,0)), int!(2), int!(4));
    #[cfg(feature = "all-cases")]
    Group(layout!((8):(1)), int!(0), int!(1));
    #[cfg(feature = "all-cases")]
    Group(layout!((3,6):(4,12)), int!(1), int!(2));
    #[cfg(feature = "all-cases")]
    Group(layout!((3):(1)), int!(0), int!(1));
    Group(layout!(2:0), int!(0), int!(1));
    #[cfg(feature = "all-cases")]
    Group(layout!((16):(1)), int!(0), int!(1));
    #[cfg(feature = "all-cases")]
    Group(layout!(((2,6),4):((6,1),12)), int!(0), int!(1));
    #[cfg(feature = "all-cases")]
    Group(layout!(4:1), int!(0), int!(1));
    Group(layout!(((4,2,3)):((1,4,16))), int!(0), int!(1));
    #[cfg(feature = "all-cases")]
    Group(layout!((4,(1)):(1,(4))), int!(0), int!(2));
    #[cfg(feature = "all-cases")]
    Group(layout!((6,4):(4,24)), int!(1), int!(2));
    #[cfg(feature = "all-cases")]
    Group(layout!((8,(2,8)):(1,(6,3))), int!(0), int!(1));
    Group(layout!((2,5,4):(20,4,1)), int!(0), int!(1));
    #[cfg(feature = "all-cases")]
    Group(layout!(16:0), int!(0), int!(1));
    #[cfg(feature = "all-cases")]
    Group(layout!(((4),2):((1),4)), int!(0), int!(2));
    #[cfg(feature = "all-cases")]
    Group(layout!((3,4,3,1):(4,1,-12,-1)), int!(0), int!(2));
    Group(layout!(5:8), int!(0), int!(1));
    #[cfg(feature = "all-cases")]
    Group(layout!((2,(4,2,3),(3)):(72,(1,12,4),(24))), int!(0), int!(2));
    #[cfg(feature = "all-cases")]
    Group(layout!(((16,3),2):((6,1),3)), int!(0), int!(2));
    #[cfg(feature = "all-cases")]
    Group(layout!(2:1), int!(0), int!(1));
];

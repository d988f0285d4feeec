// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    Take(layout!((6):(1)), int!(0), int!(1));
    #[cfg(feature = "all-cases")]
    Take(layout!((3):(4)), int!(0), int!(1));
    #[cfg(feature = "all-cases")]
    Take(layout!((5):(4)), int!(0), int!(1));
    #[cfg(feature = "all-cases")]
    Take(layout!((1,2,4,5):(6,1,32,6)), int!(0), int!(4));
    Take(layout!((5):(1)), int!(0), int!(1));
    #[cfg(feature = "all-cases")]
    Take(layout!((4,4,4,(4)):(16,4,64,(1))), int!(1), int!(4));
    #[cfg(feature = "all-cases")]
    Take(layout!((2,4,16):(1,2,8)), int!(0), int!(3));
    #[cfg(feature = "all-cases")]
    Take(layout!(4:1), int!(0), int!(1));
    Take(layout!((5,3):(24,6)), int!(0), int!(2));
    #[cfg(feature = "all-cases")]
    Take(layout!((16,2,8):(1,0,32)), int!(0), int!(3));
    #[cfg(feature = "all-cases")]
    Take(layout!((4):(1)), int!(0), int!(1));
    #[cfg(feature = "all-cases")]
    Take(layout!(((1,4),4,(3),3):((0,0),0,(0),0)), int!(2), int!(3));
    Take(layout!((4,(3),4,(4)):(36,(3456),3,(432))), int!(0), int!(4));
    #[cfg(feature = "all-cases")]
    Take(layout!(((8,4,8)):((8,0,0))), int!(0), int!(1));
    #[cfg(feature = "all-cases")]
    Take(layout!((2):(1)), int!(0), int!(1));
    #[cfg(feature = "all-cases")]
    Take(layout!((4,2,8):(6,4,0)), int!(0), int!(2));
    Take(layout!(((3),(3)):((3),(1))), int!(0), int!(2));
    #[cfg(feature = "all-cases")]
    Take(layout!((4):(3)), int!(0), int!(1));
    #[cfg(feature = "all-cases")]
    Take(layout!(8:1), int!(0), int!(1));
    #[cfg(feature = "all-cases")]
    Take(layout!(((4),4,4):((4),1,16)), int!(0), int!(3));
    Take(layout!((2):(0)), int!(0), int!(1));
    #[cfg(feature = "all-cases")]
    Take(layout!(3:1), int!(0), int!(1));
    #[cfg(feature = "all-cases")]
    Take(layout!((5):(3)), int!(0), int!(1));
    #[cfg(feature = "all-cases")]
    Take(layout!(2:1), int!(0), int!(1));
];

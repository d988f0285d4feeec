// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    Replace(layout!((2,1,3,16):(1,2,2,6)), int!(1), layout!((8,4):(16,16)));
    #[cfg(feature = "all-cases")]
    Replace(layout!((1):(48)), int!(0), layout!((6):(2)));
    #[cfg(feature = "all-cases")]
    Replace(layout!((6):(1)), int!(0), layout!(3:0));
    #[cfg(feature = "all-cases")]
    Replace(layout!(2:4), int!(0), layout!((2):(1)));
    Replace(layout!(2:1), int!(0), layout!((3,2):(6,3)));
    #[cfg(feature = "all-cases")]
    Replace(layout!(8:2), int!(0), layout!((8,2,2):(1,8,16)));
    #[cfg(feature = "all-cases")]
    Replace(layout!(((1,5),4,4):((4,-16),-4,-1)), int!(2), layout!((3,1,(4)):(1,3,(3))));
    #[cfg(feature = "all-cases")]
    Replace(layout!(5:0), int!(0), layout!((4,3,(2,3)):(9,3,(36,72))));
    Replace(layout!((1):(1)), int!(0), layout!((5,3,6):(108,18,1)));
    #[cfg(feature = "all-cases")]
    Replace(layout!(((3,1,4),2):((16,8,144),2)), int!(0), layout!((3,(8),4):(1,(3),24)));
    #[cfg(feature = "all-cases")]
    Replace(layout!(((3,8),2):((8,1),24)), int!(0), layout!((2):(1)));
    #[cfg(feature = "all-cases")]
    Replace(layout!(8:8), int!(0), layout!((2,2,2):(4,1,2)));
    Replace(layout!((2):(1)), int!(0), layout!((16,2):(2,1)));
    #[cfg(feature = "all-cases")]
    Replace(layout!((1,4,6):(6,6,-1)), int!(0), layout!((4):(1)));
    #[cfg(feature = "all-cases")]
    Replace(layout!((16,4,1):(1,16,64)), int!(2), layout!(((8,4,2)):((1,8,32))));
    #[cfg(feature = "all-cases")]
    Replace(layout!(((3,2,2),3,3,2):((72,6,3),1,24,12)), int!(2), layout!((4):(8)));
    Replace(layout!((8,8):(1,8)), int!(0), layout!((1):(1)));
    #[cfg(feature = "all-cases")]
    Replace(layout!((3,(3,5)):(1,(15,3))), int!(0), layout!((3,2):(1,3)));
    #[cfg(feature = "all-cases")]
    Replace(layout!(3:3), int!(0), layout!((5,16,2):(16,1,80)));
    #[cfg(feature = "all-cases")]
    Replace(layout!((8):(1)), int!(0), layout!((2,(3,8),2):(1,(2,6),48)));
    Replace(layout!((4,5):(1,4)), int!(1), layout!(6:1));
    #[cfg(feature = "all-cases")]
    Replace(layout!((2,(8,3),1):(3,(6,48),144)), int!(1), layout!((4,4,1,8):(256,64,1024,8)));
    #[cfg(feature = "all-cases")]
    Replace(layout!(8:1), int!(0), layout!(3:1));
    #[cfg(feature = "all-cases")]
    Replace(layout!(((3,8,4)):((24,1,72))), int!(0), layout!((6):(1)));
];

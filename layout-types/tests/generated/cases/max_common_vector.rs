// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    MaxCommonVector(layout!((3,4,3):(1,3,12)), layout!(((4),5,2):((12),16,2)));
    #[cfg(feature = "all-cases")]
    MaxCommonVector(layout!((8,2,8):(8,64,128)), layout!((2,3,(4),4):(1,6,(36),432)));
    #[cfg(feature = "all-cases")]
    MaxCommonVector(layout!((3,4):(32,8)), layout!((5,2):(8,4)));
    #[cfg(feature = "all-cases")]
    MaxCommonVector(layout!((3,6,8):(1,3,18)), layout!(8:1));
    MaxCommonVector(layout!(8:1), layout!((4):(1)));
    #[cfg(feature = "all-cases")]
    MaxCommonVector(layout!((2,1,3):(1,2,2)), layout!(8:1));
    #[cfg(feature = "all-cases")]
    MaxCommonVector(layout!((16,3,1):(0,2,0)), layout!((6):(0)));
    #[cfg(feature = "all-cases")]
    MaxCommonVector(layout!(8:1), layout!((2,3,4):(12,4,1)));
    MaxCommonVector(layout!((1,8):(2,6)), layout!(3:1));
    #[cfg(feature = "all-cases")]
    MaxCommonVector(layout!((3,3,2):(24,8,4)), layout!((8,4,(1,2,4)):(-4,32,(32,512,-128))));
    #[cfg(feature = "all-cases")]
    MaxCommonVector(layout!((3,4,3,1):(12,3,1,1)), layout!((16):(48)));
    #[cfg(feature = "all-cases")]
    MaxCommonVector(layout!((8,4):(16,0)), layout!((6,4):(8,2)));
    MaxCommonVector(layout!((2):(1)), layout!((8,4):(2,16)));
    #[cfg(feature = "all-cases")]
    MaxCommonVector(layout!((5):(1)), layout!(3:8));
    #[cfg(feature = "all-cases")]
    MaxCommonVector(layout!(4:1), layout!((3,(5,3),(2)):(0,(3,0),(45))));
    #[cfg(feature = "all-cases")]
    MaxCommonVector(layout!(((4),3,6):((3),72,12)), layout!(((2,3,6)):((1,2,6))));
    MaxCommonVector(layout!((3):(1)), layout!(1:-1));
    #[cfg(feature = "all-cases")]
    MaxCommonVector(layout!(8:1), layout!(4:1));
    #[cfg(feature = "all-cases")]
    MaxCommonVector(layout!((2,3):(6,2)), layout!(16:12));
    #[cfg(feature = "all-cases")]
    MaxCommonVector(layout!((8,2):(1,8)), layout!((5,4):(1,5)));
    MaxCommonVector(layout!((2):(1)), layout!((3):(1)));
    #[cfg(feature = "all-cases")]
    MaxCommonVector(layout!((3,8):(8,-24)), layout!((6,8,3):(24,3,1)));
    #[cfg(feature = "all-cases")]
    MaxCommonVector(layout!((4):(1)), layout!((4):(1)));
    #[cfg(feature = "all-cases")]
    MaxCommonVector(layout!(6:1), layout!((2,3,3):(3,1,6)));
];

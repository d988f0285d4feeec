// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    Nullspace(layout!(8:0));
    #[cfg(feature = "all-cases")]
    Nullspace(layout!((4,3):(1,0)));
    #[cfg(feature = "all-cases")]
    Nullspace(layout!(((8,3)):((0,8))));
    #[cfg(feature = "all-cases")]
    Nullspace(layout!(((8,8,3)):((0,8,32))));
    Nullspace(layout!((2,4):(0,1)));
    #[cfg(feature = "all-cases")]
    Nullspace(layout!((8,3,(8)):(0,0,(16))));
    #[cfg(feature = "all-cases")]
    Nullspace(layout!(((2,6),2,(1,4),1):((0,0),48,(0,12),6)));
    #[cfg(feature = "all-cases")]
    Nullspace(layout!((4):(0)));
    Nullspace(layout!((6):(0)));
    #[cfg(feature = "all-cases")]
    Nullspace(layout!((8,4,8):(8,64,0)));
    #[cfg(feature = "all-cases")]
    Nullspace(layout!((16):(0)));
    #[cfg(feature = "all-cases")]
    Nullspace(layout!((3):(0)));
    Nullspace(layout!(((8)):((0))));
    #[cfg(feature = "all-cases")]
    Nullspace(layout!((4,(3,8)):(48,(0,3))));
    #[cfg(feature = "all-cases")]
    Nullspace(layout!(((3),3,5):((1),0,9)));
    #[cfg(feature = "all-cases")]
    Nullspace(layout!(4:0));
    Nullspace(layout!(((3),8,6):((0),6,1)));
    #[cfg(feature = "all-cases")]
    Nullspace(layout!((2,3,6):(18,0,0)));
    #[cfg(feature = "all-cases")]
    Nullspace(layout!(((2,2)):((1,0))));
    #[cfg(feature = "all-cases")]
    Nullspace(layout!(((2),4,4):((0),8,2)));
    Nullspace(layout!((2,(2),16):(0,(0),0)));
    #[cfg(feature = "all-cases")]
    Nullspace(layout!((2,2,8,2):(16,0,1,0)));
    #[cfg(feature = "all-cases")]
    Nullspace(layout!((2,1):(0,2)));
    #[cfg(feature = "all-cases")]
    Nullspace(layout!(((2),(5,6)):((0),(0,0))));
];

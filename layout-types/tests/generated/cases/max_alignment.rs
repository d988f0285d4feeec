// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    MaxAlignment(layout!((2):(1)));
    #[cfg(feature = "all-cases")]
    MaxAlignment(layout!((4):(1)));
    #[cfg(feature = "all-cases")]
    MaxAlignment(layout!(2:1));
    #[cfg(feature = "all-cases")]
    MaxAlignment(layout!((16,3):(3,48)));
    MaxAlignment(layout!(((6),2,8):((32),16,2)));
    #[cfg(feature = "all-cases")]
    MaxAlignment(layout!((6,5,6):(24,3,3)));
    #[cfg(feature = "all-cases")]
    MaxAlignment(layout!((2,6,6):(2,8,3)));
    #[cfg(feature = "all-cases")]
    MaxAlignment(layout!(3:8));
    MaxAlignment(layout!(4:1));
    #[cfg(feature = "all-cases")]
    MaxAlignment(layout!((8,(1,6),1):(6,(0,1),1)));
    #[cfg(feature = "all-cases")]
    MaxAlignment(layout!(((16,4)):((1,16))));
    #[cfg(feature = "all-cases")]
    MaxAlignment(layout!((3):(48)));
    MaxAlignment(layout!((2,2,4):(1,2,4)));
    #[cfg(feature = "all-cases")]
    MaxAlignment(layout!((6):(1)));
    #[cfg(feature = "all-cases")]
    MaxAlignment(layout!((3,2,4,8):(8,1,2,24)));
    #[cfg(feature = "all-cases")]
    MaxAlignment(layout!(((3),4):((3),9)));
    MaxAlignment(layout!((2,(3),3):(1,(2),6)));
    #[cfg(feature = "all-cases")]
    MaxAlignment(layout!((3):(0)));
    #[cfg(feature = "all-cases")]
    MaxAlignment(layout!((5,6):(1,10)));
    #[cfg(feature = "all-cases")]
    MaxAlignment(layout!(((2)):((1))));
    MaxAlignment(layout!((2):(2)));
    #[cfg(feature = "all-cases")]
    MaxAlignment(layout!(4:3));
    #[cfg(feature = "all-cases")]
    MaxAlignment(layout!(((5,2,3)):((48,8,16))));
    #[cfg(feature = "all-cases")]
    MaxAlignment(layout!((3,(2,2,2),1):(4,(2,1,12),24)));
];

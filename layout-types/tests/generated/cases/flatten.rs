// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    Flatten(layout!(2:1));
    #[cfg(feature = "all-cases")]
    Flatten(layout!((3):(1)));
    #[cfg(feature = "all-cases")]
    Flatten(layout!((2,3):(1,2)));
    #[cfg(feature = "all-cases")]
    Flatten(layout!((4,8):(24,1)));
    Flatten(layout!((5,(3,2),3):(48,(240,8),16)));
    #[cfg(feature = "all-cases")]
    Flatten(layout!(6:8));
    #[cfg(feature = "all-cases")]
    Flatten(layout!((4,4):(1,4)));
    #[cfg(feature = "all-cases")]
    Flatten(layout!((8,4,5):(20,1,4)));
    Flatten(layout!(((6),6):((12),6)));
    #[cfg(feature = "all-cases")]
    Flatten(layout!((4):(8)));
    #[cfg(feature = "all-cases")]
    Flatten(layout!((5,3):(1,5)));
    #[cfg(feature = "all-cases")]
    Flatten(layout!((5):(1)));
    Flatten(layout!((3,5,3):(15,3,1)));
    #[cfg(feature = "all-cases")]
    Flatten(layout!(4:8));
    #[cfg(feature = "all-cases")]
    Flatten(layout!(((1,2)):((8,8))));
    #[cfg(feature = "all-cases")]
    Flatten(layout!(5:0));
    Flatten(layout!((2,2,(8,8)):(1,2,(4,32))));
    #[cfg(feature = "all-cases")]
    Flatten(layout!((8,2,3):(24,8,16)));
    #[cfg(feature = "all-cases")]
    Flatten(layout!((5,2,4,3):(1,60,5,20)));
    #[cfg(feature = "all-cases")]
    Flatten(layout!(((16,3,4)):((12,1,0))));
    Flatten(layout!((3,4):(24,16)));
    #[cfg(feature = "all-cases")]
    Flatten(layout!(8:1));
    #[cfg(feature = "all-cases")]
    Flatten(layout!(8:2));
    #[cfg(feature = "all-cases")]
    Flatten(layout!((8,6,4):(0,8,48)));
];

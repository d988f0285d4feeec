// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    Size(layout!((16):(1)));
    #[cfg(feature = "all-cases")]
    Size(layout!((8,(8)):(24,(3))));
    #[cfg(feature = "all-cases")]
    Size(layout!(((4),3):((1),4)));
    #[cfg(feature = "all-cases")]
    Size(layout!((8,1):(2,16)));
    Size(layout!((2,2,8):(1,2,4)));
    #[cfg(feature = "all-cases")]
    Size(layout!((8,2,2,8):(2,1,128,16)));
    #[cfg(feature = "all-cases")]
    Size(layout!(6:1));
    #[cfg(feature = "all-cases")]
    Size(layout!((2,2,2):(1,2,4)));
    Size(layout!((3):(1)));
    #[cfg(feature = "all-cases")]
    Size(layout!((4,(2,5)):(5,(20,1))));
    #[cfg(feature = "all-cases")]
    Size(layout!((8,6):(1,8)));
    #[cfg(feature = "all-cases")]
    Size(layout!((2,1):(1,2)));
    Size(layout!(5:1));
    #[cfg(feature = "all-cases")]
    Size(layout!(1:1));
    #[cfg(feature = "all-cases")]
    Size(layout!((5,8):(0,12)));
    #[cfg(feature = "all-cases")]
    Size(layout!(((3)):((1))));
    Size(layout!((1):(1)));
    #[cfg(feature = "all-cases")]
    Size(layout!((16,(3)):(24,(8))));
    #[cfg(feature = "all-cases")]
    Size(layout!((2,2,2):(4,1,2)));
    #[cfg(feature = "all-cases")]
    Size(layout!((8,16):(1,16)));
    Size(layout!((1,2,(2),4):(32,12,(24),16)));
    #[cfg(feature = "all-cases")]
    Size(layout!((8,6):(18,3)));
    #[cfg(feature = "all-cases")]
    Size(layout!((8,1,(2,2),2):(2,64,(32,1),16)));
    #[cfg(feature = "all-cases")]
    Size(layout!((16,2):(1,16)));
];

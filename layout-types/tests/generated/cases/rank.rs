// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    Rank(layout!(((16,5,2)):((48,3,3))));
    #[cfg(feature = "all-cases")]
    Rank(layout!((8,(1,5,1),5,1):(1,(8,8,40),40,200)));
    #[cfg(feature = "all-cases")]
    Rank(layout!((4):(16)));
    #[cfg(feature = "all-cases")]
    Rank(layout!((4):(0)));
    Rank(layout!(8:4));
    #[cfg(feature = "all-cases")]
    Rank(layout!((3,8):(8,1)));
    #[cfg(feature = "all-cases")]
    Rank(layout!(2:1));
    #[cfg(feature = "all-cases")]
    Rank(layout!((2,4,8):(-1,-2,8)));
    Rank(layout!((4,2,(2,6)):(6,24,(48,1))));
    #[cfg(feature = "all-cases")]
    Rank(layout!((6):(1)));
    #[cfg(feature = "all-cases")]
    Rank(layout!((4,(2,3),2):(3,(3,32),8)));
    #[cfg(feature = "all-cases")]
    Rank(layout!((8,4,8):(1,64,0)));
    Rank(layout!((4):(-1)));
    #[cfg(feature = "all-cases")]
    Rank(layout!((2,2,8,2):(32,8,1,16)));
    #[cfg(feature = "all-cases")]
    Rank(layout!((3,6,8):(1,24,3)));
    #[cfg(feature = "all-cases")]
    Rank(layout!((8):(2)));
    Rank(layout!(3:2));
    #[cfg(feature = "all-cases")]
    Rank(layout!((4):(8)));
    #[cfg(feature = "all-cases")]
    Rank(layout!(((6,2)):((4,2))));
    #[cfg(feature = "all-cases")]
    Rank(layout!(8:1));
    Rank(layout!(4:2));
    #[cfg(feature = "all-cases")]
    Rank(layout!((2):(2)));
    #[cfg(feature = "all-cases")]
    Rank(layout!(((2,4,8)):((1,2,8))));
    #[cfg(feature = "all-cases")]
    Rank(layout!(3:0));
];

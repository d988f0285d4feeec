// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    MakeLike(layout!(2:1));
    #[cfg(feature = "all-cases")]
    MakeLike(layout!((3,3):(1,3)));
    #[cfg(feature = "all-cases")]
    MakeLike(layout!((3,16):(4,12)));
    #[cfg(feature = "all-cases")]
    MakeLike(layout!((4):(8)));
    MakeLike(layout!((4,2,4):(1,4,8)));
    #[cfg(feature = "all-cases")]
    MakeLike(layout!((16,4,3):(1,16,64)));
    #[cfg(feature = "all-cases")]
    MakeLike(layout!((2):(2)));
    #[cfg(feature = "all-cases")]
    MakeLike(layout!(8:1));
    MakeLike(layout!(((2)):((1))));
    #[cfg(feature = "all-cases")]
    MakeLike(layout!(((5,2),5,2):((12,2),0,6)));
    #[cfg(feature = "all-cases")]
    MakeLike(layout!((8,2,(16)):(32,16,(1))));
    #[cfg(feature = "all-cases")]
    MakeLike(layout!((3,8):(8,0)));
    MakeLike(layout!(6:3));
    #[cfg(feature = "all-cases")]
    MakeLike(layout!((2,(2),(6,3,2)):(0,(1),(0,2,36))));
    #[cfg(feature = "all-cases")]
    MakeLike(layout!((3,(8)):(1,(9))));
    #[cfg(feature = "all-cases")]
    MakeLike(layout!(((3),3):((9),3)));
    MakeLike(layout!((4,8,2,4):(8,32,0,0)));
    #[cfg(feature = "all-cases")]
    MakeLike(layout!((5,(5)):(5,(1))));
    #[cfg(feature = "all-cases")]
    MakeLike(layout!(16:1));
    #[cfg(feature = "all-cases")]
    MakeLike(layout!((4):(1)));
    MakeLike(layout!((4,5,4):(1,4,20)));
    #[cfg(feature = "all-cases")]
    MakeLike(layout!((2,(4)):(2,(4))));
    #[cfg(feature = "all-cases")]
    MakeLike(layout!((1,4):(1,1)));
    #[cfg(feature = "all-cases")]
    MakeLike(layout!((6,3):(4,24)));
];

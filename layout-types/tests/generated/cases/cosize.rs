// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    Cosize(layout!((16):(1)));
    #[cfg(feature = "all-cases")]
    Cosize(layout!((5,(3,8),2):(1,(0,15),120)));
    #[cfg(feature = "all-cases")]
    Cosize(layout!(((3,3),(2)):((1,3),(9))));
    #[cfg(feature = "all-cases")]
    Cosize(layout!((3,(6,4),2):(384,(-32,8),-192)));
    Cosize(layout!((4,2):(2,1)));
    #[cfg(feature = "all-cases")]
    Cosize(layout!((3,(4,16,1)):(0,(3,0,0))));
    #[cfg(feature = "all-cases")]
    Cosize(layout!((4,4):(2,8)));
    #[cfg(feature = "all-cases")]
    Cosize(layout!((4,1):(3,12)));
    Cosize(layout!(((16),2):((2),1)));
    #[cfg(feature = "all-cases")]
    Cosize(layout!((3):(4)));
    #[cfg(feature = "all-cases")]
    Cosize(layout!((2,6,1,6):(1,12,1,2)));
    #[cfg(feature = "all-cases")]
    Cosize(layout!((2,3,3,8):(1,-2,48,-6)));
    Cosize(layout!((2):(1)));
    #[cfg(feature = "all-cases")]
    Cosize(layout!(2:3));
    #[cfg(feature = "all-cases")]
    Cosize(layout!((3,2):(1,3)));
    #[cfg(feature = "all-cases")]
    Cosize(layout!((1,2):(1,1)));
    Cosize(layout!((8):(1)));
    #[cfg(feature = "all-cases")]
    Cosize(layout!(6:1));
    #[cfg(feature = "all-cases")]
    Cosize(layout!((3,2,(6),(2)):(48,4,(8),(2))));
    #[cfg(feature = "all-cases")]
    Cosize(layout!(((4,2,5)):((10,120,1))));
    Cosize(layout!((4,2,8):(2,64,8)));
    #[cfg(feature = "all-cases")]
    Cosize(layout!((6):(12)));
    #[cfg(feature = "all-cases")]
    Cosize(layout!((16,1):(2,4)));
    #[cfg(feature = "all-cases")]
    Cosize(layout!((2,4,16):(8,16,64)));
];

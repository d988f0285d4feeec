// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    ZipModes(layout!((16):(1)));
    #[cfg(feature = "all-cases")]
    ZipModes(layout!(4:1));
    #[cfg(feature = "all-cases")]
    ZipModes(layout!((6,3):(24,8)));
    #[cfg(feature = "all-cases")]
    ZipModes(layout!(2:2));
    ZipModes(layout!(2:8));
    #[cfg(feature = "all-cases")]
    ZipModes(layout!(((6)):((1))));
    #[cfg(feature = "all-cases")]
    ZipModes(layout!((5,4,(8)):(0,1,(20))));
    #[cfg(feature = "all-cases")]
    ZipModes(layout!((3):(1)));
    ZipModes(layout!(4:2));
    #[cfg(feature = "all-cases")]
    ZipModes(layout!((1,4,3,(2,4)):(192,8,32,(96,192))));
    #[cfg(feature = "all-cases")]
    ZipModes(layout!((2,1,(1,3)):(1,-6,(-6,-2))));
    #[cfg(feature = "all-cases")]
    ZipModes(layout!(2:24));
    ZipModes(layout!((2,1,5):(1,2,6)));
    #[cfg(feature = "all-cases")]
    ZipModes(layout!((16,4,4):(1,16,64)));
    #[cfg(feature = "all-cases")]
    ZipModes(layout!((5,(3,3)):(16,(0,8))));
    #[cfg(feature = "all-cases")]
    ZipModes(layout!((5,2,(8),2):(8,2880,(120),2)));
    ZipModes(layout!(4:3));
    #[cfg(feature = "all-cases")]
    ZipModes(layout!(6:6));
    #[cfg(feature = "all-cases")]
    ZipModes(layout!(((4,5)):((-10,2))));
    #[cfg(feature = "all-cases")]
    ZipModes(layout!(8:1));
    ZipModes(layout!(2:1));
    #[cfg(feature = "all-cases")]
    ZipModes(layout!((4):(1)));
    #[cfg(feature = "all-cases")]
    ZipModes(layout!(4:8));
    #[cfg(feature = "all-cases")]
    ZipModes(layout!(8:6));
];

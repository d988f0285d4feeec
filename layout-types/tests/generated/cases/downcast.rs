// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    Downcast(layout!((4):(1)), int!(24));
    #[cfg(feature = "all-cases")]
    Downcast(layout!((4,3,4,1):(1,4,12,48)), int!(16));
    #[cfg(feature = "all-cases")]
    Downcast(layout!((16):(1)), int!(6));
    #[cfg(feature = "all-cases")]
    Downcast(layout!(((2),3,8):((1),2,6)), int!(64));
    Downcast(layout!((2):(1)), int!(128));
    #[cfg(feature = "all-cases")]
    Downcast(layout!((4):(1)), int!(8));
    #[cfg(feature = "all-cases")]
    Downcast(layout!(((1,8),3):((24,1),8)), int!(32));
    #[cfg(feature = "all-cases")]
    Downcast(layout!((8):(1)), int!(64));
    Downcast(layout!((2):(1)), int!(8));
    #[cfg(feature = "all-cases")]
    Downcast(layout!(4:1), int!(24));
    #[cfg(feature = "all-cases")]
    Downcast(layout!(6:1), int!(128));
    #[cfg(feature = "all-cases")]
    Downcast(layout!((2,2):(1,2)), int!(128));
    Downcast(layout!(4:1), int!(8));
    #[cfg(feature = "all-cases")]
    Downcast(layout!(4:1), int!(3));
    #[cfg(feature = "all-cases")]
    Downcast(layout!((4,3):(3,1)), int!(2));
    #[cfg(feature = "all-cases")]
    Downcast(layout!((1,1,4,(4,5)):(80,80,1,(4,16))), int!(2));
    Downcast(layout!(8:1), int!(128));
    #[cfg(feature = "all-cases")]
    Downcast(layout!((3,3,2):(2,6,1)), int!(2));
    #[cfg(feature = "all-cases")]
    Downcast(layout!((4,4,8,2):(1,4,16,128)), int!(8));
    #[cfg(feature = "all-cases")]
    Downcast(layout!((5,(2,3),2):(1,(5,10),30)), int!(16));
    Downcast(layout!((8,3):(1,8)), int!(32));
    #[cfg(feature = "all-cases")]
    Downcast(layout!((4,3,4):(4,-16,1)), int!(64));
    #[cfg(feature = "all-cases")]
    Downcast(layout!(((2)):((1))), int!(128));
    #[cfg(feature = "all-cases")]
    Downcast(layout!(2:1), int!(2));
];

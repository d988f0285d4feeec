// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    MaxCommonLayout(layout!(((6,3)):((1,6))), layout!(4:1));
    #[cfg(feature = "all-cases")]
    MaxCommonLayout(layout!((2,2,(6)):(1,12,(2))), layout!((2,8,8):(1,2,16)));
    #[cfg(feature = "all-cases")]
    MaxCommonLayout(layout!((4,(2,2),8):(1,(8,4),16)), layout!((1,8,16):(1,1,8)));
    #[cfg(feature = "all-cases")]
    MaxCommonLayout(layout!((1,2,4):(1,1,2)), layout!(8:1));
    MaxCommonLayout(layout!(8:1), layout!(8:1));
    #[cfg(feature = "all-cases")]
    MaxCommonLayout(layout!((4,1,16):(1,4,4)), layout!(5:1));
    #[cfg(feature = "all-cases")]
    MaxCommonLayout(layout!(2:1), layout!((4,8):(1,4)));
    #[cfg(feature = "all-cases")]
    MaxCommonLayout(layout!((3,5,5):(1,3,15)), layout!(6:1));
    MaxCommonLayout(layout!((2,5):(1,2)), layout!((16):(1)));
    #[cfg(feature = "all-cases")]
    MaxCommonLayout(layout!((4,2):(1,8)), layout!(3:1));
    #[cfg(feature = "all-cases")]
    MaxCommonLayout(layout!(2:1), layout!((2,(8)):(1,(2))));
    #[cfg(feature = "all-cases")]
    MaxCommonLayout(layout!(2:1), layout!((2):(1)));
    MaxCommonLayout(layout!((2,(4,4)):(1,(8,2))), layout!(((4,2),16):((1,-4),8)));
    #[cfg(feature = "all-cases")]
    MaxCommonLayout(layout!((3,16):(1,3)), layout!((4,(8),2,3):(1,(4),32,64)));
    #[cfg(feature = "all-cases")]
    MaxCommonLayout(layout!(((4),2,1,2):((1),0,8,8)), layout!((8):(1)));
    #[cfg(feature = "all-cases")]
    MaxCommonLayout(layout!(8:1), layout!((2,4,4,2):(1,2,8,32)));
    MaxCommonLayout(layout!((3,2):(1,6)), layout!(((3,3)):((1,3))));
    #[cfg(feature = "all-cases")]
    MaxCommonLayout(layout!((2,(4)):(1,(2))), layout!(2:1));
    #[cfg(feature = "all-cases")]
    MaxCommonLayout(layout!((4,6,1,8):(1,32,192,4)), layout!((8):(1)));
    #[cfg(feature = "all-cases")]
    MaxCommonLayout(layout!((8,(4)):(1,(0))), layout!(2:1));
    MaxCommonLayout(layout!(8:1), layout!((5,8,2):(1,5,40)));
    #[cfg(feature = "all-cases")]
    MaxCommonLayout(layout!(2:1), layout!((8,6,1):(1,8,48)));
    #[cfg(feature = "all-cases")]
    MaxCommonLayout(layout!((2,6,3):(1,0,0)), layout!(16:1));
    #[cfg(feature = "all-cases")]
    MaxCommonLayout(layout!((16):(1)), layout!((16):(1)));
];

// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    Filter(layout!((4,4,8,2):(64,16,1,8)));
    #[cfg(feature = "all-cases")]
    Filter(layout!((8,2,(5),2):(8,32,(12),16)));
    #[cfg(feature = "all-cases")]
    Filter(layout!(2:1));
    #[cfg(feature = "all-cases")]
    Filter(layout!((16,3):(1,16)));
    Filter(layout!(((4,2,1),4):((8,48,32),6)));
    #[cfg(feature = "all-cases")]
    Filter(layout!((16,5):(1,16)));
    #[cfg(feature = "all-cases")]
    Filter(layout!((4,1,(4,3)):(1,16,(4,16))));
    #[cfg(feature = "all-cases")]
    Filter(layout!((6,2,2,(5)):(80,40,4,(8))));
    Filter(layout!(8:1));
    #[cfg(feature = "all-cases")]
    Filter(layout!(((2),8):((1),2)));
    #[cfg(feature = "all-cases")]
    Filter(layout!(((5),4,6):((3),15,60)));
    #[cfg(feature = "all-cases")]
    Filter(layout!((6,8):(16,4)));
    Filter(layout!(16:3));
    #[cfg(feature = "all-cases")]
    Filter(layout!((16,2,5):(10,5,1)));
    #[cfg(feature = "all-cases")]
    Filter(layout!(((4),(3,4)):((4),(16,48))));
    #[cfg(feature = "all-cases")]
    Filter(layout!((3,(2)):(16,(8))));
    Filter(layout!((8):(48)));
    #[cfg(feature = "all-cases")]
    Filter(layout!((1,(4),16,2):(128,(2),8,1)));
    #[cfg(feature = "all-cases")]
    Filter(layout!(((2,4,8),4,1):((1,2,8),64,256)));
    #[cfg(feature = "all-cases")]
    Filter(layout!((2):(4)));
    Filter(layout!(16:1));
    #[cfg(feature = "all-cases")]
    Filter(layout!(((8),6,4):((32),2,24)));
    #[cfg(feature = "all-cases")]
    Filter(layout!(3:1));
    #[cfg(feature = "all-cases")]
    Filter(layout!((8,3,(1,3)):(1,8,(24,24))));
];

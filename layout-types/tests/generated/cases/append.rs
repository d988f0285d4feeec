// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    Append(layout!((8,4,6):(24,0,1)), layout!((3):(2)));
    #[cfg(feature = "all-cases")]
    Append(layout!((16):(1)), layout!(((4,2,4),2):((6,-3,24),-96)));
    #[cfg(feature = "all-cases")]
    Append(layout!((5):(1)), layout!(5:1));
    #[cfg(feature = "all-cases")]
    Append(layout!(6:2), layout!(6:1));
    Append(layout!((6,(3,2,4)):(96,(32,4,8))), layout!(((6)):((1))));
    #[cfg(feature = "all-cases")]
    Append(layout!((2):(1)), layout!(4:1));
    #[cfg(feature = "all-cases")]
    Append(layout!((2,(2,16),3):(1,(2,4),64)), layout!(3:1));
    #[cfg(feature = "all-cases")]
    Append(layout!((4,(2,16)):(1,(4,8))), layout!((4,2):(24,12)));
    Append(layout!((3,5):(5,1)), layout!((4,5):(1,4)));
    #[cfg(feature = "all-cases")]
    Append(layout!((8):(1)), layout!(16:-3));
    #[cfg(feature = "all-cases")]
    Append(layout!(3:1), layout!(2:1));
    #[cfg(feature = "all-cases")]
    Append(layout!(2:0), layout!((6):(-1)));
    Append(layout!((2):(1)), layout!(16:0));
    #[cfg(feature = "all-cases")]
    Append(layout!((6,4):(1,16)), layout!((2,(1,16,3)):(1,(6,6,2))));
    #[cfg(feature = "all-cases")]
    Append(layout!((6):(12)), layout!((3):(1)));
    #[cfg(feature = "all-cases")]
    Append(layout!((4,16):(1,4)), layout!(((6),(3,1)):((1),(-6,6))));
    Append(layout!(3:0), layout!(3:1));
    #[cfg(feature = "all-cases")]
    Append(layout!(2:3), layout!((3,1,5):(5,1,1)));
    #[cfg(feature = "all-cases")]
    Append(layout!((1,3,5):(1,1,3)), layout!((2,1,4):(-4,8,1)));
    #[cfg(feature = "all-cases")]
    Append(layout!(2:1), layout!((6):(1)));
    Append(layout!((4,3):(1,4)), layout!((6,(4),2):(2,(12),1)));
    #[cfg(feature = "all-cases")]
    Append(layout!((16):(1)), layout!(((3,2),3,2,2):((8,0),0,0,0)));
    #[cfg(feature = "all-cases")]
    Append(layout!((2,3,8):(2,4,12)), layout!((8,3):(1,8)));
    #[cfg(feature = "all-cases")]
    Append(layout!((4,5):(1,4)), layout!(8:8));
];

// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    Prepend(layout!(4:1), layout!(((2,8)):((8,1))));
    #[cfg(feature = "all-cases")]
    Prepend(layout!(((2),2,2,5):((4),1,2,8)), layout!(((1,4,2)):((0,0,1))));
    #[cfg(feature = "all-cases")]
    Prepend(layout!((2,2):(1,2)), layout!(8:0));
    #[cfg(feature = "all-cases")]
    Prepend(layout!(5:1), layout!(2:1));
    Prepend(layout!((5):(-4)), layout!((2):(1)));
    #[cfg(feature = "all-cases")]
    Prepend(layout!(16:3), layout!(4:-1));
    #[cfg(feature = "all-cases")]
    Prepend(layout!((3):(1)), layout!(1:-1));
    #[cfg(feature = "all-cases")]
    Prepend(layout!((3,(2)):(1,(3))), layout!((16,(4)):(1,(16))));
    Prepend(layout!((2,16,8):(256,16,2)), layout!(5:1));
    #[cfg(feature = "all-cases")]
    Prepend(layout!((8,16,1):(2,48,48)), layout!((3,(2,2)):(2,(18,1))));
    #[cfg(feature = "all-cases")]
    Prepend(layout!(6:1), layout!(6:1));
    #[cfg(feature = "all-cases")]
    Prepend(layout!(5:1), layout!((2,4,(5,2),3):(1,2,(8,40),80)));
    Prepend(layout!((16,2):(4,1)), layout!(8:1));
    #[cfg(feature = "all-cases")]
    Prepend(layout!((4):(1)), layout!(5:1));
    #[cfg(feature = "all-cases")]
    Prepend(layout!((4,4,2,5):(5,20,80,1)), layout!((4):(1)));
    #[cfg(feature = "all-cases")]
    Prepend(layout!(((4,5),(3,2,1),(1)):((360,24),(2,2880,12),(2880))), layout!(1:1));
    Prepend(layout!((2,1):(3,18)), layout!((2,3):(1,-2)));
    #[cfg(feature = "all-cases")]
    Prepend(layout!((1,8,4):(0,12,0)), layout!((3):(1)));
    #[cfg(feature = "all-cases")]
    Prepend(layout!((3,2,4):(1,3,6)), layout!(4:8));
    #[cfg(feature = "all-cases")]
    Prepend(layout!(8:1), layout!((4):(1)));
    Prepend(layout!((2):(-1)), layout!((3,4,2,6):(1,3,0,24)));
    #[cfg(feature = "all-cases")]
    Prepend(layout!(((16),4):((4),1)), layout!((2):(-1)));
    #[cfg(feature = "all-cases")]
    Prepend(layout!((5,2):(1,5)), layout!(16:1));
    #[cfg(feature = "all-cases")]
    Prepend(layout!((8,16):(-1,-8)), layout!(4:1));
];

// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    WithShape(layout!((3):(1)), shape!((3,3,4)));
    #[cfg(feature = "all-cases")]
    WithShape(layout!((2,2):(3,6)), shape!(((2),2)));
    #[cfg(feature = "all-cases")]
    WithShape(layout!((6):(1)), shape!((2,(2,2,2))));
    #[cfg(feature = "all-cases")]
    WithShape(layout!(5:1), shape!(2));
    WithShape(layout!(4:1), shape!((3)));
    #[cfg(feature = "all-cases")]
    WithShape(layout!((8):(1)), shape!((8)));
    #[cfg(feature = "all-cases")]
    WithShape(layout!(3:4), shape!((16,8)));
    #[cfg(feature = "all-cases")]
    WithShape(layout!(3:1), shape!(2));
    WithShape(layout!((4,8):(-1,-4)), shape!((4)));
    #[cfg(feature = "all-cases")]
    WithShape(layout!((16):(-1)), shape!(2));
    #[cfg(feature = "all-cases")]
    WithShape(layout!(3:3), shape!((2)));
    #[cfg(feature = "all-cases")]
    WithShape(layout!((1,1,2,5):(2,120,30,2)), shape!((1,(2))));
    WithShape(layout!((3,6,3):(1,3,18)), shape!((16)));
    #[cfg(feature = "all-cases")]
    WithShape(layout!((4):(1)), shape!((16,3,2,1)));
    #[cfg(feature = "all-cases")]
    WithShape(layout!((16):(1)), shape!((3,3,3,6)));
    #[cfg(feature = "all-cases")]
    WithShape(layout!((1):(1)), shape!((2,2)));
    WithShape(layout!(((8),2,8):((8),64,128)), shape!(((3,4),1,2,(2,2))));
    #[cfg(feature = "all-cases")]
    WithShape(layout!(2:0), shape!(((3),6,4)));
    #[cfg(feature = "all-cases")]
    WithShape(layout!(((2),8):((1),2)), shape!((4,4)));
    #[cfg(feature = "all-cases")]
    WithShape(layout!(4:1), shape!(((1),4)));
    WithShape(layout!((5,2,2):(-1,-5,10)), shape!(3));
    #[cfg(feature = "all-cases")]
    WithShape(layout!(8:3), shape!(2));
    #[cfg(feature = "all-cases")]
    WithShape(layout!(((4,2)):((1,4))), shape!((3,3,3)));
    #[cfg(feature = "all-cases")]
    WithShape(layout!(((16),3):((24),8)), shape!((16)));
];

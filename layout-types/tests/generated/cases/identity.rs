// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    Identity(shape!(((2,3,6),2)));
    #[cfg(feature = "all-cases")]
    Identity(shape!(8));
    #[cfg(feature = "all-cases")]
    Identity(shape!((4)));
    #[cfg(feature = "all-cases")]
    Identity(shape!(((8,2,5))));
    Identity(shape!(3));
    #[cfg(feature = "all-cases")]
    Identity(shape!(((5,1),3,(5),3)));
    #[cfg(feature = "all-cases")]
    Identity(shape!(4));
    #[cfg(feature = "all-cases")]
    Identity(shape!((4,2,8)));
    Identity(shape!((4,3,16)));
    #[cfg(feature = "all-cases")]
    Identity(shape!(((2),4,(4))));
    #[cfg(feature = "all-cases")]
    Identity(shape!((5)));
    #[cfg(feature = "all-cases")]
    Identity(shape!(((3))));
    Identity(shape!((2,3,2)));
    #[cfg(feature = "all-cases")]
    Identity(shape!((2,8,1)));
    #[cfg(feature = "all-cases")]
    Identity(shape!((2,1)));
    #[cfg(feature = "all-cases")]
    Identity(shape!((4,4)));
    Identity(shape!((4,(2,5,2))));
    #[cfg(feature = "all-cases")]
    Identity(shape!((4,(6,4,2))));
    #[cfg(feature = "all-cases")]
    Identity(shape!(((1,2,2),2)));
    #[cfg(feature = "all-cases")]
    Identity(shape!(((4,3),2,2)));
    Identity(shape!((3,5)));
    #[cfg(feature = "all-cases")]
    Identity(shape!((16)));
    #[cfg(feature = "all-cases")]
    Identity(shape!(2));
    #[cfg(feature = "all-cases")]
    Identity(shape!((4,2)));
];

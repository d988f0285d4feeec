// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    LayoutLeft(shape!((4,2,(8,2))));
    #[cfg(feature = "all-cases")]
    LayoutLeft(shape!((4,16)));
    #[cfg(feature = "all-cases")]
    LayoutLeft(shape!(((5),4)));
    #[cfg(feature = "all-cases")]
    LayoutLeft(shape!(8));
    LayoutLeft(shape!((2,(2,16,2))));
    #[cfg(feature = "all-cases")]
    LayoutLeft(shape!((1,4,4,4)));
    #[cfg(feature = "all-cases")]
    LayoutLeft(shape!(2));
    #[cfg(feature = "all-cases")]
    LayoutLeft(shape!((1,8,(2,1,3))));
    LayoutLeft(shape!((8,4)));
    #[cfg(feature = "all-cases")]
    LayoutLeft(shape!((3)));
    #[cfg(feature = "all-cases")]
    LayoutLeft(shape!(16));
    #[cfg(feature = "all-cases")]
    LayoutLeft(shape!((2)));
    LayoutLeft(shape!((2,8,8)));
    #[cfg(feature = "all-cases")]
    LayoutLeft(shape!((4,6,4)));
    #[cfg(feature = "all-cases")]
    LayoutLeft(shape!((2,1)));
    #[cfg(feature = "all-cases")]
    LayoutLeft(shape!((4,4)));
    LayoutLeft(shape!((2,4,6)));
    #[cfg(feature = "all-cases")]
    LayoutLeft(shape!((8,(8))));
    #[cfg(feature = "all-cases")]
    LayoutLeft(shape!((4,6)));
    #[cfg(feature = "all-cases")]
    LayoutLeft(shape!((3,(3),2,(2))));
    LayoutLeft(shape!((2,(3,5))));
    #[cfg(feature = "all-cases")]
    LayoutLeft(shape!((3,4,2)));
    #[cfg(feature = "all-cases")]
    LayoutLeft(shape!(3));
    #[cfg(feature = "all-cases")]
    LayoutLeft(shape!(5));
];

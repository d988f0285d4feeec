// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    LayoutRight(shape!(4));
    #[cfg(feature = "all-cases")]
    LayoutRight(shape!(6));
    #[cfg(feature = "all-cases")]
    LayoutRight(shape!((3)));
    #[cfg(feature = "all-cases")]
    LayoutRight(shape!(((16,3),4)));
    LayoutRight(shape!(((8))));
    #[cfg(feature = "all-cases")]
    LayoutRight(shape!((5,2,2)));
    #[cfg(feature = "all-cases")]
    LayoutRight(shape!(3));
    #[cfg(feature = "all-cases")]
    LayoutRight(shape!(5));
    LayoutRight(shape!((3,(4,1,3),2,2)));
    #[cfg(feature = "all-cases")]
    LayoutRight(shape!((8)));
    #[cfg(feature = "all-cases")]
    LayoutRight(shape!((5)));
    #[cfg(feature = "all-cases")]
    LayoutRight(shape!((2,5,2)));
    LayoutRight(shape!((4,5)));
    #[cfg(feature = "all-cases")]
    LayoutRight(shape!((8,2,3,3)));
    #[cfg(feature = "all-cases")]
    LayoutRight(shape!((8,6)));
    #[cfg(feature = "all-cases")]
    LayoutRight(shape!(((4,8),3,2)));
    LayoutRight(shape!((4,4,16)));
    #[cfg(feature = "all-cases")]
    LayoutRight(shape!(((1,8,2))));
    #[cfg(feature = "all-cases")]
    LayoutRight(shape!((4)));
    #[cfg(feature = "all-cases")]
    LayoutRight(shape!((5,3)));
    LayoutRight(shape!((6,1)));
    #[cfg(feature = "all-cases")]
    LayoutRight(shape!((1,4)));
    #[cfg(feature = "all-cases")]
    LayoutRight(shape!(((4,3,1),2)));
    #[cfg(feature = "all-cases")]
    LayoutRight(shape!(8));
];

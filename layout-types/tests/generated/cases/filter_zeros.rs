// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    FilterZeros(layout!((5,(2),8,2):(-32,(2),-4,1)));
    #[cfg(feature = "all-cases")]
    FilterZeros(layout!(((4)):((1))));
    #[cfg(feature = "all-cases")]
    FilterZeros(layout!((1,8):(64,8)));
    #[cfg(feature = "all-cases")]
    FilterZeros(layout!(((2,4,1)):((1,2,8))));
    FilterZeros(layout!((2,4):(2,4)));
    #[cfg(feature = "all-cases")]
    FilterZeros(layout!((2,2,16,1):(1,2,4,64)));
    #[cfg(feature = "all-cases")]
    FilterZeros(layout!((3):(1)));
    #[cfg(feature = "all-cases")]
    FilterZeros(layout!((2,2):(1,6)));
    FilterZeros(layout!((2,(5,4),3):(3,(6,30),120)));
    #[cfg(feature = "all-cases")]
    FilterZeros(layout!((16,2):(1,16)));
    #[cfg(feature = "all-cases")]
    FilterZeros(layout!((16,3):(12,4)));
    #[cfg(feature = "all-cases")]
    FilterZeros(layout!(6:8));
    FilterZeros(layout!(3:-1));
    #[cfg(feature = "all-cases")]
    FilterZeros(layout!(4:1));
    #[cfg(feature = "all-cases")]
    FilterZeros(layout!((4,8,6):(1,4,32)));
    #[cfg(feature = "all-cases")]
    FilterZeros(layout!((16,2,(4)):(4,-64,(1))));
    FilterZeros(layout!((16,2):(1,-16)));
    #[cfg(feature = "all-cases")]
    FilterZeros(layout!((4):(1)));
    #[cfg(feature = "all-cases")]
    FilterZeros(layout!((8):(1)));
    #[cfg(feature = "all-cases")]
    FilterZeros(layout!((3):(8)));
    FilterZeros(layout!(3:1));
    #[cfg(feature = "all-cases")]
    FilterZeros(layout!((4,2,2):(1,4,8)));
    #[cfg(feature = "all-cases")]
    FilterZeros(layout!(2:1));
    #[cfg(feature = "all-cases")]
    FilterZeros(layout!((4):(8)));
];

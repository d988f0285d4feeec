// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    CoalesceBy(layout!(16:1), shape!(1));
    #[cfg(feature = "all-cases")]
    CoalesceBy(layout!(((4,2),8,(1,3,1)):((1,4),8,(64,64,192))), shape!((1,1,1)));
    #[cfg(feature = "all-cases")]
    CoalesceBy(layout!((8):(3)), shape!((1)));
    #[cfg(feature = "all-cases")]
    CoalesceBy(layout!((3,4,2):(1,3,12)), shape!((1,1,1)));
    CoalesceBy(layout!(6:8), shape!(1));
    #[cfg(feature = "all-cases")]
    CoalesceBy(layout!(2:1), shape!(1));
    #[cfg(feature = "all-cases")]
    CoalesceBy(layout!((4):(1)), shape!((1)));
    #[cfg(feature = "all-cases")]
    CoalesceBy(layout!((8,3,1,4):(1,32,32,8)), shape!((1,1,1,1)));
    CoalesceBy(layout!(3:1), shape!(1));
    #[cfg(feature = "all-cases")]
    CoalesceBy(layout!((1,2):(3,1)), shape!((1,1)));
    #[cfg(feature = "all-cases")]
    CoalesceBy(layout!((2):(1)), shape!((1)));
    #[cfg(feature = "all-cases")]
    CoalesceBy(layout!(((1,3,1),4):((2,3,16),6)), shape!((1,1)));
    CoalesceBy(layout!(((4,1,3)):((3,12,1))), shape!(((1,1))));
    #[cfg(feature = "all-cases")]
    CoalesceBy(layout!((1,2,8):(16,1,2)), shape!((1,1,1)));
    #[cfg(feature = "all-cases")]
    CoalesceBy(layout!((2):(3)), shape!((1)));
    #[cfg(feature = "all-cases")]
    CoalesceBy(layout!((8):(0)), shape!((1)));
    CoalesceBy(layout!((4,16,1):(48,3,192)), shape!((1,1,1)));
    #[cfg(feature = "all-cases")]
    CoalesceBy(layout!(8:-4), shape!(1));
    #[cfg(feature = "all-cases")]
    CoalesceBy(layout!((2,(5)):(20,(4))), shape!((1,1)));
    #[cfg(feature = "all-cases")]
    CoalesceBy(layout!(2:-3), shape!(1));
    CoalesceBy(layout!((3):(1)), shape!((1)));
    #[cfg(feature = "all-cases")]
    CoalesceBy(layout!(6:1), shape!(1));
    #[cfg(feature = "all-cases")]
    CoalesceBy(layout!((4,3):(4,2)), shape!((1,1)));
    #[cfg(feature = "all-cases")]
    CoalesceBy(layout!((3,(1),3,2):(2,(18),6,1)), shape!((1,1,1,1)));
];

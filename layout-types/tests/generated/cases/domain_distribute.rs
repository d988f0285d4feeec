// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    DomainDistribute(shape!(6), int!(4));
    #[cfg(feature = "all-cases")]
    DomainDistribute(shape!(((1,5),4,2)), int!(2));
    #[cfg(feature = "all-cases")]
    DomainDistribute(shape!((4)), int!(2));
    #[cfg(feature = "all-cases")]
    DomainDistribute(shape!((2,3)), int!(8));
    DomainDistribute(shape!((2,(4,2,2),4)), int!(8));
    #[cfg(feature = "all-cases")]
    DomainDistribute(shape!((2)), int!(48));
    #[cfg(feature = "all-cases")]
    DomainDistribute(shape!(((2))), int!(128));
    #[cfg(feature = "all-cases")]
    DomainDistribute(shape!((4,6)), int!(128));
    DomainDistribute(shape!((8,4,5)), int!(64));
    #[cfg(feature = "all-cases")]
    DomainDistribute(shape!(8), int!(64));
    #[cfg(feature = "all-cases")]
    DomainDistribute(shape!((8)), int!(4));
    #[cfg(feature = "all-cases")]
    DomainDistribute(shape!(6), int!(16));
    DomainDistribute(shape!((1,(2,6,3))), int!(12));
    #[cfg(feature = "all-cases")]
    DomainDistribute(shape!((3,2)), int!(8));
    #[cfg(feature = "all-cases")]
    DomainDistribute(shape!(2), int!(4));
    #[cfg(feature = "all-cases")]
    DomainDistribute(shape!((4,(5,4))), int!(8));
    DomainDistribute(shape!(6), int!(24));
    #[cfg(feature = "all-cases")]
    DomainDistribute(shape!(((2,3),(4),2)), int!(2));
    #[cfg(feature = "all-cases")]
    DomainDistribute(shape!((3,3,8)), int!(24));
    #[cfg(feature = "all-cases")]
    DomainDistribute(shape!((2,16)), int!(128));
    DomainDistribute(shape!((6,8)), int!(128));
    #[cfg(feature = "all-cases")]
    DomainDistribute(shape!(8), int!(8));
    #[cfg(feature = "all-cases")]
    DomainDistribute(shape!((16,1,(4,4))), int!(12));
    #[cfg(feature = "all-cases")]
    DomainDistribute(shape!((3,(2))), int!(2));
];

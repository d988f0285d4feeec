// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    MakeOrdered(shape!(16), coord!(1));
    #[cfg(feature = "all-cases")]
    MakeOrdered(shape!((4)), coord!((1)));
    #[cfg(feature = "all-cases")]
    MakeOrdered(shape!((4)), coord!((5)));
    #[cfg(feature = "all-cases")]
    MakeOrdered(shape!((2,3,(2),4)), coord!((4,4,(5),3)));
    MakeOrdered(shape!((8,8)), coord!((3,3)));
    #[cfg(feature = "all-cases")]
    MakeOrdered(shape!(((2,1,4),3,4)), coord!(((4,0,3),4,5)));
    #[cfg(feature = "all-cases")]
    MakeOrdered(shape!((6,2)), coord!((0,1)));
    #[cfg(feature = "all-cases")]
    MakeOrdered(shape!(((5))), coord!(((2))));
    MakeOrdered(shape!(((1,16,4),4)), coord!(((4,3,0),0)));
    #[cfg(feature = "all-cases")]
    MakeOrdered(shape!((3)), coord!((1)));
    #[cfg(feature = "all-cases")]
    MakeOrdered(shape!(2), coord!(4));
    #[cfg(feature = "all-cases")]
    MakeOrdered(shape!((3,5,16)), coord!((4,2,4)));
    MakeOrdered(shape!((3)), coord!((4)));
    #[cfg(feature = "all-cases")]
    MakeOrdered(shape!((3,3,4,3)), coord!((0,2,3,3)));
    #[cfg(feature = "all-cases")]
    MakeOrdered(shape!(8), coord!(4));
    #[cfg(feature = "all-cases")]
    MakeOrdered(shape!((3,(3,2))), coord!((4,(0,4))));
    MakeOrdered(shape!((8,(8,4))), coord!((3,(5,4))));
    #[cfg(feature = "all-cases")]
    MakeOrdered(shape!((4,8)), coord!((1,2)));
    #[cfg(feature = "all-cases")]
    MakeOrdered(shape!((4,2,2,4)), coord!((1,1,0,4)));
    #[cfg(feature = "all-cases")]
    MakeOrdered(shape!(((1,3))), coord!(((1,5))));
    MakeOrdered(shape!((5,2,8)), coord!((5,0,5)));
    #[cfg(feature = "all-cases")]
    MakeOrdered(shape!((3,2,8)), coord!((1,5,4)));
    #[cfg(feature = "all-cases")]
    MakeOrdered(shape!((3)), coord!((0)));
    #[cfg(feature = "all-cases")]
    MakeOrdered(shape!((16,2)), coord!((0,5)));
];

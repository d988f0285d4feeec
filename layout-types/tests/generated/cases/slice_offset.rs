// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    SliceOffset(swizzled!(Sw<2,0,-2> o 5 o (6,48):(49,1)), coord!(_));
    #[cfg(feature = "all-cases")]
    SliceOffset(swizzled!(Sw<1,4,-3> o 0 o (6,40):(40,1)), coord!(_));
    #[cfg(feature = "all-cases")]
    SliceOffset(swizzled!(Sw<1,1,-2> o 0 o (5,6):(6,1)), coord!((_,4)));
    #[cfg(feature = "all-cases")]
    SliceOffset(swizzled!(Sw<3,2,-3> o 8 o (5,20):(20,1)), coord!((4,1)));
    SliceOffset(swizzled!(Sw<1,1,-1> o 0 o (5,48):(1,5)), coord!((4,34)));
    #[cfg(feature = "all-cases")]
    SliceOffset(swizzled!(Sw<2,0,-3> o 0 o (8,20):(1,8)), coord!((_,7)));
    #[cfg(feature = "all-cases")]
    SliceOffset(swizzled!(Sw<2,2,-2> o 0 o (3,12):(1,3)), coord!(_));
    #[cfg(feature = "all-cases")]
    SliceOffset(swizzled!(Sw<2,0,-3> o 5 o (8,40):(44,1)), coord!(_));
    SliceOffset(swizzled!(Sw<2,0,2> o 0 o (8,12):(12,1)), coord!((6,0)));
    #[cfg(feature = "all-cases")]
    SliceOffset(swizzled!(Sw<1,0,2> o 0 o (5,40):(40,1)), coord!((_,26)));
    #[cfg(feature = "all-cases")]
    SliceOffset(swizzled!(Sw<3,4,3> o 0 o (6,20):(20,1)), coord!((_,_)));
    #[cfg(feature = "all-cases")]
    SliceOffset(swizzled!(Sw<2,0,-3> o 0 o (8,48):(49,1)), coord!((_,_)));
    SliceOffset(swizzled!(Sw<2,3,-3> o 0 o (3,6):(6,1)), coord!(_));
    #[cfg(feature = "all-cases")]
    SliceOffset(swizzled!(Sw<3,4,3> o 0 o (5,20):(20,1)), coord!(_));
    #[cfg(feature = "all-cases")]
    SliceOffset(swizzled!(Sw<3,0,3> o 0 o (5,12):(13,1)), coord!(_));
    #[cfg(feature = "all-cases")]
    SliceOffset(swizzled!(Sw<1,2,-1> o 8 o (5,48):(48,1)), coord!((_,45)));
    SliceOffset(swizzled!(Sw<3,0,3> o 0 o (5,40):(40,1)), coord!((0,37)));
    #[cfg(feature = "all-cases")]
    SliceOffset(swizzled!(Sw<1,0,-2> o 0 o (3,20):(20,1)), coord!((2,15)));
    #[cfg(feature = "all-cases")]
    SliceOffset(swizzled!(Sw<3,4,-3> o 8 o (6,40):(40,1)), coord!(113));
    #[cfg(feature = "all-cases")]
    SliceOffset(swizzled!(Sw<1,2,-2> o 48 o (5,48):(48,1)), coord!((_,15)));
    SliceOffset(swizzled!(Sw<2,2,-2> o 0 o (5,40):(40,1)), coord!((3,_)));
    #[cfg(feature = "all-cases")]
    SliceOffset(swizzled!(Sw<2,2,-2> o 0 o (6,20):(20,1)), coord!((_,0)));
    #[cfg(feature = "all-cases")]
    SliceOffset(swizzled!(Sw<3,4,-3> o 0 o (8,20):(1,8)), coord!((3,_)));
    #[cfg(feature = "all-cases")]
    SliceOffset(swizzled!(Sw<3,3,3> o 0 o (3,24):(24,1)), coord!(_));
];

// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    SliceAndOffset(swizzled!(Sw<3,2,-3> o 0 o (6,20):(20,1)), coord!((_,16)));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<2,1,2> o 48 o (8,6):(7,1)), coord!(2));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<3,3,3> o 0 o (6,24):(24,1)), coord!(49));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<2,2,-2> o 48 o (5,24):(1,5)), coord!(27));
    SliceAndOffset(swizzled!(Sw<1,1,-2> o 0 o (3,12):(13,1)), coord!(_));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<3,2,-3> o 0 o (3,24):(24,1)), coord!(_));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<3,3,3> o 0 o (3,40):(40,1)), coord!((_,24)));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<3,1,-3> o 0 o (6,40):(40,1)), coord!((_,_)));
    SliceAndOffset(swizzled!(Sw<1,0,2> o 5 o (3,20):(20,1)), coord!(_));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<3,0,-3> o 0 o (3,20):(1,3)), coord!((0,13)));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<1,4,1> o 8 o (5,6):(6,1)), coord!(_));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<3,0,-3> o 48 o (5,48):(48,1)), coord!(174));
    SliceAndOffset(swizzled!(Sw<2,0,-3> o 5 o (8,6):(6,1)), coord!((6,0)));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<1,0,1> o 0 o (6,40):(40,1)), coord!(88));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<2,4,2> o 5 o (3,6):(6,1)), coord!(_));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<2,2,2> o 8 o (5,24):(24,1)), coord!((_,6)));
    SliceAndOffset(swizzled!(Sw<3,1,3> o 0 o (3,48):(48,1)), coord!(112));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<1,3,-2> o 0 o (5,24):(1,5)), coord!((_,16)));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<1,2,-3> o 8 o (6,48):(48,1)), coord!((_,24)));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<3,4,3> o 0 o (6,12):(13,1)), coord!((3,8)));
    SliceAndOffset(swizzled!(Sw<1,0,1> o 0 o (5,24):(24,1)), coord!((_,4)));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<2,0,-2> o 0 o (5,40):(40,1)), coord!(_));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<2,1,-3> o 5 o (3,20):(20,1)), coord!((2,2)));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<3,1,-3> o 48 o (6,6):(1,6)), coord!((2,0)));
    SliceAndOffset(swizzled!(Sw<3,0,3> o 0 o (5,24):(28,1)), coord!((4,11)));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<2,4,-3> o 0 o (5,24):(24,1)), coord!(_));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<2,3,2> o 48 o (8,48):(1,8)), coord!((7,23)));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<2,4,-2> o 8 o (5,12):(12,1)), coord!(_));
    SliceAndOffset(swizzled!(Sw<2,0,3> o 0 o (3,20):(20,1)), coord!(_));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<1,2,-3> o 48 o (8,12):(1,8)), coord!((0,_)));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<3,2,-3> o 8 o (5,40):(40,1)), coord!((1,_)));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<3,2,-3> o 0 o (8,6):(6,1)), coord!((2,0)));
    SliceAndOffset(swizzled!(Sw<1,1,-3> o 5 o (6,20):(20,1)), coord!(_));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<2,2,3> o 0 o (3,12):(1,3)), coord!(_));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<1,0,-1> o 0 o (6,40):(40,1)), coord!(_));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<2,4,3> o 48 o (3,40):(40,1)), coord!((2,38)));
    SliceAndOffset(swizzled!(Sw<2,0,2> o 5 o (8,20):(24,1)), coord!((2,_)));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<1,4,-3> o 48 o (5,12):(12,1)), coord!((0,_)));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<2,2,3> o 0 o (8,6):(10,1)), coord!((_,_)));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<1,0,-2> o 8 o (8,6):(7,1)), coord!(_));
    SliceAndOffset(swizzled!(Sw<1,4,-3> o 0 o (5,48):(1,5)), coord!((_,31)));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<2,4,-2> o 48 o (8,6):(1,8)), coord!(26));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<2,3,3> o 5 o (8,12):(1,8)), coord!(37));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<2,3,3> o 0 o (8,24):(28,1)), coord!(_));
    SliceAndOffset(swizzled!(Sw<1,0,2> o 0 o (3,40):(1,3)), coord!(_));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<3,2,-3> o 0 o (5,12):(16,1)), coord!(_));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<1,1,1> o 0 o (5,6):(1,5)), coord!((_,0)));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<2,4,-3> o 8 o (5,20):(20,1)), coord!(_));
    SliceAndOffset(swizzled!(Sw<2,0,3> o 0 o (32,16):(1,32)), coord!((_,14)));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<1,0,3> o 0 o (32,32):(1,32)), coord!(_));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<1,3,3> o 0 o (32,32):(32,1)), coord!((_,29)));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<2,0,4> o 0 o (16,16):(1,16)), coord!((_,0)));
    SliceAndOffset(swizzled!(Sw<1,1,3> o 0 o (32,32):(1,32)), coord!(_));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<3,3,4> o 0 o (8,16):(16,1)), coord!((5,12)));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<1,0,3> o 0 o (8,32):(32,1)), coord!((5,_)));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<1,2,3> o 0 o (16,32):(1,16)), coord!((1,6)));
    SliceAndOffset(swizzled!(Sw<1,3,3> o 0 o (8,16):(16,1)), coord!(_));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<3,3,4> o 0 o (32,16):(16,1)), coord!((18,_)));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<2,1,4> o 0 o (32,16):(16,1)), coord!(_));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<2,3,4> o 0 o (32,64):(1,32)), coord!((2,_)));
    SliceAndOffset(swizzled!(Sw<3,3,4> o 0 o (16,16):(16,1)), coord!(151));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<2,2,3> o 0 o (8,32):(1,8)), coord!(_));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<2,3,4> o 0 o (32,64):(64,1)), coord!((6,13)));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<1,3,4> o 0 o (32,32):(32,1)), coord!((9,28)));
    SliceAndOffset(swizzled!(Sw<3,1,3> o 0 o (32,32):(32,1)), coord!((10,23)));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<1,3,3> o 0 o (16,32):(1,16)), coord!(_));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<2,2,4> o 0 o (8,64):(64,1)), coord!(_));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<3,0,3> o 0 o (16,16):(1,16)), coord!(_));
    SliceAndOffset(swizzled!(Sw<1,3,4> o 0 o (8,16):(1,8)), coord!(_));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<3,3,3> o 0 o (16,16):(16,1)), coord!((1,0)));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<3,2,4> o 0 o (16,64):(1,16)), coord!(597));
    #[cfg(feature = "all-cases")]
    SliceAndOffset(swizzled!(Sw<2,3,3> o 0 o (8,16):(1,8)), coord!((_,14)));
];

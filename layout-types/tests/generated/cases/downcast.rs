// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    Downcast(layout!((4):(1)), int!(24));
    #[cfg(feature = "all-cases")]
    Downcast(layout!((4,3,4,1):(1,4,12,48)), int!(16));
    #[cfg(feature = "all-cases")]
    Downcast(layout!((16):(1)), int!(6));
    #[cfg(feature = "all-cases")]
    Downcast(layout!(((2),3,8):((1),2,6)), int!(64));
    Downcast(layout!((2):(1)), int!(128));
    #[cfg(feature = "all-cases")]
    Downcast(layout!((4):(1)), int!(8));
    #[cfg(feature = "all-cases")]
    Downcast(layout!(((1,8),3):((24,1),8)), int!(32));
    #[cfg(feature = "all-cases")]
    Downcast(layout!((8):(1)), int!(64));
    Downcast(layout!((2):(1)), int!(8));
    #[cfg(feature = "all-cases")]
    Downcast(layout!(4:1), int!(24));
    #[cfg(feature = "all-cases")]
    Downcast(layout!(6:1), int!(128));
    #[cfg(feature = "all-cases")]
    Downcast(layout!((2,2):(1,2)), int!(128));
    Downcast(layout!(4:1), int!(8));
    #[cfg(feature = "all-cases")]
    Downcast(layout!(4:1), int!(3));
    #[cfg(feature = "all-cases")]
    Downcast(layout!((4,3):(3,1)), int!(2));
    #[cfg(feature = "all-cases")]
    Downcast(layout!((1,1,4,(4,5)):(80,80,1,(4,16))), int!(2));
    Downcast(layout!(8:1), int!(128));
    #[cfg(feature = "all-cases")]
    Downcast(layout!((3,3,2):(2,6,1)), int!(2));
    #[cfg(feature = "all-cases")]
    Downcast(layout!((4,4,8,2):(1,4,16,128)), int!(8));
    #[cfg(feature = "all-cases")]
    Downcast(layout!((5,(2,3),2):(1,(5,10),30)), int!(16));
    Downcast(layout!((8,3):(1,8)), int!(32));
    #[cfg(feature = "all-cases")]
    Downcast(layout!((4,3,4):(4,-16,1)), int!(64));
    #[cfg(feature = "all-cases")]
    Downcast(layout!(((2)):((1))), int!(128));
    #[cfg(feature = "all-cases")]
    Downcast(layout!(2:1), int!(2));
    Downcast(swizzled!(Sw<3,1,-3> o 48 o (5,12):(16,1)), int!(4));
    #[cfg(feature = "all-cases")]
    Downcast(swizzled!(Sw<2,1,2> o 0 o (3,12):(16,1)), int!(8));
    #[cfg(feature = "all-cases")]
    Downcast(swizzled!(Sw<3,1,3> o 5 o (8,20):(20,1)), int!(1));
    #[cfg(feature = "all-cases")]
    Downcast(swizzled!(Sw<1,1,-1> o 0 o (8,48):(52,1)), int!(2));
    Downcast(swizzled!(Sw<1,1,-3> o 0 o (6,40):(40,1)), int!(2));
    #[cfg(feature = "all-cases")]
    Downcast(swizzled!(Sw<1,2,2> o 8 o (5,6):(6,1)), int!(4));
    #[cfg(feature = "all-cases")]
    Downcast(swizzled!(Sw<3,1,-3> o 0 o (3,40):(40,1)), int!(2));
    #[cfg(feature = "all-cases")]
    Downcast(swizzled!(Sw<1,2,1> o 0 o (8,48):(48,1)), int!(8));
    Downcast(swizzled!(Sw<2,1,-2> o 0 o (3,24):(24,1)), int!(2));
    #[cfg(feature = "all-cases")]
    Downcast(swizzled!(Sw<3,3,-3> o 0 o (5,12):(1,5)), int!(16));
    #[cfg(feature = "all-cases")]
    Downcast(swizzled!(Sw<1,4,-2> o 0 o (8,6):(6,1)), int!(64));
    #[cfg(feature = "all-cases")]
    Downcast(swizzled!(Sw<2,1,2> o 48 o (6,12):(12,1)), int!(4));
    Downcast(swizzled!(Sw<2,1,-3> o 0 o (3,6):(1,3)), int!(1));
    #[cfg(feature = "all-cases")]
    Downcast(swizzled!(Sw<1,3,-1> o 5 o (8,48):(52,1)), int!(8));
    #[cfg(feature = "all-cases")]
    Downcast(swizzled!(Sw<2,1,-2> o 5 o (8,40):(44,1)), int!(4));
    #[cfg(feature = "all-cases")]
    Downcast(swizzled!(Sw<3,2,-3> o 0 o (8,40):(1,8)), int!(4));
    Downcast(swizzled!(Sw<3,4,3> o 48 o (8,6):(10,1)), int!(1));
    #[cfg(feature = "all-cases")]
    Downcast(swizzled!(Sw<1,0,-3> o 5 o (8,48):(48,1)), int!(8));
    #[cfg(feature = "all-cases")]
    Downcast(swizzled!(Sw<2,1,-3> o 0 o (5,20):(24,1)), int!(2));
    #[cfg(feature = "all-cases")]
    Downcast(swizzled!(Sw<2,2,3> o 8 o (5,40):(44,1)), int!(4));
    Downcast(swizzled!(Sw<2,3,3> o 0 o (3,12):(13,1)), int!(1));
    #[cfg(feature = "all-cases")]
    Downcast(swizzled!(Sw<2,4,-3> o 8 o (6,40):(40,1)), int!(8));
    #[cfg(feature = "all-cases")]
    Downcast(swizzled!(Sw<1,1,-2> o 48 o (6,12):(1,6)), int!(32));
    #[cfg(feature = "all-cases")]
    Downcast(swizzled!(Sw<3,0,-3> o 0 o (8,48):(48,1)), int!(2));
];

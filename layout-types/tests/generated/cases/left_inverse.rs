// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    LeftInverse(layout!((3,6,(2,6)):(0,108,(18,3))));
    #[cfg(feature = "all-cases")]
    LeftInverse(layout!(((3,6),2):((1,3),18)));
    #[cfg(feature = "all-cases")]
    LeftInverse(layout!((8):(3)));
    #[cfg(feature = "all-cases")]
    LeftInverse(layout!(2:1));
    LeftInverse(layout!((2,6,2):(1,2,12)));
    #[cfg(feature = "all-cases")]
    LeftInverse(layout!((4):(1)));
    #[cfg(feature = "all-cases")]
    LeftInverse(layout!((1,1,3,16):(1,16,16,1)));
    #[cfg(feature = "all-cases")]
    LeftInverse(layout!((4,1,4):(1,0,0)));
    LeftInverse(layout!((2,4):(4,1)));
    #[cfg(feature = "all-cases")]
    LeftInverse(layout!(8:1));
    #[cfg(feature = "all-cases")]
    LeftInverse(layout!((4,(8,1,8)):(8,(32,8,1))));
    #[cfg(feature = "all-cases")]
    LeftInverse(layout!((2,6):(1,2)));
    LeftInverse(layout!((6):(1)));
    #[cfg(feature = "all-cases")]
    LeftInverse(layout!(3:1));
    #[cfg(feature = "all-cases")]
    LeftInverse(layout!(4:3));
    #[cfg(feature = "all-cases")]
    LeftInverse(layout!(4:1));
    LeftInverse(layout!(((2),1,6):((1),12,2)));
    #[cfg(feature = "all-cases")]
    LeftInverse(layout!(((2,2,2),(1,1),5):((2,1,4),(8,8),8)));
    #[cfg(feature = "all-cases")]
    LeftInverse(layout!((8,4):(1,8)));
    #[cfg(feature = "all-cases")]
    LeftInverse(layout!(3:0));
    LeftInverse(layout!((4,8,6):(48,1,8)));
    #[cfg(feature = "all-cases")]
    LeftInverse(layout!((4,(2)):(0,(0))));
    #[cfg(feature = "all-cases")]
    LeftInverse(layout!((3):(1)));
    #[cfg(feature = "all-cases")]
    LeftInverse(layout!((5):(8)));
    LeftInverse(swizzled!(Sw<3,3,4> o 0 o (8,64):(1,8)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<3,0,3> o 0 o (8,64):(64,1)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<1,2,3> o 0 o (32,16):(1,32)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<1,0,3> o 0 o (32,64):(1,32)));
    LeftInverse(swizzled!(Sw<1,1,3> o 0 o (8,16):(1,8)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<3,2,4> o 0 o (32,32):(1,32)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<1,0,3> o 0 o (16,64):(1,16)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<1,1,4> o 0 o (32,16):(1,32)));
    LeftInverse(swizzled!(Sw<3,2,4> o 0 o (32,16):(1,32)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<3,1,3> o 0 o (32,16):(1,32)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<1,0,3> o 0 o (8,64):(64,1)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<1,1,4> o 0 o (16,16):(1,16)));
    LeftInverse(swizzled!(Sw<2,0,3> o 0 o (8,32):(1,8)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<2,1,4> o 0 o (32,64):(1,32)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<1,2,3> o 0 o (16,16):(16,1)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<3,0,3> o 0 o (16,64):(1,16)));
    LeftInverse(swizzled!(Sw<2,0,4> o 0 o (16,16):(1,16)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<2,3,3> o 0 o (32,64):(1,32)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<2,2,3> o 0 o (32,16):(1,32)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<2,2,3> o 0 o (8,16):(1,8)));
    LeftInverse(swizzled!(Sw<1,1,3> o 0 o (32,64):(64,1)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<2,0,3> o 0 o (32,32):(1,32)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<1,2,4> o 0 o (8,64):(1,8)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<1,1,3> o 0 o (32,32):(32,1)));
    LeftInverse(swizzled!(Sw<3,4,-3> o 0 o (3,12):(1,3)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<2,4,-3> o 0 o (5,48):(1,5)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<1,4,3> o 0 o (6,20):(1,6)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<3,4,-3> o 0 o (3,6):(1,3)));
    LeftInverse(swizzled!(Sw<3,1,3> o 0 o (6,6):(1,6)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<1,3,3> o 0 o (6,6):(10,1)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<2,1,-2> o 0 o (6,40):(1,6)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<1,1,1> o 0 o (3,48):(1,3)));
    LeftInverse(swizzled!(Sw<2,4,3> o 0 o (8,40):(1,8)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<2,2,3> o 0 o (8,24):(1,8)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<3,3,-3> o 0 o (5,48):(1,5)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<2,0,2> o 0 o (6,12):(1,6)));
    LeftInverse(swizzled!(Sw<1,2,3> o 0 o (3,40):(1,3)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<2,3,2> o 0 o (5,24):(1,5)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<1,4,3> o 0 o (8,40):(1,8)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<2,4,3> o 0 o (3,24):(1,3)));
    LeftInverse(swizzled!(Sw<3,0,3> o 0 o (8,40):(1,8)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<3,4,3> o 0 o (5,20):(1,5)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<3,4,3> o 0 o (8,6):(6,1)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<1,4,2> o 0 o (6,24):(1,6)));
    LeftInverse(swizzled!(Sw<2,1,-2> o 0 o (6,6):(1,6)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<3,3,-3> o 0 o (5,6):(1,5)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<1,0,1> o 0 o (8,48):(48,1)));
    #[cfg(feature = "all-cases")]
    LeftInverse(swizzled!(Sw<1,3,2> o 0 o (6,20):(1,6)));
];

// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    RightInverse(layout!((2):(1)));
    #[cfg(feature = "all-cases")]
    RightInverse(layout!((4,4,(2),5):(1,4,(16),32)));
    #[cfg(feature = "all-cases")]
    RightInverse(layout!((1,5,(1,1,3)):(1,1,(5,5,5))));
    #[cfg(feature = "all-cases")]
    RightInverse(layout!(((4),4,2):((1),8,4)));
    RightInverse(layout!(8:1));
    #[cfg(feature = "all-cases")]
    RightInverse(layout!((2,(3,4)):(12,(1,3))));
    #[cfg(feature = "all-cases")]
    RightInverse(layout!((2,2):(1,2)));
    #[cfg(feature = "all-cases")]
    RightInverse(layout!(((16),8):((8),1)));
    RightInverse(layout!(((4,4,4)):((1,4,16))));
    #[cfg(feature = "all-cases")]
    RightInverse(layout!((3,8):(1,3)));
    #[cfg(feature = "all-cases")]
    RightInverse(layout!(((4),2):((2),1)));
    #[cfg(feature = "all-cases")]
    RightInverse(layout!(3:1));
    RightInverse(layout!(((4,2,2)):((1,4,8))));
    #[cfg(feature = "all-cases")]
    RightInverse(layout!(4:1));
    #[cfg(feature = "all-cases")]
    RightInverse(layout!(((6,8)):((1,6))));
    #[cfg(feature = "all-cases")]
    RightInverse(layout!((4):(1)));
    RightInverse(layout!((2,(2)):(6,(1))));
    #[cfg(feature = "all-cases")]
    RightInverse(layout!((3):(1)));
    #[cfg(feature = "all-cases")]
    RightInverse(layout!(2:1));
    #[cfg(feature = "all-cases")]
    RightInverse(layout!((8,(3,3,3)):(1,(8,48,288))));
    RightInverse(layout!(5:1));
    #[cfg(feature = "all-cases")]
    RightInverse(layout!(((5,1),(3)):((3,3),(1))));
    #[cfg(feature = "all-cases")]
    RightInverse(layout!(((2)):((1))));
    #[cfg(feature = "all-cases")]
    RightInverse(layout!((8):(1)));
    RightInverse(swizzled!(Sw<2,2,3> o 0 o (16,16):(16,1)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<2,3,4> o 0 o (16,32):(1,16)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<3,0,4> o 0 o (8,16):(16,1)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<3,1,3> o 0 o (8,64):(1,8)));
    RightInverse(swizzled!(Sw<2,1,4> o 0 o (32,32):(32,1)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<3,3,4> o 0 o (8,16):(1,8)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<2,0,3> o 0 o (8,64):(1,8)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<2,3,3> o 0 o (8,32):(1,8)));
    RightInverse(swizzled!(Sw<1,3,4> o 0 o (32,16):(16,1)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<2,2,4> o 0 o (8,16):(1,8)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<1,2,4> o 0 o (16,16):(1,16)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<3,3,4> o 0 o (16,16):(1,16)));
    RightInverse(swizzled!(Sw<2,0,4> o 0 o (16,16):(16,1)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<2,3,4> o 0 o (32,64):(1,32)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<2,0,4> o 0 o (32,64):(1,32)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<3,1,3> o 0 o (32,32):(1,32)));
    RightInverse(swizzled!(Sw<2,1,4> o 0 o (8,32):(32,1)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<1,0,4> o 0 o (32,64):(64,1)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<3,3,4> o 0 o (32,16):(1,32)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<2,0,3> o 0 o (16,64):(64,1)));
    RightInverse(swizzled!(Sw<1,3,4> o 0 o (32,32):(32,1)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<1,3,3> o 0 o (16,32):(32,1)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<1,1,3> o 0 o (16,16):(16,1)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<3,0,3> o 0 o (8,32):(1,8)));
    RightInverse(swizzled!(Sw<3,4,3> o 0 o (3,48):(1,3)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<2,3,-2> o 0 o (6,6):(1,6)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<3,4,3> o 0 o (8,40):(1,8)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<3,0,-3> o 0 o (5,40):(1,5)));
    RightInverse(swizzled!(Sw<3,4,3> o 0 o (6,24):(25,1)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<2,4,-2> o 0 o (3,12):(1,3)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<2,4,3> o 0 o (6,24):(24,1)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<2,4,-2> o 0 o (8,12):(1,8)));
    RightInverse(swizzled!(Sw<1,3,-3> o 0 o (3,24):(1,3)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<1,4,1> o 0 o (5,12):(1,5)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<1,1,-3> o 0 o (8,24):(28,1)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<3,1,3> o 0 o (3,20):(1,3)));
    RightInverse(swizzled!(Sw<3,3,3> o 0 o (5,20):(24,1)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<3,1,3> o 0 o (6,6):(1,6)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<2,3,-2> o 0 o (3,24):(1,3)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<3,2,3> o 0 o (8,12):(16,1)));
    RightInverse(swizzled!(Sw<1,0,1> o 0 o (8,12):(16,1)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<2,4,3> o 0 o (6,40):(44,1)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<2,2,-2> o 0 o (5,20):(1,5)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<2,0,-2> o 0 o (3,12):(1,3)));
    RightInverse(swizzled!(Sw<2,0,-3> o 0 o (3,40):(1,3)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<2,2,2> o 0 o (5,12):(1,5)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<2,1,-3> o 0 o (6,6):(1,6)));
    #[cfg(feature = "all-cases")]
    RightInverse(swizzled!(Sw<3,3,-3> o 0 o (6,20):(1,6)));
];

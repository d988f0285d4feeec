// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    ExactZippedDivide(layout!((2,16):(6,24)), tile!(2,2));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(layout!((4,4,4):(4,16,64)), tile!(2));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(layout!(8:8), tile!(1:4));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(layout!(6:3), tile!(3));
    ExactZippedDivide(layout!(((2,8,4)):((64,1,16))), tile!(2:1));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(layout!(4:4), tile!(1:4));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(layout!((4,8,4):(1,4,32)), tile!(4));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(layout!(((16,1,8)):((1,16,16))), tile!(4:4));
    ExactZippedDivide(layout!(4:1), tile!(2));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(layout!((4,8):(8,1)), tile!(2,2));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(layout!(8:4), tile!(4:2));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(layout!((4):(4)), tile!(2));
    ExactZippedDivide(layout!((4):(0)), tile!(4));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(layout!((4):(3)), tile!(1));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(layout!((6,(3),(8)):(12,(4),(72))), tile!(1));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(layout!(((2,2)):((2,4))), tile!(4));
    ExactZippedDivide(layout!((2,5,2,1):(0,2,0,20)), tile!(2));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(layout!(2:32), tile!(2));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(layout!(2:0), tile!(2));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(layout!(((2,3,2),8,(2)):((1,2,6),12,(96))), tile!((2,2):(1,2),8,2));
    ExactZippedDivide(layout!((6,4,2):(1,16,48)), tile!(1));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(layout!(((6)):((8))), tile!(3));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(layout!(((4),6,8):((1),32,4)), tile!(4,1));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(layout!(((4,16,3)):((48,1,16))), tile!(4));
    ExactZippedDivide(swizzled!(Sw<2,2,3> o 0 o (16,32):(1,16)), tile!(4));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(swizzled!(Sw<2,0,3> o 0 o (16,16):(1,16)), tile!(8:1));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(swizzled!(Sw<1,0,4> o 0 o (8,16):(16,1)), tile!(2:2,8));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(swizzled!(Sw<3,2,3> o 0 o (8,32):(32,1)), tile!((2,4):(1,2)));
    ExactZippedDivide(swizzled!(Sw<1,1,3> o 0 o (16,32):(1,16)), tile!(4));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(swizzled!(Sw<3,0,4> o 0 o (16,32):(32,1)), tile!(4,4:4));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(swizzled!(Sw<1,2,4> o 0 o (32,64):(1,32)), tile!(4:2));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(swizzled!(Sw<2,3,3> o 0 o (32,64):(64,1)), tile!((2,8):(1,2),2:1));
    ExactZippedDivide(swizzled!(Sw<2,2,3> o 0 o (32,64):(64,1)), tile!(4:4));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(swizzled!(Sw<1,3,3> o 0 o (16,32):(32,1)), tile!(2,8));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(swizzled!(Sw<2,1,4> o 0 o (32,16):(1,32)), tile!(2));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(swizzled!(Sw<2,3,3> o 0 o (32,64):(1,32)), tile!(4,8));
    ExactZippedDivide(swizzled!(Sw<2,3,4> o 0 o (8,32):(32,1)), tile!(8));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(swizzled!(Sw<2,3,4> o 0 o (32,32):(32,1)), tile!(1));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(swizzled!(Sw<3,2,4> o 0 o (16,16):(1,16)), tile!(2:2,1));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(swizzled!(Sw<1,1,4> o 0 o (8,32):(1,8)), tile!(1:4));
    ExactZippedDivide(swizzled!(Sw<2,2,4> o 0 o (16,16):(1,16)), tile!(8:1));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(swizzled!(Sw<3,2,3> o 0 o (8,64):(1,8)), tile!(2:2));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(swizzled!(Sw<1,3,3> o 0 o (16,16):(1,16)), tile!(4:1,1));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(swizzled!(Sw<2,1,4> o 0 o (16,16):(1,16)), tile!(1));
    ExactZippedDivide(swizzled!(Sw<3,1,4> o 0 o (8,16):(1,8)), tile!(2));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(swizzled!(Sw<2,0,4> o 0 o (16,32):(32,1)), tile!(4,4:4));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(swizzled!(Sw<3,2,3> o 0 o (8,64):(1,8)), tile!((2,1):(1,2)));
    #[cfg(feature = "all-cases")]
    ExactZippedDivide(swizzled!(Sw<3,0,3> o 0 o (8,16):(16,1)), tile!(4,1));
];

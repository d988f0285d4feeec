// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    Upcast(layout!((2,1,(2,2,1),(2,6,2)):(10368,36,(3,18,3),(144,864,72))), int!(3));
    #[cfg(feature = "all-cases")]
    Upcast(layout!((2):(0)), int!(2));
    #[cfg(feature = "all-cases")]
    Upcast(layout!((2):(8)), int!(8));
    #[cfg(feature = "all-cases")]
    Upcast(layout!(5:1), int!(2));
    Upcast(layout!((2,4,4):(48,3,12)), int!(12));
    #[cfg(feature = "all-cases")]
    Upcast(layout!((8,4):(0,8)), int!(2));
    #[cfg(feature = "all-cases")]
    Upcast(layout!((16):(1)), int!(4));
    #[cfg(feature = "all-cases")]
    Upcast(layout!((1,16):(16,1)), int!(2));
    Upcast(layout!((8,4):(1,8)), int!(2));
    #[cfg(feature = "all-cases")]
    Upcast(layout!((3,2,(3,2,4)):(16,-8,(48,-1,2))), int!(2));
    #[cfg(feature = "all-cases")]
    Upcast(layout!((4,4,6):(24,1,4)), int!(2));
    #[cfg(feature = "all-cases")]
    Upcast(layout!((16,(3)):(1,(16))), int!(1));
    Upcast(layout!(((2,1,8),1):((8,8,1),1)), int!(4));
    #[cfg(feature = "all-cases")]
    Upcast(layout!(8:1), int!(6));
    #[cfg(feature = "all-cases")]
    Upcast(layout!(((3),(3,2,2),2):((8),(192,96,24),48)), int!(24));
    #[cfg(feature = "all-cases")]
    Upcast(layout!((16,4):(8,128)), int!(128));
    Upcast(layout!((8,4,(5)):(1,8,(32))), int!(16));
    #[cfg(feature = "all-cases")]
    Upcast(layout!((1,4,5):(1,1,4)), int!(4));
    #[cfg(feature = "all-cases")]
    Upcast(layout!(((4),4,5,2):((1),4,16,80)), int!(4));
    #[cfg(feature = "all-cases")]
    Upcast(layout!((8):(1)), int!(2));
    Upcast(layout!(4:8), int!(1));
    #[cfg(feature = "all-cases")]
    Upcast(layout!((4,8,1):(-8,1,-8)), int!(2));
    #[cfg(feature = "all-cases")]
    Upcast(layout!((4,(2),2):(16,(8),64)), int!(4));
    #[cfg(feature = "all-cases")]
    Upcast(layout!((2):(3)), int!(3));
    Upcast(layout!((1,4):(1,2)), int!(2));
    #[cfg(feature = "all-cases")]
    Upcast(layout!((2,2,2,4):(16,8,4,1)), int!(16));
    #[cfg(feature = "all-cases")]
    Upcast(layout!(3:0), int!(8));
    #[cfg(feature = "all-cases")]
    Upcast(layout!(8:48), int!(2));
    Upcast(layout!((2,4):(8,6)), int!(2));
    #[cfg(feature = "all-cases")]
    Upcast(layout!(((4),6,2):((24),2,1)), int!(1));
    #[cfg(feature = "all-cases")]
    Upcast(layout!((8,1):(0,0)), int!(64));
    #[cfg(feature = "all-cases")]
    Upcast(layout!(((16)):((1))), int!(6));
    Upcast(layout!((8,2):(2,1)), int!(6));
    #[cfg(feature = "all-cases")]
    Upcast(layout!(4:8), int!(4));
    #[cfg(feature = "all-cases")]
    Upcast(layout!((5):(8)), int!(24));
    #[cfg(feature = "all-cases")]
    Upcast(layout!((4,(8),4):(1,(-4),-32)), int!(2));
    Upcast(layout!((6):(1)), int!(3));
    #[cfg(feature = "all-cases")]
    Upcast(layout!((4):(0)), int!(8));
    #[cfg(feature = "all-cases")]
    Upcast(layout!((2,5,4):(8,64,16)), int!(16));
    #[cfg(feature = "all-cases")]
    Upcast(layout!((4):(0)), int!(4));
    Upcast(layout!(((4,4,5)):((32,8,128))), int!(8));
    #[cfg(feature = "all-cases")]
    Upcast(layout!(6:1), int!(3));
    #[cfg(feature = "all-cases")]
    Upcast(layout!((4):(8)), int!(24));
    #[cfg(feature = "all-cases")]
    Upcast(layout!((8):(1)), int!(1));
    Upcast(layout!(4:24), int!(1));
    #[cfg(feature = "all-cases")]
    Upcast(layout!((2,4,6,2):(1,24,4,2)), int!(4));
    #[cfg(feature = "all-cases")]
    Upcast(layout!(5:0), int!(4));
    #[cfg(feature = "all-cases")]
    Upcast(layout!((8,(3,3,3)):(0,(0,0,0))), int!(8));
    Upcast(swizzled!(Sw<1,0,1> o 0 o (3,40):(40,1)), int!(4));
    #[cfg(feature = "all-cases")]
    Upcast(swizzled!(Sw<1,3,-2> o 48 o (8,20):(1,8)), int!(8));
    #[cfg(feature = "all-cases")]
    Upcast(swizzled!(Sw<2,2,-2> o 0 o (6,40):(1,6)), int!(1));
    #[cfg(feature = "all-cases")]
    Upcast(swizzled!(Sw<1,3,2> o 0 o (3,40):(40,1)), int!(4));
    Upcast(swizzled!(Sw<1,1,-1> o 0 o (3,20):(20,1)), int!(2));
    #[cfg(feature = "all-cases")]
    Upcast(swizzled!(Sw<2,3,2> o 48 o (5,20):(20,1)), int!(4));
    #[cfg(feature = "all-cases")]
    Upcast(swizzled!(Sw<2,3,3> o 48 o (3,20):(24,1)), int!(2));
    #[cfg(feature = "all-cases")]
    Upcast(swizzled!(Sw<1,2,3> o 0 o (3,12):(16,1)), int!(4));
    Upcast(swizzled!(Sw<3,3,3> o 0 o (6,24):(28,1)), int!(4));
    #[cfg(feature = "all-cases")]
    Upcast(swizzled!(Sw<3,3,3> o 0 o (8,12):(12,1)), int!(4));
    #[cfg(feature = "all-cases")]
    Upcast(swizzled!(Sw<1,3,-2> o 48 o (5,20):(24,1)), int!(1));
    #[cfg(feature = "all-cases")]
    Upcast(swizzled!(Sw<1,1,-3> o 48 o (3,24):(25,1)), int!(1));
    Upcast(swizzled!(Sw<3,1,-3> o 48 o (6,40):(44,1)), int!(2));
    #[cfg(feature = "all-cases")]
    Upcast(swizzled!(Sw<2,3,-3> o 8 o (5,24):(24,1)), int!(1));
    #[cfg(feature = "all-cases")]
    Upcast(swizzled!(Sw<1,4,2> o 0 o (5,12):(16,1)), int!(16));
    #[cfg(feature = "all-cases")]
    Upcast(swizzled!(Sw<2,4,2> o 0 o (5,6):(6,1)), int!(1));
    Upcast(swizzled!(Sw<3,1,3> o 0 o (8,48):(52,1)), int!(1));
    #[cfg(feature = "all-cases")]
    Upcast(swizzled!(Sw<2,4,-2> o 5 o (8,40):(1,8)), int!(1));
    #[cfg(feature = "all-cases")]
    Upcast(swizzled!(Sw<1,3,1> o 5 o (8,12):(16,1)), int!(1));
    #[cfg(feature = "all-cases")]
    Upcast(swizzled!(Sw<2,3,3> o 0 o (8,48):(1,8)), int!(32));
    Upcast(swizzled!(Sw<2,4,2> o 0 o (8,40):(40,1)), int!(8));
    #[cfg(feature = "all-cases")]
    Upcast(swizzled!(Sw<2,4,3> o 0 o (8,6):(6,1)), int!(2));
    #[cfg(feature = "all-cases")]
    Upcast(swizzled!(Sw<1,2,2> o 8 o (3,20):(20,1)), int!(4));
    #[cfg(feature = "all-cases")]
    Upcast(swizzled!(Sw<1,2,1> o 48 o (6,6):(7,1)), int!(1));
];

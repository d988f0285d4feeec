// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    Coalesce(layout!(((5,5)):((5,0))));
    #[cfg(feature = "all-cases")]
    Coalesce(layout!(((4,3),2):((2,8),1)));
    #[cfg(feature = "all-cases")]
    Coalesce(layout!((4,4,3):(48,4,16)));
    #[cfg(feature = "all-cases")]
    Coalesce(layout!((4):(4)));
    Coalesce(layout!(8:1));
    #[cfg(feature = "all-cases")]
    Coalesce(layout!(((8),4):((1),8)));
    #[cfg(feature = "all-cases")]
    Coalesce(layout!(2:1));
    #[cfg(feature = "all-cases")]
    Coalesce(layout!((2):(1)));
    Coalesce(layout!(4:1));
    #[cfg(feature = "all-cases")]
    Coalesce(layout!((8,2,3):(8,32,4)));
    #[cfg(feature = "all-cases")]
    Coalesce(layout!(5:48));
    #[cfg(feature = "all-cases")]
    Coalesce(layout!(4:3));
    Coalesce(layout!((16):(1)));
    #[cfg(feature = "all-cases")]
    Coalesce(layout!((8,4,8):(1,8,32)));
    #[cfg(feature = "all-cases")]
    Coalesce(layout!((3,2):(1,3)));
    #[cfg(feature = "all-cases")]
    Coalesce(layout!(((4),6):((1),4)));
    Coalesce(layout!(8:0));
    #[cfg(feature = "all-cases")]
    Coalesce(layout!(3:1));
    #[cfg(feature = "all-cases")]
    Coalesce(layout!((4):(1)));
    #[cfg(feature = "all-cases")]
    Coalesce(layout!(2:4));
    Coalesce(layout!(((16,3),2):((6,1),3)));
    #[cfg(feature = "all-cases")]
    Coalesce(layout!((8,(2,4)):(8,(1,2))));
    #[cfg(feature = "all-cases")]
    Coalesce(layout!((5):(1)));
    #[cfg(feature = "all-cases")]
    Coalesce(layout!((8):(1)));
    Coalesce(swizzled!(Sw<2,0,3> o 0 o (8,64):(1,8)));
    #[cfg(feature = "all-cases")]
    Coalesce(swizzled!(Sw<2,2,4> o 0 o (32,16):(1,32)));
    #[cfg(feature = "all-cases")]
    Coalesce(swizzled!(Sw<2,2,4> o 0 o (8,64):(1,8)));
    #[cfg(feature = "all-cases")]
    Coalesce(swizzled!(Sw<1,2,3> o 0 o (16,16):(16,1)));
    Coalesce(swizzled!(Sw<3,2,3> o 0 o (32,32):(32,1)));
    #[cfg(feature = "all-cases")]
    Coalesce(swizzled!(Sw<2,0,3> o 0 o (16,16):(1,16)));
    #[cfg(feature = "all-cases")]
    Coalesce(swizzled!(Sw<3,0,4> o 0 o (32,32):(1,32)));
    #[cfg(feature = "all-cases")]
    Coalesce(swizzled!(Sw<1,2,3> o 0 o (16,64):(1,16)));
    Coalesce(swizzled!(Sw<2,0,4> o 0 o (16,64):(1,16)));
    #[cfg(feature = "all-cases")]
    Coalesce(swizzled!(Sw<2,1,3> o 0 o (8,32):(32,1)));
    #[cfg(feature = "all-cases")]
    Coalesce(swizzled!(Sw<2,2,4> o 0 o (8,64):(64,1)));
    #[cfg(feature = "all-cases")]
    Coalesce(swizzled!(Sw<1,0,3> o 0 o (32,16):(1,32)));
    Coalesce(swizzled!(Sw<1,3,4> o 0 o (8,16):(16,1)));
    #[cfg(feature = "all-cases")]
    Coalesce(swizzled!(Sw<1,0,3> o 0 o (8,64):(1,8)));
    #[cfg(feature = "all-cases")]
    Coalesce(swizzled!(Sw<2,3,4> o 0 o (32,32):(32,1)));
    #[cfg(feature = "all-cases")]
    Coalesce(swizzled!(Sw<2,1,4> o 0 o (8,16):(1,8)));
    Coalesce(swizzled!(Sw<3,2,4> o 0 o (32,64):(64,1)));
    #[cfg(feature = "all-cases")]
    Coalesce(swizzled!(Sw<1,0,4> o 0 o (16,32):(1,16)));
    #[cfg(feature = "all-cases")]
    Coalesce(swizzled!(Sw<1,2,3> o 0 o (32,64):(64,1)));
    #[cfg(feature = "all-cases")]
    Coalesce(swizzled!(Sw<3,1,3> o 0 o (16,64):(1,16)));
    Coalesce(swizzled!(Sw<3,2,4> o 0 o (8,16):(1,8)));
    #[cfg(feature = "all-cases")]
    Coalesce(swizzled!(Sw<2,0,4> o 0 o (32,16):(16,1)));
    #[cfg(feature = "all-cases")]
    Coalesce(swizzled!(Sw<1,1,4> o 0 o (8,32):(32,1)));
    #[cfg(feature = "all-cases")]
    Coalesce(swizzled!(Sw<3,2,4> o 0 o (16,32):(1,16)));
];

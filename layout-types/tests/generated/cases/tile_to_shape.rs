// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    TileToShape(layout!((3):(1)), shape!((9)));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!((8,2,(1),(6)):(12,1,(1),(2))), shape!((24,6,(2),(6))));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!((16):(1)), shape!((48)));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!((4,(1,2,3)):(0,(0,0,1))), shape!((8,(2,4,3))));
    TileToShape(layout!((1,6):(1,1)), shape!((3,18)));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!((3):(1)), shape!((3)));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!((4,2):(2,1)), shape!((12,6)));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!(8:1), shape!(16));
    TileToShape(layout!(((1,8)):((24,6))), shape!(((3,16))));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!((8,4,2,2):(1,8,32,64)), shape!((16,4,2,2)));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!((8,4):(48,2)), shape!((8,4)));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!((3,3,4):(8,24,72)), shape!((6,6,4)));
    TileToShape(layout!((6,5):(1,6)), shape!((6,10)));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!((8,1,4):(1,8,8)), shape!((16,1,8)));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!((8):(1)), shape!((8)));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!(2:1), shape!(6));
    TileToShape(layout!((3,2,2,4):(16,2,1,4)), shape!((9,4,4,4)));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!((3):(2)), shape!((3)));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!(((3,3),8):((1,3),9)), shape!(((9,6),16)));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!((2,(6)):(0,(6))), shape!((6,(6))));
    TileToShape(layout!((16):(1)), shape!((16)));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!((4,2,3):(1,4,8)), shape!((4,6,3)));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!(2:0), shape!(2));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!(((6,4),4):((1,6),24)), shape!(((6,4),4)));
    TileToShape(swizzled!(Sw<1,1,4> o 0 o (8,64):(1,8)), shape!((8,64)));
    #[cfg(feature = "all-cases")]
    TileToShape(swizzled!(Sw<3,1,3> o 0 o (8,64):(64,1)), shape!((16,192)));
    #[cfg(feature = "all-cases")]
    TileToShape(swizzled!(Sw<2,2,3> o 0 o (16,64):(1,16)), shape!((32,128)));
    #[cfg(feature = "all-cases")]
    TileToShape(swizzled!(Sw<1,2,3> o 0 o (16,64):(1,16)), shape!((32,128)));
    TileToShape(swizzled!(Sw<1,2,4> o 0 o (8,64):(64,1)), shape!((24,64)));
    #[cfg(feature = "all-cases")]
    TileToShape(swizzled!(Sw<1,2,3> o 0 o (16,32):(1,16)), shape!((16,64)));
    #[cfg(feature = "all-cases")]
    TileToShape(swizzled!(Sw<1,1,4> o 0 o (16,64):(64,1)), shape!((16,128)));
    #[cfg(feature = "all-cases")]
    TileToShape(swizzled!(Sw<1,2,3> o 0 o (16,16):(16,1)), shape!((48,32)));
    TileToShape(swizzled!(Sw<2,3,3> o 0 o (16,16):(1,16)), shape!((48,32)));
    #[cfg(feature = "all-cases")]
    TileToShape(swizzled!(Sw<1,3,3> o 0 o (32,64):(64,1)), shape!((32,64)));
    #[cfg(feature = "all-cases")]
    TileToShape(swizzled!(Sw<1,3,3> o 0 o (32,16):(16,1)), shape!((32,32)));
    #[cfg(feature = "all-cases")]
    TileToShape(swizzled!(Sw<1,3,3> o 0 o (32,16):(16,1)), shape!((96,32)));
    TileToShape(swizzled!(Sw<3,0,3> o 0 o (32,32):(1,32)), shape!((64,64)));
    #[cfg(feature = "all-cases")]
    TileToShape(swizzled!(Sw<2,3,3> o 0 o (16,32):(32,1)), shape!((16,96)));
    #[cfg(feature = "all-cases")]
    TileToShape(swizzled!(Sw<3,2,3> o 0 o (8,32):(1,8)), shape!((8,96)));
    #[cfg(feature = "all-cases")]
    TileToShape(swizzled!(Sw<2,2,3> o 0 o (8,64):(64,1)), shape!((8,64)));
    TileToShape(swizzled!(Sw<3,2,4> o 0 o (8,32):(32,1)), shape!((16,96)));
    #[cfg(feature = "all-cases")]
    TileToShape(swizzled!(Sw<3,1,3> o 0 o (8,64):(64,1)), shape!((16,128)));
    #[cfg(feature = "all-cases")]
    TileToShape(swizzled!(Sw<3,3,4> o 0 o (8,64):(1,8)), shape!((16,192)));
    #[cfg(feature = "all-cases")]
    TileToShape(swizzled!(Sw<2,3,3> o 0 o (8,16):(16,1)), shape!((16,32)));
    TileToShape(swizzled!(Sw<3,2,3> o 0 o (16,64):(64,1)), shape!((48,64)));
    #[cfg(feature = "all-cases")]
    TileToShape(swizzled!(Sw<1,3,4> o 0 o (16,64):(1,16)), shape!((16,192)));
    #[cfg(feature = "all-cases")]
    TileToShape(swizzled!(Sw<3,3,4> o 0 o (16,16):(16,1)), shape!((32,48)));
    #[cfg(feature = "all-cases")]
    TileToShape(swizzled!(Sw<2,0,4> o 0 o (8,32):(32,1)), shape!((24,32)));
    TileToShape(layout!(4:4), shape!(8));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!((2):(1)), shape!((2)));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!(8:8), shape!(24));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!(4:1), shape!(8));
    TileToShape(layout!(3:8), shape!(6));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!((8):(1)), shape!((16)));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!((8,5):(3,24)), shape!((8,5)));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!((1):(1)), shape!((3)));
    TileToShape(layout!((2,(1,8),2,4):(2,(16,16),1,4)), shape!((2,(1,24),6,12)));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!((16,2,6):(8,4,128)), shape!((32,2,12)));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!(8:4), shape!(16));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!(((4,2),8):((1,4),8)), shape!(((8,2),24)));
    TileToShape(layout!((1,5):(-8,8)), shape!((1,15)));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!(((8,2,2)):((4,2,1))), shape!(((24,2,2))));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!((8,(2,4)):(2,(0,16))), shape!((16,(2,4))));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!((4):(1)), shape!((8)));
    TileToShape(layout!((4):(1)), shape!((4)));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!(8:0), shape!(8));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!((4,3,1):(3,16,48)), shape!((12,3,2)));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!((2):(1)), shape!((4)));
    TileToShape(layout!(8:3), shape!(24));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!((1,2,2):(0,2,1)), shape!((2,4,4)));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!((3,2,2,4):(1,3,6,12)), shape!((6,2,2,12)));
    #[cfg(feature = "all-cases")]
    TileToShape(layout!(((2),2,(4)):((0),0,(0))), shape!(((4),6,(4))));
];

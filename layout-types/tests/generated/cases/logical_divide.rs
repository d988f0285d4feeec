// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    LogicalDivide(layout!((2,2,4,6):(1,2,4,16)), layout!((2,3,2,2):(6,2,12,1)));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!(((4,4)):((4,1))), layout!((4,2):(2,1)));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!((16):(1)), layout!(8:4));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!(8:1), layout!((2,3):(1,2)));
    LogicalDivide(layout!((6):(8)), layout!((1):(1)));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!(3:1), layout!((8,16):(16,1)));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!((16,2):(4,64)), layout!((3,3):(4,12)));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!(1:1), layout!((2,2):(8,16)));
    LogicalDivide(layout!(8:1), layout!((4,8):(1,4)));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!((2,2):(1,4)), layout!(16:1));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!((6):(1)), layout!((4):(2)));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!(((3)):((4))), layout!(((2),4):((1),2)));
    LogicalDivide(layout!(8:2), layout!((4):(3)));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!(((4,4)):((1,4))), layout!(8:1));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!((8,3):(3,1)), layout!(2:4));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!((8):(1)), layout!(3:1));
    LogicalDivide(layout!(3:12), layout!((3):(1)));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!((2,(2),8,1):(1,(2),4,32)), layout!(((3),5,(2,4),2):((40),1,(5,10),120)));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!(1:8), layout!((5):(1)));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!((2,4,6):(6,12,1)), layout!((4):(0)));
    LogicalDivide(layout!((2,8):(1,2)), layout!((4,6,5,2):(24,2,192,960)));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!(2:1), layout!((6):(1)));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!(((2,5),3,(2)):((1,6),2,(30))), layout!((6,1):(1,6)));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!(4:8), layout!(5:1));
    LogicalDivide(layout!(2:1), int!(3));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!(4:1), int!(24));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!(((8,5,5)):((0,8,40))), int!(24));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!(((4),4):((1),4)), int!(4));
    LogicalDivide(layout!(((4),4):((1),4)), int!(16));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!((1,8,8,4):(1,1,8,64)), int!(3));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!(4:4), int!(64));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!((6,1):(8,48)), int!(12));
    LogicalDivide(layout!((8,3):(1,8)), int!(2));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!(8:1), int!(1));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!(((2,1)):((32,12))), int!(6));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!((8,16):(2,16)), int!(8));
    LogicalDivide(layout!((4):(1)), int!(128));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!((5,(1)):(1,(-5))), int!(3));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!(((6),8):((1),6)), int!(64));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!(16:0), int!(6));
    LogicalDivide(layout!((5):(-1)), int!(16));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!((4,(5),(2,2)):(1,(4),(20,40))), int!(6));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!((6,(4),2):(0,(0),24)), int!(48));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!((8,(3)):(1,(8))), int!(12));
    LogicalDivide(layout!((16):(2)), int!(32));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!(2:1), int!(16));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!((4,3,1):(1,4,12)), int!(4));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!(((2,4),4):((64,4),16)), int!(4));
    LogicalDivide(layout!(2:1), tile!(4));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!((4,(4,4),2):(8,(32,2),1)), tile!(2));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!((2,(16,2,4),1,1):(16,(1,128,32),128,128)), tile!(3,3,_,4));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!((1,8,4):(-1,-1,8)), tile!(_,1:4));
    LogicalDivide(layout!((2,4,(4)):(1,2,(8))), tile!(3:1,4:2));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!((8):(1)), tile!(4));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!(4:16), tile!(2:2));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!(5:8), tile!(4:2));
    LogicalDivide(layout!((6,5):(32,24)), tile!(_));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!((2,2,(16)):(1,2,(4))), tile!(_));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!((2,(2),(3,4),3):(24,(96),(576,6),1)), tile!(1:1,2,_,_));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!(4:0), tile!(_));
    LogicalDivide(layout!((2,(3,2)):(1,(0,0))), tile!(2));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!((16):(1)), tile!(4));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!((8,3):(3,1)), tile!(3));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!((2,2):(2,0)), tile!(3:2,2));
    LogicalDivide(layout!((2):(1)), tile!(3));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!((2,3,(3,3)):(-27,9,(3,-1))), tile!(4:4,4));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!((8,(2)):(0,(1))), tile!(1:2));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!(5:1), tile!(3:2));
    LogicalDivide(layout!((3,1,5):(1,3,3)), tile!(_,1));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!((8):(4)), tile!(2));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!(((6),8):((8),1)), tile!(1,3));
    #[cfg(feature = "all-cases")]
    LogicalDivide(layout!((8,4,(1)):(4,1,(1))), tile!((2,2):(4,2),4:4));
    LogicalDivide(swizzled!(Sw<2,3,3> o 0 o (8,64):(1,8)), tile!(_,(2,1):(1,2)));
    #[cfg(feature = "all-cases")]
    LogicalDivide(swizzled!(Sw<1,2,4> o 0 o (8,64):(1,8)), tile!(2:4,8));
    #[cfg(feature = "all-cases")]
    LogicalDivide(swizzled!(Sw<1,1,4> o 0 o (8,16):(1,8)), tile!(2,_));
    #[cfg(feature = "all-cases")]
    LogicalDivide(swizzled!(Sw<3,2,3> o 0 o (16,32):(32,1)), tile!(4,(2,4):(1,2)));
    LogicalDivide(swizzled!(Sw<1,0,4> o 0 o (16,64):(64,1)), tile!(1,4));
    #[cfg(feature = "all-cases")]
    LogicalDivide(swizzled!(Sw<2,0,3> o 0 o (8,64):(1,8)), tile!((2,2):(1,2)));
    #[cfg(feature = "all-cases")]
    LogicalDivide(swizzled!(Sw<3,3,4> o 0 o (16,16):(1,16)), tile!(2));
    #[cfg(feature = "all-cases")]
    LogicalDivide(swizzled!(Sw<3,1,3> o 0 o (16,32):(32,1)), tile!(4:2,4));
    LogicalDivide(swizzled!(Sw<2,0,4> o 0 o (16,16):(1,16)), tile!(4));
    #[cfg(feature = "all-cases")]
    LogicalDivide(swizzled!(Sw<1,3,3> o 0 o (16,64):(64,1)), tile!(4:2,3));
    #[cfg(feature = "all-cases")]
    LogicalDivide(swizzled!(Sw<1,2,3> o 0 o (8,64):(1,8)), tile!(4));
    #[cfg(feature = "all-cases")]
    LogicalDivide(swizzled!(Sw<2,3,3> o 0 o (8,64):(1,8)), tile!(4,_));
    LogicalDivide(swizzled!(Sw<2,3,4> o 0 o (16,16):(16,1)), tile!(3:2));
    #[cfg(feature = "all-cases")]
    LogicalDivide(swizzled!(Sw<2,0,4> o 0 o (8,32):(1,8)), tile!(_,(2,4):(1,2)));
    #[cfg(feature = "all-cases")]
    LogicalDivide(swizzled!(Sw<3,3,4> o 0 o (16,16):(16,1)), tile!(4,(2,2):(4,2)));
    #[cfg(feature = "all-cases")]
    LogicalDivide(swizzled!(Sw<2,0,3> o 0 o (16,64):(1,16)), tile!(8));
    LogicalDivide(swizzled!(Sw<3,3,4> o 0 o (8,16):(16,1)), tile!(3:2,8));
    #[cfg(feature = "all-cases")]
    LogicalDivide(swizzled!(Sw<3,2,3> o 0 o (8,32):(1,8)), tile!(_));
    #[cfg(feature = "all-cases")]
    LogicalDivide(swizzled!(Sw<2,0,3> o 0 o (32,64):(64,1)), tile!(_));
    #[cfg(feature = "all-cases")]
    LogicalDivide(swizzled!(Sw<1,3,4> o 0 o (8,64):(64,1)), tile!(3));
    LogicalDivide(swizzled!(Sw<2,0,4> o 0 o (16,16):(16,1)), tile!(2,3));
    #[cfg(feature = "all-cases")]
    LogicalDivide(swizzled!(Sw<3,3,4> o 0 o (32,32):(32,1)), tile!(2,_));
    #[cfg(feature = "all-cases")]
    LogicalDivide(swizzled!(Sw<2,3,3> o 0 o (32,64):(1,32)), tile!(2,4));
    #[cfg(feature = "all-cases")]
    LogicalDivide(swizzled!(Sw<3,1,4> o 0 o (16,16):(1,16)), tile!(3,3));
];

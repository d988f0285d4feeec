// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    ZippedDivide(layout!(1:8), layout!((4,2,2):(0,2,48)));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!((4):(1)), layout!((2,6,3,2):(12,2,24,1)));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!(8:8), layout!((3):(1)));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!(2:-1), layout!((4):(1)));
    ZippedDivide(layout!((4):(-1)), layout!(((2,2,8)):((16,8,1))));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!(6:2), layout!((2,5,6,3):(1,2,20,240)));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!((4):(4)), layout!(4:1));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!((6):(1)), layout!(4:1));
    ZippedDivide(layout!(((5,2)):((8,12))), layout!((3):(1)));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!((4):(1)), layout!((1,8):(2,2)));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!(5:1), layout!((2,3):(1,2)));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!(((6)):((1))), layout!((3,2):(2,1)));
    ZippedDivide(layout!(3:32), layout!(5:1));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!((2):(2)), layout!(2:1));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!((3,3,4):(3,1,9)), layout!((3):(1)));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!((4,8,6):(192,24,4)), layout!(((4)):((8))));
    ZippedDivide(layout!((8,(4),3):(1,(8),32)), layout!(8:1));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!((3):(1)), layout!(((2,2)):((1,2))));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!((2,1):(0,0)), layout!((2,8,4):(128,16,4)));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!(4:0), layout!((6,4,5):(1,6,24)));
    ZippedDivide(layout!(8:1), layout!((1,(5),3,2):(30,(6),1,3)));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!((8,16):(16,1)), layout!((8,1,2):(2,16,1)));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!((1):(1)), layout!((6):(4)));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!((6,(1),(16)):(3,(288),(18))), layout!((16,16):(16,1)));
    ZippedDivide(layout!((4,1,(2)):(-3,-12,(-12))), tile!(4:1,3,4));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!((3,2,4):(8,1,2)), tile!(4:4,(2,1):(1,2),4));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!((3):(1)), tile!(4:2));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!((6,(6),1):(6,(1),1)), tile!(2,2));
    ZippedDivide(layout!(2:3), tile!(2));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!((3,2):(1,3)), tile!(1));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!((3,8,3,2):(1,3,24,72)), tile!(8,2,2:4,4));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!(3:1), tile!(4));
    ZippedDivide(layout!((6,(4),(2)):(1,(6),(24))), tile!(2:2));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!((8):(8)), tile!(4));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!((4):(1)), tile!(4:2));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!(((4),2):((3),1)), tile!(1));
    ZippedDivide(layout!(((2,8)):((8,1))), tile!(4:2));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!((4):(1)), tile!(2));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!((8,2):(1,8)), tile!(8,4));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!((2):(1)), tile!(2:4));
    ZippedDivide(layout!((1):(1)), tile!(2:2));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!((3):(1)), tile!(2));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!((4,3,2,(2)):(0,8,24,(1))), tile!(4:1,1,4:2,2));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!((6):(2)), tile!(2));
    ZippedDivide(layout!((2,(5,8)):(1,(2,10))), tile!(2));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!((4,8):(16,2)), tile!(1:2));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!(((5,3),(2,1)):((-1,10),(-5,5))), tile!(2));
    #[cfg(feature = "all-cases")]
    ZippedDivide(layout!((4):(-1)), tile!(8));
    ZippedDivide(swizzled!(Sw<3,2,4> o 0 o (16,16):(16,1)), tile!(3));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<1,0,3> o 0 o (32,64):(1,32)), tile!(2));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<3,2,4> o 0 o (32,64):(64,1)), tile!(3));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<1,3,4> o 0 o (8,32):(1,8)), tile!(2,(2,2):(1,2)));
    ZippedDivide(swizzled!(Sw<1,3,4> o 0 o (16,32):(32,1)), tile!(3:1));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<3,0,4> o 0 o (16,64):(1,16)), tile!(8:2,4));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<2,1,3> o 0 o (8,16):(16,1)), tile!(1:1));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<3,1,4> o 0 o (8,16):(1,8)), tile!(1,2:2));
    ZippedDivide(swizzled!(Sw<3,1,3> o 0 o (32,32):(32,1)), tile!(4,4));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<3,1,4> o 0 o (8,64):(64,1)), tile!(8,8));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<2,1,4> o 0 o (8,16):(16,1)), tile!(4:4,4));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<2,1,4> o 0 o (8,32):(1,8)), tile!(4));
    ZippedDivide(swizzled!(Sw<3,0,3> o 0 o (8,64):(1,8)), tile!(2,2));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<3,2,4> o 0 o (8,32):(32,1)), tile!(4:2,2:4));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<1,3,3> o 0 o (16,32):(32,1)), tile!(4:1,1));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<1,2,4> o 0 o (8,32):(1,8)), tile!(8,2:1));
    ZippedDivide(swizzled!(Sw<2,3,4> o 0 o (32,64):(64,1)), tile!(2:4,4));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<1,3,3> o 0 o (8,32):(1,8)), tile!(8));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<1,1,4> o 0 o (16,16):(16,1)), tile!(4));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<2,1,3> o 0 o (32,16):(1,32)), tile!(1,2:4));
    ZippedDivide(swizzled!(Sw<2,2,3> o 0 o (16,64):(1,16)), tile!((2,2):(1,2)));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<3,0,3> o 0 o (32,32):(32,1)), tile!(4:4,4));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<3,2,3> o 0 o (32,32):(1,32)), tile!(4));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<1,3,4> o 0 o (16,64):(1,16)), tile!(1,4));
    ZippedDivide(swizzled!(Sw<2,0,-3> o 8 o (5,48):(48,1)), tile!(3));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<3,0,3> o 0 o (6,20):(20,1)), tile!(3:2));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<2,4,-2> o 5 o (8,6):(6,1)), tile!(2));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<2,3,-3> o 5 o (5,12):(16,1)), tile!(1));
    ZippedDivide(swizzled!(Sw<1,4,-2> o 0 o (5,48):(1,5)), tile!(3,(2,4):(1,2)));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<1,3,2> o 0 o (5,20):(20,1)), tile!(3:2));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<1,1,1> o 0 o (5,48):(48,1)), tile!(8:2));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<3,4,-3> o 0 o (5,12):(13,1)), tile!(2:2,4));
    ZippedDivide(swizzled!(Sw<1,4,1> o 0 o (3,24):(24,1)), tile!((2,4):(1,2),8));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<2,0,3> o 8 o (5,20):(24,1)), tile!(1));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<1,0,2> o 0 o (3,6):(7,1)), tile!(1:4));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<3,4,-3> o 0 o (5,48):(48,1)), tile!(8));
    ZippedDivide(swizzled!(Sw<2,1,3> o 0 o (5,24):(1,5)), tile!(1:2,(2,4):(1,2)));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<2,4,-3> o 0 o (5,48):(48,1)), tile!(2:2,8));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<1,0,-2> o 0 o (6,20):(20,1)), tile!(2,4));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<3,2,-3> o 8 o (3,20):(20,1)), tile!(2:2,1));
    ZippedDivide(swizzled!(Sw<1,4,-3> o 5 o (8,20):(1,8)), tile!(2:2));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<2,0,2> o 8 o (5,24):(24,1)), tile!(3,2));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<3,0,3> o 0 o (5,6):(1,5)), tile!(3));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<2,4,2> o 48 o (3,48):(52,1)), tile!(4));
    ZippedDivide(swizzled!(Sw<3,4,-3> o 0 o (5,20):(21,1)), tile!(2:2));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<1,2,3> o 0 o (5,48):(49,1)), tile!((2,1):(4,2)));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<3,2,-3> o 8 o (5,6):(1,5)), tile!(2:2,2:1));
    #[cfg(feature = "all-cases")]
    ZippedDivide(swizzled!(Sw<2,3,3> o 0 o (3,6):(1,3)), tile!(3,(2,2):(4,2)));
];

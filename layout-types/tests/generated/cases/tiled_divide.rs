// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    TiledDivide(layout!((1,4):(16,4)), layout!((5,(1,2,8),2):(1,(5,5,10),80)));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!((4):(4)), layout!(4:1));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!(((3),16,4):((1),3,48)), layout!((16):(1)));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!((8):(0)), layout!(((8),(3,8)):((18),(3,288))));
    TiledDivide(layout!((2,2,1,3):(1,2,4,4)), layout!(((16,3,2)):((6,2,1))));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!((3,(4),8):(32,(1),4)), layout!((4,(3,5)):(15,(1,0))));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!((5):(1)), layout!((2,4,1,4):(48,6,3,96)));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!((3,3,2):(1,3,9)), layout!((8,(4,1)):(4,(1,1))));
    TiledDivide(layout!((2,6,8):(1,2,12)), layout!(2:0));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!(4:1), layout!((16):(1)));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!(((3)):((8))), layout!(((8,3,6)):((1,8,24))));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!(5:8), layout!(((4,1,4)):((1,4,4))));
    TiledDivide(layout!((8):(2)), layout!((3):(1)));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!((3):(1)), layout!((3):(1)));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!((1):(1)), layout!(16:4));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!((16,16):(0,0)), layout!((5,5):(1,5)));
    TiledDivide(layout!((8):(3)), layout!(3:1));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!(5:4), layout!(6:1));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!(2:1), layout!((8,6):(18,1)));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!((4,5,3):(1,4,20)), layout!((5,(3,3,2)):(1,(15,135,810))));
    TiledDivide(layout!((1):(4)), layout!(((5,3),1):((3,15),45)));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!((4):(1)), layout!(8:1));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!(6:1), layout!((1,8,3):(8,1,8)));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!(2:1), layout!(2:0));
    TiledDivide(layout!((8,(5,2)):(2,(16,1))), tile!(8));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!(((4,4)):((1,4))), tile!(4));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!((2):(1)), tile!(4:4));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!(4:1), tile!(4));
    TiledDivide(layout!((2,2):(2,4)), tile!(2:4,(2,4):(1,2)));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!((16):(48)), tile!(8));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!(((2,3),5,3,2):((36,1080),72,4,6480)), tile!((2,2):(4,2),(2,4):(1,2),1,1:2));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!(((4)):((0))), tile!(4:1));
    TiledDivide(layout!((8,2):(2,1)), tile!(3));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!((8,2,8):(1,8,16)), tile!(4:2));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!(3:1), tile!(1));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!(((2,16)):((1,-2))), tile!((2,2):(1,2)));
    TiledDivide(layout!((3):(1)), tile!(3));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!((2,3,16):(2,8,16)), tile!(2:4,2,4));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!(5:1), tile!(2));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!((8,4):(-4,-32)), tile!(8,(2,2):(1,2)));
    TiledDivide(layout!((1,(2),16):(1,(1),2)), tile!(4:2));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!((4):(8)), tile!(1));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!((5,2,8):(1,0,10)), tile!(3,4));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!(((3),4,2,8):((1),9,108,216)), tile!((2,2):(4,2),(2,4):(1,2)));
    TiledDivide(layout!((4,4,(1),8):(3,12,(48),48)), tile!(2,(2,2):(1,2),8));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!((2):(1)), tile!(3));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!((3,3,3,2):(0,3,0,0)), tile!(1,8:4,1:2,4));
    #[cfg(feature = "all-cases")]
    TiledDivide(layout!((2):(1)), tile!(4));
];

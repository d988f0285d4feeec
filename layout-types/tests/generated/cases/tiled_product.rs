// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    TiledProduct(layout!((3,4):(0,0)), layout!(8:0));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!(4:3), layout!((2,3,3,4):(0,0,3,9)));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!(1:2), layout!((4):(1)));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!(4:1), layout!(4:1));
    TiledProduct(layout!((2,3,2,2):(16,32,8,96)), layout!((2,4):(4,1)));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!((2):(1)), layout!(8:2));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!((8,6,3):(1,8,48)), layout!(1:1));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!((16,(3)):(1,(16))), layout!(16:3));
    TiledProduct(layout!((8,2):(1,8)), layout!((3,8,2,2):(48,1,288,24)));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!((1):(-1)), layout!(4:1));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!(((2),2):((2),1)), layout!((8,4,2):(2,16,1)));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!((8,2):(1,8)), layout!(((4,4),2,8):((64,1),4,8)));
    TiledProduct(layout!((4,3):(3,0)), layout!(2:-1));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!((5,8,2,1):(1,5,40,80)), layout!(4:1));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!((2,3):(3,6)), layout!((2):(1)));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!((5,8):(16,2)), layout!((2,2):(1,2)));
    TiledProduct(layout!((8):(8)), layout!(1:1));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!(((4,2,5)):((0,3,24))), layout!((2,8,2):(3,6,48)));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!(2:0), layout!(2:2));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!(((3),2,2):((1),3,6)), layout!((3,(2,6),4,(1)):(1,(9,36),216,(2592))));
    TiledProduct(layout!((3,5,4):(1,3,15)), layout!((4,1,2,2):(6,8,4,8)));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!((3,8,3):(1,0,3)), layout!(((2,8)):((4,8))));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!((4):(1)), layout!((4,5):(1,4)));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!((2,4):(1,2)), layout!((6):(1)));
    TiledProduct(layout!((2):(0)), tile!(2:2));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!(16:1), tile!(2:4));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!(2:1), tile!(4));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!((2):(6)), tile!(2));
    TiledProduct(layout!(4:3), tile!(3));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!((6,3,(4)):(12,4,(1))), tile!(2,3,2));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!((2,2,(8)):(1,-2,(4))), tile!(1));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!((4,(3,2)):(18,(6,3))), tile!(2:2));
    TiledProduct(layout!(1:1), tile!(4));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!(16:1), tile!(1:1));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!((4,5,(3)):(1,12,(60))), tile!(4:2));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!(2:1), tile!(2));
    TiledProduct(layout!((5):(8)), tile!(1));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!((2):(0)), tile!(2));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!((8,1,2,(4)):(4,64,32,(1))), tile!(4,1));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!((8):(1)), tile!(4));
    TiledProduct(layout!((16):(1)), tile!((2,1):(4,2)));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!(5:12), tile!(1));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!((3,3):(3,1)), tile!(1));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!((6):(1)), tile!(2));
    TiledProduct(layout!((2,3,4):(0,12,3)), tile!(3));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!(3:1), tile!(2:2));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!((3):(1)), tile!(4:2));
    #[cfg(feature = "all-cases")]
    TiledProduct(layout!(((8,2),3):((6,3),1)), tile!(3));
];

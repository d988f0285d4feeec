// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    BlockedProduct(layout!(4:1), layout!(((4),2,4,4):((-3),-12,24,-96)));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!((8,2,5):(1,8,16)), layout!((5,6):(24,4)));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!(((2,6,16)):((128,256,8))), layout!((6):(1)));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!((1,(6)):(6,(1))), layout!((4,4,2):(1,4,16)));
    BlockedProduct(layout!((6):(1)), layout!(((5),(2),4,4):((2),(1),40,10)));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!(6:1), layout!((2,(8)):(3,(6))));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!((4,1,4):(1,4,4)), layout!(3:2));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!((1,4,2):(4,1,4)), layout!(6:1));
    BlockedProduct(layout!(8:1), layout!((16,4,1):(6,4,6)));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!(8:8), layout!((4,2):(1,4)));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!((2,4):(8,1)), layout!((2):(8)));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!(((4,2),1):((2,1),8)), layout!((2,(3),4,4):(1,(2),6,24)));
    BlockedProduct(layout!(((2,2,3),1):((1,2,4),12)), layout!(3:1));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!(6:1), layout!((4):(8)));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!((4):(1)), layout!((16,2,2):(1,16,32)));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!((2,(8),1,6):(1,(2),16,16)), layout!((6):(16)));
    BlockedProduct(layout!((2,5,3,(4)):(15,3,1,(30))), layout!((3):(2)));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!(2:1), layout!(1:0));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!((8,3,4):(4,0,0)), layout!(8:12));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!((3,5,3):(1,3,15)), layout!(((4,6),3):((18,3),72)));
    BlockedProduct(layout!(((3),4,2):((2),6,1)), layout!(2:2));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!((3,1,2):(4,12,12)), layout!((8,4):(1,24)));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!(8:1), layout!((16,4,4):(4,64,1)));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!((3,3,3):(1,3,9)), layout!(((2,3)):((3,6))));
    BlockedProduct(layout!((3,6,2):(24,1,6)), layout!((8,4):(16,4)));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!(2:1), layout!((2):(1)));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!((5,4):(1,0)), layout!((8,2):(1,8)));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!(3:1), layout!(8:4));
    BlockedProduct(layout!((1,6):(1,1)), layout!(2:1));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!(6:1), layout!((3,4,2):(16,4,1)));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!((4,3,1,1):(3,1,3,12)), layout!((8):(1)));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!((8,8,2,(2)):(1,8,64,(128))), layout!(4:0));
    BlockedProduct(layout!(((5)):((4))), layout!((2,8):(1,2)));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!((16,(2,3)):(1,(16,32))), layout!((4):(-1)));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!((1,5):(8,8)), layout!(((1,8,4)):((8,8,2))));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!((1,5,4,1):(1,1,5,20)), layout!(4:2));
    BlockedProduct(layout!(2:2), layout!(8:1));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!(4:1), layout!((1,3,4,1):(4,4,1,12)));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!(((3)):((1))), layout!((1,3):(24,4)));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!((2,4,(3,3)):(1,2,(8,24))), layout!((2):(1)));
    BlockedProduct(layout!(1:1), layout!(((4),(1),4):((1),(16),4)));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!(3:1), layout!((8):(0)));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!((5,2,2,3):(3,30,15,1)), layout!((16,4):(4,1)));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!((4,5,4):(1,4,20)), layout!((8):(1)));
    BlockedProduct(layout!((2,2,5):(1,2,4)), layout!(5:4));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!((3,3):(1,3)), layout!((2,8):(32,4)));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!(((8,2)):((0,0))), layout!((6):(1)));
    #[cfg(feature = "all-cases")]
    BlockedProduct(layout!((1,4):(1,1)), layout!((1,8,6):(1,1,8)));
];

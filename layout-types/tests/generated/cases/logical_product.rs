// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    LogicalProduct(layout!((2):(1)), layout!((4,2,8,2):(432,72,3,5184)));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!(((5,2,2),3):((1,5,10),20)), layout!(8:1));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!((8,2,8):(1,8,16)), layout!(2:1));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!((4,(2)):(1,(4))), layout!((3,2,2,5):(2,1,30,6)));
    LogicalProduct(layout!((8,3,1):(1,8,1)), layout!((2,2):(1,2)));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!((3,8,2):(1,6,3)), layout!((8,5):(1,8)));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!((4,3):(4,16)), layout!((2,1):(2,4)));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!((1):(1)), layout!((3,4):(1,3)));
    LogicalProduct(layout!((6,4):(4,1)), layout!((4,8):(8,1)));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!(((5,1,4)):((4,4,1))), layout!((2):(1)));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!((2,4,4,4):(4,8,1,32)), layout!(3:-1));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!((8,1,6,4):(8,64,64,384)), layout!(4:1));
    LogicalProduct(layout!(((4),2,5):((1),4,8)), layout!((2):(1)));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!((2,(2,2,4),3):(32,(8,192,1),1152)), layout!(1:1));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!(2:8), layout!(((1,16)):((1,1))));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!((3,2):(4,12)), layout!((16,8):(1,16)));
    LogicalProduct(layout!(3:8), layout!(4:8));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!(((4),2):((2),1)), layout!(((4,1)):((2,8))));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!(2:1), layout!((8):(16)));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!((3):(1)), layout!((6,4):(4,1)));
    LogicalProduct(layout!(((1,4,2)):((3,6,3))), layout!(2:0));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!((4,16):(16,1)), layout!((2):(1)));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!((2):(8)), layout!((2,2,16,(1)):(16,32,1,(16))));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!(((4,4)):((1,4))), layout!((3,3,6,2):(0,0,0,0)));
    LogicalProduct(layout!((3,2,4,4):(1,3,6,24)), layout!(2:1));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!(2:1), layout!((3):(1)));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!(2:1), layout!((1,(4)):(4,(1))));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!(8:1), layout!((2,(3),4):(1,(2),6)));
    LogicalProduct(layout!((4,4,4):(1,4,16)), layout!((8,2):(1,0)));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!(4:1), layout!(((4,2),5):((0,0),0)));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!((3):(1)), layout!((16):(3)));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!((4):(2)), layout!((2):(1)));
    LogicalProduct(layout!((8,8):(1,8)), layout!(((2,3,2),2):((24,0,6),24)));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!(3:1), layout!((4,2,4,(2,1,2)):(1,4,8,(32,64,64))));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!((2):(1)), layout!(2:1));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!(2:1), layout!((2,2,1):(2,1,2)));
    LogicalProduct(layout!(8:12), layout!((5):(1)));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!(((8,5,3)):((1,8,40))), layout!((2,4):(1,2)));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!((2,(2),5):(30,(3),6)), layout!(8:0));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!((4,4):(8,32)), layout!(2:1));
    LogicalProduct(layout!(((5,6),1):((12,1),180)), layout!((1):(3)));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!(((4,1),(1),4):((2,2),(2),8)), layout!((6,4):(0,6)));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!(((6,3,4)):((1,24,6))), layout!((16):(8)));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!((6,4):(1,6)), layout!((2,3):(1,2)));
    LogicalProduct(layout!(16:8), layout!(3:1));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!((3,5):(1,3)), layout!(((3,4)):((8,2))));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!(4:1), layout!((4):(1)));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!((4):(1)), layout!(3:1));
    LogicalProduct(layout!(1:3), tile!(2));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!((4,(2,8),4):(6,(1,24),192)), tile!(1));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!(3:24), tile!(1:1));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!(2:1), tile!((2,2):(4,2)));
    LogicalProduct(layout!((6):(1)), tile!(_));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!((4,6):(48,8)), tile!(1:4,2));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!((4):(2)), tile!((2,4):(4,2)));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!((3):(12)), tile!(1:2));
    LogicalProduct(layout!((2,3):(1,2)), tile!(8,2));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!((3):(1)), tile!(4:2));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!(3:4), tile!(2));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!(1:8), tile!((2,2):(4,2)));
    LogicalProduct(layout!(5:1), tile!(2));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!((8):(1)), tile!((2,4):(4,2)));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!((6,16,2):(1,6,0)), tile!(4:2,_,2:2));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!((2,(8),8,1):(64,(8),1,8)), tile!(4:1));
    LogicalProduct(layout!(1:8), tile!(8));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!(2:16), tile!(_));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!((2):(1)), tile!(4:2));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!(5:1), tile!(1));
    LogicalProduct(layout!(((3,4)):((1,3))), tile!(4));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!(8:1), tile!(2));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!((1,16):(1,1)), tile!(1));
    #[cfg(feature = "all-cases")]
    LogicalProduct(layout!(((3),5):((1),3)), tile!(1,1));
];

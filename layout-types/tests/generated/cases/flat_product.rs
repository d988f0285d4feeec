// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    FlatProduct(layout!((1):(1)), layout!(2:1));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!(6:1), layout!((1,(6)):(96,(8))));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!(((16),1,4,4):((128),8,32,8)), layout!(6:1));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!((6):(1)), layout!((4,8,4,1):(3,12,96,384)));
    FlatProduct(layout!((1,16):(16,1)), layout!((8,1,5,4):(0,16,16,0)));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!(8:1), layout!((5):(1)));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!(8:8), layout!(((4,6),5):((1,4),24)));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!((5,2,4):(4,60,1)), layout!(2:1));
    FlatProduct(layout!((8,1,2):(2,32,16)), layout!(2:1));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!(2:1), layout!(8:4));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!(4:1), layout!(6:0));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!((4,1,4):(1,4,4)), layout!((5,2):(1,5)));
    FlatProduct(layout!((2,1,4):(1,2,2)), layout!((5,(6,4)):(8,(40,240))));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!((3,8):(8,1)), layout!(((5)):((4))));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!((6):(1)), layout!(5:1));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!((3,5,16):(16,48,1)), layout!(((3,2)):((1,9))));
    FlatProduct(layout!(((6),5):((1),6)), layout!((4,4):(-4,1)));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!(2:1), layout!(2:1));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!(((16),1,1):((1),16,48)), layout!((1,(2)):(-8,(4))));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!(3:0), layout!((2,4,(4)):(16,1,(4))));
    FlatProduct(layout!(((2,2),16):((1,2),4)), layout!((3):(8)));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!(4:1), layout!((2,(5,8),3,1):(30,(6,60),2,2)));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!((6):(1)), layout!(((8),1):((2),16)));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!(1:8), layout!((4,3,6):(3,-1,12)));
    FlatProduct(layout!(2:8), tile!(2));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!((16):(1)), tile!(8));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!(((5,8),4):((1,5),40)), tile!(_));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!(((2)):((6))), tile!(3));
    FlatProduct(layout!((2,16,5):(48,1,192)), tile!((2,2):(1,2),3:1));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!((6,2,(4)):(1,24,(6))), tile!((2,4):(1,2)));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!(5:8), tile!(1));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!((6):(2)), tile!(4:4));
    FlatProduct(layout!(((8),8):((8),1)), tile!(8,3));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!((8):(1)), tile!(4));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!((1,4,(4)):(0,1,(4))), tile!(4:4,2,4));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!(((4,3)):((3,1))), tile!(3));
    FlatProduct(layout!(5:1), tile!(2:2));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!(4:4), tile!(4));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!(((1,2),(5,5)):((4,2),(20,4))), tile!(_,1:4));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!(((2,1,4)):((4,8,1))), tile!((2,2):(4,2)));
    FlatProduct(layout!((4):(0)), tile!(4:1));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!((2):(1)), tile!(2));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!(3:1), tile!(2:1));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!(((1,2),(3,2,4),4):((192,96),(32,1,8),2)), tile!(4,4));
    FlatProduct(layout!((1,(2,3,8)):(1,(1,2,6))), tile!((2,4):(1,2)));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!((3,1,3,8):(1,3,3,9)), tile!(1,8:2));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!((4):(1)), tile!(1));
    #[cfg(feature = "all-cases")]
    FlatProduct(layout!((8):(0)), tile!(8));
];

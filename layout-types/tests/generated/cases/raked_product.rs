// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    RakedProduct(layout!((8):(3)), layout!(2:2));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!(2:1), layout!(((2,3),2,3):((0,0),0,0)));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!(16:1), layout!(1:1));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!((3,2,2):(1,3,6)), layout!((2,(4,2,4),4):(1,(2,8,16),64)));
    RakedProduct(layout!(2:4), layout!((6,2):(2,1)));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!((2,6):(1,2)), layout!((4,2,8,4):(3,48,96,12)));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!((1,1,2,(3,3,5)):(18,18,9,(3,18,54))), layout!(1:1));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!((3,2,2,4):(16,48,2,4)), layout!(8:0));
    RakedProduct(layout!((8):(1)), layout!(4:1));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!((4,8,(4),2):(64,2,(16),1)), layout!((3):(3)));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!(2:16), layout!(1:3));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!((1):(4)), layout!(3:1));
    RakedProduct(layout!(((3,6),(4)):((12,2),(36))), layout!((4,(4,1),2):(2,(24,96),192)));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!(((4,6),8):((1,4),24)), layout!((1,8,2):(1,-1,8)));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!(((6),2,2):((4),1,2)), layout!((1,2,8,4):(32,24,2,12)));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!((4,3,4,4):(1,4,12,48)), layout!((3,(1)):(2,(6))));
    RakedProduct(layout!((3,3):(3,1)), layout!(4:3));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!((4,4):(4,0)), layout!(((3,2,16)):((16,48,1))));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!((2):(1)), layout!(5:1));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!((8,4):(1,8)), layout!(8:8));
    RakedProduct(layout!((3):(1)), layout!((2,2,5):(1,2,4)));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!((2,(2)):(1,(2))), layout!((4):(2)));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!((2):(2)), layout!((2,(2,2),2,4):(4,(8,16),32,64)));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!((4,(5,3)):(15,(1,5))), layout!((4):(2)));
    RakedProduct(layout!(8:1), layout!((4,(4,2),4):(1,(4,0),0)));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!(((4,5)):((12,2))), layout!((8,4):(2,16)));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!(2:1), layout!((2,6,3,2):(6,1,12,36)));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!(4:1), layout!(5:2));
    RakedProduct(layout!((2):(0)), layout!((6):(1)));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!((8):(32)), layout!(6:1));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!((2):(48)), layout!((6,8,2):(8,1,48)));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!((5):(3)), layout!((2):(1)));
    RakedProduct(layout!(3:2), layout!((3,(8,4),2):(64,(1,8),32)));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!((2,4,8):(1,16,2)), layout!(4:3));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!((8,4):(0,0)), layout!(((2)):((1))));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!((4):(1)), layout!((6,4):(1,6)));
    RakedProduct(layout!((2):(1)), layout!((2):(1)));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!((3):(1)), layout!((5,3,16):(128,-640,-8)));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!((2):(1)), layout!((4,2):(2,8)));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!((4,2,(4,2,2),2):(64,4,(16,8,2),1)), layout!(8:3));
    RakedProduct(layout!(2:1), layout!(6:1));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!((3):(24)), layout!(4:3));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!(2:4), layout!((3,3,6):(24,48,12)));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!(8:1), layout!(6:1));
    RakedProduct(layout!((1):(1)), layout!((2,(5),4):(4,(8),1)));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!((4,(2,4,8)):(12,(48,3,96))), layout!((1,8):(24,3)));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!((8,(2)):(1,(8))), layout!((2,1,6,(2,3)):(1,2,2,(12,24))));
    #[cfg(feature = "all-cases")]
    RakedProduct(layout!(((8,16)):((16,1))), layout!((4,(4)):(8,(32))));
];

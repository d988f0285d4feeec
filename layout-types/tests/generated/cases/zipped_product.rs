// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    ZippedProduct(layout!(3:1), layout!((6,1):(1,6)));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!((1,3):(6,8)), layout!(8:1));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!(8:1), layout!(4:1));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!((2):(1)), layout!((16,4,2):(1,0,0)));
    ZippedProduct(layout!((4,4,4):(1,4,16)), layout!(((4,4)):((1,4))));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!((5,2,4,4):(1,20,40,5)), layout!(2:1));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!(2:1), layout!((4,(3)):(1,(4))));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!(3:1), layout!((3,2,8):(1,24,3)));
    ZippedProduct(layout!((2,(4,5),2):(1,(20,2),10)), layout!((4):(6)));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!((2):(48)), layout!((4):(1)));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!((2):(1)), layout!(6:2));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!((1):(1)), layout!(((5,5),8):((2,80),10)));
    ZippedProduct(layout!((4,3):(3,1)), layout!((3,8,2,1):(1,3,24,48)));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!((4):(1)), layout!((1,3):(3,1)));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!((4):(1)), layout!((1,2,16):(1,1,2)));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!(((2)):((3))), layout!(((1)):((48))));
    ZippedProduct(layout!((8):(1)), layout!(((8),5):((1),8)));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!((6):(1)), layout!(2:1));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!(1:1), layout!((3,3,4):(16,48,4)));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!((3,1,1):(1,1,1)), layout!((4,3):(-4,-16)));
    ZippedProduct(layout!(((8,8,2)):((1,8,64))), layout!((4,(2)):(-4,(16))));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!((8):(1)), layout!((4):(1)));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!(16:1), layout!(((2),8,(8)):((-1),2,(16))));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!((5,3):(1,5)), layout!(4:4));
    ZippedProduct(layout!(5:1), tile!((2,2):(1,2)));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!(3:1), tile!((2,4):(1,2)));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!((8,16):(1,8)), tile!(4:2,4));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!((2,2,3):(24,4,8)), tile!(4,2:1,2));
    ZippedProduct(layout!((2,16,4):(64,1,16)), tile!(1:1,2));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!(4:1), tile!(4));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!((4,2,2):(1,4,8)), tile!((2,8):(1,2)));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!(3:1), tile!(1:1));
    ZippedProduct(layout!((4,(2)):(1,(4))), tile!(4));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!(((2,1,5)):((10,5,1))), tile!(2));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!((8,1):(1,1)), tile!(1,1));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!((4,2,4):(6,12,0)), tile!((2,2):(1,2),4));
    ZippedProduct(layout!(1:1), tile!(8:4));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!((3):(1)), tile!(1));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!((4):(0)), tile!(2));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!((2,2):(2,1)), tile!(2:2,8));
    ZippedProduct(layout!((3,(3),16,1):(1,(3),9,144)), tile!(3));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!((5,4,4):(128,32,8)), tile!((2,3):(4,2),2));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!(3:8), tile!(4));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!(((2),16):((16),1)), tile!(4:2));
    ZippedProduct(layout!(((3),2,(2,2)):((2),6,(12,1))), tile!(3:4));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!((4,8,1):(0,4,0)), tile!((2,1):(4,2),(2,8):(1,2),4));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!(2:1), tile!(2));
    #[cfg(feature = "all-cases")]
    ZippedProduct(layout!((8):(1)), tile!((2,4):(4,2)));
];

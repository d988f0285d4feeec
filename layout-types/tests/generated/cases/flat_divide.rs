// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    FlatDivide(layout!(((2,2)):((2,4))), layout!((16,6,2):(1,32,16)));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!((1,6,4,2):(1,1,6,24)), layout!(3:1));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!((6):(1)), layout!(3:4));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!((2,1):(1,2)), layout!(((5),1,1):((1),5,5)));
    FlatDivide(layout!((4,4):(2,4)), layout!((3,5):(1,0)));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!(3:48), layout!((3,2):(2,1)));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!(4:1), layout!((3,2):(1,3)));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!((2):(2)), layout!(5:1));
    FlatDivide(layout!(16:1), layout!((1):(1)));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!(2:0), layout!((16):(2)));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!((16,4):(4,64)), layout!(5:6));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!(8:3), layout!((3,4):(1,3)));
    FlatDivide(layout!((4):(0)), layout!(((6)):((3))));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!(((2,3,1)):((1,2,6))), layout!(((4)):((1))));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!(3:1), layout!((6):(1)));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!((3,6):(2,6)), layout!(16:1));
    FlatDivide(layout!(((6,2),3):((8,6),48)), layout!((1):(1)));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!(4:1), layout!(((2,5,8)):((1,2,10))));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!(3:1), layout!(((5,4,1)):((1,5,1))));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!(3:24), layout!((4,(3),4):(3,(1),12)));
    FlatDivide(layout!(((4),6,2):((1),4,24)), layout!((3,4):(1,3)));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!(2:0), layout!((3,5):(0,3)));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!((8):(1)), layout!((2,6,5,2):(1,20,2,10)));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!((8,4,3):(1,24,-8)), layout!((2):(1)));
    FlatDivide(layout!(8:3), tile!(4));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!((2):(1)), tile!((2,2):(4,2)));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!(((1,16,8)):((1,1,16))), tile!(8:2));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!((3,8,2):(2,6,1)), tile!(2,(2,2):(1,2)));
    FlatDivide(layout!((8,(2,5)):(4,(1,64))), tile!(3,2:2));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!(4:4), tile!((2,2):(4,2)));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!(8:1), tile!(3:4));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!((8):(1)), tile!(4));
    FlatDivide(layout!((3):(1)), tile!(1));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!((2,5,4,4):(1,2,10,40)), tile!(8));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!(((8,8)):((8,-64))), tile!(8));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!((3,4):(4,1)), tile!(1));
    FlatDivide(layout!((16):(2)), tile!(1));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!(2:2), tile!(1));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!((4,8,3):(24,3,1)), tile!((2,4):(1,2)));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!(((3,3)):((1,9))), tile!(2));
    FlatDivide(layout!(6:2), tile!(4:4));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!(2:3), tile!(2));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!(3:8), tile!(4));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!((1,(4)):(1,(1))), tile!(2));
    FlatDivide(layout!(8:1), tile!(4));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!((8,6):(48,4)), tile!(2,4));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!(3:1), tile!(8));
    #[cfg(feature = "all-cases")]
    FlatDivide(layout!((5):(1)), tile!(4:2));
];

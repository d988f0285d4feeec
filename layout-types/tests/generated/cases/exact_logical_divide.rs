// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    ExactLogicalDivide(layout!((5):(4)), layout!((1):(1)));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!((8):(0)), layout!((4):(1)));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!((4,3):(3,12)), layout!((1):(1)));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!(((2),8):((1),2)), layout!(4:1));
    ExactLogicalDivide(layout!((4):(4)), layout!(1:1));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!(((4,8,1),4):((1,12,192),384)), layout!(1:1));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!(8:1), layout!(((2)):((1))));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!((16):(1)), layout!(2:1));
    ExactLogicalDivide(layout!((6,8,(2,2)):(6,16,(3,0))), layout!(2:1));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!(8:1), layout!(4:2));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!(4:0), layout!((4):(1)));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!(6:1), layout!((3):(1)));
    ExactLogicalDivide(layout!((16):(1)), layout!(((2,2)):((1,2))));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!((4,(2,8)):(1,(32,4))), layout!(1:1));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!((3,8,8):(1,3,24)), layout!(2:1));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!((2,(8,6),2):(3,(6,-48),-288)), layout!((2):(4)));
    ExactLogicalDivide(layout!((6,8):(1,12)), layout!((3):(1)));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!((2,4,2):(8,2,1)), layout!(((8,1)):((1,24))));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!((4,(4,2),2,4):(2,(64,8),1,16)), layout!((8,4,4):(1,8,32)));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!(2:3), layout!((2):(1)));
    ExactLogicalDivide(layout!(((2,4,3),1,(1),8):((32,8,192),1152,(2304),1)), layout!(2:1));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!((4):(1)), layout!(2:1));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!((6,2):(4,24)), layout!(2:1));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!((3,1,3):(1,9,27)), layout!(3:1));
    ExactLogicalDivide(layout!((3,6):(1,3)), tile!(1:1,3));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!(((2,8,3)):((2,4,32))), tile!(2:4));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!(4:1), tile!(4));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!((2,8):(1,-2)), tile!(_));
    ExactLogicalDivide(layout!(((16),8):((2),6)), tile!((2,4):(1,2),4:1));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!(3:0), tile!(1));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!((16):(1)), tile!(4));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!((6,(1,2,2)):(6,(6,36,3))), tile!(1,4));
    ExactLogicalDivide(layout!((2,(4,8,2)):(24,(6,48,3))), tile!(1,4));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!((4):(1)), tile!((2,2):(1,2)));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!(16:1), tile!(2:2));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!((3):(8)), tile!(3:1));
    ExactLogicalDivide(layout!(8:1), tile!(2));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!(4:0), tile!(2));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!(((5,3)):((4,20))), tile!(1));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!(8:8), tile!(4));
    ExactLogicalDivide(layout!((4,(4,3,2)):(24,(2,8,1))), tile!(4));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!(2:3), tile!(_));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!((6,3):(1,32)), tile!(1,1:4));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!((3,1):(2,6)), tile!(_));
    ExactLogicalDivide(layout!((4):(12)), tile!(4));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!((6,4,(3)):(-1,6,(-24))), tile!(1));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!((4,16):(32,1)), tile!(2:2));
    #[cfg(feature = "all-cases")]
    ExactLogicalDivide(layout!(4:1), tile!(1));
];

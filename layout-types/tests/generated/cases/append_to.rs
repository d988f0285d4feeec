// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    AppendTo(layout!(((4,4)):((4,1))), int!(2));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!((2):(1)), int!(2));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!((8):(1)), int!(3));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!((5,(3)):(3,(1))), int!(3));
    AppendTo(layout!((4):(24)), int!(1));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!(3:1), int!(1));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!(3:3), int!(1));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!((3):(1)), int!(3));
    AppendTo(layout!(((5,4),3,2):((4,0),80,240)), int!(3));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!((5):(4)), int!(1));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!(4:3), int!(2));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!((3,3,(2,4)):(24,8,(4,1))), int!(4));
    AppendTo(layout!((4,3):(1,4)), int!(3));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!((3):(1)), int!(2));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!(2:1), int!(2));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!(3:1), int!(3));
    AppendTo(layout!((4):(8)), int!(1));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!(((4),5):((1),4)), int!(4));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!(2:1), int!(1));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!((3,(8),4):(1,(3),24)), int!(4));
    AppendTo(layout!(((8,4,5)):((8,320,64))), int!(3));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!(((4,4)):((4,1))), int!(1));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!((3,2,6,2):(8,24,48,4)), int!(4));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!((16,2):(8,0)), int!(2));
    AppendTo(layout!(5:1), int!(1), layout!(((1,2,3),2):((3,3,1),6)));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!(8:1), int!(1), layout!((4):(1)));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!(16:4), int!(1), layout!(3:8));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!(2:24), int!(3), layout!(((2,4)):((3,18))));
    AppendTo(layout!(2:1), int!(2), layout!(3:1));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!((16):(1)), int!(1), layout!((3,2,2):(4,24,12)));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!((4,1):(0,0)), int!(3), layout!(16:1));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!(8:8), int!(2), layout!((5):(3)));
    AppendTo(layout!(4:-1), int!(1), layout!((16,5):(2,32)));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!((3,6,3,4):(3,9,54,162)), int!(4), layout!(4:1));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!(3:1), int!(2), layout!(5:0));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!((6):(4)), int!(1), layout!((5):(1)));
    AppendTo(layout!(((8,8,3)):((1,8,64))), int!(2), layout!(((4)):((8))));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!(3:1), int!(2), layout!((16):(1)));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!((6,1):(1,6)), int!(2), layout!(((4)):((8))));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!(((4,1,16)):((16,192,1))), int!(3), layout!(6:3));
    AppendTo(layout!((3,16):(12,6)), int!(2), layout!((4):(0)));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!((8,(1,2),2):(1,(8,8),16)), int!(3), layout!((2,1,3):(-2,12,4)));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!((16,2):(2,1)), int!(2), layout!((2,2):(32,8)));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!(((8,1,2),(2,2),4):((1,8,8),(16,-32),-64)), int!(3), layout!((8,2,1):(2,1,1)));
    AppendTo(layout!((3,(2,1,6)):(2,(1,6,6))), int!(2), layout!((4,3):(3,-1)));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!((3):(1)), int!(3), layout!((1):(0)));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!((2,2,1,3):(48,8,8,16)), int!(6), layout!(4:1));
    #[cfg(feature = "all-cases")]
    AppendTo(layout!((16):(1)), int!(1), layout!(8:1));
];

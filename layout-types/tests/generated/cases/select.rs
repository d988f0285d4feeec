// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    Select(layout!((4,4):(1,4)), coord!((1)));
    #[cfg(feature = "all-cases")]
    Select(layout!((4,4):(-8,2)), coord!((1,0)));
    #[cfg(feature = "all-cases")]
    Select(layout!(((6,2),6):((1,12),24)), coord!((1)));
    #[cfg(feature = "all-cases")]
    Select(layout!(6:1), coord!((0)));
    Select(layout!((5,2,1):(8,40,80)), coord!((1,0,0)));
    #[cfg(feature = "all-cases")]
    Select(layout!((4,2,4):(0,16,0)), coord!((1,2)));
    #[cfg(feature = "all-cases")]
    Select(layout!(((3,6,1)):((6,1,1))), coord!((0)));
    #[cfg(feature = "all-cases")]
    Select(layout!((3,3,2):(1,3,9)), coord!((0,0)));
    Select(layout!(6:3), coord!((0)));
    #[cfg(feature = "all-cases")]
    Select(layout!((2,2,2,(8)):(192,1,2,(8))), coord!((2,0,1,0)));
    #[cfg(feature = "all-cases")]
    Select(layout!(((4),2,(8)):((1),4,(8))), coord!((1,1)));
    #[cfg(feature = "all-cases")]
    Select(layout!((2,5,2):(0,16,8)), coord!((0)));
    Select(layout!((5,2):(2,1)), coord!((0)));
    #[cfg(feature = "all-cases")]
    Select(layout!(((5),8):((1),5)), coord!((0)));
    #[cfg(feature = "all-cases")]
    Select(layout!((3,8,4):(1,6,32)), coord!((1)));
    #[cfg(feature = "all-cases")]
    Select(layout!((6):(1)), coord!((0)));
    Select(layout!(4:1), coord!((0)));
    #[cfg(feature = "all-cases")]
    Select(layout!((3):(0)), coord!((0)));
    #[cfg(feature = "all-cases")]
    Select(layout!((2,4,6,4):(2304,4,16,288)), coord!((2)));
    #[cfg(feature = "all-cases")]
    Select(layout!((3,4):(2,4)), coord!((0)));
    Select(layout!(4:4), coord!((0)));
    #[cfg(feature = "all-cases")]
    Select(layout!(5:2), coord!((0)));
    #[cfg(feature = "all-cases")]
    Select(layout!((2,1):(2,-4)), coord!((1,0)));
    #[cfg(feature = "all-cases")]
    Select(layout!(((2,16)):((16,1))), coord!((0)));
];

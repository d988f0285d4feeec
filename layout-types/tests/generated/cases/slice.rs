// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    Slice(layout!(((2,2)):((2,4))), coord!(((_,_))));
    #[cfg(feature = "all-cases")]
    Slice(layout!(3:1), coord!(1));
    #[cfg(feature = "all-cases")]
    Slice(layout!(5:3), coord!(1));
    #[cfg(feature = "all-cases")]
    Slice(layout!(2:1), coord!(0));
    Slice(layout!(((2,4),2):((16,32),8)), coord!(((0,3),0)));
    #[cfg(feature = "all-cases")]
    Slice(layout!((4,8):(1,4)), coord!(9));
    #[cfg(feature = "all-cases")]
    Slice(layout!(5:1), coord!(2));
    #[cfg(feature = "all-cases")]
    Slice(layout!((4):(0)), coord!(2));
    Slice(layout!((2):(-1)), coord!(_));
    #[cfg(feature = "all-cases")]
    Slice(layout!(((8),8):((3),24)), coord!(((2),_)));
    #[cfg(feature = "all-cases")]
    Slice(layout!((5):(1)), coord!((3)));
    #[cfg(feature = "all-cases")]
    Slice(layout!((6):(1)), coord!(_));
    Slice(layout!((8):(4)), coord!((3)));
    #[cfg(feature = "all-cases")]
    Slice(layout!(4:3), coord!(1));
    #[cfg(feature = "all-cases")]
    Slice(layout!(4:1), coord!(_));
    #[cfg(feature = "all-cases")]
    Slice(layout!(((1,5),8,3):((24,24),3,1)), coord!((3,_,_)));
    Slice(layout!((1,2,2):(6,3,6)), coord!((_,_,0)));
    #[cfg(feature = "all-cases")]
    Slice(layout!((2):(1)), coord!((_)));
    #[cfg(feature = "all-cases")]
    Slice(layout!((1,1,(3,2,4)):(3,3,(1,3,6))), coord!(_));
    #[cfg(feature = "all-cases")]
    Slice(layout!((2,(5)):(5,(1))), coord!(_));
    Slice(layout!(((3,2)):((1,3))), coord!((_)));
    #[cfg(feature = "all-cases")]
    Slice(layout!(((3),1):((1),1)), coord!((_,_)));
    #[cfg(feature = "all-cases")]
    Slice(layout!(2:3), coord!(_));
    #[cfg(feature = "all-cases")]
    Slice(layout!((6,(8)):(1,(6))), coord!(_));
    Slice(layout!((8,4,4,2):(4,32,128,512)), coord!(76));
    #[cfg(feature = "all-cases")]
    Slice(layout!(4:1), coord!(1));
    #[cfg(feature = "all-cases")]
    Slice(layout!((1,(2,16)):(8,(128,8))), coord!(_));
    #[cfg(feature = "all-cases")]
    Slice(layout!(3:4), coord!(1));
    Slice(layout!(((4,4,4)):((48,8,1))), coord!(((3,_,_))));
    #[cfg(feature = "all-cases")]
    Slice(layout!((2,(2,4,6)):(4,(8,1,16))), coord!(10));
    #[cfg(feature = "all-cases")]
    Slice(layout!((2,3,(4)):(3,18,(162))), coord!((1,2,_)));
    #[cfg(feature = "all-cases")]
    Slice(layout!((6,4,1):(16,0,48)), coord!((4,_,0)));
    Slice(layout!((6,2):(1,6)), coord!((_,0)));
    #[cfg(feature = "all-cases")]
    Slice(layout!((2,4,1,6):(0,1,48,8)), coord!((1,0,_,_)));
    #[cfg(feature = "all-cases")]
    Slice(layout!((1,8,4,(1)):(4,4,32,(128))), coord!(_));
    #[cfg(feature = "all-cases")]
    Slice(layout!(((2,8),2,2):((4,8),64,128)), coord!((_,0,0)));
    Slice(layout!((2,4):(1,2)), coord!((1,1)));
    #[cfg(feature = "all-cases")]
    Slice(layout!(3:0), coord!(0));
    #[cfg(feature = "all-cases")]
    Slice(layout!((4,2):(1,4)), coord!((_,0)));
    #[cfg(feature = "all-cases")]
    Slice(layout!((2,5):(1,2)), coord!(_));
    Slice(layout!((5,2):(4,20)), coord!(_));
    #[cfg(feature = "all-cases")]
    Slice(layout!(((5,2)):((1,5))), coord!((6)));
    #[cfg(feature = "all-cases")]
    Slice(layout!((1,(2,3),(4),2):(8,(4,16),(1),8)), coord!((0,(0,0),2,1)));
    #[cfg(feature = "all-cases")]
    Slice(layout!((2,(1,2)):(1,(1,2))), coord!(_));
    Slice(layout!((4,2,8):(8,32,1)), coord!((0,0,5)));
    #[cfg(feature = "all-cases")]
    Slice(layout!(((2),5):((8),16)), coord!(_));
    #[cfg(feature = "all-cases")]
    Slice(layout!((4,4):(1,4)), coord!((_,2)));
    #[cfg(feature = "all-cases")]
    Slice(layout!((2,(2,2),5):(5,(10,20),1)), coord!((_,(1,0),_)));
];

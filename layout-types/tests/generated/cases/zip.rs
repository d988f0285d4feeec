// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    Zip(layout!(6:1), layout!(8:4));
    #[cfg(feature = "all-cases")]
    Zip(layout!(2:1), layout!(3:-1));
    #[cfg(feature = "all-cases")]
    Zip(layout!(1:1), layout!((4,(8,2,3)):(3,(24,12,1))));
    #[cfg(feature = "all-cases")]
    Zip(layout!(16:1), layout!((3,4):(1,3)));
    Zip(layout!(5:1), layout!((8,2,3,(2)):(96,8,32,(16))));
    #[cfg(feature = "all-cases")]
    Zip(layout!(5:1), layout!((4,(3,2),2):(1,(8,48),192)));
    #[cfg(feature = "all-cases")]
    Zip(layout!(4:1), layout!((1,1,4,8):(1,-4,-1,4)));
    #[cfg(feature = "all-cases")]
    Zip(layout!(8:3), layout!((8):(48)));
    Zip(layout!((2,5,2):(1,2,10)), layout!((2,2,6):(6,12,1)));
    #[cfg(feature = "all-cases")]
    Zip(layout!(8:1), layout!((8):(1)));
    #[cfg(feature = "all-cases")]
    Zip(layout!((2):(1)), layout!((3):(1)));
    #[cfg(feature = "all-cases")]
    Zip(layout!(3:1), layout!((6,(2),4):(24,(12),3)));
    Zip(layout!(8:1), layout!((6,(4,8)):(32,(1,-4))));
    #[cfg(feature = "all-cases")]
    Zip(layout!(4:8), layout!((4,8,5):(1,20,4)));
    #[cfg(feature = "all-cases")]
    Zip(layout!(3:1), layout!(2:1));
    #[cfg(feature = "all-cases")]
    Zip(layout!(2:1), layout!(2:24));
    Zip(layout!(8:8), layout!((6,2):(1,6)));
    #[cfg(feature = "all-cases")]
    Zip(layout!(2:-1), layout!((4,(3),2):(0,(0),0)));
    #[cfg(feature = "all-cases")]
    Zip(layout!(2:1), layout!(2:1));
    #[cfg(feature = "all-cases")]
    Zip(layout!(16:1), layout!(8:8));
    Zip(layout!((2):(1)), layout!((4):(1)));
    #[cfg(feature = "all-cases")]
    Zip(layout!(4:2), layout!((6,2):(-1,6)));
    #[cfg(feature = "all-cases")]
    Zip(layout!(6:3), layout!((1,1,8,2):(24,48,3,24)));
    #[cfg(feature = "all-cases")]
    Zip(layout!((8,(1,6)):(1,(1,8))), layout!(((8,1),(3,3)):((8,64),(64,-192))));
];

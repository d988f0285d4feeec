// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    Complement(layout!((5,5):(1,5)), int!(128));
    #[cfg(feature = "all-cases")]
    Complement(layout!((3,4):(4,0)), int!(24));
    #[cfg(feature = "all-cases")]
    Complement(layout!((5):(1)), int!(6));
    #[cfg(feature = "all-cases")]
    Complement(layout!(((8,4),2):((64,0),0)), int!(64));
    Complement(layout!(3:1), int!(6));
    #[cfg(feature = "all-cases")]
    Complement(layout!((3):(1)), int!(32));
    #[cfg(feature = "all-cases")]
    Complement(layout!((2,2):(4,0)), int!(8));
    #[cfg(feature = "all-cases")]
    Complement(layout!((5):(1)), int!(128));
    Complement(layout!(2:1), int!(128));
    #[cfg(feature = "all-cases")]
    Complement(layout!((6,1):(1,-1)), int!(64));
    #[cfg(feature = "all-cases")]
    Complement(layout!((5):(3)), int!(8));
    #[cfg(feature = "all-cases")]
    Complement(layout!((8,3,2):(24,8,192)), int!(32));
    Complement(layout!(2:1), int!(8));
    #[cfg(feature = "all-cases")]
    Complement(layout!((4,(16),4):(32,(128),8)), int!(2));
    #[cfg(feature = "all-cases")]
    Complement(layout!((4,3):(9,1)), int!(4));
    #[cfg(feature = "all-cases")]
    Complement(layout!(((2,5)):((2,4))), int!(2));
    Complement(layout!((3,4):(8,2)), int!(128));
    #[cfg(feature = "all-cases")]
    Complement(layout!(16:0), int!(2));
    #[cfg(feature = "all-cases")]
    Complement(layout!(4:1), int!(12));
    #[cfg(feature = "all-cases")]
    Complement(layout!(2:1), int!(12));
    Complement(layout!((6):(1)), int!(48));
    #[cfg(feature = "all-cases")]
    Complement(layout!(2:24), int!(24));
    #[cfg(feature = "all-cases")]
    Complement(layout!(3:1), int!(16));
    #[cfg(feature = "all-cases")]
    Complement(layout!((2,5,3,8):(960,192,8,24)), int!(24));
    Complement(layout!(3:1), shape!(((4,4,1))));
    #[cfg(feature = "all-cases")]
    Complement(layout!((4,(2),(4),4):(3,(12),(72),288)), shape!((4,(6),2,1)));
    #[cfg(feature = "all-cases")]
    Complement(layout!((4,4,4):(0,0,1)), shape!(((6,8))));
    #[cfg(feature = "all-cases")]
    Complement(layout!(4:1), shape!((4,(4))));
    Complement(layout!(8:1), shape!((2,8,4,4)));
    #[cfg(feature = "all-cases")]
    Complement(layout!(4:4), shape!((2,8)));
    #[cfg(feature = "all-cases")]
    Complement(layout!(((1,6,2),1,16):((128,128,768),768,8)), shape!((5,8,(4))));
    #[cfg(feature = "all-cases")]
    Complement(layout!((2):(1)), shape!((8,1)));
    Complement(layout!(((4)):((1))), shape!((4,4,2)));
    #[cfg(feature = "all-cases")]
    Complement(layout!(6:3), shape!((1,8,2)));
    #[cfg(feature = "all-cases")]
    Complement(layout!((6):(8)), shape!(4));
    #[cfg(feature = "all-cases")]
    Complement(layout!((4):(1)), shape!((2,(1,3,4))));
    Complement(layout!((4):(8)), shape!((2)));
    #[cfg(feature = "all-cases")]
    Complement(layout!((2,(2,8,1)):(8,(16,32,256))), shape!((2,5)));
    #[cfg(feature = "all-cases")]
    Complement(layout!((1,8):(8,1)), shape!((4,6)));
    #[cfg(feature = "all-cases")]
    Complement(layout!((2,4,(8),3):(1,2,(16),256)), shape!(5));
    Complement(layout!((2):(3)), shape!(((6))));
    #[cfg(feature = "all-cases")]
    Complement(layout!(2:1), shape!(((2,5),1,5,(4))));
    #[cfg(feature = "all-cases")]
    Complement(layout!((3,2,(3)):(0,3,(6))), shape!((3,2)));
    #[cfg(feature = "all-cases")]
    Complement(layout!((2,6,4,4):(4,8,48,192)), shape!((3,2,1,2)));
    Complement(layout!((3):(1)), shape!((3,4,1)));
    #[cfg(feature = "all-cases")]
    Complement(layout!((3):(1)), shape!((16,2,8,(1))));
    #[cfg(feature = "all-cases")]
    Complement(layout!((4,(2)):(0,(0))), shape!((4)));
    #[cfg(feature = "all-cases")]
    Complement(layout!((1,2):(2,2)), shape!((16,6)));
];

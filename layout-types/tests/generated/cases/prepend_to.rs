// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    PrependTo(layout!(3:1), int!(3));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!((2):(1)), int!(1));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!(((2,2)):((4,1))), int!(1));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!((4):(24)), int!(2));
    PrependTo(layout!((3):(1)), int!(3));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!((2):(32)), int!(3));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!((8,(2)):(1,(8))), int!(2));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!(((3),8):((64),-8)), int!(3));
    PrependTo(layout!((16):(1)), int!(1));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!(((4),(2,8,1)):((16),(1,2,16))), int!(2));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!(((2,4,2)):((8,2,1))), int!(3));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!(2:4), int!(3));
    PrependTo(layout!(((16)):((1))), int!(3));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!((4,(5)):(2,(8))), int!(4));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!(((5,2,8)):((48,3,6))), int!(1));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!((4):(0)), int!(3));
    PrependTo(layout!(((2,5,1)):((0,0,10))), int!(3));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!((4,8):(24,1)), int!(2));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!((4):(3)), int!(1));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!((4,4):(1,4)), int!(2));
    PrependTo(layout!((8):(1)), int!(2));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!((2):(1)), int!(3));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!(((8),(3)):((4),(32))), int!(3));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!((1,8,2):(144,6,1)), int!(5));
    PrependTo(layout!((4):(1)), int!(1), layout!((1,4,3):(12,1,4)));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!((3):(1)), int!(2), layout!((5,2,(2)):(8,80,(-40))));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!((2,8,2):(-4,-8,64)), int!(4), layout!((2,2,4,(3)):(1,2,12,(4))));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!((2):(1)), int!(1), layout!(5:2));
    PrependTo(layout!(3:1), int!(1), layout!(2:1));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!(8:1), int!(1), layout!((2,4):(8,2)));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!((4):(1)), int!(1), layout!(((6,1),(4,5)):((0,16),(4,2))));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!(8:1), int!(2), layout!((1,(3,8,4)):(2,(24,4,24))));
    PrependTo(layout!(4:1), int!(2), layout!(((3,2),2,(4),2):((24,0),32,(2),2)));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!(((16)):((0))), int!(1), layout!((3,16,5):(-1,15,3)));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!((4,3):(1,4)), int!(4), layout!((16):(1)));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!(((2,4),3):((1,2),8)), int!(3), layout!(((8),1,4,3):((1),288,24,864)));
    PrependTo(layout!((4,2):(8,96)), int!(3), layout!(16:1));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!((1):(1)), int!(3), layout!((2):(1)));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!((8):(1)), int!(3), layout!(5:1));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!((8):(1)), int!(3), layout!(8:1));
    PrependTo(layout!((4):(1)), int!(1), layout!((3):(1)));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!(((4,3,5),2):((-1,-4,12),60)), int!(4), layout!(4:1));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!(((5),2):((1),5)), int!(3), layout!((3):(1)));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!(8:0), int!(3), layout!(((2,5)):((1,2))));
    PrependTo(layout!((2,(2,2,1)):(48,(4,3,12))), int!(3), layout!(((5),(1)):((1),(0))));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!((4,2,3,3):(2,12,32,48)), int!(4), layout!(2:1));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!((5):(1)), int!(1), layout!((4,(8,1,2)):(6,(24,24,3))));
    #[cfg(feature = "all-cases")]
    PrependTo(layout!(2:1), int!(2), layout!((2,2,3):(1,6,2)));
];

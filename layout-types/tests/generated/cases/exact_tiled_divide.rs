// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    ExactTiledDivide(layout!((8):(1)), tile!(1:2));
    #[cfg(feature = "all-cases")]
    ExactTiledDivide(layout!(6:0), tile!(2));
    #[cfg(feature = "all-cases")]
    ExactTiledDivide(layout!(4:8), tile!(4));
    #[cfg(feature = "all-cases")]
    ExactTiledDivide(layout!((4):(1)), tile!(4));
    ExactTiledDivide(layout!(8:1), tile!(4));
    #[cfg(feature = "all-cases")]
    ExactTiledDivide(layout!(((2,8,8)):((1,16,2))), tile!(4));
    #[cfg(feature = "all-cases")]
    ExactTiledDivide(layout!((4):(1)), tile!(2));
    #[cfg(feature = "all-cases")]
    ExactTiledDivide(layout!((4,5):(1,4)), tile!(2:2));
    ExactTiledDivide(layout!((8,4):(1,8)), tile!(4));
    #[cfg(feature = "all-cases")]
    ExactTiledDivide(layout!((3,8):(1,3)), tile!(1,1));
    #[cfg(feature = "all-cases")]
    ExactTiledDivide(layout!((4,16,(2)):(1,4,(64))), tile!(2,2));
    #[cfg(feature = "all-cases")]
    ExactTiledDivide(layout!((8,2):(1,8)), tile!(1));
    ExactTiledDivide(layout!(4:1), tile!(4:1));
    #[cfg(feature = "all-cases")]
    ExactTiledDivide(layout!((4,4):(4,16)), tile!(4,2:2));
    #[cfg(feature = "all-cases")]
    ExactTiledDivide(layout!((2):(16)), tile!(1));
    #[cfg(feature = "all-cases")]
    ExactTiledDivide(layout!(8:1), tile!(2));
    ExactTiledDivide(layout!(((4,1,2),8):((1,8,4),8)), tile!(4,1:2));
    #[cfg(feature = "all-cases")]
    ExactTiledDivide(layout!((4):(4)), tile!(1:1));
    #[cfg(feature = "all-cases")]
    ExactTiledDivide(layout!((4,(16)):(1,(4))), tile!(4,4:2));
    #[cfg(feature = "all-cases")]
    ExactTiledDivide(layout!(16:1), tile!((2,2):(1,2)));
    ExactTiledDivide(layout!((2,3):(1,2)), tile!(1:2));
    #[cfg(feature = "all-cases")]
    ExactTiledDivide(layout!((6,4):(4,24)), tile!(2:1));
    #[cfg(feature = "all-cases")]
    ExactTiledDivide(layout!(3:3), tile!(1));
    #[cfg(feature = "all-cases")]
    ExactTiledDivide(layout!((16,(1,5,3)):(1,(80,16,80))), tile!(4:1));
];

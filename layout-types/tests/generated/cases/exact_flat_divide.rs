// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    ExactFlatDivide(layout!((16):(1)), tile!(2));
    #[cfg(feature = "all-cases")]
    ExactFlatDivide(layout!(4:0), tile!(1));
    #[cfg(feature = "all-cases")]
    ExactFlatDivide(layout!(((4,3)):((-1,4))), tile!(_));
    #[cfg(feature = "all-cases")]
    ExactFlatDivide(layout!(8:2), tile!(4));
    ExactFlatDivide(layout!(((4,4)):((-8,-32))), tile!(_));
    #[cfg(feature = "all-cases")]
    ExactFlatDivide(layout!((2,6):(6,1)), tile!(2,2));
    #[cfg(feature = "all-cases")]
    ExactFlatDivide(layout!(4:16), tile!((2,2):(1,2)));
    #[cfg(feature = "all-cases")]
    ExactFlatDivide(layout!((3):(1)), tile!(3));
    ExactFlatDivide(layout!((4,(8,3)):(0,(3,1))), tile!(2));
    #[cfg(feature = "all-cases")]
    ExactFlatDivide(layout!(((2,4),(2),2):((64,4),(16),32)), tile!(4));
    #[cfg(feature = "all-cases")]
    ExactFlatDivide(layout!(8:1), tile!(8));
    #[cfg(feature = "all-cases")]
    ExactFlatDivide(layout!(16:1), tile!(8));
    ExactFlatDivide(layout!(((2,2,8)):((16,1,2))), tile!(8:2));
    #[cfg(feature = "all-cases")]
    ExactFlatDivide(layout!(((16,2),4,2):((1,16),32,128)), tile!(2));
    #[cfg(feature = "all-cases")]
    ExactFlatDivide(layout!((4):(1)), tile!(2));
    #[cfg(feature = "all-cases")]
    ExactFlatDivide(layout!((8):(16)), tile!(4));
    ExactFlatDivide(layout!(8:3), tile!(4:2));
    #[cfg(feature = "all-cases")]
    ExactFlatDivide(layout!(8:16), tile!(2));
    #[cfg(feature = "all-cases")]
    ExactFlatDivide(layout!((2):(1)), tile!(2));
    #[cfg(feature = "all-cases")]
    ExactFlatDivide(layout!((4,2):(4,2)), tile!(1));
    ExactFlatDivide(layout!(4:12), tile!(2));
    #[cfg(feature = "all-cases")]
    ExactFlatDivide(layout!(2:1), tile!(2:1));
    #[cfg(feature = "all-cases")]
    ExactFlatDivide(layout!(16:1), tile!(2));
    #[cfg(feature = "all-cases")]
    ExactFlatDivide(layout!(4:1), tile!(4));
];

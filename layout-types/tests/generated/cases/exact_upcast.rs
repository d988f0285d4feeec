// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    ExactUpcast(layout!((2,2,(6,2)):(2,4,(8,48))), int!(2));
    #[cfg(feature = "all-cases")]
    ExactUpcast(layout!(((2,6,2)):((4,8,48))), int!(8));
    #[cfg(feature = "all-cases")]
    ExactUpcast(layout!((2,6):(1,2)), int!(2));
    #[cfg(feature = "all-cases")]
    ExactUpcast(layout!(((4,4)):((1,12))), int!(1));
    ExactUpcast(layout!((4,(8)):(8,(1))), int!(8));
    #[cfg(feature = "all-cases")]
    ExactUpcast(layout!(4:4), int!(8));
    #[cfg(feature = "all-cases")]
    ExactUpcast(layout!((2,8):(1,2)), int!(2));
    #[cfg(feature = "all-cases")]
    ExactUpcast(layout!(((16)):((2))), int!(2));
    ExactUpcast(layout!(4:0), int!(128));
    #[cfg(feature = "all-cases")]
    ExactUpcast(layout!((8,2,2):(4,1,2)), int!(2));
    #[cfg(feature = "all-cases")]
    ExactUpcast(layout!((4,4,(1)):(2,8,(2))), int!(1));
    #[cfg(feature = "all-cases")]
    ExactUpcast(layout!((4,2,1):(1,8,8)), int!(2));
    ExactUpcast(layout!(((2,1),4,4):((8,64),16,2)), int!(1));
    #[cfg(feature = "all-cases")]
    ExactUpcast(layout!((2,6,(4,4)):(96,16,(4,1))), int!(4));
    #[cfg(feature = "all-cases")]
    ExactUpcast(layout!(8:0), int!(24));
    #[cfg(feature = "all-cases")]
    ExactUpcast(layout!((3,2,(4,5)):(1,3,(6,24))), int!(1));
    ExactUpcast(layout!(8:8), int!(16));
    #[cfg(feature = "all-cases")]
    ExactUpcast(layout!((4,6,3,3):(432,24,8,144)), int!(2));
    #[cfg(feature = "all-cases")]
    ExactUpcast(layout!((8,(2),(1,3,4)):(1,(32),(192,64,8))), int!(2));
    #[cfg(feature = "all-cases")]
    ExactUpcast(layout!(2:8), int!(8));
    ExactUpcast(layout!(6:32), int!(1));
    #[cfg(feature = "all-cases")]
    ExactUpcast(layout!(8:16), int!(8));
    #[cfg(feature = "all-cases")]
    ExactUpcast(layout!(2:1), int!(1));
    #[cfg(feature = "all-cases")]
    ExactUpcast(layout!(2:48), int!(48));
];

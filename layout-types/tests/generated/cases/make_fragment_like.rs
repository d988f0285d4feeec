// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    MakeFragmentLike(layout!(2:48));
    #[cfg(feature = "all-cases")]
    MakeFragmentLike(layout!((8,4,2,2):(8,1,4,64)));
    #[cfg(feature = "all-cases")]
    MakeFragmentLike(layout!((6):(1)));
    #[cfg(feature = "all-cases")]
    MakeFragmentLike(layout!(8:1));
    MakeFragmentLike(layout!(3:6));
    #[cfg(feature = "all-cases")]
    MakeFragmentLike(layout!((1,8,(3,2)):(2,6,(2,1))));
    #[cfg(feature = "all-cases")]
    MakeFragmentLike(layout!(((2,2),2):((4,8),16)));
    #[cfg(feature = "all-cases")]
    MakeFragmentLike(layout!(((4,16)):((1,4))));
    MakeFragmentLike(layout!(16:1));
    #[cfg(feature = "all-cases")]
    MakeFragmentLike(layout!((3):(0)));
    #[cfg(feature = "all-cases")]
    MakeFragmentLike(layout!(4:1));
    #[cfg(feature = "all-cases")]
    MakeFragmentLike(layout!(((6,4),3,(2)):((1,12),48,(6))));
    MakeFragmentLike(layout!(2:1));
    #[cfg(feature = "all-cases")]
    MakeFragmentLike(layout!(((4,8),2):((1,12),288)));
    #[cfg(feature = "all-cases")]
    MakeFragmentLike(layout!((8,8,3):(8,1,64)));
    #[cfg(feature = "all-cases")]
    MakeFragmentLike(layout!((4,(3)):(3,(1))));
    MakeFragmentLike(layout!(4:48));
    #[cfg(feature = "all-cases")]
    MakeFragmentLike(layout!(((3,4)):((1,3))));
    #[cfg(feature = "all-cases")]
    MakeFragmentLike(layout!(((4),1,16):((1),64,4)));
    #[cfg(feature = "all-cases")]
    MakeFragmentLike(layout!(((5),(3,3),3):((8),(8,16),32)));
    MakeFragmentLike(layout!((5):(8)));
    #[cfg(feature = "all-cases")]
    MakeFragmentLike(layout!(((4)):((1))));
    #[cfg(feature = "all-cases")]
    MakeFragmentLike(layout!((16):(1)));
    #[cfg(feature = "all-cases")]
    MakeFragmentLike(layout!(((3),2,5):((40),4,8)));
];

// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    Dice(layout!(4:1), coord!(0));
    #[cfg(feature = "all-cases")]
    Dice(layout!((8,3,4):(0,1,24)), coord!((6,0,3)));
    #[cfg(feature = "all-cases")]
    Dice(layout!((3,5,2,2):(20,4,2,1)), coord!(8));
    #[cfg(feature = "all-cases")]
    Dice(layout!(6:3), coord!(_));
    Dice(layout!((3):(0)), coord!((2)));
    #[cfg(feature = "all-cases")]
    Dice(layout!((2):(8)), coord!(_));
    #[cfg(feature = "all-cases")]
    Dice(layout!((3):(1)), coord!(2));
    #[cfg(feature = "all-cases")]
    Dice(layout!((3,4,(4)):(1,9,(36))), coord!((2,1,(_))));
    Dice(layout!(4:2), coord!(2));
    #[cfg(feature = "all-cases")]
    Dice(layout!((3,5,2):(3,9,45)), coord!(_));
    #[cfg(feature = "all-cases")]
    Dice(layout!((3,6,8):(1,3,-18)), coord!((_,0,4)));
    #[cfg(feature = "all-cases")]
    Dice(layout!((4):(1)), coord!((0)));
    Dice(layout!(2:3), coord!(1));
    #[cfg(feature = "all-cases")]
    Dice(layout!(16:1), coord!(4));
    #[cfg(feature = "all-cases")]
    Dice(layout!(((16,4),3):((8,128),512)), coord!(_));
    #[cfg(feature = "all-cases")]
    Dice(layout!((16,2):(2,32)), coord!(18));
    Dice(layout!(4:3), coord!(_));
    #[cfg(feature = "all-cases")]
    Dice(layout!((8):(4)), coord!(_));
    #[cfg(feature = "all-cases")]
    Dice(layout!((5,16):(0,32)), coord!((4,_)));
    #[cfg(feature = "all-cases")]
    Dice(layout!(((4,3),2,2):((0,0),0,24)), coord!(_));
    Dice(layout!((3):(1)), coord!((_)));
    #[cfg(feature = "all-cases")]
    Dice(layout!((4,4,4):(4,16,64)), coord!(_));
    #[cfg(feature = "all-cases")]
    Dice(layout!(((3,2),6):((1,0),8)), coord!(((2,1),4)));
    #[cfg(feature = "all-cases")]
    Dice(layout!(2:1), coord!(0));
    Dice(layout!(((5,3),4,2):((24,1),3,12)), coord!(23));
    #[cfg(feature = "all-cases")]
    Dice(layout!(4:1), coord!(3));
    #[cfg(feature = "all-cases")]
    Dice(layout!((4):(2)), coord!(1));
    #[cfg(feature = "all-cases")]
    Dice(layout!((2):(1)), coord!((1)));
    Dice(layout!((2,4):(-1,2)), coord!((_,_)));
    #[cfg(feature = "all-cases")]
    Dice(layout!(((3,2),(5)):((2,1),(6))), coord!(_));
    #[cfg(feature = "all-cases")]
    Dice(layout!((5,3):(1,0)), coord!((2,0)));
    #[cfg(feature = "all-cases")]
    Dice(layout!(4:-1), coord!(_));
    Dice(layout!((3,8):(1,3)), coord!(_));
    #[cfg(feature = "all-cases")]
    Dice(layout!((1,2,8):(1,1,2)), coord!(_));
    #[cfg(feature = "all-cases")]
    Dice(layout!((2,(2),2):(1,(2),4)), coord!(_));
    #[cfg(feature = "all-cases")]
    Dice(layout!(8:1), coord!(7));
    Dice(layout!((3,2):(6,48)), coord!((_,0)));
    #[cfg(feature = "all-cases")]
    Dice(layout!((4,(8),2):(8,(-1),32)), coord!(_));
    #[cfg(feature = "all-cases")]
    Dice(layout!(5:1), coord!(1));
    #[cfg(feature = "all-cases")]
    Dice(layout!(((2,3,2)):((1,2,6))), coord!((11)));
    Dice(layout!((4):(2)), coord!((1)));
    #[cfg(feature = "all-cases")]
    Dice(layout!(((4,1,5),4,2):((144,1,1728),3,24)), coord!((16,_,0)));
    #[cfg(feature = "all-cases")]
    Dice(layout!(((4,2,4),2):((8,4,1),32)), coord!(((3,1,0),1)));
    #[cfg(feature = "all-cases")]
    Dice(layout!(((16),(3)):((1),(16))), coord!(((5),_)));
    Dice(layout!((4,(4),2,3):(0,(0),16,32)), coord!((_,(_),_,2)));
    #[cfg(feature = "all-cases")]
    Dice(layout!((3,6,2):(1,3,18)), coord!(_));
    #[cfg(feature = "all-cases")]
    Dice(layout!((4,1):(12,16)), coord!(_));
    #[cfg(feature = "all-cases")]
    Dice(layout!((2,5,3):(15,1,5)), coord!((_,4,_)));
    Dice(layout!((3,(2)):(1,(3))), coord!(_));
    #[cfg(feature = "all-cases")]
    Dice(layout!((4,4):(1,4)), coord!(8));
    #[cfg(feature = "all-cases")]
    Dice(layout!((2,4,3):(1,4,32)), coord!((0,1,_)));
    #[cfg(feature = "all-cases")]
    Dice(layout!(3:8), coord!(1));
    Dice(layout!((2,5,2,3):(5,1,10,20)), coord!((1,_,0,2)));
    #[cfg(feature = "all-cases")]
    Dice(layout!(2:2), coord!(0));
    #[cfg(feature = "all-cases")]
    Dice(layout!((4,(5,2),(2,1,2)):(1,(4,20),(40,80,80))), coord!((_,_,(1,0,0))));
    #[cfg(feature = "all-cases")]
    Dice(layout!((5,5):(5,1)), coord!((3,_)));
    Dice(layout!((3):(1)), coord!(_));
    #[cfg(feature = "all-cases")]
    Dice(layout!((3,1,2,5):(4,120,12,24)), coord!((1,0,1,3)));
    #[cfg(feature = "all-cases")]
    Dice(layout!(((4),4):((4),16)), coord!(13));
    #[cfg(feature = "all-cases")]
    Dice(layout!((4,(8),2,4):(32,(1),128,8)), coord!((3,(0),_,1)));
    Dice(layout!((5,4,4):(1,15,120)), coord!((1,2,_)));
    #[cfg(feature = "all-cases")]
    Dice(layout!(4:0), coord!(_));
    #[cfg(feature = "all-cases")]
    Dice(layout!(((5,2)):((1,-5))), coord!(6));
    #[cfg(feature = "all-cases")]
    Dice(layout!(8:1), coord!(0));
    Dice(layout!(6:8), coord!(4));
    #[cfg(feature = "all-cases")]
    Dice(layout!(4:3), coord!(1));
    #[cfg(feature = "all-cases")]
    Dice(layout!((8,2):(1,8)), coord!(_));
    #[cfg(feature = "all-cases")]
    Dice(layout!((3,8,(2),1):(96,1,(8),48)), coord!(_));
    Dice(layout!((2,16):(1,2)), coord!(_));
    #[cfg(feature = "all-cases")]
    Dice(layout!((3,8):(8,1)), coord!((_,0)));
    #[cfg(feature = "all-cases")]
    Dice(layout!((4,2,2,5):(20,2,1,4)), coord!((_,_,1,4)));
    #[cfg(feature = "all-cases")]
    Dice(layout!((3,3,3):(1,3,9)), coord!((2,1,0)));
    Dice(swizzled!(Sw<1,2,1> o 5 o (3,12):(16,1)), coord!(_));
    #[cfg(feature = "all-cases")]
    Dice(swizzled!(Sw<1,4,1> o 48 o (5,20):(20,1)), coord!(43));
    #[cfg(feature = "all-cases")]
    Dice(swizzled!(Sw<1,2,-2> o 0 o (5,40):(44,1)), coord!((0,_)));
    #[cfg(feature = "all-cases")]
    Dice(swizzled!(Sw<1,2,-2> o 8 o (8,20):(1,8)), coord!(_));
    Dice(swizzled!(Sw<3,2,3> o 0 o (3,48):(48,1)), coord!(_));
    #[cfg(feature = "all-cases")]
    Dice(swizzled!(Sw<3,2,-3> o 0 o (5,40):(40,1)), coord!(198));
    #[cfg(feature = "all-cases")]
    Dice(swizzled!(Sw<1,3,3> o 5 o (5,12):(12,1)), coord!((4,11)));
    #[cfg(feature = "all-cases")]
    Dice(swizzled!(Sw<1,1,-1> o 0 o (6,20):(1,6)), coord!((4,17)));
    Dice(swizzled!(Sw<2,4,3> o 8 o (5,48):(52,1)), coord!((4,_)));
    #[cfg(feature = "all-cases")]
    Dice(swizzled!(Sw<1,3,1> o 5 o (8,24):(24,1)), coord!((_,12)));
    #[cfg(feature = "all-cases")]
    Dice(swizzled!(Sw<3,0,-3> o 0 o (5,12):(13,1)), coord!((1,0)));
    #[cfg(feature = "all-cases")]
    Dice(swizzled!(Sw<3,2,3> o 48 o (3,24):(1,3)), coord!(64));
    Dice(swizzled!(Sw<2,2,2> o 0 o (8,12):(16,1)), coord!((7,1)));
    #[cfg(feature = "all-cases")]
    Dice(swizzled!(Sw<2,3,-2> o 5 o (8,12):(1,8)), coord!(_));
    #[cfg(feature = "all-cases")]
    Dice(swizzled!(Sw<2,4,-3> o 0 o (5,48):(1,5)), coord!(_));
    #[cfg(feature = "all-cases")]
    Dice(swizzled!(Sw<1,3,-1> o 48 o (3,20):(24,1)), coord!(23));
    Dice(swizzled!(Sw<3,0,3> o 0 o (5,24):(1,5)), coord!(_));
    #[cfg(feature = "all-cases")]
    Dice(swizzled!(Sw<3,0,-3> o 8 o (6,20):(20,1)), coord!((5,_)));
    #[cfg(feature = "all-cases")]
    Dice(swizzled!(Sw<2,2,-2> o 48 o (8,6):(6,1)), coord!((2,1)));
    #[cfg(feature = "all-cases")]
    Dice(swizzled!(Sw<3,2,-3> o 8 o (3,12):(13,1)), coord!((1,4)));
    Dice(swizzled!(Sw<2,0,-2> o 8 o (5,20):(20,1)), coord!(_));
    #[cfg(feature = "all-cases")]
    Dice(swizzled!(Sw<2,2,2> o 48 o (6,24):(24,1)), coord!(_));
    #[cfg(feature = "all-cases")]
    Dice(swizzled!(Sw<2,4,3> o 8 o (5,48):(48,1)), coord!((_,_)));
    #[cfg(feature = "all-cases")]
    Dice(swizzled!(Sw<1,2,-1> o 5 o (5,6):(7,1)), coord!(_));
];

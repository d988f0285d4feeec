// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    RightInverse(layout!((2):(1)));
    RightInverse(layout!((4,4,(2),5):(1,4,(16),32)));
    RightInverse(layout!((1,5,(1,1,3)):(1,1,(5,5,5))));
    RightInverse(layout!(((4),4,2):((1),8,4)));
    RightInverse(layout!(8:1));
    RightInverse(layout!((2,(3,4)):(12,(1,3))));
    RightInverse(layout!((2,2):(1,2)));
    RightInverse(layout!(((16),8):((8),1)));
    RightInverse(layout!(((4,4,4)):((1,4,16))));
    RightInverse(layout!((3,8):(1,3)));
    RightInverse(layout!(((4),2):((2),1)));
    RightInverse(layout!(3:1));
    RightInverse(layout!(((4,2,2)):((1,4,8))));
    RightInverse(layout!(4:1));
    RightInverse(layout!(((6,8)):((1,6))));
    RightInverse(layout!((4):(1)));
    RightInverse(layout!((2,(2)):(6,(1))));
    RightInverse(layout!((3):(1)));
    RightInverse(layout!(2:1));
    RightInverse(layout!((8,(3,3,3)):(1,(8,48,288))));
    RightInverse(layout!(5:1));
    RightInverse(layout!(((5,1),(3)):((3,3),(1))));
    RightInverse(layout!(((2)):((1))));
    RightInverse(layout!((8):(1)));
];

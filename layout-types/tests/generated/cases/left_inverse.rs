// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    LeftInverse(layout!((3,6,(2,6)):(0,108,(18,3))));
    LeftInverse(layout!(((3,6),2):((1,3),18)));
    LeftInverse(layout!((8):(3)));
    LeftInverse(layout!(2:1));
    LeftInverse(layout!((2,6,2):(1,2,12)));
    LeftInverse(layout!((4):(1)));
    LeftInverse(layout!((1,1,3,16):(1,16,16,1)));
    LeftInverse(layout!((4,1,4):(1,0,0)));
    LeftInverse(layout!((2,4):(4,1)));
    LeftInverse(layout!(8:1));
    LeftInverse(layout!((4,(8,1,8)):(8,(32,8,1))));
    LeftInverse(layout!((2,6):(1,2)));
    LeftInverse(layout!((6):(1)));
    LeftInverse(layout!(3:1));
    LeftInverse(layout!(4:3));
    LeftInverse(layout!(4:1));
    LeftInverse(layout!(((2),1,6):((1),12,2)));
    LeftInverse(layout!(((2,2,2),(1,1),5):((2,1,4),(8,8),8)));
    LeftInverse(layout!((8,4):(1,8)));
    LeftInverse(layout!(3:0));
    LeftInverse(layout!((4,8,6):(48,1,8)));
    LeftInverse(layout!((4,(2)):(0,(0))));
    LeftInverse(layout!((3):(1)));
    LeftInverse(layout!((5):(8)));
];

// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    Flatten(layout!(2:1));
    Flatten(layout!((3):(1)));
    Flatten(layout!((2,3):(1,2)));
    Flatten(layout!((4,8):(24,1)));
    Flatten(layout!((5,(3,2),3):(48,(240,8),16)));
    Flatten(layout!(6:8));
    Flatten(layout!((4,4):(1,4)));
    Flatten(layout!((8,4,5):(20,1,4)));
    Flatten(layout!(((6),6):((12),6)));
    Flatten(layout!((4):(8)));
    Flatten(layout!((5,3):(1,5)));
    Flatten(layout!((5):(1)));
    Flatten(layout!((3,5,3):(15,3,1)));
    Flatten(layout!(4:8));
    Flatten(layout!(((1,2)):((8,8))));
    Flatten(layout!(5:0));
    Flatten(layout!((2,2,(8,8)):(1,2,(4,32))));
    Flatten(layout!((8,2,3):(24,8,16)));
    Flatten(layout!((5,2,4,3):(1,60,5,20)));
    Flatten(layout!(((16,3,4)):((12,1,0))));
    Flatten(layout!((3,4):(24,16)));
    Flatten(layout!(8:1));
    Flatten(layout!(8:2));
    Flatten(layout!((8,6,4):(0,8,48)));
];

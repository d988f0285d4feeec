// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    Identity(shape!(((2,3,6),2)));
    Identity(shape!(8));
    Identity(shape!((4)));
    Identity(shape!(((8,2,5))));
    Identity(shape!(3));
    Identity(shape!(((5,1),3,(5),3)));
    Identity(shape!(4));
    Identity(shape!((4,2,8)));
    Identity(shape!((4,3,16)));
    Identity(shape!(((2),4,(4))));
    Identity(shape!((5)));
    Identity(shape!(((3))));
    Identity(shape!((2,3,2)));
    Identity(shape!((2,8,1)));
    Identity(shape!((2,1)));
    Identity(shape!((4,4)));
    Identity(shape!((4,(2,5,2))));
    Identity(shape!((4,(6,4,2))));
    Identity(shape!(((1,2,2),2)));
    Identity(shape!(((4,3),2,2)));
    Identity(shape!((3,5)));
    Identity(shape!((16)));
    Identity(shape!(2));
    Identity(shape!((4,2)));
];

// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    LayoutRight(shape!(4));
    LayoutRight(shape!(6));
    LayoutRight(shape!((3)));
    LayoutRight(shape!(((16,3),4)));
    LayoutRight(shape!(((8))));
    LayoutRight(shape!((5,2,2)));
    LayoutRight(shape!(3));
    LayoutRight(shape!(5));
    LayoutRight(shape!((3,(4,1,3),2,2)));
    LayoutRight(shape!((8)));
    LayoutRight(shape!((5)));
    LayoutRight(shape!((2,5,2)));
    LayoutRight(shape!((4,5)));
    LayoutRight(shape!((8,2,3,3)));
    LayoutRight(shape!((8,6)));
    LayoutRight(shape!(((4,8),3,2)));
    LayoutRight(shape!((4,4,16)));
    LayoutRight(shape!(((1,8,2))));
    LayoutRight(shape!((4)));
    LayoutRight(shape!((5,3)));
    LayoutRight(shape!((6,1)));
    LayoutRight(shape!((1,4)));
    LayoutRight(shape!(((4,3,1),2)));
    LayoutRight(shape!(8));
];

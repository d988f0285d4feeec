// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    Dice(layout!((8,3,4):(0,1,24)), coord!((6,0,3)));
    Dice(layout!((3):(0)), coord!((2)));
    Dice(layout!((3,4,(4)):(1,9,(36))), coord!((2,1,(_))));
    Dice(layout!((3,6,8):(1,3,-18)), coord!((_,0,4)));
    Dice(layout!((4):(1)), coord!((0)));
    Dice(layout!((5,16):(0,32)), coord!((4,_)));
    Dice(layout!(((3,2),6):((1,0),8)), coord!(((2,1),4)));
    Dice(layout!((8,3):(2,16)), coord!((_,1)));
    Dice(layout!((3,(4,4),2):(1,(432,36),9)), coord!((0,(_,2),_)));
    Dice(layout!((3,8):(4,12)), coord!((1,1)));
    Dice(layout!((1,8,2,(8)):(2,0,1,(0))), coord!((0,_,0,(7))));
    Dice(layout!((2,2,4,8):(16,32,4,64)), coord!((_,_,_,1)));
    Dice(layout!((2,4,(5)):(20,5,(1))), coord!((0,_,(4))));
    Dice(layout!((4):(1)), coord!((3)));
    Dice(layout!((4):(1)), coord!((1)));
    Dice(layout!((2,16):(32,2)), coord!((0,6)));
    Dice(layout!((1,4,2,(4)):(8,1,4,(8))), coord!((0,_,0,_)));
    Dice(layout!((3,3,2,1):(1,6,3,18)), coord!((1,0,_,0)));
    Dice(layout!((8,16):(128,8)), coord!((5,_)));
    Dice(layout!((4,2):(3,12)), coord!((3,0)));
    Dice(layout!(((2),8,(1),3):((1),2,(16),16)), coord!(((_),6,(0),1)));
    Dice(layout!((2,3,16):(1,2,6)), coord!((0,2,12)));
    Dice(layout!((5,16,(3)):(192,12,(4))), coord!((4,6,_)));
    Dice(layout!((2,3):(6,2)), coord!((0,_)));
];

// Written by `generated.rs`.
use super::*;

pub const CASES: &[Case] = cases![
    Composition(layout!((6):(1)), layout!((4):(32)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,4,(6)):(192,8,(32))), layout!(4:1));
    #[cfg(feature = "all-cases")]
    Composition(layout!(6:1), layout!((4,(4,4,1),2):(1,(8,96,384),384)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,(4,2),(4,4)):(1,(8,512),(64,2))), layout!((2,2,(8)):(16,32,(2))));
    Composition(layout!((3):(1)), layout!(5:1));
    #[cfg(feature = "all-cases")]
    Composition(layout!(((2),4):((1),2)), layout!((16):(1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(4:4), layout!(((4,2)):((1,4))));
    #[cfg(feature = "all-cases")]
    Composition(layout!(8:1), layout!((5):(3)));
    Composition(layout!((4,5):(1,4)), layout!((5,(1)):(1,(5))));
    #[cfg(feature = "all-cases")]
    Composition(layout!((3,2,(4),2):(6,18,(36),3)), layout!(4:1));
    #[cfg(feature = "all-cases")]
    Composition(layout!(5:8), layout!(2:1));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,4,5):(8,16,64)), layout!(2:4));
    Composition(layout!((2,2,8,2):(48,96,2,1)), layout!(4:1));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,2,3,3):(6,3,12,1)), layout!(4:1));
    #[cfg(feature = "all-cases")]
    Composition(layout!(((2,8)):((0,0))), layout!(4:-1));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,4,4):(1,2,8)), layout!(((8),8,4):((1),32,8)));
    Composition(layout!((2,6,(2)):(1,2,(12))), layout!(((2,1,2),8,(8),1):((128,1,64),1,(8),1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,2):(1,2)), layout!(8:1));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,1):(1,1)), layout!(((8),1):((-4),-4)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(3:1), layout!((3,16):(0,3)));
    Composition(layout!(((2),8,(6)):((1),2,(16))), layout!(((8,3,8)):((24,1,3))));
    #[cfg(feature = "all-cases")]
    Composition(layout!(((3)):((1))), layout!((3):(1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((3,1):(-1,3)), layout!(5:0));
    #[cfg(feature = "all-cases")]
    Composition(layout!(((2,1),(4),(2,3),(1)):((1,2),(2),(8,16),(48))), layout!(2:8));
    Composition(layout!((2,3,8,2):(16,0,0,8)), layout!((4,2):(1,4)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(4:2), layout!(2:2));
    #[cfg(feature = "all-cases")]
    Composition(layout!((1,8):(8,-8)), layout!((2,3):(6,1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(1:1), layout!((4):(1)));
    Composition(layout!((4):(1)), layout!((3,2):(16,8)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,16):(1,2)), layout!(((2),(4,2,8)):((1),(2,8,16))));
    #[cfg(feature = "all-cases")]
    Composition(layout!(3:1), layout!(8:4));
    #[cfg(feature = "all-cases")]
    Composition(layout!((8,1,8):(0,8,0)), layout!((2,(5),1):(20,(2),1)));
    Composition(layout!(8:2), layout!((3,8):(3,9)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((8):(1)), layout!((2,8):(1,4)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((1,2):(2,1)), layout!(((8),5):((1),8)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(((4,2),4,3):((1,4),24,192)), layout!((2,4):(4,1)));
    Composition(layout!((4,(4,1)):(1,(4,16))), layout!((5):(1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,8):(1,4)), layout!((3):(8)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((3):(1)), layout!(((5),(2,4,2)):((1),(-5,10,40))));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4):(1)), layout!((2,5):(2,12)));
    Composition(layout!((2):(1)), layout!((8,2):(4,2)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(4:1), layout!(((2),4,4):((1),8,2)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(((4)):((1))), layout!(6:1));
    #[cfg(feature = "all-cases")]
    Composition(layout!((5):(-1)), layout!((4,16):(1,4)));
    Composition(layout!((1):(1)), layout!((2,3,(3,5),2):(1,2,(6,18),90)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,(2),8,4):(1,(4),8,64)), layout!((5,16,3):(3,15,240)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(((5,2),2):((1,5),10)), layout!(((2,4,4)):((3,24,6))));
    #[cfg(feature = "all-cases")]
    Composition(layout!(2:1), layout!((2,6,8):(0,2,0)));
    Composition(layout!((16):(3)), layout!(8:0));
    #[cfg(feature = "all-cases")]
    Composition(layout!(2:4), layout!(((4,2,4),2):((16,2,4),1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(16:1), layout!(((3,4)):((1,3))));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,8):(2,-8)), layout!((1,(16,4)):(64,(4,1))));
    Composition(layout!(((4)):((1))), layout!(2:8));
    #[cfg(feature = "all-cases")]
    Composition(layout!((16,4):(1,16)), layout!(8:3));
    #[cfg(feature = "all-cases")]
    Composition(layout!(2:1), layout!((2,4,2,1):(8,1,4,8)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2):(0)), layout!((2):(8)));
    Composition(layout!((5,(1),3):(1,(5),5)), layout!((4):(3)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,2,(2,4)):(0,0,(16,0))), layout!((3):(1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((1):(1)), layout!((3,(2,1,2)):(1,(1,6,1))));
    #[cfg(feature = "all-cases")]
    Composition(layout!(3:24), layout!(2:8));
    Composition(layout!((8):(1)), layout!((5,6):(6,0)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((8):(1)), layout!((2,(1,3),1,4):(0,(4,4),4,32)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(2:1), layout!((2):(12)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(2:1), layout!(((4,2,1)):((2,8,16))));
    Composition(layout!(8:32), layout!((4):(1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(16:1), layout!(((2)):((4))));
    #[cfg(feature = "all-cases")]
    Composition(layout!(((2),4):((1),2)), layout!(((1,3,8)):((1,2,6))));
    #[cfg(feature = "all-cases")]
    Composition(layout!((1):(1)), layout!((2):(0)));
    Composition(layout!(4:1), layout!((1,3,8,4):(24,1,3,24)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(8:1), layout!(8:1));
    #[cfg(feature = "all-cases")]
    Composition(layout!((1,(2),(6,5)):(10,(5),(10,1))), layout!(3:1));
    #[cfg(feature = "all-cases")]
    Composition(layout!(1:2), layout!((4):(48)));
    Composition(layout!(((8),2,2,(1,4,2)):((4),128,64,(256,1,32))), int!(2));
    #[cfg(feature = "all-cases")]
    Composition(layout!(((8,2)):((2,16))), int!(128));
    #[cfg(feature = "all-cases")]
    Composition(layout!(5:1), int!(24));
    #[cfg(feature = "all-cases")]
    Composition(layout!(2:8), int!(64));
    Composition(layout!((16):(1)), int!(128));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2):(1)), int!(24));
    #[cfg(feature = "all-cases")]
    Composition(layout!((3,(2)):(2,(1))), int!(3));
    #[cfg(feature = "all-cases")]
    Composition(layout!(2:2), int!(24));
    Composition(layout!(16:3), int!(64));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,(8,2),(1),(2,2)):(16,(8,2),(32),(48,12))), int!(16));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2):(3)), int!(32));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,2):(2,1)), int!(24));
    Composition(layout!((4,6,2):(1,4,24)), int!(2));
    #[cfg(feature = "all-cases")]
    Composition(layout!(4:1), int!(6));
    #[cfg(feature = "all-cases")]
    Composition(layout!((3,6,3,(4)):(3,0,3,(3))), int!(2));
    #[cfg(feature = "all-cases")]
    Composition(layout!(3:1), int!(12));
    Composition(layout!(8:1), int!(2));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,4,2):(1,4,2)), int!(48));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,2,3,8):(1,2,4,12)), int!(2));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,(8,2,4)):(64,(4,32,1))), int!(2));
    Composition(layout!(((3)):((1))), int!(2));
    #[cfg(feature = "all-cases")]
    Composition(layout!((1,2,8,8):(16,8,16,1)), int!(6));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4):(1)), int!(32));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,16,2):(32,1,16)), int!(4));
    Composition(layout!(8:4), tile!((2,4):(1,2)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((3,4):(1,3)), tile!(3,4));
    #[cfg(feature = "all-cases")]
    Composition(layout!((5,2,3):(3,15,1)), tile!(2,(2,4):(4,2)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(6:3), tile!(2));
    Composition(layout!((4,4,8,2):(1,4,16,-128)), tile!(2,3,4));
    #[cfg(feature = "all-cases")]
    Composition(layout!(3:1), tile!(4:2));
    #[cfg(feature = "all-cases")]
    Composition(layout!(8:2), tile!(4));
    #[cfg(feature = "all-cases")]
    Composition(layout!(((8),(8,3)):((24),(1,576))), tile!(3,_));
    Composition(layout!((4,(3,4),2):(1,(4,12),48)), tile!(8));
    #[cfg(feature = "all-cases")]
    Composition(layout!(8:8), tile!(2));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2):(1)), tile!(4));
    #[cfg(feature = "all-cases")]
    Composition(layout!((3,2):(3,9)), tile!((2,4):(4,2)));
    Composition(layout!((4,(4)):(4,(1))), tile!(2:4));
    #[cfg(feature = "all-cases")]
    Composition(layout!(5:2), tile!(2));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,4,5):(5,20,1)), tile!(4));
    #[cfg(feature = "all-cases")]
    Composition(layout!((5):(1)), tile!(4:2));
    Composition(layout!((4,(4),8):(4,(1),16)), tile!(8,1:2));
    #[cfg(feature = "all-cases")]
    Composition(layout!(8:1), tile!(2));
    #[cfg(feature = "all-cases")]
    Composition(layout!(3:1), tile!(4));
    #[cfg(feature = "all-cases")]
    Composition(layout!((6,3,6,1):(1,6,18,108)), tile!(2:2));
    Composition(layout!(((4),2,1,8):((8),2,12,0)), tile!(2:1,4,3:4));
    #[cfg(feature = "all-cases")]
    Composition(layout!(((5),(4),8):((1),(0),20)), tile!(2:1,1));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,16,4):(-64,1,16)), tile!((2,2):(4,2),4:1));
    #[cfg(feature = "all-cases")]
    Composition(layout!(5:-1), tile!(_));
    Composition(layout!(16:1), tile!(_));
    #[cfg(feature = "all-cases")]
    Composition(layout!((3,16,4):(32,96,8)), tile!(2:2));
    #[cfg(feature = "all-cases")]
    Composition(layout!(((8),5,6):((30),6,1)), tile!(_,2:4));
    #[cfg(feature = "all-cases")]
    Composition(layout!(((4,16)):((3,12))), tile!(8));
    Composition(layout!(((3,2,1)):((1,3,6))), tile!(2));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,5,3):(60,6,1)), tile!(4:1,2:4,2));
    #[cfg(feature = "all-cases")]
    Composition(layout!(((6),(4)):((32),(2))), tile!(1,2));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2):(1)), tile!((2,2):(4,2)));
    Composition(layout!((16,(2,6)):(12,(1,2))), tile!(_,_));
    #[cfg(feature = "all-cases")]
    Composition(layout!((6):(1)), tile!(2));
    #[cfg(feature = "all-cases")]
    Composition(layout!(((4)):((8))), tile!(8:2));
    #[cfg(feature = "all-cases")]
    Composition(layout!(4:3), tile!(_));
    Composition(layout!(3:1), tile!(2));
    #[cfg(feature = "all-cases")]
    Composition(layout!(16:1), tile!(2:4));
    #[cfg(feature = "all-cases")]
    Composition(layout!((8):(-1)), tile!(_));
    #[cfg(feature = "all-cases")]
    Composition(layout!(3:1), tile!(8:1));
    Composition(layout!((2,2,4):(2,1,4)), tile!(2:4,(2,2):(1,2)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,3,(2,8)):(16,32,(8,1))), tile!(4,(2,4):(4,2),1));
    #[cfg(feature = "all-cases")]
    Composition(layout!((6):(1)), tile!(_));
    #[cfg(feature = "all-cases")]
    Composition(layout!(3:1), tile!(3));
    Composition(layout!((3,16):(0,3)), tile!((2,4):(4,2)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((8):(1)), tile!(4));
    #[cfg(feature = "all-cases")]
    Composition(layout!(((5,16)):((6,3))), tile!(4));
    #[cfg(feature = "all-cases")]
    Composition(layout!(((2)):((1))), tile!(4));
    Composition(swizzled!(Sw<2,1,4> o 0 o (16,16):(1,16)), layout!((4,2,5,(3)):(5,60,1,(20))));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<2,3,4> o 0 o (32,16):(1,32)), layout!(((8,2,8)):((16,8,1))));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<1,1,3> o 0 o (16,32):(1,16)), layout!((2,4,6,1):(4,48,8,48)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<2,0,4> o 0 o (32,16):(16,1)), layout!((3):(1)));
    Composition(swizzled!(Sw<3,1,3> o 0 o (16,64):(1,16)), layout!((2,4):(32,3)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<3,1,4> o 0 o (8,32):(1,8)), layout!(2:-1));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<3,0,4> o 0 o (8,64):(64,1)), layout!(4:2));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<1,1,4> o 0 o (32,64):(64,1)), layout!(((8),1,6):((2),2,0)));
    Composition(swizzled!(Sw<1,0,3> o 0 o (16,32):(32,1)), layout!(16:1));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<2,0,3> o 0 o (16,64):(64,1)), layout!((2,(4,2),4):(1,(2,8),16)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<3,1,4> o 0 o (16,64):(1,16)), layout!(8:-4));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<2,2,3> o 0 o (8,16):(1,8)), layout!(((4,2,8),2):((1,-4,8),64)));
    Composition(swizzled!(Sw<3,1,3> o 0 o (16,16):(1,16)), layout!((6):(1)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<3,2,3> o 0 o (16,32):(32,1)), layout!((4,4):(1,4)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<3,2,3> o 0 o (32,16):(16,1)), layout!((2,2,2,2):(1,2,4,8)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<3,1,4> o 0 o (8,64):(64,1)), layout!(4:1));
    Composition(swizzled!(Sw<2,2,4> o 0 o (32,64):(64,1)), layout!((4,(2,2),4,2):(8,(32,64),1,4)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<1,2,4> o 0 o (16,64):(1,16)), layout!(5:-2));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<1,1,3> o 0 o (8,16):(1,8)), layout!((4,(3)):(24,(8))));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<3,2,3> o 0 o (32,64):(1,32)), layout!((16,3):(1,16)));
    Composition(swizzled!(Sw<3,0,4> o 0 o (8,16):(1,8)), layout!((4):(3)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<2,1,4> o 0 o (16,32):(1,16)), layout!((3):(1)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<2,0,3> o 0 o (16,32):(32,1)), layout!(8:16));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<1,1,4> o 0 o (16,64):(1,16)), layout!((8,16):(1,8)));
    Composition(swizzled!(Sw<3,1,3> o 0 o (8,64):(64,1)), tile!(4));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<1,0,3> o 0 o (32,16):(16,1)), tile!(1:2,4:2));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<1,3,4> o 0 o (8,16):(1,8)), tile!(8:2,_));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<2,3,3> o 0 o (16,32):(1,16)), tile!(3:2,_));
    Composition(swizzled!(Sw<2,1,3> o 0 o (16,16):(1,16)), tile!(8:4,(2,1):(4,2)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<1,2,4> o 0 o (32,16):(16,1)), tile!(3));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<2,0,3> o 0 o (16,16):(1,16)), tile!(4,2:4));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<1,3,3> o 0 o (8,16):(1,8)), tile!((2,2):(4,2),4:2));
    Composition(swizzled!(Sw<2,3,4> o 0 o (8,64):(1,8)), tile!(_,2:2));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<1,3,4> o 0 o (16,16):(1,16)), tile!(2,2:4));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<2,1,4> o 0 o (8,64):(64,1)), tile!(8:2,2));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<1,3,3> o 0 o (8,16):(16,1)), tile!(_,2));
    Composition(swizzled!(Sw<1,0,4> o 0 o (16,32):(1,16)), tile!(2));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<3,1,4> o 0 o (32,64):(64,1)), tile!(3:2));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<1,2,3> o 0 o (16,16):(16,1)), tile!(2:4,8));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<3,2,3> o 0 o (32,32):(1,32)), tile!(3,3));
    Composition(swizzled!(Sw<3,3,4> o 0 o (32,32):(1,32)), tile!(3:4,(2,2):(4,2)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<1,1,3> o 0 o (32,32):(32,1)), tile!(2:1,4));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<1,3,4> o 0 o (32,64):(1,32)), tile!(8:1,(2,4):(1,2)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<2,3,3> o 0 o (32,16):(16,1)), tile!(8,2));
    Composition(swizzled!(Sw<2,0,4> o 0 o (8,32):(1,8)), tile!(_));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<1,0,3> o 0 o (8,64):(1,8)), tile!((2,4):(1,2)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<3,3,3> o 0 o (32,16):(1,32)), tile!(4));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<2,1,3> o 0 o (16,16):(1,16)), tile!(3,2:2));
    Composition(layout!((3,6):(8,24)), layout!(((16),8,4,(4)):((1),-48,384,(-3072))));
    #[cfg(feature = "all-cases")]
    Composition(layout!((8,3):(1,8)), layout!(((1,4,6),4):((-16,0,-16),4)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(3:12), layout!((6,2,3,3):(1,6,36,-12)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(((2),(4,5,4)):((1),(2,8,40))), layout!(((1,2),6,16,3):((1,-1),2,12,-192)));
    Composition(layout!((16,2):(1,16)), layout!((1,3,(5,2,3),(3,4)):(-2,24,(72,1,2),(360,6))));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4):(1)), layout!((8,8,(6),6):(-1,-8,(-64),384)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((1,1):(8,8)), layout!(((4,8),5,8,2):((-8,0),32,1,160)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(3:1), layout!((5,4,16,6):(-3072,-8,192,32)));
    Composition(layout!((1):(1)), layout!((5,8,2):(16,80,-8)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((6):(1)), layout!((4,(8,3,6)):(1,(-4,-32,96))));
    #[cfg(feature = "all-cases")]
    Composition(layout!(2:48), layout!((2,2,8,1):(8,16,-1,8)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((3):(2)), layout!((3,(6)):(1,(-3))));
    Composition(layout!((2,1):(3,6)), layout!((6,3,6,4):(-72,4,12,1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(6:1), layout!((16,(3),4):(-1,(-64),16)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(16:1), layout!((16,1,1):(1,16,-16)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,8):(1,4)), layout!((1,4):(4,-12)));
    Composition(layout!((2):(1)), layout!((3,(2,3,4),3):(-1,(3,6,18),72)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(((4)):((3))), layout!(((2),16):((-16),1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,4):(1,2)), layout!((4,3,(16,8,2)):(4,-32,(2304,-96,-1))));
    #[cfg(feature = "all-cases")]
    Composition(layout!((3,5,1):(1,3,15)), layout!((6,4,2,(3)):(-24,3,12,(-1))));
    Composition(layout!(6:1), layout!(((3),6):((1),-3)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((5):(4)), layout!(((4,1,16),4):((-4,-16,16),32)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(((1)):((1))), layout!((6,(2,4),3):(12,(-72,3),-1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(((3),(2,2)):((8),(2,4))), layout!((8,(4,8),2):(24,(-384,3),192)));
    Composition(layout!((4,4,3):(1,3,13)), layout!((2,2,3,2):(1,-1,-16,16)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,3,4):(1,1,6)), layout!((3,2):(4,12)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,4,3):(2,8,32)), layout!((3,3,2):(-4,16,2)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,3,2):(1,8,18)), layout!((2,3):(2,-2)));
    Composition(layout!((4,3,3):(0,-4,-8)), layout!((3,2,2,2):(12,24,-2,12)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,4,3):(-1,3,7)), layout!((2,2):(-1,-4)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,2,3):(-1,5,1)), layout!((3,2):(8,-8)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,2,2):(2,1,9)), layout!((4,3,2):(-1,1,1)));
    Composition(layout!((3,4,4):(2,1,9)), layout!((2,2):(-1,-1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,2,4):(2,0,0)), layout!((3,3,2,2):(-2,4,2,-8)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,2,2):(2,2,7)), layout!((2,2):(-8,-8)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((3,2,2):(5,1,16)), layout!((2,2):(3,12)));
    Composition(layout!((3,4,2):(8,2,30)), layout!((2,2,2):(-1,1,24)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,4,2):(-4,1,-13)), layout!((3,3,3,2):(1,-32,-16,-1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,4,2):(1,8,26)), layout!((3,2):(2,8)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,2,2):(0,0,0)), layout!((2,2):(-1,-8)));
    Composition(layout!((3,3,2):(0,8,16)), layout!((2,3,2,2):(1,9,1,9)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((3,3,3):(1,-1,1)), layout!((3,2,2,2):(9,3,9,3)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,2,2):(1,1,1)), layout!((2,2):(-2,-1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,3,2):(-4,8,8)), layout!((2,2):(6,4)));
    Composition(layout!((4,2,4):(0,1,1)), layout!((2,2,3,2):(1,-8,-1,-8)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,2,2):(-4,3,1)), layout!((2,2,4):(1,1,-1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,4,4):(-1,0,-2)), layout!((2,2):(2,1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((3,2,2):(-4,5,-7)), layout!((2,2,3):(-6,-6,1)));
    Composition(layout!((2,4,4):(5,2,16)), layout!((3,2):(2,-2)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,3,2):(-4,8,0)), layout!((2,3,2):(24,-12,-1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,2,2):(1,5,7)), layout!((3,2):(-1,-4)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,4,2):(-4,-4,-20)), layout!((3,2,2):(8,-16,-8)));
    Composition(layout!((3,2,2):(1,1,0)), layout!((2,2,2,2):(-6,-3,-12,-1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,4,3):(1,1,30)), layout!((2,2):(-2,2)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,3,3):(-1,1,0)), layout!((3,2):(6,-12)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,2,2):(-1,0,-4)), layout!((2,3,2,2):(-8,-1,1,16)));
    Composition(layout!((2,3,4):(1,-4,-6)), layout!((2,3):(12,2)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,2,2):(-4,0,-16)), layout!((2,2,2):(-8,-8,-8)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((3,4,2):(1,8,27)), layout!((2,2):(3,-3)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((3,2,2):(-4,1,-11)), layout!((2,3):(6,1)));
    Composition(layout!((2,3,3):(1,5,1)), layout!((3,3,3):(-6,6,-12)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,3,2):(1,3,10)), layout!((3,4,2):(1,-1,-12)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,2,2):(5,8,18)), layout!((2,2,2):(-4,-4,1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,2,4):(5,1,11)), layout!((4,3,2,3):(-8,-8,4,-4)));
    Composition(layout!((4,3,2):(-1,8,12)), layout!((2,2,2):(-12,-8,-12)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,2,3):(2,8,0)), layout!((2,2):(-8,-1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,4,4):(-4,8,1)), layout!((2,2,4,2):(-4,-4,-32,-16)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,3,3):(3,-1,10)), layout!((3,2,2):(-24,-4,-12)));
    Composition(layout!((2,4,3):(2,8,28)), layout!((2,2,2,2):(2,1,2,2)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,3,4):(2,3,10)), layout!((4,3):(-12,-2)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((3,2,4):(-4,8,-4)), layout!((2,3,3):(1,-6,6)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((3,3,2):(1,0,3)), layout!((3,2,2,2):(1,-1,-18,-1)));
    Composition(layout!((2,3,3):(3,-4,0)), layout!((3,3):(6,2)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,3,2):(8,-4,8)), layout!((3,2):(6,2)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((3,2,2):(8,2,26)), layout!((2,2):(-6,6)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,3,2):(3,2,10)), layout!((2,3):(2,-2)));
    Composition(layout!((2,3,4):(0,-1,-2)), layout!((2,4,2):(12,-6,1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,4,3):(-4,2,-2)), layout!((3,3,2,2):(-8,8,8,-8)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,2,2):(5,5,15)), layout!((2,2,2):(-8,-8,-4)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,2,3):(1,-1,30)), layout!((2,3):(-4,-8)));
    Composition(layout!((3,2,3):(5,5,20)), layout!((2,3):(-1,1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((3,2,2):(3,2,11)), layout!((3,2):(6,-12)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((3,2,2):(-1,5,2)), layout!((2,2):(-2,1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,2,4):(1,-4,0)), layout!((2,2,2,2):(8,2,1,8)));
    Composition(layout!((3,4,2):(3,8,33)), layout!((3,2):(12,1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,2,2):(8,0,32)), layout!((2,3,2,2):(-8,1,8,-1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,3,4):(-4,1,-14)), layout!((2,3):(-1,-1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,4,3):(3,0,0)), layout!((3,3,2):(8,8,2)));
    Composition(layout!((3,4,2):(8,8,48)), layout!((2,2,2):(12,24,-12)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,2,2):(-1,1,-3)), layout!((2,2):(8,8)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,2,3):(5,1,11)), layout!((2,2):(2,-2)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2,3,2):(2,8,7)), layout!((3,2):(6,6)));
    Composition(layout!((2,2,4):(0,1,7)), layout!((3,3,2):(-4,4,4)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((3,4,4):(0,-4,-12)), layout!((2,2):(12,-2)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,2,4):(1,-1,3)), layout!((2,2,2,2):(4,16,8,8)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,2,2):(-1,-1,-5)), layout!((2,4,2,2):(16,2,8,16)));
    Composition(swizzled!(Sw<2,0,4> o 0 o (32,32):(1,32)), swizzled!(Sw<3,1,3> o 0 o (32,64):(1,32)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<1,0,3> o 0 o (8,16):(1,8)), swizzled!(Sw<1,0,3> o 0 o (32,16):(16,1)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<1,0,4> o 0 o (8,64):(1,8)), swizzled!(Sw<1,0,4> o 0 o (16,16):(1,16)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<1,3,4> o 0 o (8,16):(1,8)), swizzled!(Sw<2,1,4> o 0 o (32,64):(1,32)));
    Composition(swizzled!(Sw<3,2,3> o 0 o (8,64):(64,1)), swizzled!(Sw<1,2,4> o 0 o (32,16):(16,1)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<3,1,3> o 0 o (16,32):(1,16)), swizzled!(Sw<3,3,4> o 0 o (32,16):(16,1)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<3,2,4> o 0 o (32,32):(1,32)), swizzled!(Sw<1,1,4> o 0 o (16,16):(16,1)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<2,0,4> o 0 o (8,64):(1,8)), swizzled!(Sw<2,2,3> o 0 o (8,16):(16,1)));
    Composition(swizzled!(Sw<2,2,4> o 0 o (16,16):(16,1)), swizzled!(Sw<2,0,4> o 0 o (8,32):(32,1)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<1,2,4> o 0 o (32,32):(32,1)), swizzled!(Sw<3,1,4> o 0 o (8,32):(1,8)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<3,3,4> o 0 o (16,32):(1,16)), swizzled!(Sw<2,2,4> o 0 o (8,32):(32,1)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<2,1,3> o 0 o (8,32):(1,8)), swizzled!(Sw<2,3,4> o 0 o (16,32):(1,16)));
    Composition(swizzled!(Sw<2,0,3> o 0 o (8,64):(1,8)), swizzled!(Sw<3,3,4> o 0 o (32,64):(64,1)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<3,1,4> o 0 o (32,64):(1,32)), swizzled!(Sw<2,3,3> o 0 o (32,64):(1,32)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<3,1,4> o 0 o (32,32):(1,32)), swizzled!(Sw<2,0,4> o 0 o (8,64):(64,1)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<1,1,4> o 0 o (8,64):(64,1)), swizzled!(Sw<2,0,3> o 0 o (8,32):(1,8)));
    Composition(swizzled!(Sw<1,2,4> o 0 o (32,16):(1,32)), swizzled!(Sw<2,2,3> o 0 o (32,64):(64,1)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<3,0,3> o 0 o (32,32):(32,1)), swizzled!(Sw<1,1,4> o 0 o (8,64):(1,8)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<2,2,3> o 0 o (16,32):(1,16)), swizzled!(Sw<3,1,4> o 0 o (32,32):(1,32)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<3,3,4> o 0 o (8,16):(1,8)), swizzled!(Sw<1,1,4> o 0 o (8,64):(1,8)));
    Composition(swizzled!(Sw<2,0,4> o 0 o (32,32):(1,32)), swizzled!(Sw<3,3,4> o 0 o (32,16):(1,32)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<2,2,3> o 0 o (32,64):(64,1)), swizzled!(Sw<1,1,3> o 0 o (32,32):(1,32)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<3,3,3> o 0 o (8,32):(1,8)), swizzled!(Sw<2,2,4> o 0 o (16,32):(32,1)));
    #[cfg(feature = "all-cases")]
    Composition(swizzled!(Sw<1,3,3> o 0 o (8,32):(1,8)), swizzled!(Sw<2,0,4> o 0 o (16,16):(1,16)));
    Composition(layout!((3):(1)), swizzled!(Sw<3,0,4> o 0 o (32,16):(16,1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(((2),2):((8),16)), swizzled!(Sw<3,0,3> o 0 o (8,64):(64,1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((3):(1)), swizzled!(Sw<3,3,4> o 0 o (16,64):(1,16)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4):(1)), swizzled!(Sw<3,2,3> o 0 o (16,32):(32,1)));
    Composition(layout!(1:1), swizzled!(Sw<3,1,3> o 0 o (16,16):(16,1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,(4,16)):(8,(32,128))), swizzled!(Sw<2,0,3> o 0 o (8,16):(16,1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4):(1)), swizzled!(Sw<2,3,3> o 0 o (32,32):(32,1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((5):(1)), swizzled!(Sw<1,3,4> o 0 o (32,32):(32,1)));
    Composition(layout!(2:1), swizzled!(Sw<3,3,3> o 0 o (8,64):(1,8)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((3):(2)), swizzled!(Sw<1,2,3> o 0 o (16,16):(16,1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(((16)):((1))), swizzled!(Sw<2,1,3> o 0 o (32,64):(1,32)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((3):(4)), swizzled!(Sw<1,0,4> o 0 o (32,16):(1,32)));
    Composition(layout!(5:1), swizzled!(Sw<3,0,3> o 0 o (8,16):(1,8)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(((2),3):((2),16)), swizzled!(Sw<2,3,4> o 0 o (32,64):(1,32)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(((8),(3,1),2):((1),(8,24),24)), swizzled!(Sw<1,2,3> o 0 o (16,16):(1,16)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,6):(1,4)), swizzled!(Sw<2,0,3> o 0 o (32,32):(32,1)));
    Composition(layout!(4:1), swizzled!(Sw<1,1,4> o 0 o (16,32):(32,1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4):(2)), swizzled!(Sw<1,1,4> o 0 o (16,16):(1,16)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2):(8)), swizzled!(Sw<2,2,3> o 0 o (16,64):(1,16)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(8:16), swizzled!(Sw<3,1,3> o 0 o (8,64):(1,8)));
    Composition(layout!((3):(4)), swizzled!(Sw<2,2,4> o 0 o (8,64):(1,8)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((1,2,3,4):(1,1,2,6)), swizzled!(Sw<1,2,4> o 0 o (16,64):(1,16)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((6):(2)), swizzled!(Sw<1,0,4> o 0 o (16,32):(32,1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2):(1)), swizzled!(Sw<1,3,3> o 0 o (32,16):(16,1)));
    Composition(layout!((2,5,2,4):(8,16,80,160)), swizzled!(Sw<3,2,3> o 0 o (3,40):(40,1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(6:1), swizzled!(Sw<3,4,-3> o 0 o (6,20):(1,6)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((6):(1)), swizzled!(Sw<2,1,2> o 0 o (5,48):(48,1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((4,2,2,3):(1,4,8,16)), swizzled!(Sw<2,4,3> o 0 o (8,48):(1,8)));
    Composition(layout!(((4,1),5):((1,4),4)), swizzled!(Sw<1,4,-1> o 0 o (8,6):(6,1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((5):(1)), swizzled!(Sw<2,2,-2> o 0 o (3,40):(1,3)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((3,8,2):(2,6,48)), swizzled!(Sw<3,0,-3> o 0 o (6,20):(21,1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2):(1)), swizzled!(Sw<3,3,-3> o 0 o (8,48):(49,1)));
    Composition(layout!((5,2,3):(8,40,80)), swizzled!(Sw<3,4,-3> o 0 o (8,6):(6,1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(16:1), swizzled!(Sw<2,4,3> o 0 o (5,12):(1,5)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(2:8), swizzled!(Sw<2,3,3> o 0 o (8,12):(12,1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(6:32), swizzled!(Sw<3,0,-3> o 0 o (5,6):(10,1)));
    Composition(layout!((4):(0)), swizzled!(Sw<2,4,-3> o 0 o (3,48):(1,3)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((1):(1)), swizzled!(Sw<2,1,2> o 0 o (5,40):(1,5)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((1,4,4):(1,1,4)), swizzled!(Sw<3,3,3> o 0 o (3,24):(28,1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(3:2), swizzled!(Sw<2,1,-3> o 0 o (6,40):(40,1)));
    Composition(layout!(8:1), swizzled!(Sw<2,0,3> o 0 o (5,12):(16,1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(8:1), swizzled!(Sw<2,0,2> o 0 o (5,20):(1,5)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((2):(1)), swizzled!(Sw<3,0,3> o 0 o (8,24):(24,1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(4:1), swizzled!(Sw<3,2,-3> o 0 o (6,12):(12,1)));
    Composition(layout!(2:1), swizzled!(Sw<2,3,2> o 0 o (6,20):(1,6)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((8):(1)), swizzled!(Sw<2,3,-2> o 0 o (8,20):(20,1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!(4:2), swizzled!(Sw<1,3,3> o 0 o (3,40):(40,1)));
    #[cfg(feature = "all-cases")]
    Composition(layout!((8):(8)), swizzled!(Sw<1,3,3> o 0 o (6,20):(1,6)));
];

use distribute::prelude::*;

#[allow(dead_code)]
type Rows = layout!((4,(16,64)):(16,(1,64)));
#[allow(dead_code)]
type Columns = layout!((4,(64,16)):(1024,(1,64)));
#[allow(dead_code)]
type All = layout!((4,(64,64)):(0,(1,64)));

assert_redistribution!(Rows => Columns, AllGather);

fn main() {}

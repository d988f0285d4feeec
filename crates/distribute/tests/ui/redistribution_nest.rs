use distribute::prelude::*;

#[allow(dead_code)]
type Rows = layout!((4,(16,64)):(16,(1,64)));
#[allow(dead_code)]
type Columns = layout!((4,(64,16)):(1024,(1,64)));
#[allow(dead_code)]
type All = layout!((4,(64,64)):(0,(1,64)));

// Meshes of 1024 by 729 and of 729 by 1024 have too many values of digits to look at.
assert_redistribution!(layout!(((1024,729),1):((1,1024),0)) => layout!(((729,1024),1):((1,729),0)), AllToAll);

fn main() {}

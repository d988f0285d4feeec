//! Mode 1, (4,3), cannot be divided by 5.
use layout_types::prelude::*;
fn refused(_: ZippedDivide<layout!((8,(4,3)):(12,(3,1))), tile!(4, 5)>) {}
fn main() {}

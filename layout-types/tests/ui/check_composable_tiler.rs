//! A tuple of tilers: the mode at fault, and the step there.
use layout_types::prelude::*;
assert_composable!(layout!((12,(4,8)):(59,(13,1))), (3:4, 8:3));
fn main() {}

//! For a tuple of tilers the message names the mode at fault, and what fails in that mode.
use layout_types::prelude::*;
assert_composable!(layout!((12,(4,8)):(59,(13,1))), (3:4, 8:3));
fn main() {}

//! The message names the mode at fault by its path.
use layout_types::prelude::*;
assert_composable!(layout!((4,6,8):(2,3,5)), layout!((2,(2,3)):(1,(2,9))));
fn main() {}

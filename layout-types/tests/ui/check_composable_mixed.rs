//! The right side has a stride that names a mode and one that is an integer.
use layout_types::prelude::*;
assert_composable!(layout!((8,6)), layout!((2,3):(1@1,4)));
fn main() {}

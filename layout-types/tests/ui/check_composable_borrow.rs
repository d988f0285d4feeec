//! The right side has strides of opposite sign.
use layout_types::prelude::*;
assert_composable!(layout!((4,4):(5,1)), layout!((2,2):(-1,4)));
fn main() {}

//! Strides that are integers and strides that name modes.
use layout_types::prelude::*;
assert_composable!(layout!((8,6)), layout!((2,3):(1@1,4)));
fn main() {}

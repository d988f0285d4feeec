//! A scaled-basis stride names mode 2, which the left side does not have.
use layout_types::prelude::*;
assert_composable!(layout!((8,6)), layout!((2,3):(1@2,1@0)));
fn main() {}

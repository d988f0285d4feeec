//! A scaled-basis stride that names a mode which is not there.
use layout_types::prelude::*;
assert_composable!(layout!((8,6)), layout!((2,3):(1@2,1@0)));
fn main() {}

//! The steps run past the end of a mode of the left side.
use layout_types::prelude::*;
assert_composable!(layout!((4,8):(24,2)), layout!(8:3));
fn main() {}

//! Each mode of the right side is admissible, but not both together.
use layout_types::prelude::*;
assert_composable!(layout!((4,4):(4,1)), layout!((2,2):(3,1)));
fn main() {}

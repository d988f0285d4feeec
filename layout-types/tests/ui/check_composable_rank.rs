//! There are more tilers than modes.
use layout_types::prelude::*;
assert_composable!(layout!((8,8)), (4, 4, 2));
fn main() {}

//! There are more tilers than modes.
use layout_types::prelude::*;
assert_divides!(layout!((128,64)), (32, 16, 4));
fn main() {}

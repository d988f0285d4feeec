//! The tiler is the number 5, which does not divide the size 48.
use layout_types::prelude::*;
assert_divides!(layout!((12,4)), 5);
fn main() {}

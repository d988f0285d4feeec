//! The tile's second mode, 16, does not divide 60.
use layout_types::prelude::*;
assert_divides!(layout!((128,60):(60,1)), (32, 16));
fn main() {}

//! The tile's first mode, 48, does not divide 128.
use layout_types::prelude::*;
assert_divides!(layout!((128,64):(64,1)), (48, 16));
fn main() {}

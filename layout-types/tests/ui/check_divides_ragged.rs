//! A tile that does not divide its mode.
use layout_types::prelude::*;
assert_divides!(layout!((128,64):(64,1)), (48, 16));
fn main() {}

//! The second mode is at fault.
use layout_types::prelude::*;
assert_divides!(layout!((128,60):(60,1)), (32, 16));
fn main() {}

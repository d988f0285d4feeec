//! A number as tiler.
use layout_types::prelude::*;
assert_divides!(layout!((12,4)), 5);
fn main() {}

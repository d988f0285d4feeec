//! A column of a row-major tile is no vector.
use layout_types::prelude::*;
assert_contiguous!(layout!((8,32):(32,1)), 8, 2);
fn main() {}

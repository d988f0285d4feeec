//! 6 values do not divide into vectors of 4.
use layout_types::prelude::*;
assert_contiguous!(layout!((6,1):(1,0)), 4, 2);
fn main() {}

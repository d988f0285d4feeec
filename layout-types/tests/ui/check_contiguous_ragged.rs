//! 6 values by 4.
use layout_types::prelude::*;
assert_contiguous!(layout!((6,1):(1,0)), 4, 2);
fn main() {}

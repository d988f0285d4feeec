//! Rows of 36 elements do not all start at a multiple of 16 bytes.
use layout_types::prelude::*;
assert_contiguous!(layout!((32,8):(1,36)), 8, 2);
fn main() {}

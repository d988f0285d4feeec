//! No instruction moves 24 bytes.
use layout_types::prelude::*;
assert_contiguous!(layout!((12,8):(1,12)), 12, 2);
fn main() {}

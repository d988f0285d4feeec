//! The tile has elements twice.
use layout_types::prelude::*;
assert_divides!(layout!(64:1), layout!((4,4):(1,2)));
fn main() {}

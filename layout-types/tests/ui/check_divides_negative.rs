//! The tile has a negative stride.
use layout_types::prelude::*;
assert_divides!(layout!(24:1), layout!(4:-1));
fn main() {}

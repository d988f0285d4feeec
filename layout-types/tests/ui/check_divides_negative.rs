//! A tile that runs backwards.
use layout_types::prelude::*;
assert_divides!(layout!(24:1), layout!(4:-1));
fn main() {}

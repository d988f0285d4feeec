//! A tile whose copies leave elements out.
use layout_types::prelude::*;
assert_divides!(layout!(24:1), layout!((2,4):(1,3)));
fn main() {}

//! The copies of the tile leave elements of the layout out.
use layout_types::prelude::*;
assert_divides!(layout!(24:1), layout!((2,4):(1,3)));
fn main() {}

//! Four threads of two values hold only half of the tile.
use layout_types::prelude::*;
assert_covers!(layout!((4,2):(1,4)), (4,4));
fn main() {}

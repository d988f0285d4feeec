//! Value 1 of thread 0 lies past the last cell.
use layout_types::prelude::*;
assert_covers!(layout!((4,2):(1,8)), (4,2));
fn main() {}

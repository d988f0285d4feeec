//! Two threads have the same cell.
use layout_types::prelude::*;
assert_covers!(layout!(((2,2),2):((1,4),3)), (4,2));
fn main() {}

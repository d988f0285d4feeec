//! ldmatrix needs 8 rows, and the tile has 4.
use layout_types::prelude::*;
assert_bank_conflict_free!(layout!((4,32):(32,1)), 16 bits, ldmatrix);
fn main() {}

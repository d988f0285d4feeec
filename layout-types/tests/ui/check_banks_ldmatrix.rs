//! Rows of 64 bytes share their banks with every second row.
use layout_types::prelude::*;
assert_bank_conflict_free!(layout!((128,32):(32,1)), 16 bits, ldmatrix);
fn main() {}

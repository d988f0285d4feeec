//! A row of 64 bytes has the same banks as the row two below it.
use layout_types::prelude::*;
assert_bank_conflict_free!(layout!((128,32):(32,1)), 16 bits, ldmatrix);
fn main() {}

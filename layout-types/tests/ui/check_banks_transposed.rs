//! One access reads columns of a row-major tile of 32-bit elements.
use layout_types::prelude::*;
assert_bank_conflict_free!(layout!((32,32):(32,1)), f32 32 bits, [rows of 4 bytes, columns of 4 bytes]);
fn main() {}

//! Consecutive threads go down a column, and each stores 16 bytes of its row.
use layout_types::prelude::*;
type Tv = layout!(((8,4),8):((1,64),8));
assert_bank_conflict_free!(Tv => layout!((8,32):(32,1)), 16 bits, 16 bytes);
fn main() {}

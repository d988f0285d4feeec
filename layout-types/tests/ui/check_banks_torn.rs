//! The swizzle moves units of 4 elements, which are smaller than the vectors of 8.
use layout_types::prelude::*;
assert_bank_conflict_free!(Composition<Swizzle<2, 2, 3>, layout!((8,32):(32,1))>, 16 bits, ldmatrix);
fn main() {}

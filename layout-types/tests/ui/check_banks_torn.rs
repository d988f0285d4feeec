//! A swizzle below the vector.
use layout_types::prelude::*;
assert_bank_conflict_free!(Composition<Swizzle<2, 2, 3>, layout!((8,32):(32,1))>, 16 bits, ldmatrix);
fn main() {}

//! A swizzle of one bit does not remove all conflicts of ldmatrix.
use layout_types::prelude::*;
type Half = Composition<Swizzle<1, 3, 3>, layout!((8,32):(32,1))>;
assert_bank_conflict_free!(Half, 16 bits, [rows of 16 bytes, ldmatrix]);
fn main() {}

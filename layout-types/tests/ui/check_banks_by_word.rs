//! The check has no form with the word `with`.
use layout_types::prelude::*;
assert_bank_conflict_free!(ldmatrix of layout!((128,32):(32,1)) with Mma);
fn main() {}

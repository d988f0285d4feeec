//! Ampere has no stmatrix.
use layout_types::prelude::*;
use layout_types::atom::copy::Sm90_U32x4_STSM_N;
assert_supports!(80, Sm90_U32x4_STSM_N);
fn main() {}

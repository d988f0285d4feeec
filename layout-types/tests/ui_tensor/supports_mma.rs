//! Ampere has no fp8.
use layout_types::prelude::*;
use layout_types::atom::mma::Sm89_16x8x32_F32E4M3E4M3F32_TN;
assert_supports!(80, Sm89_16x8x32_F32E4M3E4M3F32_TN);
fn main() {}

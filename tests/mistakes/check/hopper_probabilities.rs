//! category: Hopper
//! mistake: The scores' accumulators go into the second product as its operand A by renaming registers: of
//!   fp8 the layouts differ.
//! cure: f16 or bf16 probabilities, or exchange between threads first.
//! CuTe: compiles; wrong numbers.
use layout_types::{assert_retile_c_to_a, atom::mma::*};
#[cfg(mistake)]
assert_retile_c_to_a!(Sm90_64x128x32_F32E4M3E4M3_SS_TN, Sm90_64x128x32_F32E4M3E4M3_RS_TN);
#[cfg(not(mistake))]
assert_retile_c_to_a!(Sm90_64x128x16_F32F16F16_SS, Sm90_64x128x16_F32F16F16_RS);

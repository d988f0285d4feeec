//! category: Hopper
//! mistake: Stages 8,320 bytes apart under a 128-byte swizzle.
//! cure: Stages at multiples of 1,024 bytes.
//! CuTe: silent: wrong numbers, the swizzle is of address bits.
use layout_types::{assert_wgmma_operand, atom::mma::MajorK, prelude::*};
#[cfg(mistake)]
type Smem = Composition<Swizzle<3, 3, 3>, layout!((64,64,4):(64,1,4160))>;
#[cfg(not(mistake))]
type Smem = Composition<Swizzle<3, 3, 3>, layout!((64,64,4):(64,1,4096))>;
assert_wgmma_operand!(Smem, half::f16, MajorK, 64);

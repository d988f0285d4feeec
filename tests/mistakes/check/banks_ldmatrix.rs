//! category: swizzles and banks
//! mistake: Eight rows of 64 bytes are read by `ldmatrix` without a swizzle: four rows share their banks.
//! cure: The swizzle that the message names.
//! CuTe: silent: four times slower; `ncu` counts conflicts.
//! source: NVIDIA/cutlass#1443
use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
use layout_types::tiled::TiledMma;
use layout_types::prelude::*;
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(32, 32, 16)>;
#[cfg(mistake)]
type Smem = layout!((128,32):(32,1));
#[cfg(not(mistake))]
type Smem = Composition<Swizzle<2, 3, 3>, layout!((128,32):(32,1))>;
assert_bank_conflict_free!(ldmatrix of Smem by Mma);

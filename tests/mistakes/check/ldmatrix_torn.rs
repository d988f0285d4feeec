//! category: ldmatrix and stmatrix
//! mistake: A swizzle of M = 2 parts the 16-byte rows that `ldmatrix` takes.
//! cure: M is the logarithm of the elements of 16 bytes: 3 for 16-bit elements.
//! CuTe: compiles; misaligned address at run time, or wrong numbers.
use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
use layout_types::tiled::TiledMma;
use layout_types::prelude::*;
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(32, 32, 16)>;
#[cfg(mistake)]
type Smem = Composition<Swizzle<2, 2, 3>, layout!((32,32):(32,1))>;
#[cfg(not(mistake))]
type Smem = Composition<Swizzle<2, 3, 3>, layout!((32,32):(32,1))>;
assert_bank_conflict_free!(ldmatrix of Smem by Mma);

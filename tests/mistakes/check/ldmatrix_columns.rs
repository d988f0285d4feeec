//! category: ldmatrix and stmatrix
//! mistake: `ldmatrix` without `.trans` reads a tile that is contiguous along its columns.
//! cure: `Sm75_U16x8_LDSM_T`, or a tile that is contiguous along k.
//! CuTe: static assertion in `copy_unpack`, "Copy_Traits: src failed to vectorize into registers".
use layout_types::atom::{copy::Sm75_U32x4_LDSM_N, mma::Sm80_16x8x16_F32F16F16F32_TN};
use layout_types::prelude::*;
use layout_types::tensor::Shared;
use layout_types::tiled::TiledMma;
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(32, 32, 16)>;
#[cfg(mistake)]
type Smem = layout!((32,32):(1,32));
#[cfg(not(mistake))]
type Smem = Composition<Swizzle<2, 3, 3>, layout!((32,32):(32,1))>;
assert_bank_conflict_free!(ldmatrix of Smem by Mma);

//! category: vectors and alignment
//! mistake: The epilogue stores 8 bytes of an accumulator at a time: a thread has only two neighbours, the
//!   other two are 8 rows below.
//! cure: 4 bytes a store, or by way of shared memory.
//! CuTe: static assertion "failed to vectorize", without the layout.
use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
use layout_types::tiled::{MakeTiledCopyC, TiledMma};
use layout_types::prelude::*;
use layout_types::atom::copy::UniversalCopy;
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(32, 32, 16)>;
type SmemC = TileToShape<Composition<Swizzle<2, 3, 3>, layout!((32,32):(32,1))>, shape!((32,32,2))>;
#[cfg(mistake)]
type R2s = MakeTiledCopyC<UniversalCopy<u64>, half::f16, Mma>;
#[cfg(not(mistake))]
type R2s = MakeTiledCopyC<UniversalCopy<u32>, half::f16, Mma>;
assert_contiguous!(write of SmemC by R2s);

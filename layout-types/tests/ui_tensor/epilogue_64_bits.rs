//! The epilogue stores 64 bits of accumulators at a time, but they lie in two places.
use layout_types::prelude::*;
use layout_types::atom::copy::UniversalCopy;
use layout_types::tiled::MakeTiledCopyC;
use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
use layout_types::tiled::TiledMma;
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(32, 32, 16)>;
type SmemC = TileToShape<Composition<Swizzle<2, 3, 3>, layout!((32,32):(32,1))>, shape!((32,32,2))>;
type R2s = MakeTiledCopyC<UniversalCopy<u64>, half::f16, Mma>;
assert_contiguous!(write of SmemC by R2s);
fn main() {}

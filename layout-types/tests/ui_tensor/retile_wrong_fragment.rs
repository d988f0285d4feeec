//! Three values are not a part of an atom.
use layout_types::prelude::*;
use layout_types::atom::copy::UniversalCopy;
use layout_types::tiled::{MakeTiledCopyC, RetileOf};
use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
use layout_types::tiled::TiledMma;
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(32, 32, 16)>;
type R2s = MakeTiledCopyC<UniversalCopy<u32>, half::f16, Mma>;
fn refused(_: RetileOf<R2s, layout!((3,4,2):(1,3,12))>) {}
fn main() {}

//! The permutation of N has columns 8 to 15 twice.
use layout_types::prelude::*;
use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
use layout_types::tiled::TiledMma;
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(32, (16,2):(1,8), 16)>;
assert_covers!(mma Mma);
fn main() {}

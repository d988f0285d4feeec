//! ldmatrix without `trans` takes rows, but this tile is contiguous along its columns.
use layout_types::prelude::*;
use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
use layout_types::tiled::TiledMma;
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(32, 32, 16)>;
type Smem = layout!((32,32):(1,32));
assert_bank_conflict_free!(ldmatrix of Smem by Mma);
fn main() {}

//! ldmatrix reads operand B of a tiled MMA from a tile without a swizzle.
use layout_types::atom::mma::Sm80_16x8x16_F16F16F16F16_TN;
use layout_types::prelude::*;
use layout_types::tiled::TiledMma;
type Mma = TiledMma<Sm80_16x8x16_F16F16F16F16_TN, layout!((2,2,1)), tile!(32, 32, 16)>;
assert_bank_conflict_free!(ldmatrix of layout!((128,32,3):(32,1,4096)) by Mma, operand B);
fn main() {}

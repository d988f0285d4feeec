//! An MMA of 32 rows does not divide a tile of 24 rows.
use layout_types::prelude::*;
use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
use layout_types::tensor::{GetSlice, identity_tensor};
use layout_types::tiled::TiledMma;
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(32, 32, 16)>;
fn main() {
    let tile = identity_tensor::<layout!((24,32):(1@0,1@1)), 2>();
    let _ = Mma::get_slice(0).partition_a(&tile);
}

//! The atoms along M, N and K belong to the same threads; `get_slice` refuses them.
use layout_types::prelude::*;
use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
use layout_types::tensor::{GetSlice, identity_tensor};
use layout_types::tiled::TiledMma;
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1):(1,1,1))>;
fn main() {
    let a = identity_tensor::<layout!((128,32):(1@0,1@1)), 2>();
    let _ = Mma::get_slice(37).partition_a(&a);
}

//! The accumulators go through a copy that was made for A.
use layout_types::prelude::*;
use layout_types::atom::{copy::UniversalCopy, mma::Sm80_16x8x16_F32F16F16F32_TN};
use layout_types::tensor::{Fragment, GetSlice};
use layout_types::tiled::{MakeTiledCopyA, OperandC, TiledMma};
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(32, 32, 16)>;
type Copy = MakeTiledCopyA<UniversalCopy<u32>, f32, Mma>;
fn main() {
    let sums = Fragment::<f32, layout!(((2,2),1,2)), OperandC>::new();
    let _ = Copy::get_slice(0).retile_d(&sums.view());
}

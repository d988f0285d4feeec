//! The tile of A is read into the fragment of B.
use layout_types::prelude::*;
use layout_types::algorithm::copy;
use layout_types::atom::{copy::Sm75_U32x4_LDSM_N, mma::Sm80_16x8x16_F32F16F16F32_TN};
use layout_types::tensor::{Fragment, Shared, Tensor};
use layout_types::tiled::{MakeTiledCopyA, OperandB, TiledMma};
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(32, 32, 16)>;
type Copy = MakeTiledCopyA<Sm75_U32x4_LDSM_N, half::f16, Mma>;
fn read(tile: &Tensor<Shared<half::f16>, layout!(((8,1),1,1):((1,0),0,0))>) {
    let b = Fragment::<half::f16, layout!(((8,1),1,1):((1,0),0,0)), OperandB>::new();
    unsafe { copy(Copy::default(), tile, &b.view()) };
}
fn main() {}

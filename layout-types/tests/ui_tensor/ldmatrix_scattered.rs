//! A transposed ldmatrix fills a fragment whose pairs of halfs do not share a register.
use layout_types::algorithm::copy;
use layout_types::atom::copy::Sm75_U16x8_LDSM_T;
use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
use layout_types::prelude::*;
use layout_types::tensor::{Registers, Shared, Tensor};
use layout_types::tiled::{MakeTiledCopyA, TiledMma};
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(32, 32, 16)>;
type S2r = MakeTiledCopyA<Sm75_U16x8_LDSM_T, half::f16, Mma>;
type Rows = layout!(((8,1),1,1):((1,0),0,0));
type Scattered = layout!((((2,4),1),1,1):(((4,1),0),0,0));
fn load(from: &Tensor<Shared<half::f16>, Rows>, to: &Tensor<Registers<'_, half::f16>, Scattered>) {
    unsafe { copy(S2r::default(), from, to) }
}
fn main() {}

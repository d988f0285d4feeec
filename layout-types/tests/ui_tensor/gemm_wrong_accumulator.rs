//! The instruction adds floats, but the accumulators are halfs.
use layout_types::prelude::*;
use layout_types::algorithm::gemm;
use layout_types::tensor::Fragment;
use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
use layout_types::tiled::{OperandA, OperandB, OperandC, TiledMma};
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(32, 32, 16)>;
fn main() {
    let a = Fragment::<half::f16, layout!(((2,2,2),1,1)), OperandA>::new();
    let b = Fragment::<half::f16, layout!(((2,2),2,1)), OperandB>::new();
    let c = Fragment::<half::f16, layout!(((2,2),1,2)), OperandC>::new();
    unsafe { gemm(Mma::default(), &a.view(), &b.view(), &c.view()) };
}

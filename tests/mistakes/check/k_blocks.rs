//! category: retile and roles
//! mistake: The fragment of A holds two k blocks, the one of B holds one.
//! cure: Partition both from tiles of the same K, or slice both by the k block.
//! CuTe: static assertion "AK == BK" where both are static.
use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
use layout_types::tiled::{OperandA, OperandB, OperandC, TiledMma};
use layout_types::prelude::*;
use layout_types::algorithm::gemm;
use layout_types::tensor::Fragment;
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(32, 32, 16)>;
#[cfg(mistake)]
type A = layout!(((2,2,2),1,2));
#[cfg(not(mistake))]
type A = layout!(((2,2,2),1,1));
pub unsafe fn kernel(
    a: &Fragment<half::f16, A, OperandA>,
    b: &Fragment<half::f16, layout!(((2,2),2,1)), OperandB>,
    c: &Fragment<f32, layout!(((2,2),1,2)), OperandC>,
) {
    unsafe { gemm(Mma::default(), &a.view(), &b.view(), &c.view()) };
}

//! category: types and conversions
//! mistake: Fragments of bf16 go into an instruction that multiplies f16: both are 16 bits.
//! cure: The atom of the element type: `Sm80_16x8x16_F32BF16BF16F32_TN`.
//! CuTe: "no matching function" if the types are CUTLASS's; silent where both are `uint16_t` or recast.
use layout_types::prelude::*;
use layout_types::algorithm::gemm;
#[cfg(mistake)]
use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN as Atom;
#[cfg(not(mistake))]
use layout_types::atom::mma::Sm80_16x8x16_F32BF16BF16F32_TN as Atom;
use layout_types::tensor::Fragment;
use layout_types::tiled::{OperandA, OperandB, OperandC, TiledMma};
type Mma = TiledMma<Atom, layout!((2,2,1)), tile!(32, 32, 16)>;
pub unsafe fn kernel(
    a: &Fragment<half::bf16, layout!(((2,2,2),1,1)), OperandA>,
    b: &Fragment<half::bf16, layout!(((2,2),2,1)), OperandB>,
    c: &Fragment<f32, layout!(((2,2),1,2)), OperandC>,
) {
    unsafe { gemm(Mma::default(), &a.view(), &b.view(), &c.view()) };
}

//! category: accumulators and numerics
//! mistake: An accumulator of f16 is given to an instruction that accumulates in f32.
//! cure: Let `partition_fragment_c` make it, which takes the element from the atom.
//! CuTe: static assertion or "no matching function for call to fma", a hundred lines of instantiations.
use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
use layout_types::tiled::{OperandA, OperandB, OperandC, TiledMma};
use layout_types::prelude::*;
use layout_types::algorithm::gemm;
use layout_types::tensor::Fragment;
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(32, 32, 16)>;
#[cfg(mistake)]
type Sum = half::f16;
#[cfg(not(mistake))]
type Sum = f32;
pub unsafe fn kernel(
    a: &Fragment<half::f16, layout!(((2,2,2),1,1)), OperandA>,
    b: &Fragment<half::f16, layout!(((2,2),2,1)), OperandB>,
    c: &Fragment<Sum, layout!(((2,2),1,2)), OperandC>,
) {
    unsafe { gemm(Mma::default(), &a.view(), &b.view(), &c.view()) };
}

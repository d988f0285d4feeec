//! category: retile and roles
//! mistake: The tile of A is read into the fragment of B, by the copy that was made for A.
//! cure: Each operand has its own tiled copy: `MakeTiledCopyA` for A, `MakeTiledCopyB` for B.
//! CuTe: compiles where the sizes agree; wrong numbers.
use layout_types::algorithm::copy;
use layout_types::atom::{copy::Sm75_U32x4_LDSM_N, mma::Sm80_16x8x16_F32F16F16F32_TN};
use layout_types::prelude::*;
use layout_types::tensor::{Fragment, Shared, Tensor};
use layout_types::tiled::{MakeTiledCopyA, OperandA, OperandB, TiledMma};
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(32, 32, 16)>;
type Copy = MakeTiledCopyA<Sm75_U32x4_LDSM_N, half::f16, Mma>;
type Values = layout!(((8,1),1,1):((1,0),0,0));
#[cfg(mistake)]
type Registers = Fragment<half::f16, Values, OperandB>;
#[cfg(not(mistake))]
type Registers = Fragment<half::f16, Values, OperandA>;
pub fn kernel(tile: &Tensor<Shared<half::f16>, Values>) {
    let registers = Registers::new();
    unsafe { copy(Copy::default(), tile, &registers.view()) };
}

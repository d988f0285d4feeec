//! category: retile and roles
//! mistake: The accumulators are retiled for the epilogue by a copy that was made for A.
//! cure: `MakeTiledCopyC` for the epilogue.
//! CuTe: compiles where the sizes agree; wrong numbers.
use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
use layout_types::tiled::{MakeTiledCopyA, MakeTiledCopyC, OperandC, TiledMma};
use layout_types::prelude::*;
use layout_types::atom::copy::UniversalCopy;
use layout_types::tensor::Fragment;
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(32, 32, 16)>;
#[cfg(mistake)]
type R2s = MakeTiledCopyA<UniversalCopy<u32>, f32, Mma>;
#[cfg(not(mistake))]
type R2s = MakeTiledCopyC<UniversalCopy<u32>, f32, Mma>;
pub fn kernel(sums: &Fragment<f32, layout!(((2,2),1,2)), OperandC>, thread: u32) {
    let _ = R2s::get_slice(thread).retile_s(&sums.view());
}

//! category: retile and roles
//! mistake: The fragment of B is retiled by a copy made by `MakeTiledCopyA`.
//! cure: `MakeTiledCopyB` for B: threads and values of A and B are not the same.
//! CuTe: compiles where the sizes agree; wrong numbers.
use layout_types::atom::{copy::Sm75_U32x4_LDSM_N, mma::Sm80_16x8x16_F32F16F16F32_TN};
use layout_types::prelude::*;
use layout_types::tensor::Shared;
use layout_types::tiled::{MakeTiledCopyA, MakeTiledCopyB, TiledMma};
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(32, 32, 16)>;
type Smem = layout!((64,32):(32,1));
#[cfg(mistake)]
type S2rB = MakeTiledCopyA<Sm75_U32x4_LDSM_N, half::f16, Mma>;
#[cfg(not(mistake))]
type S2rB = MakeTiledCopyB<Sm75_U32x4_LDSM_N, half::f16, Mma>;
pub fn kernel(s_b: &Tensor<Shared<half::f16>, Smem>, thread: u32) {
    let mma = Mma::get_slice(thread);
    let r_b = mma.partition_fragment_b(s_b);
    let s2r_b = S2rB::get_slice(thread);
    let _ = s2r_b.retile_d(&r_b.view());
}

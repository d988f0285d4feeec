//! category: thread-value ownership
//! mistake: A tiled MMA of two by two warps has strides (1,1,1): two warps own the same atom.
//! cure: Compact strides: `layout!((2,2,1))`.
//! CuTe: silent: two warps compute the same atom, another is never computed.
use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
use layout_types::tiled::TiledMma;
use layout_types::prelude::*;
use layout_types::tensor::identity_tensor;
#[cfg(mistake)]
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1):(1,1,1)), tile!(32, 32, 16)>;
#[cfg(not(mistake))]
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(32, 32, 16)>;
pub fn kernel(thread: u32) {
    let a = identity_tensor::<layout!((32,16):(1@0,1@1)), 2>();
    let _ = Mma::get_slice(thread).partition_a(&a);
}

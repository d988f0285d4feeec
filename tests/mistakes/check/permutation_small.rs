//! category: thread-value ownership
//! mistake: The permutation of a tiled MMA is smaller than what its warps cover: 16 rows for two warps of 16.
//! cure: Each mode of the permutation is a multiple of the atom times the warps along it.
//! CuTe: static assertion in `tiled_divide`, without the numbers; older versions silent.
use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
use layout_types::tiled::TiledMma;
use layout_types::prelude::*;
#[cfg(mistake)]
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(16, 32, 16)>;
#[cfg(not(mistake))]
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(32, 32, 16)>;
pub fn kernel(thread: u32) {
    let _ = Mma::get_slice(thread);
}

//! category: thread-value ownership
//! mistake: `ldmatrix` is done by a whole warp; the tiled copy has 16 threads.
//! cure: A multiple of the threads that the instruction takes together.
//! CuTe: static assertion of the divides, without the numbers.
use layout_types::prelude::*;
use layout_types::atom::copy::Sm75_U32x4_LDSM_N;
use layout_types::tiled::MakeTiledCopy;
#[cfg(mistake)]
type S2r = MakeTiledCopy<Sm75_U32x4_LDSM_N, half::f16, layout!((4,4):(4,1)), layout!((1,8))>;
#[cfg(not(mistake))]
type S2r = MakeTiledCopy<Sm75_U32x4_LDSM_N, half::f16, layout!((8,4):(4,1)), layout!((1,8))>;
pub fn kernel(thread: u32) {
    let _ = S2r::get_slice(thread);
}

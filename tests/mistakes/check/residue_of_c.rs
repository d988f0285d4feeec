//! category: predicates and ragged sizes
//! mistake: Rows 0 to 23 of D, the residue of a tile, are partitioned as if they were the 32 that the tiled MMA has.
//! cure: `partition_c_predicated`, which goes on behind the tile, and a store for each element that is inside.
//! CuTe: silent: `partition_C` rounds up, and what is behind row 23 is stored too.
use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
use layout_types::prelude::*;
use layout_types::tensor::{GetSlice, identity_tensor};
use layout_types::tiled::TiledMma;
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(32, 32, 16)>;
type Identity = layout!((24,32):(1@0,1@1));
pub unsafe fn store(d: *mut f32, rows: u32, thread: u32) {
    let thr_mma = Mma::get_slice(thread);
    let c = thr_mma.partition_fragment_c(&identity_tensor::<Identity, 2>());
    let d = unsafe { Tensor::global_mut(d, [rows, 32], (32, Int::<1>)) };
    let d = d.local_tile::<tile!(24, 32), _>((0u32, 0u32));
    #[cfg(mistake)]
    let t_d = thr_mma.partition_c(&d); // (MMA,MMA_M,MMA_N)
    #[cfg(not(mistake))]
    let t_d = thr_mma.partition_c_predicated(&d); // (MMA,MMA_M,MMA_N)
    let t_i = thr_mma.partition_c_predicated(&identity_tensor::<Identity, 2>());
    for i in 0..8u32 {
        let at = ((i % 2, i / 2 % 2), 0u32, i / 4);
        if t_i.get(at)[0] < 24 && t_d.inside(at) {
            unsafe { t_d.set(at, c.view().get(at)) };
        }
    }
}

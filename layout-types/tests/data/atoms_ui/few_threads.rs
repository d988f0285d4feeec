use layout_types::atom::copy::Sm75_U32x4_LDSM_N;
use layout_types::prelude::*;
use layout_types::tiled::{MakeTiledCopy, TiledCopyTraits};

// A whole warp executes ldmatrix, and the layout has 16 threads.
type Copy = MakeTiledCopy<Sm75_U32x4_LDSM_N, half::f16, layout!((4,4)), layout!((1,8))>;

fn main() {
    let _ = <Copy as TiledCopyTraits>::LayoutTv::default();
}

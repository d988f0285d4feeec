//! ldmatrix takes a whole warp, and the layout has 16 threads.
use layout_types::prelude::*;
use layout_types::atom::copy::Sm75_U32x4_LDSM_N;
use layout_types::tiled::{MakeTiledCopy, TiledCopyTraits};
type S2r = MakeTiledCopy<Sm75_U32x4_LDSM_N, half::f16, layout!((4,4):(4,1)), layout!((1,8))>;
fn refused(_: <S2r as TiledCopyTraits>::LayoutTv) {}
fn main() {}

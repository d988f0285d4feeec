use layout_types::atom::copy::Sm80_CP_ASYNC_CACHEGLOBAL;
use layout_types::prelude::*;
use layout_types::tiled::{MakeTiledCopy, TiledCopyTraits};

// 16 bytes are eight halfs, not four.
type Copy = MakeTiledCopy<Sm80_CP_ASYNC_CACHEGLOBAL<u128>, half::f16, layout!((32,4):(4,1)), layout!((1,4))>;

fn main() {
    let _ = <Copy as TiledCopyTraits>::LayoutTv::default();
}

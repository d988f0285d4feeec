use layout_types::atom::copy::UniversalCopy;
use layout_types::prelude::*;
use layout_types::tiled::{MakeCotiledCopy, TiledCopyTraits};

// 32 threads take 256 halfs of a tensor of 128; CuTe looks at the first thread only and accepts it.
type Copy = MakeCotiledCopy<UniversalCopy<u128>, half::f16, layout!((32,8):(8,1)), layout!((8,16):(16,1))>;

fn main() {
    let _ = <Copy as TiledCopyTraits>::LayoutTv::default();
}

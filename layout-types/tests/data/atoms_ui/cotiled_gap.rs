use layout_types::atom::copy::UniversalCopy;
use layout_types::prelude::*;
use layout_types::tiled::{MakeCotiledCopy, TiledCopyTraits};

// Rows of 8 halfs, 16 apart: every second thread would move what lies between two rows.
type Copy = MakeCotiledCopy<UniversalCopy<u128>, half::f16, layout!((32,8):(8,1)), layout!((16,8):(16,1))>;

fn main() {
    let _ = <Copy as TiledCopyTraits>::LayoutTv::default();
}

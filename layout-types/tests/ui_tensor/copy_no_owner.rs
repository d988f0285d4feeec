//! Half of the tile has no owner.
use layout_types::prelude::*;
use layout_types::atom::copy::UniversalCopy;
use layout_types::tiled::{TiledCopy, TiledCopyTraits};
type Half = TiledCopy<UniversalCopy<u32>, f32, layout!((4,2):(2,8)), tile!(4, 4)>;
fn refused(_: <Half as TiledCopyTraits>::LayoutTv) {}
fn main() {}

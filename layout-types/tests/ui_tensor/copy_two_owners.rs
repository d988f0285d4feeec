//! Value 1 of thread 0 and value 0 of thread 2 are in the same cell.
use layout_types::prelude::*;
use layout_types::atom::copy::UniversalCopy;
use layout_types::tiled::{TiledCopy, TiledCopyTraits};
type Twice = TiledCopy<UniversalCopy<u32>, f32, layout!((4,2):(1,2)), tile!(4, 2)>;
fn refused(_: <Twice as TiledCopyTraits>::LayoutTv) {}
fn main() {}

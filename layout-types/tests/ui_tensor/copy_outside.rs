//! Value 1 of thread 2 lies past the tile.
use layout_types::prelude::*;
use layout_types::atom::copy::UniversalCopy;
use layout_types::tiled::TiledCopy;
type Past = TiledCopy<UniversalCopy<u32>, f32, layout!((4,2):(1,6)), tile!(4, 2)>;
assert_covers!(copy Past);
fn main() {}

//! Cell 1 has no owner.
use layout_types::prelude::*;
use layout_types::atom::copy::UniversalCopy;
use layout_types::tiled::TiledCopy;
type Half = TiledCopy<UniversalCopy<u32>, f32, layout!((4,2):(2,8)), tile!(4, 4)>;
assert_covers!(copy Half);
fn main() {}

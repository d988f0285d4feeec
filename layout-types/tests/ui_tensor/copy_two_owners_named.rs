//! Cell 2 is value 0 of thread 2, and value 1 of thread 0.
use layout_types::prelude::*;
use layout_types::atom::copy::UniversalCopy;
use layout_types::tiled::TiledCopy;
type Twice = TiledCopy<UniversalCopy<u32>, f32, layout!((4,2):(1,2)), tile!(4, 2)>;
assert_covers!(copy Twice);
fn main() {}

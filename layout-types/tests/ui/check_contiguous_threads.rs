//! Each thread takes a column of a row-major tile.
use layout_types::prelude::*;
type Smem = Composition<Swizzle<2, 3, 3>, layout!((8,32):(32,1))>;
type Tv = layout!((32,8):(8,1));
assert_contiguous!(Tv => Smem, 8, 2);
fn main() {}

//! In swizzled shared memory too, 48 does not divide 128.
use layout_types::prelude::*;
type Smem = Composition<Swizzle<2, 3, 3>, layout!((8,32):(32,1))>;
assert_divides!(TileToShape<Smem, shape!((128,32,3))>, (48, 16));
fn main() {}

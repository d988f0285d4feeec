//! The four values of one access lie in two rows and two columns of the tensor.
use layout_types::prelude::*;
use layout_types::atom::copy::UniversalCopy;
use layout_types::tiled::MakeTiledCopy;
type G2s = MakeTiledCopy<UniversalCopy<u128>, f32, layout!((32,4):(4,1)), layout!((2,2))>;
assert_contiguous!(read of layout!((128,32):(1@0,1@1)) by G2s);
fn main() {}

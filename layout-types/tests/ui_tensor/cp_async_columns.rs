//! The copy takes 16 bytes along a row of a tensor that is contiguous along its columns.
use layout_types::prelude::*;
use layout_types::atom::copy::Sm80_CP_ASYNC_CACHEGLOBAL;
use layout_types::tiled::MakeTiledCopy;
type G2s = MakeTiledCopy<Sm80_CP_ASYNC_CACHEGLOBAL<u128>, half::f16, layout!((32,4):(4,1)), layout!((1,8))>;
assert_contiguous!(read of layout!((128,32):(1,128)) by G2s);
fn main() {}

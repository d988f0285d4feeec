//! Rows of 36 halfs are 72 bytes apart, which is no multiple of 16 bytes.
use layout_types::prelude::*;
use layout_types::atom::copy::Sm80_CP_ASYNC_CACHEGLOBAL;
use layout_types::tiled::MakeTiledCopy;
type G2s = MakeTiledCopy<Sm80_CP_ASYNC_CACHEGLOBAL<u128>, half::f16, layout!((32,4):(4,1)), layout!((1,8))>;
assert_contiguous!(write of layout!((32,32):(36,1)) by G2s);
fn main() {}

//! Consecutive threads go down a column, and each writes 16 bytes of its row.
use layout_types::atom::copy::Sm80_CP_ASYNC_CACHEGLOBAL;
use layout_types::prelude::*;
use layout_types::tiled::MakeTiledCopy;
type Smem = Composition<Swizzle<1, 3, 3>, layout!((32,32):(32,1))>;
type G2s = MakeTiledCopy<Sm80_CP_ASYNC_CACHEGLOBAL<u128>, half::f16, layout!((32,4)), layout!((1,8))>;
assert_bank_conflict_free!(write of Smem by G2s);
fn main() {}

//! category: vectors and alignment
//! mistake: A row-major 16-byte copy writes a column-major tile.
//! cure: Values along the contiguous mode: `layout!((8,1))` for a column-major tile.
//! CuTe: static assertion "CopyAtom: src failed to vectorize", without the layout that failed.
//! source: NVIDIA/cutlass#1358
use layout_types::prelude::*;
use layout_types::atom::copy::Sm80_CP_ASYNC_CACHEGLOBAL;
use layout_types::tiled::MakeTiledCopy;
#[cfg(mistake)]
type G2s = MakeTiledCopy<Sm80_CP_ASYNC_CACHEGLOBAL<u128>, half::f16, layout!((32,4):(4,1)), layout!((1,8))>;
#[cfg(not(mistake))]
type G2s = MakeTiledCopy<Sm80_CP_ASYNC_CACHEGLOBAL<u128>, half::f16, layout!((4,32):(1,4)), layout!((8,1))>;
assert_contiguous!(write of layout!((32,32):(1,32)) by G2s);

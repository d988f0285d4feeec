//! category: vectors and alignment
//! mistake: Rows are padded to 36 halfs against bank conflicts, and copied by 16 bytes: rows begin at
//!   multiples of 72 bytes.
//! cure: Pad to a multiple of the vector (40), or swizzle.
//! CuTe: static sizes: the vector is divided silently or "misaligned address" at run time.
use layout_types::prelude::*;
use layout_types::atom::copy::Sm80_CP_ASYNC_CACHEGLOBAL;
use layout_types::tiled::MakeTiledCopy;
type G2s = MakeTiledCopy<Sm80_CP_ASYNC_CACHEGLOBAL<u128>, half::f16, layout!((32,4):(4,1)), layout!((1,8))>;
#[cfg(mistake)]
type Smem = layout!((32,32):(36,1));
#[cfg(not(mistake))]
type Smem = layout!((32,32):(40,1));
assert_contiguous!(write of Smem by G2s);

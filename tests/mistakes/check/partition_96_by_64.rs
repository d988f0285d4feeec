//! category: predicates and ragged sizes
//! mistake: A tile of 96 rows is copied by a tiled copy of 64 rows: the partition rounds up and runs into the
//!   next stage.
//! cure: Cut the tile into rows that the copy fills, or name the rounding partition and predicate.
//! CuTe: silent: `partition_S` rounds up; the copy overwrites the next stage.
//! source: NVIDIA/cutlass#1397
use layout_types::prelude::*;
use layout_types::atom::copy::UniversalCopy;
use layout_types::tensor::Shared;
use layout_types::tiled::MakeTiledCopy;
type G2s = MakeTiledCopy<UniversalCopy<u128>, half::f16, layout!((64,4):(4,1)), layout!((1,8))>;
#[cfg(mistake)]
type Smem = layout!((96,32):(32,1));
#[cfg(not(mistake))]
type Smem = layout!((128,32):(32,1));
pub fn kernel(s_a: &Tensor<Shared<half::f16>, Smem>, thread: u32) {
    let _ = G2s::get_slice(thread).partition_d(s_a);
}

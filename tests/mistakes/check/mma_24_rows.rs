//! category: predicates and ragged sizes
//! mistake: A tile of 24 rows is partitioned by a tiled MMA of 32 rows.
//! cure: Make the CTA tile a multiple of the tiled MMA, or predicate: `partition_a_predicated`.
//! CuTe: silent: the partition rounds up; fragments of rows that are not there.
use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
use layout_types::tiled::TiledMma;
use layout_types::prelude::*;
use layout_types::tensor::Shared;
type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1)), tile!(32, 32, 16)>;
#[cfg(mistake)]
type Smem = layout!((24,32):(32,1));
#[cfg(not(mistake))]
type Smem = layout!((64,32):(32,1));
pub fn kernel(s_a: &Tensor<Shared<half::f16>, Smem>, thread: u32) {
    let _ = Mma::get_slice(thread).partition_a(s_a);
}

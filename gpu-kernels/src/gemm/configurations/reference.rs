//! The configuration of the walk-throughs.

use crate::gemm::layouts::{K32, Rows32By128, RowsA, RowsB, Warps22};
use crate::{gemm_config, operand};
use half::f16;
use layout_types::atom::mma::Sm80_16x8x16_F16F16F16F16_TN;
use layout_types::prelude::*;

type Mma = Warps22<Sm80_16x8x16_F16F16F16F16_TN>;
/// The tiled copy of A's fragments from shared memory. It is `S2rA` of [`Reference`], which only
/// the kernel build has as an associated type.
pub type ReferenceS2rA = RowsA<Mma>;
/// The tiled copy of B's fragments from shared memory.
pub type ReferenceS2rB = RowsB<Mma>;

operand! {
    /// 128 rows, 32 deep, three stages, by 128 threads.
    K128x32x3: u16, tile tile!(128, 32), stages K32<int!(128), int!(3)>, CpAsyncMask 16 by Rows32By128;
}
gemm_config! {
    /// The configuration of the walk-throughs.
    Reference {
        kernel: "gemm_f16_f16_tn_128x128x32_s3",
        input: F16 f16, accumulator: F16 f16, output: f16, majors: Tn,
        mma: Mma,
        tile: (128, 128, 32), warps: (2, 2), stages: 3, k_blocks: 2,
        a: K128x32x3, read by ReferenceS2rA,
        b: K128x32x3, read by ReferenceS2rB,
        registers: 64,
        epilogue: Chunk32x32 2 of 8, 8 of 2
    }
}

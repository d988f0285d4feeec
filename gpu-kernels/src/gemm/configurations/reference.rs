//! The configuration of the walk-throughs.

use super::*;
use crate::gemm::config::gemm_config;
use half::f16;

gemm_config! {
    /// The configuration of the walk-throughs.
    Reference = "gemm_f16_f16_tn_128x128x32_s3" {
        input: F16 f16, accumulator: F16 f16, output: f16, by pairs, majors: Tn,
        mma: Warps22<F16F16>,
        tile: (128, 128, 32), warps: (2, 2), stages: 3, k_blocks: 2,
        a: K128x32x3, read by RowsA<Warps22<F16F16>>,
        b: K128x32x3, read by RowsB<Warps22<F16F16>>,
        registers: 64,
        epilogue: chunk_32x32 2 of 8, 8 of 2
    }
}

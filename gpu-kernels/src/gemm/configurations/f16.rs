//! Products of f16, with f32 and f16 accumulators.

use super::*;
use crate::gemm::config::gemm_config;
use half::f16;

gemm_config! {
    /// Large products of f16 with an f16 accumulator.
    F16F16Square = "gemm_f16_f16_tn_256x256x64_s3" {
        input: F16 f16, accumulator: F16 f16, output: f16, by pairs, majors: Tn,
        mma: Warps24<F16F16>,
        tile: (256, 256, 64), warps: (2, 4), stages: 3, k_blocks: 4,
        a: K256x64x3By256, read by RowsA<Warps24<F16F16>>,
        b: K256x64x3By256, read by RowsB<Warps24<F16F16>>,
        registers: 128,
        epilogue: chunk_32x64 32 of 1, 16 of 2, staged 32
    }
    /// Products of f16 of short k, or of many tiles: persistent.
    F16Persistent = "gemm_f16_f32_tn_128x256x64_s3_p" {
        input: F16 f16, accumulator: F32 f32, output: f16, by pairs, majors: Tn,
        mma: Warps24<F16F32>,
        tile: (128, 256, 64), warps: (2, 4), stages: 3, k_blocks: 4,
        a: K128x64x3By256, read by RowsA<Warps24<F16F32>>,
        b: K256x64x3By256, read by RowsB<Warps24<F16F32>>,
        registers: 128,
        epilogue: chunk_32x64 16 of 1, 8 of 2, overlapped 16
    }
    /// Products of f16 of short k, or of many tiles, with an f16 accumulator: persistent.
    F16F16Persistent = "gemm_f16_f16_tn_128x256x64_s3_p" {
        input: F16 f16, accumulator: F16 f16, output: f16, by pairs, majors: Tn,
        mma: Warps24<F16F16>,
        tile: (128, 256, 64), warps: (2, 4), stages: 3, k_blocks: 4,
        a: K128x64x3By256, read by RowsA<Warps24<F16F16>>,
        b: K256x64x3By256, read by RowsB<Warps24<F16F16>>,
        registers: 64,
        epilogue: chunk_32x64 16 of 1, 8 of 2, overlapped 16
    }
    /// Small products of f16 with an f16 accumulator.
    F16F16Small = "gemm_f16_f16_tn_64x64x64_s4" {
        input: F16 f16, accumulator: F16 f16, output: f16, by pairs, majors: Tn,
        mma: Warps22<F16F16>,
        tile: (64, 64, 64), warps: (2, 2), stages: 4, k_blocks: 4,
        a: K64x64x4, read by RowsA<Warps22<F16F16>>,
        b: K64x64x4, read by RowsB<Warps22<F16F16>>,
        registers: 16,
        epilogue: chunk_32x32 4 of 1, 4 of 1
    }
    /// Large products of f16.
    F16Wide = "gemm_f16_f32_tn_128x256x64_s4" {
        input: F16 f16, accumulator: F32 f32, output: f16, by pairs, majors: Tn,
        mma: Warps24<F16F32>,
        tile: (128, 256, 64), warps: (2, 4), stages: 4, k_blocks: 4,
        a: K128x64x4By256, read by RowsA<Warps24<F16F32>>,
        b: K256x64x4By256, read by RowsB<Warps24<F16F32>>,
        registers: 128,
        epilogue: chunk_32x64 16 of 1, 16 of 1, staged 16
    }
    /// Small products of f16.
    F16Small = "gemm_f16_f32_tn_64x64x64_s4" {
        input: F16 f16, accumulator: F32 f32, output: f16, by pairs, majors: Tn,
        mma: Warps22<F16F32>,
        tile: (64, 64, 64), warps: (2, 2), stages: 4, k_blocks: 4,
        a: K64x64x4, read by RowsA<Warps22<F16F32>>,
        b: K64x64x4, read by RowsB<Warps22<F16F32>>,
        registers: 32,
        epilogue: chunk_32x32 4 of 1, 4 of 1
    }
    /// Products of f16 whose A is column-major and B column-major.
    F16Nn = "gemm_f16_f32_nn_128x128x64_s3" {
        input: F16 f16, accumulator: F32 f32, output: f16, by pairs, majors: Nn,
        mma: Warps22<F16F32>,
        tile: (128, 128, 64), warps: (2, 2), stages: 3, k_blocks: 4,
        a: Mn128x64x3, read by ColumnsA<Warps22<F16F32>>,
        b: K128x64x3, read by RowsB<Warps22<F16F32>>,
        registers: 128,
        epilogue: chunk_32x32 16 of 1, 16 of 1
    }
    /// Products of f16 whose A is row-major and B row-major.
    F16Tt = "gemm_f16_f32_tt_128x128x64_s3" {
        input: F16 f16, accumulator: F32 f32, output: f16, by pairs, majors: Tt,
        mma: Warps22<F16F32>,
        tile: (128, 128, 64), warps: (2, 2), stages: 3, k_blocks: 4,
        a: K128x64x3, read by RowsA<Warps22<F16F32>>,
        b: Mn128x64x3, read by ColumnsB<Warps22<F16F32>>,
        registers: 128,
        epilogue: chunk_32x32 16 of 1, 16 of 1
    }
    /// Products of f16 whose A is column-major and B row-major.
    F16Nt = "gemm_f16_f32_nt_128x128x64_s3" {
        input: F16 f16, accumulator: F32 f32, output: f16, by pairs, majors: Nt,
        mma: Warps22<F16F32>,
        tile: (128, 128, 64), warps: (2, 2), stages: 3, k_blocks: 4,
        a: Mn128x64x3, read by ColumnsA<Warps22<F16F32>>,
        b: Mn128x64x3, read by ColumnsB<Warps22<F16F32>>,
        registers: 128,
        epilogue: chunk_32x32 16 of 1, 16 of 1
    }
    /// Products of f16 of any alignment and majors.
    F16Any = "gemm_f16_f32_any_128x64x32_s3" {
        input: F16 f16, accumulator: F32 f32, output: f16, by pairs, majors: Tn,
        mma: Warps22<F16F32>,
        tile: (128, 64, 32), warps: (2, 2), stages: 3, k_blocks: 2,
        a: Any128x32x3, read by RowsA<Warps22<F16F32>>,
        b: Any64x32x3, read by RowsB<Warps22<F16F32>>,
        registers: 64,
        epilogue: chunk_32x32 8 of 1, 8 of 1
    }
}

//! Products of bf16.

use super::*;
use crate::gemm::config::gemm_config;
use half::bf16;

gemm_config! {
    /// Products of bf16 of short k, or of many tiles: persistent.
    Bf16Persistent = "gemm_bf16_f32_tn_128x256x64_s3_p" {
        input: Bf16 bf16, accumulator: F32 f32, output: bf16, by pairs, majors: Tn,
        mma: Warps24<Bf16F32>,
        tile: (128, 256, 64), warps: (2, 4), stages: 3, k_blocks: 4,
        a: K128x64x3By256, read by RowsA<Warps24<Bf16F32>>,
        b: K256x64x3By256, read by RowsB<Warps24<Bf16F32>>,
        registers: 128,
        epilogue: chunk_32x64 16 of 1, 8 of 2, overlapped 16
    }
    /// Large products of bf16.
    Bf16Wide = "gemm_bf16_f32_tn_128x256x64_s4" {
        input: Bf16 bf16, accumulator: F32 f32, output: bf16, by pairs, majors: Tn,
        mma: Warps24<Bf16F32>,
        tile: (128, 256, 64), warps: (2, 4), stages: 4, k_blocks: 4,
        a: K128x64x4By256, read by RowsA<Warps24<Bf16F32>>,
        b: K256x64x4By256, read by RowsB<Warps24<Bf16F32>>,
        registers: 128,
        epilogue: chunk_32x64 16 of 1, 16 of 1, staged 16
    }
    /// Small products of bf16.
    Bf16Small = "gemm_bf16_f32_tn_64x64x64_s4" {
        input: Bf16 bf16, accumulator: F32 f32, output: bf16, by pairs, majors: Tn,
        mma: Warps22<Bf16F32>,
        tile: (64, 64, 64), warps: (2, 2), stages: 4, k_blocks: 4,
        a: K64x64x4, read by RowsA<Warps22<Bf16F32>>,
        b: K64x64x4, read by RowsB<Warps22<Bf16F32>>,
        registers: 32,
        epilogue: chunk_32x32 4 of 1, 4 of 1
    }
    /// Products of bf16 whose A is column-major and B column-major.
    Bf16Nn = "gemm_bf16_f32_nn_128x128x64_s3" {
        input: Bf16 bf16, accumulator: F32 f32, output: bf16, by pairs, majors: Nn,
        mma: Warps22<Bf16F32>,
        tile: (128, 128, 64), warps: (2, 2), stages: 3, k_blocks: 4,
        a: Mn128x64x3, read by ColumnsA<Warps22<Bf16F32>>,
        b: K128x64x3, read by RowsB<Warps22<Bf16F32>>,
        registers: 128,
        epilogue: chunk_32x32 16 of 1, 16 of 1
    }
    /// Products of bf16 whose A is row-major and B row-major.
    Bf16Tt = "gemm_bf16_f32_tt_128x128x64_s3" {
        input: Bf16 bf16, accumulator: F32 f32, output: bf16, by pairs, majors: Tt,
        mma: Warps22<Bf16F32>,
        tile: (128, 128, 64), warps: (2, 2), stages: 3, k_blocks: 4,
        a: K128x64x3, read by RowsA<Warps22<Bf16F32>>,
        b: Mn128x64x3, read by ColumnsB<Warps22<Bf16F32>>,
        registers: 128,
        epilogue: chunk_32x32 16 of 1, 16 of 1
    }
    /// Products of bf16 whose A is column-major and B row-major.
    Bf16Nt = "gemm_bf16_f32_nt_128x128x64_s3" {
        input: Bf16 bf16, accumulator: F32 f32, output: bf16, by pairs, majors: Nt,
        mma: Warps22<Bf16F32>,
        tile: (128, 128, 64), warps: (2, 2), stages: 3, k_blocks: 4,
        a: Mn128x64x3, read by ColumnsA<Warps22<Bf16F32>>,
        b: Mn128x64x3, read by ColumnsB<Warps22<Bf16F32>>,
        registers: 128,
        epilogue: chunk_32x32 16 of 1, 16 of 1
    }
    /// Products of bf16 of any alignment and majors.
    Bf16Any = "gemm_bf16_f32_any_128x64x32_s3" {
        input: Bf16 bf16, accumulator: F32 f32, output: bf16, by pairs, majors: Tn,
        mma: Warps22<Bf16F32>,
        tile: (128, 64, 32), warps: (2, 2), stages: 3, k_blocks: 2,
        a: Any128x32x3, read by RowsA<Warps22<Bf16F32>>,
        b: Any64x32x3, read by RowsB<Warps22<Bf16F32>>,
        registers: 64,
        epilogue: chunk_32x32 8 of 1, 8 of 1
    }
}

//! Products of f32 as TF32.

use crate::gemm::layouts::{Async16, RowsA, RowsB};
use crate::{gemm_config, operand};
use layout_types::atom::copy::Sm80_CP_ASYNC_CACHEALWAYS_ZFILL;
use layout_types::atom::element::TFloat32;
use layout_types::atom::mma::Sm80_16x8x8_F32TF32TF32F32_TN;
use layout_types::prelude::*;
use layout_types::tiled::{MakeTiledCopy, TiledMma};

/// Rows of 32 elements of 32 bits.
type K32U32<Rows, Stages> =
    TileToShape<Composition<Swizzle<3, 2, 3>, layout!((8,32):(32,1))>, shape!((Rows, 32, Stages))>;
type WarpsTf32 = TiledMma<Sm80_16x8x8_F32TF32TF32F32_TN, layout!((2, 2, 1)), tile!(32, 32, 8)>;
operand! {
    /// 128 rows of 32 elements of 32 bits, three stages.
    Tf32K128x32x3: u32, tile tile!(128, 32), stages K32U32<int!(128), int!(3)>,
        CpAsync 16 by MakeTiledCopy<Async16, u32, layout!((16,8):(8,1)), layout!((1,4))>;
    /// 64 rows of 32 elements of 32 bits, three stages, element by element.
    Tf32Any64x32x3: u32, tile tile!(64, 32), stages K32U32<int!(64), int!(3)>,
        CpAsync 4 by MakeTiledCopy<Sm80_CP_ASYNC_CACHEALWAYS_ZFILL<u32>, u32, layout!((4,32):(32,1)), layout!((1,1))>;
}
gemm_config! {
    /// Products of f32 as TF32.
    Tf32Square {
        kernel: "gemm_tf32_f32_tn_128x128x32_s3",
        input: Tf32 TFloat32, accumulator: F32 f32, output: TFloat32, majors: Tn,
        mma: WarpsTf32,
        tile: (128, 128, 32), warps: (2, 2), stages: 3, k_blocks: 4,
        a: Tf32K128x32x3, read by RowsA<WarpsTf32, u32>,
        b: Tf32K128x32x3, read by RowsB<WarpsTf32, u32>,
        prepared by |bits| layout_types::arch::convert::tf32_from_f32(f32::from_bits(bits)),
        registers: 128,
        epilogue: Chunk32x32 16 of 1, 16 of 1
    }
    /// Products of f32 as TF32, of any alignment and majors.
    Tf32Any {
        kernel: "gemm_tf32_f32_any_64x64x32_s3",
        input: Tf32 TFloat32, accumulator: F32 f32, output: TFloat32, majors: Tn,
        mma: WarpsTf32,
        tile: (64, 64, 32), warps: (2, 2), stages: 3, k_blocks: 4,
        a: Tf32Any64x32x3, read by RowsA<WarpsTf32, u32>,
        b: Tf32Any64x32x3, read by RowsB<WarpsTf32, u32>,
        prepared by |bits| layout_types::arch::convert::tf32_from_f32(f32::from_bits(bits)),
        registers: 32,
        epilogue: Chunk32x32 4 of 1, 4 of 1
    }
}

//! Products of 8-bit integers.

use crate::gemm::layouts::{Async16, RowsA, RowsB};
use crate::{gemm_config, operand};
use layout_types::atom::copy::UniversalCopy;
use layout_types::atom::mma::Sm80_16x8x32_S32S8S8S32_TN;
use layout_types::prelude::*;
use layout_types::tiled::{MakeTiledCopy, TiledMma};

/// Rows of 64 bytes.
type K64U8<Rows, Stages> =
    TileToShape<Composition<Swizzle<2, 4, 3>, layout!((8,64):(64,1))>, shape!((Rows, 64, Stages))>;
type ElementWiseU8<Op> =
    MakeTiledCopy<UniversalCopy<Op>, u8, layout!((8,16):(16,1)), layout!((1, 4))>;
type WarpsS8 = TiledMma<Sm80_16x8x32_S32S8S8S32_TN, layout!((2, 2, 1)), tile!(32, 32, 32)>;
operand! {
    /// 128 rows of 64 bytes, four stages.
    S8K128x64x4: u8, tile tile!(128, 64), stages K64U8<int!(128), int!(4)>,
        CpAsync 16 by MakeTiledCopy<Async16, u8, layout!((32,4):(4,1)), layout!((1,16))>;
    /// 64 rows of 64 bytes, three stages, element by element.
    S8Any64x64x3: u8, tile tile!(64, 64), stages K64U8<int!(64), int!(3)>,
        ThroughRegisters 1 by ElementWiseU8<u8>, through ElementWiseU8<u32>, fragment layout!(((1,4),8,1):((0,1),4,0));
}
gemm_config! {
    /// Products of 8-bit integers.
    S8Square {
        kernel: "gemm_s8_s32_tn_128x128x64_s4",
        input: S8 i8, accumulator: S32 i32, output: i8, majors: Tn,
        mma: WarpsS8,
        tile: (128, 128, 64), warps: (2, 2), stages: 4, k_blocks: 2,
        a: S8K128x64x4, read by RowsA<WarpsS8, u8>,
        b: S8K128x64x4, read by RowsB<WarpsS8, u8>,
        registers: 128,
        epilogue: Chunk32x32 16 of 1, 16 of 1
    }
    /// Products of 8-bit integers, of any alignment and majors.
    S8Any {
        kernel: "gemm_s8_s32_any_64x64x64_s3",
        input: S8 i8, accumulator: S32 i32, output: i8, majors: Tn,
        mma: WarpsS8,
        tile: (64, 64, 64), warps: (2, 2), stages: 3, k_blocks: 2,
        a: S8Any64x64x3, read by RowsA<WarpsS8, u8>,
        b: S8Any64x64x3, read by RowsB<WarpsS8, u8>,
        registers: 32,
        epilogue: Chunk32x32 4 of 1, 4 of 1
    }
}

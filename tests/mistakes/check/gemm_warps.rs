//! category: thread-value ownership
//! mistake: The tiled MMA has two by two warps, and the configuration says four by one.
//! cure: `warps` as the tiled MMA has them.
//! CuTe: no counterpart: the arrangement is written once, in the tiled MMA.
use gpu_kernels::gemm::layouts::{K32, Rows32By128, RowsA, RowsB, Warps22};
use gpu_kernels::{gemm_config, gemm_kernel, operand};
use half::bf16;
use layout_types::atom::mma::Sm80_16x8x16_F32BF16BF16F32_TN;
use layout_types::prelude::*;
type Mma = Warps22<Sm80_16x8x16_F32BF16BF16F32_TN>;
operand! {
    /// A.
    A96x32x4: u16, tile tile!(96, 32), stages K32<int!(96), int!(4)>, CpAsyncRows 16 by Rows32By128;
    /// B.
    B64x32x4: u16, tile tile!(64, 32), stages K32<int!(64), int!(4)>, CpAsyncRows 16 by Rows32By128;
}
#[cfg(mistake)]
gemm_config! {
    /// (96, 64, 32) by four warps.
    Plain {
        kernel: "plain",
        input: Bf16 bf16, accumulator: F32 f32, output: bf16, majors: Tn,
        mma: Mma,
        tile: (96, 64, 32), warps: (4, 1), stages: 4, k_blocks: 2,
        a: A96x32x4, read by RowsA<Mma>,
        b: B64x32x4, read by RowsB<Mma>,
        registers: 48,
        epilogue: Chunk32x32 6 of 1, 6 of 1
    }
}
#[cfg(not(mistake))]
gemm_config! {
    /// (96, 64, 32) by four warps.
    Plain {
        kernel: "plain",
        input: Bf16 bf16, accumulator: F32 f32, output: bf16, majors: Tn,
        mma: Mma,
        tile: (96, 64, 32), warps: (2, 2), stages: 4, k_blocks: 2,
        a: A96x32x4, read by RowsA<Mma>,
        b: B64x32x4, read by RowsB<Mma>,
        registers: 48,
        epilogue: Chunk32x32 6 of 1, 6 of 1
    }
}
gemm_kernel! { plain: Plain }

//! `D = gelu(A·B + bias) + C` of bf16: a GEMM configuration and an epilogue operation of this
//! crate.
//!
//! ```text
//!   tile (64, 96, 32), four warps, three stages      bias, then GELU, then the residual C, in f32; rounded once
//! ```
//!
//! Law: any extents are allowed whose rows of A and B are aligned to 16 bytes.
//! `Fused::CONFIGURATION.plan` gives the launch.

use gpu_kernels::gemm::epilogue::element::gelu;
use gpu_kernels::gemm::epilogue::op::{EpilogueOp, EpilogueValues};
use gpu_kernels::gemm::layouts::{K32, Rows32By128, RowsA, RowsB, Warps22};
use gpu_kernels::{gemm_config, gemm_kernel, operand};
use half::bf16;
use kernel_abi::gemm::GemmParams;
use layout_types::atom::mma::Sm80_16x8x16_F32BF16BF16F32_TN;
use layout_types::prelude::*;

/// gelu(accumulator + bias) + C.
pub struct BiasGeluResidual;

impl EpilogueOp for BiasGeluResidual {
    fn is_identity(_: &GemmParams) -> bool {
        false
    }
    #[inline(always)]
    fn apply(values: &mut impl EpilogueValues, _: &GemmParams) {
        values.with_bias(|x, bias| x + bias);
        values.map(gelu);
        values.with_c(|x, c| x + c);
    }
}

type Mma = Warps22<Sm80_16x8x16_F32BF16BF16F32_TN>;

operand! {
    /// A: 64 rows, 32 deep, three stages.
    A64x32x3: u16, tile tile!(64, 32), stages K32<int!(64), int!(3)>, CpAsyncRows 16 by Rows32By128;
    /// B: 96 rows, 32 deep, three stages.
    B96x32x3: u16, tile tile!(96, 32), stages K32<int!(96), int!(3)>, CpAsyncRows 16 by Rows32By128;
}
gemm_config! {
    /// The configuration.
    Fused {
        kernel: "gemm_bf16_f32_tn_64x96x32_s3_gelu_residual",
        input: Bf16 bf16, accumulator: F32 f32, output: bf16, majors: Tn,
        mma: Mma,
        tile: (64, 96, 32), warps: (2, 2), stages: 3, k_blocks: 2,
        a: A64x32x3, read by RowsA<Mma>,
        b: B96x32x3, read by RowsB<Mma>,
        registers: 48,
        operation: BiasGeluResidual,
        epilogue: Chunk32x32 6 of 1, 6 of 1
    }
}
gemm_kernel! { gemm_bf16_f32_tn_64x96x32_s3_gelu_residual: Fused }

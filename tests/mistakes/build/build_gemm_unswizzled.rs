//! category: swizzles and banks
//! mistake: The stages of a GEMM's operand are rows of 64 bytes without a swizzle: `ldmatrix` has four of them in the same banks.
//! cure: Stages with a swizzle: `K32`, or the one that the message names.
//! CuTe: silent: the mainloop waits for shared memory; `ncu` counts conflicts.
//! source: NVIDIA/cutlass#1443

use crate::Project;
use cuda_builder::CudaBuilderError;
use std::path::PathBuf;

const KERNEL: &str = r#"
use gpu_kernels::gemm::layouts::{K32, Rows32By128, RowsA, RowsB, Warps22};
use gpu_kernels::{gemm_config, gemm_kernel, operand};
use cuda_std as _;
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
"#;

pub fn run(project: &Project, right: bool) -> Result<PathBuf, CudaBuilderError> {
    let (gpu, types) = (crate::folder_of_workspace().join("gpu-kernels"), crate::folder_of_workspace().join("layout-types"));
    project.manifest(&format!(
        "cutlet-gpu-kernels = {{ path = {gpu:?}, default-features = false }}\ncutlet-layout-types = {{ path = {types:?} }}\n\
         half = {{ version = \"2\", default-features = false }}"
    ));
    let stages = |rows: u32| format!("stages K32<int!({rows}), int!(4)>");
    let text = match right {
        true => KERNEL.to_owned(),
        false => KERNEL.replace(&stages(96), "stages layout!((96,32,4):(32,1,3072))"),
    };
    project.source("lib.rs", &text);
    project.builder().next_solver(true).build()
}

//! `D = gelu(A·B + bias) + C` of bf16 on Hopper's collective: one of its configurations, and an
//! epilogue operation of this crate's own.
//!
//! ```text
//!   tile (128, 256, 64), four stages, two consumer groups      bias, then GELU, then the residual C, in f32; rounded once
//! ```
//!
//! Law: any extents and alignment; [`FUSED`] plans the launch. Rows that no tensor map takes are
//! packed by a kernel of Cutlet's module.

#![cfg_attr(not(target_arch = "nvptx64"), allow(unused_imports))]

use cuda_std::kernel;
use gpu_kernels::gemm::epilogue::element::gelu;
use gpu_kernels::gemm::epilogue::op::{EpilogueOp, EpilogueValues};
use gpu_kernels::gemm::epilogue::reads::of_operation;
use gpu_kernels::gemm::params::KernelPointers;
use gpu_kernels_sm90::gemm::configurations::Bf16Wide;
use gpu_kernels_sm90::gemm::kernel::run;
use gpu_kernels_sm90::gemm::own::WithOperation;
use kernel_abi::gemm::{Configuration, GemmParams};
use layout_types::arch::copy_sm90_tma::TensorMap;

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

/// What a host knows of the kernel.
pub const FUSED: Configuration = Bf16Wide::CONFIGURATION.with_operation(
    "gemm_bf16_gelu_residual",
    of_operation::<BiasGeluResidual>(),
);

/// The product and its epilogue.
///
/// # Safety
/// The launch is as the plan of [`FUSED`] says.
#[cfg(target_arch = "nvptx64")]
#[kernel(threads = 384, min_blocks = 1)]
pub unsafe fn gemm_bf16_gelu_residual(
    d: *mut u8,
    a: *const u8,
    b: *const u8,
    c: *const u8,
    bias: *const f32,
    workspace: *mut u8,
    params: GemmParams,
    #[grid_constant] map_a: &TensorMap,
    #[grid_constant] map_b: &TensorMap,
    #[grid_constant] map_d: &TensorMap,
    batches: u32,
) {
    let pointers = KernelPointers {
        d,
        a,
        b,
        c,
        bias,
        workspace,
    };
    // SAFETY: the launch is the plan's by the function's contract.
    unsafe {
        run::<WithOperation<Bf16Wide, BiasGeluResidual>, 4, 8, 1>(
            pointers,
            params,
            [map_a, map_b, map_d],
            batches,
        )
    }
}

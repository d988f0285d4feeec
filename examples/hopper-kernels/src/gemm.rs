//! `D = gelu(A·B + bias) + C` of bf16 on Hopper's collective, with a tile and an epilogue operation
//! of this crate.
//!
//! ```text
//!   tile (128, 256, 64), four stages, two consumer groups      bias, then GELU, then the residual C, in f32; rounded once
//! ```
//!
//! Law: any extents and alignment are allowed; [`FUSED`] plans the launch. A kernel of Cutlet's
//! module packs rows that a tensor map does not support.

use gpu_kernels::gemm::epilogue::element::gelu;
use gpu_kernels::gemm::epilogue::op::{EpilogueOp, EpilogueValues};
use gpu_kernels_sm90::collective_kernel;
use gpu_kernels_sm90::gemm::collective::{Collective, Tn, configuration};
use gpu_kernels_sm90::gemm::own::WithOperation;
use kernel_abi::gemm::{Configuration, GemmParams};
use layout_types::atom::mma::sm90::F32BF16BF16;
use layout_types::typenum::{U4, U128, U256};

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

/// The collective of bf16 with tiles of (128, 256, 64) and four stages, and this epilogue.
type Fused = WithOperation<Collective<F32BF16BF16, Tn, (U128, U256), U4>, BiasGeluResidual>;

/// The description of the kernel for a host.
pub const FUSED: Configuration = configuration::<Fused>("gemm_bf16_gelu_residual");

collective_kernel! { gemm_bf16_gelu_residual: Fused }

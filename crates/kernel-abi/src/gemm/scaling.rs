//! Where the scales of 8-bit floats are applied.
//!
//! ```text
//!   Tensor   D = alpha A·B                      alpha is the product of A's scale and B's
//!   Blocks   D = alpha Σ_k a(k,i) b(j,k) A_k·B_k    k in blocks of 128; row-major f32: A's scales (ceil(K/128), M),
//!                                                 B's (ceil(N/128), ceil(K/128)); of e4m3
//! ```
//!
//! Law: with blocks, the kernel adds the products of every 128 elements of k to a sum in f32, which
//! has 24 bits. The tensor core's own accumulator keeps 13 bits of fraction.
//!
//! Source: DeepSeek-V3 technical report (arXiv 2412.19437), §3.3.2; DeepGEMM's `fp8_gemm_nt`.

use super::GemmProblem;

/// The number of elements of k, and of columns of B, that share one scale.
pub const SCALED_BLOCK: u32 = 128;

/// Where the scales of A and B are applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scaling {
    /// One scale for all of A and one for all of B. `alpha` contains both.
    #[default]
    Tensor,
    /// One scale for each 1 x 128 elements of A's rows, and one for each 128 x 128 elements of B.
    Blocks,
}

impl Scaling {
    /// Returns how many scales A and B have, or 0 and 0 with [`Scaling::Tensor`].
    ///
    /// ```
    /// use kernel_abi::gemm::{GemmProblem, InputType, OutputType, Scaling};
    /// let problem = GemmProblem::new(10, 130, 300, InputType::E4m3, OutputType::Bf16);
    /// // Three blocks of k, two of columns.
    /// assert_eq!(Scaling::Blocks.counts(&problem), [30, 6]);
    /// assert_eq!(Scaling::Tensor.counts(&problem), [0, 0]);
    /// ```
    #[must_use]
    pub const fn counts(self, problem: &GemmProblem) -> [u64; 2] {
        match self {
            Self::Tensor => [0, 0],
            Self::Blocks => {
                let k = problem.k.div_ceil(SCALED_BLOCK) as u64;
                let n = problem.n.div_ceil(SCALED_BLOCK) as u64;
                [k * problem.m as u64, n * k]
            }
        }
    }
}

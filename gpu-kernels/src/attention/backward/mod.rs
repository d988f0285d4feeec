//! The gradients of attention: the parts that the kernels for all architectures share, and the
//! kernels by `mma.sync`, for every GPU from Ampere on.
//!
//! ```text
//!   shared with Hopper's   rows, sequences   LSE log2(e), and δ = row sums of dO ∘ O
//!                          gradients         P and dS of a thread's scores
//!                          sinks             the gradient of the sinks, from LSE and δ
//!   by mma.sync            gradient_kernel   configurations and kernels of a line of the table; config defines a configuration
//!                          mainloop          a tile: two resident tensors (x 0, x 1), two that are streamed in blocks (y 0, y 1)
//!
//!   S = x 0 y 0ᵀ ─► P = 2^(scale S - LSE) ─┐                                  x 0, x 1    y 0, y 1    results
//!   T = x 1 y 1ᵀ ──────────────────────────┴► dS = P ∘ (T - δ)     dK, dV     K, V        Q, dO       both
//!   result 0 += dS y 0     result 1 += P y 1                       dQ         Q, dO       K, V        the first
//! ```
//!
//! The kernel of dK and dV has keys along M: its S is the transposed scores. So in both kernels the
//! registers of P and dS serve unchanged as operand A of the following products.
//!
//! Law: the results are those that [`kernel_abi::attention::AttentionBackwardProblem`] defines.

pub mod config;
#[cfg(any(
    feature = "attention",
    feature = "attention-soft-cap",
    feature = "attention-packed",
    feature = "attention-score-parts",
    feature = "attention-backward",
    feature = "attention-packed-backward",
    not(target_arch = "nvptx64")
))]
pub(crate) mod gradient_kernel;
pub mod gradients;
pub mod mainloop;
pub mod rows;
pub mod sequences;
pub mod sinks;

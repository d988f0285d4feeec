//! The gradients of attention: what their kernels for all architectures share, and those by
//! `mma.sync`, for every GPU from Ampere on.
//!
//! ```text
//!   shared with Hopper's   rows, sequences   LSE log2(e), and δ = row sums of dO ∘ O
//!                          gradients         P and dS of a thread's scores
//!                          sinks             the sinks' gradient, of those values
//!   by mma.sync            gradient_kernel   configurations and kernels of a line of the table; config says what a configuration is
//!                          mainloop          a tile: two tensors that stay (x 0, x 1), two that are streamed in blocks (y 0, y 1)
//!
//!   S = x 0 y 0ᵀ ─► P = 2^(scale S - LSE) ─┐                                  x 0, x 1    y 0, y 1    results
//!   T = x 1 y 1ᵀ ──────────────────────────┴► dS = P ∘ (T - δ)     dK, dV     K, V        Q, dO       both
//!   result 0 += dS y 0     result 1 += P y 1                       dQ         Q, dO       K, V        the first
//! ```
//!
//! The kernel of dK and dV has keys along M: what it calls S is the transposed scores, so that P
//! and dS are operands A of the products behind as they lie in registers, in both kernels.
//!
//! Law: that of [`kernel_abi::attention::AttentionBackwardProblem`].

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

//! The gradients of attention for Hopper: dQ, dK and dV from dO, by TMA and `wgmma`.
//!
//! ```text
//!   rows        LSE log2(e), and δ = row sums of dO ∘ O
//!   a tile      two resident tensors (x 0, x 1), two that are streamed in blocks (y 0, y 1), all (rows, D) in shared memory
//!
//!               S = x 0 y 0ᵀ ─► P = 2^(scale S - LSE) ─┐                                  x 0, x 1    y 0, y 1    results
//!               T = x 1 y 1ᵀ ──────────────────────────┴► dS = P ∘ (T - δ)     dK, dV     K, V        Q, dO       both
//!               result 0 += dS y 0     result 1 += P y 1                       dQ         Q, dO       K, V        the first
//! ```
//!
//! The kernel of dK and dV has keys along M: its S is the transposed scores. So in both kernels the
//! registers of P and dS serve unchanged as operand A of the following products. Both kernels have
//! the same body; the tiles' coordinates and the axis of LSE and δ are types. At d 192 and 256, dK
//! and dV together need more registers than a thread has, so each consumer group computes one of
//! them ([`split`]). With a score function `f`, P is `2^(f(scale S) log2(e) - LSE)`, and dS has a
//! factor `f'(scale S)` ([`score_parts`]).
//!
//! Law: the results are those that [`kernel_abi::attention::AttentionBackwardProblem`] defines.

pub mod config;
pub mod configurations;
pub mod fused;
pub mod gradients;
pub mod kernel;
pub mod mainloop;
pub mod packed;
pub mod score_parts;
pub mod sequences;
pub mod split;

pub use configurations::BACKWARD_CONFIGURATIONS;
pub use fused::FUSED_BACKWARD_CONFIGURATIONS;
pub use gpu_kernels::attention::backward::rows;
pub use packed::PACKED_BACKWARD_CONFIGURATIONS;
pub use score_parts::{
    PACKED_SOFT_CAP_BACKWARD_CONFIGURATIONS, SCORE_BACKWARD_CONFIGURATIONS,
    SOFT_CAP_BACKWARD_CONFIGURATIONS,
};

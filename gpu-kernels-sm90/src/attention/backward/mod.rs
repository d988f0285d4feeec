//! The gradients of attention for Hopper: dQ, dK and dV from dO, by TMA and `wgmma`.
//!
//! ```text
//!   rows        LSE log2(e), and δ = row sums of dO ∘ O
//!   a tile      two tensors that stay (x 0, x 1), two that are streamed in blocks (y 0, y 1), all (rows, D) in shared memory
//!
//!               S = x 0 y 0ᵀ ─► P = 2^(scale S - LSE) ─┐                                  x 0, x 1    y 0, y 1    results
//!               T = x 1 y 1ᵀ ──────────────────────────┴► dS = P ∘ (T - δ)     dK, dV     K, V        Q, dO       both
//!               result 0 += dS y 0     result 1 += P y 1                       dQ         Q, dO       K, V        the first
//! ```
//!
//! The kernel of dK and dV has keys along M: what it calls S is the transposed scores, so that P
//! and dS are operands A of the products behind as they lie in registers, in both kernels. One body
//! is both: the tiles' coordinates and where LSE and δ belong are types. At d 192 and 256 dK and dV
//! are more registers than a thread has: there each consumer group has one of them ([`split`]).
//! With a score function `f`, P is `2^(f(scale S) log2(e) - LSE)`, and dS has a factor
//! `f'(scale S)` ([`score_parts`]).
//!
//! Law: that of [`kernel_abi::attention::AttentionBackwardProblem`].

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

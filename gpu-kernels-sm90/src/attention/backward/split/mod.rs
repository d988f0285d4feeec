//! The kernel of dK and dV for large head dimensions. One consumer group computes dV and the other
//! dK, for the same 64 keys.
//!
//! ```text
//!   a tile      K, V are resident (64 keys); Q, dO in blocks of 64 queries
//!
//!   dV's group  S = K Qᵀ ─► P ─────────────────► dV += P dO
//!                           └─► shared memory ─┐
//!   dK's group  T = V dOᵀ ─────────────────────┴► dS = P ∘ (T - δ) ─► dK += dS Q
//! ```
//!
//! A thread holds 64 × D / 128 numbers of one result (128 at d 256), instead of as many of each of
//! the two results. Each product is computed once.
//!
//! Law: the results are those that [`kernel_abi::attention::AttentionBackwardProblem`] defines.

pub mod config;
pub mod exchange;
pub mod kernel;
pub mod mainloop;

pub use kernel::run;

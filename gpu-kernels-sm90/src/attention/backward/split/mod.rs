//! The kernel of dK and dV of large head dimensions: of two consumer groups one has dV and the
//! other dK, of the same 64 keys.
//!
//! ```text
//!   a tile      K, V stay (64 keys); Q, dO in blocks of 64 queries
//!
//!   dV's group  S = K Qᵀ ─► P ─────────────────► dV += P dO
//!                           └─► shared memory ─┐
//!   dK's group  T = V dOᵀ ─────────────────────┴► dS = P ∘ (T - δ) ─► dK += dS Q
//! ```
//!
//! A thread has 64 × D / 128 numbers of one result, 128 of them at d 256, in place of as many of
//! both; each product is computed once.
//!
//! Law: that of [`kernel_abi::attention::AttentionBackwardProblem`].

pub mod config;
pub mod exchange;
pub mod kernel;
pub mod mainloop;

pub use kernel::run;

//! The gradients of attention: what their kernels for all architectures share.
//!
//! ```text
//!   rows, sequences   LSE log2(e), and δ = row sums of dO ∘ O
//!   gradients         P and dS of a thread's scores
//! ```
//!
//! Law: that of [`kernel_abi::attention::AttentionBackwardProblem`].

pub mod gradients;
pub mod rows;
pub mod sequences;

//! Computes all three gradients by one kernel of tiles, with five products per block. dQ is summed
//! in global memory.
//!
//! ```text
//!   rows        LSE log2(e) and δ of each query, as for the other kernels; zeros into the f32 sums of dQ
//!   a tile      K, V are resident (128 keys); Q, dO in blocks of 64 queries        S, dP, P, dS as in the kernel of dK and dV
//!
//!               dV += P dO     dK += dS Q      A in registers, 64 keys per consumer group
//!               dS ─► shared memory ─► dQ = dSᵀ K      64 queries, 64 columns per consumer group
//!               dQ ─► staged ─► sums += dQ             by bulk reductions of the producer's group
//!   rounding    dQ = scale sums, in the elements' type
//! ```
//!
//! Law: the results are those that [`kernel_abi::attention::AttentionBackwardProblem`] defines, but
//! blocks of different tiles are added to dQ in any order. So dK and dV have the same bits on every
//! run, and dQ does not.

pub mod config;
pub mod configurations;
pub mod kernel;
pub mod mainloop;
pub mod round;
pub mod staging;

pub use configurations::FUSED_BACKWARD_CONFIGURATIONS;

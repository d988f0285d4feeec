//! Attention for Blackwell: `O = softmax(scale Q Kᵀ + mask) V`. TMA loads, one thread issues
//! `tcgen05.mma`, and scores, probabilities and O are in tensor memory, as in FlashAttention-4.
//!
//! ```text
//!   warp 12       load          one thread: Q once a tile, blocks of K and of V in stages
//!   warp 13       MMA           one thread: S = Q Kᵀ of two tiles of 128 queries, O += P V with P in tensor memory
//!   warps 0..8    softmax       two groups, a tile each, one row per thread: S ─► P, over S        some of the exponentials as a polynomial
//!   warps 8..12   correction    one row per thread: O corrected where a maximum was raised; O and the log-sum-exp stored
//!
//!   config          what distinguishes one kernel from another, as types; the columns of tensor memory
//!   configurations  the kernels that are compiled
//!   kernel          the roles
//!   pipelines       which role waits for which
//!   mainloop        the loads and the products
//!   softmax, correction
//!   problem         a CTA's tiles and their blocks of keys
//! ```
//!
//! Law: the law of [`kernel_abi::attention`] holds. Tiles in shared memory, their loads, sequences,
//! score functions, masks and the tile scheduler are those of [`gpu_kernels_sm90::attention`]. **No
//! card has run these kernels.**
//!
//! Source: FlashAttention-4 (arXiv 2603.05451).

pub mod config;
pub mod configurations;
pub mod correction;
pub mod kernel;
pub mod mainloop;
pub mod pipelines;
pub mod problem;
pub mod softmax;

#[cfg(any(not(target_arch = "nvptx64"), feature = "kernels"))]
#[cuda_std::for_kernel()]
pub use configurations::CONFIGURATIONS;

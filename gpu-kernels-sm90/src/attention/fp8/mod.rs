//! Attention of 8-bit floats: Q, K and V in e4m3 with scales, O in 16 bits.
//!
//! ```text
//!   V ─ transpose ─► Vᵀ (D, keys), keys in `KeyOrder` ─┐
//!   Q, K ──────────────────────────────────────────────┴─► the forward body ─► O v_scale / l
//! ```
//!
//! `wgmma` of 8-bit elements reads both operands K-major, but V's contiguous dimension is the head
//! dimension. So an earlier launch transposes V once in global memory, instead of once for each
//! tile of queries that reads it.
//!
//! Law: the result is the one that [`kernel_abi::attention`] defines, where `P` is rounded to e4m3,
//! scaled such that the largest probability so far of a row is 2^8.

pub mod configurations;
pub mod order;
pub mod scales;
pub mod transpose;

pub use configurations::FP8_CONFIGURATIONS;

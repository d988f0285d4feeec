//! Attention of 8-bit floats: Q, K and V in e4m3 with scales, O in 16 bits.
//!
//! ```text
//!   V ─ transpose ─► Vᵀ (D, keys), keys in `KeyOrder` ─┐
//!   Q, K ──────────────────────────────────────────────┴─► the forward body ─► O v_scale / l
//! ```
//!
//! `wgmma` of 8-bit elements reads both operands K-major, so that V, whose head dimension is
//! contiguous, is transposed: once, in global memory, by a launch ahead, and not once for each tile
//! of queries that reads it.
//!
//! Law: that of [`kernel_abi::attention`], `P` rounded to e4m3 with a row's largest so far at 2^8.

pub mod configurations;
pub mod order;
pub mod scales;
pub mod transpose;

pub use configurations::FP8_CONFIGURATIONS;

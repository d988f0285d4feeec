//! Products with weights of few bits: D (tokens, n) = X (tokens, k) · dequantised W (n, k)ᵀ.
//!
//! ```text
//!   bytes of a checkpoint ──pack──► codes in the order of A's fragments, and scales
//!   codes ─ 16 bytes a thread, past L1 ─► registers ─ decode ─► A of mma.sync ─┐
//!   X ─ once a CTA ─► shared memory ─ ldmatrix ─► B                            ├─► sums of a group ─ scale, f32 ─► D
//! ```

pub mod codebook;
pub mod config;
pub mod epilogue;
pub mod format;
pub mod kernel;
pub mod order;
#[cfg(not(target_arch = "nvptx64"))]
pub mod pack;
pub mod scaling;
#[doc(hidden)]
pub mod scope;

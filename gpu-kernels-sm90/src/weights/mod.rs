//! Products with weights of few bits on Hopper, and the table of their kernels.
//!
//! ```text
//!   tokens ≤ 32   gpu_kernels::weights     mma.sync: weights to registers, k divided by warps and a cluster's CTAs  few_rows_kernel!
//!   any           many_rows                wgmma: weights and X in stages, decoded A from registers                 many_rows_kernel!
//! ```
//!
//! Both kinds of kernels read the same packed order, so that weights are packed once.

#[cfg(any(not(target_arch = "nvptx64"), feature = "weights"))]
pub mod configurations;
mod many_rows;
#[doc(hidden)]
pub mod scope;
mod stream_k;

pub use many_rows::{ManyRows, REGISTERS, ROWS, configuration, run};

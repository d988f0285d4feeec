//! Products with weights of few bits on Hopper, and the kernels that there are.
//!
//! ```text
//!   tokens ≤ 32   gpu_kernels::weights     mma.sync: weights to registers, k by warps and the CTAs of a cluster     few_rows_kernel!
//!   any           many_rows                wgmma: weights and X in stages, decoded A from registers                 many_rows_kernel!
//! ```
//!
//! Both read one packed order, so that weights are packed once.

#[cfg(any(not(target_arch = "nvptx64"), feature = "weights"))]
pub mod configurations;
mod many_rows;
#[doc(hidden)]
pub mod scope;

pub use many_rows::{ManyRows, REGISTERS, ROWS, configuration, run};

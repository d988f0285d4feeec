#![doc = include_str!("../README.md")]
//!
//! # Law
//!
//! A launch sequence reads and writes only the bytes of its buffers that [`BufferUse`] states. On a
//! GPU it neither allocates nor waits, and enqueues every step on the caller's stream.

mod attention;
mod backward;
#[cfg(feature = "emulator")]
mod emulated;
mod error;
mod gemm;
mod gpu;
mod on_cpu;
mod paged;
mod sequence;
mod weights;

pub use attention::{
    AttentionScores, attention, attention_dim_pairs, attention_dims, attention_packed,
};
pub use backward::{BackwardKernels, attention_backward, attention_backward_packed};
pub use cutlet_kernels::GpuTraits;
pub use error::OpsError;
pub use gemm::gemm;
pub use gpu::CudaDevice;
pub use kernel_abi;
pub use on_cpu::{EMULATED_GPU, EMULATED_HOPPER};
pub use paged::attention_paged;
pub use sequence::{
    BufferRole, BufferUse, KernelLaunch, LaunchSequence, LaunchValue, MapValue, Step,
};
pub use weights::weights_gemm;

/// Returns the number of kernels in this build, or 0 if it was built without a file of kernels.
#[must_use]
pub fn kernel_count() -> usize {
    cutlet_kernels::kernels().map_or(0, |pack| pack.names().count())
}

//! The collective for Blackwell: TMA loads, one thread issues `tcgen05.mma`, the accumulators are
//! in tensor memory, and TMA stores.
//!
//! ```text
//!   warp 0       producer    one thread: TMA ─► stages of A and B, 128-byte swizzle
//!   warp 1       MMA         one thread: tcgen05.mma ─► accumulator i % 2 in tensor memory      only in the even CTA of a pair
//!   warp 2       allocates tensor memory, and gives it back
//!   warps 4..8   epilogue    tcgen05.ld ─► operation ─► shared memory ─► TMA store               while the MMA fills the other accumulator
//!
//!   config          what distinguishes one kernel from another, as types
//!   products        the products of a k tile: plain, or with scale factors
//!   mainloop        the producer's loads and the products of a tile
//!   epilogue        from tensor memory to the epilogue of Hopper's collective
//!   kernel          the roles
//!   collective      a kernel by its parts
//!   scaled          kernels whose operands have scale factors
//!   configurations  the kernels that are compiled; beside  those that are launched before and after them
//! ```
//!
//! Law: the law of [`kernel_abi::gemm`] holds. Tile scheduler, boxes, staged D and epilogue
//! operations are those of [`gpu_kernels_sm90::gemm`]. The products of a tile are added in
//! ascending k.

pub mod beside;
pub mod collective;
pub mod config;
pub mod configurations;
pub mod epilogue;
pub mod kernel;
pub mod mainloop;
pub mod products;
pub mod scaled;

/// The names that [`collective_kernel!`](crate::collective_kernel) uses.
#[doc(hidden)]
pub mod scope {
    pub use super::kernel::run;
    pub use cuda_std::kernel;
    pub use gpu_kernels::gemm::params::KernelPointers;
    pub use gpu_kernels_sm90::gemm::config::CollectiveConfig;
    pub use kernel_abi::gemm::GemmParams;
    pub use layout_types::arch::copy_sm90_tma::TensorMap;
}

#[cfg(any(not(target_arch = "nvptx64"), feature = "kernels"))]
#[cuda_std::for_kernel()]
pub use configurations::CONFIGURATIONS;

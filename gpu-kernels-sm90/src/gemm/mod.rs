//! The collective for Hopper: TMA loads, a pipeline of `mbarrier`s, `wgmma`, clusters, TMA stores.
//!
//! ```text
//!   warp group 0        producer     one thread: TMA ─► stages of A and B, 128-byte swizzle, multicast in the cluster
//!   warp groups 1, 2    consumers    cooperative: each half of a tile's rows      pingpong: every other tile
//!                                    wgmma, two groups in flight ─► epilogue ─► shared memory ─► TMA store
//!
//!   config          everything that distinguishes one kernel from another, as types
//!   mainloop        the producer's loads and the consumers' products of a tile
//!   block_scaled    the consumers' products, with a scale for each block of k
//!   clip            fills a stage if an operand has fewer rows than a tile
//!   cluster_reduction  split-K in a cluster
//!   epilogue        stores the accumulator to D; staged  the layouts of D in shared memory
//!   tail            zeros after the K of a group
//!   packing         a launch before the GEMM, which copies operands that TMA cannot address
//!   reduction       a launch after the GEMM, which adds the slices of split-K
//!   tile_scheduler  the tiles that a cluster computes; stream_k  divides the last tiles by k tiles
//!   kernel          the roles
//!   collective      a kernel by its parts; own  a kernel with a user's epilogue operation
//!   configurations  the kernels that are compiled
//! ```
//!
//! Law: D is the result that [`kernel_abi::gemm`] defines, as for the collective for Ampere, with
//! which these kernels share parameters, flags and epilogue operations. The products of a tile are
//! added in ascending k.

// A build for another architecture, which takes the epilogue and the tile scheduler from here, has
// no `wgmma`, so it does not compile code that names one of its instructions.
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "compute_90a"))]
pub mod block_scaled;
pub mod clip;
pub mod cluster;
pub mod cluster_reduction;
pub mod collective;
pub mod config;
#[cfg(any(not(target_arch = "nvptx64"), target_feature = "compute_90a"))]
pub mod configurations;
pub mod epilogue;
pub mod kernel;
pub mod mainloop;
pub mod own;
pub mod packing;
pub mod reduction;
pub mod staged;
pub mod stream_k;
pub mod tail;
pub mod tile_scheduler;

/// The names that [`collective_kernel!`](crate::collective_kernel) uses.
#[doc(hidden)]
pub mod scope {
    pub use super::config::{CollectiveConfig, GemmConfig};
    pub use super::kernel::run;
    pub use cuda_std::kernel;
    pub use gpu_kernels::gemm::params::KernelPointers;
    pub use kernel_abi::gemm::GemmParams;
    pub use layout_types::arch::copy_sm90_tma::TensorMap;
}

#[cfg(any(not(target_arch = "nvptx64"), feature = "kernels"))]
#[cuda_std::for_kernel()]
pub use configurations::CONFIGURATIONS;

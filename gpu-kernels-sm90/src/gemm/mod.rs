//! The collective for Hopper: TMA loads, a pipeline of `mbarrier`s, `wgmma`, clusters, TMA stores.
//!
//! ```text
//!   warp group 0        producer     one thread: TMA ─► stages of A and B, 128-byte swizzle, multicast in the cluster
//!   warp groups 1, 2    consumers    cooperative: each half of a tile's rows      pingpong: every other tile
//!                                    wgmma, two groups in flight ─► epilogue ─► shared memory ─► TMA store
//!
//!   config          what distinguishes one kernel from another, as types
//!   mainloop        the producer's loads and the consumers' products of a tile
//!   block_scaled    the consumers' products with a scale for each block of k
//!   clip            what a stage holds where an operand has fewer rows than a tile
//!   cluster_reduction  split-K in a cluster
//!   epilogue        from the accumulator to D, by way of staged
//!   tail            zeros behind the K of a group
//!   packing         before it: copies of operands that TMA cannot address
//!   reduction       behind it: the sum of a split-K product's slices
//!   tile_scheduler  which tiles a cluster computes; stream_k  of which the last are shared out by k tiles
//!   kernel          the roles
//!   collective      a kernel by its parts; own  one with an epilogue operation of a crate's own
//!   configurations  the kernels that are compiled
//! ```
//!
//! Law: that of [`kernel_abi::gemm`], as of the collective for Ampere, whose parameters, flags and
//! epilogue operations these kernels share. The products of a tile are added in ascending k.

// A build for another architecture, which takes the epilogue and the tile scheduler from here, has
// no `wgmma`: what names one of its instructions is not compiled.
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

/// What [`collective_kernel!`](crate::collective_kernel) names.
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

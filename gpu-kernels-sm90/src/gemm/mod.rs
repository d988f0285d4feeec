//! The collective for Hopper: TMA loads, a pipeline of `mbarrier`s, `wgmma`, clusters, TMA stores.
//!
//! ```text
//!   warp group 0        producer     one thread: TMA ─► stages of A and B, 128-byte swizzle, multicast in the cluster
//!   warp groups 1, 2    consumers    cooperative: each half of a tile's rows      pingpong: every other tile
//!                                    wgmma, two groups in flight ─► epilogue ─► shared memory ─► TMA store
//!
//!   config          what distinguishes one kernel from another, as types
//!   mainloop        the producer's loads and the consumers' products of a tile
//!   epilogue        from the accumulator to D
//!   tile_scheduler  which tiles a cluster computes
//!   kernel          the roles
//!   configurations  the table of kernels
//! ```
//!
//! Law: that of [`kernel_abi::gemm`], as of the collective for Ampere, whose parameters, flags and epilogue operations these kernels
//! share. The products of a tile are added in ascending k.

pub mod config;
pub mod configurations;
pub mod epilogue;
pub mod kernel;
pub mod mainloop;
pub mod tile_scheduler;

pub use configurations::CONFIGURATIONS;

//! `D = act(alpha A B + beta C + bias)` by Ampere's `mma.sync`: one collective with many
//! configurations.
//!
//! ```text
//!   host    GemmProblem ─ Configuration::plan ─► Plan: LaunchSpec, GemmParams           kernel_abi::gemm
//!   CTA     tile scheduler ─► mainloop ─► epilogue, composed by a driver                tile_scheduler, mainloop, epilogue, kernel
//!   types   GemmConfig: tiled MMA, tiled copies, layouts, epilogue operation            config, configurations, layouts
//! ```
//!
//! A kernel is the driver's `run` for a configuration, which is a type that names the instruction,
//! the tile, the layouts and the copies. The kernels' code takes tiles of tensors and partitions
//! them. It computes an index only where it needs a coordinate: for predicates, for rows that are
//! not aligned (`epilogue::store`), and for the workspace. `CONFIGURATIONS` describes each kernel
//! for the host.
//!
//! You define a GEMM of your own by [`operand!`](crate::operand),
//! [`gemm_config!`](crate::gemm_config) and [`gemm_kernel!`](crate::gemm_kernel), with an
//! [`EpilogueOp`](epilogue::op::EpilogueOp). `docs/guide/own-gemm.md` shows how.
//!
//! Law: `D[i][j]` is the sum over k of `A[i][k] B[k][j]`, followed by the epilogue in f32 and
//! rounded once to the output type. Products are exact. They are accumulated in the problem's
//! [`AccumulatorType`](kernel_abi::gemm::AccumulatorType), in an order that follows from the
//! configuration, the schedule and the extents. All extents from 1 up are computed correctly if the
//! plan is not refused: out-of-bounds elements are read as zero and not written.

pub mod collective;
pub mod config;
#[cfg(feature = "gemm")]
pub mod configurations;
#[cfg(feature = "gemm")]
mod entries;
pub mod epilogue;
pub mod kernel;
pub mod layouts;
pub mod mainloop;
pub mod params;
#[cfg(feature = "pair")]
pub mod plain;
#[doc(hidden)]
pub mod scope;
pub mod tile_scheduler;

#[cfg(feature = "gemm")]
pub use entries::*;
pub use kernel_abi::gemm::Configuration;

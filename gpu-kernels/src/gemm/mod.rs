//! `D = act(alpha A B + beta C + bias)` by Ampere's `mma.sync`: one collective, of many configurations.
//!
//! ```text
//!   host    GemmProblem ─ Configuration::plan ─► Plan: LaunchSpec, GemmParams           kernel_abi::gemm
//!   CTA     tile scheduler ─► mainloop ─► epilogue, composed by a driver                tile_scheduler, mainloop, epilogue, kernel
//!   types   GemmConfig: tiled MMA, tiled copies, layouts                                config, configurations
//! ```
//!
//! A kernel is a driver's `run` of a configuration, a type that names the instruction, the tile, the layouts and the copies; the
//! bodies speak of tiles and of no index. [`CONFIGURATIONS`] is what the host knows of each.
//!
//! Law: `D[i][j]` is the sum over k of `A[i][k] B[k][j]`, products exact, accumulated in the problem's
//! [`AccumulatorType`](kernel_abi::gemm::AccumulatorType) in an order that follows from the configuration, the schedule and the
//! extents, with the epilogue in f32, rounded once to the output type. Any extents from 1 up are right where the plan is not
//! refused: out-of-bounds elements are read as zero and not written.

pub mod config;
pub mod configurations;
mod entries;
#[cfg_attr(
    not(all(feature = "tuned-kernels", target_arch = "nvptx64")),
    allow(unused_macros, unused_imports)
)]
pub mod epilogue;
pub mod intrinsics;
#[cfg_attr(not(feature = "tuned-kernels"), allow(dead_code, unused_imports))]
mod kernel;
#[cfg_attr(not(feature = "tuned-kernels"), allow(unused_macros, unused_imports))]
pub mod mainloop;
pub mod params;
pub mod plain;
pub mod tile_scheduler;

pub use entries::*;

//! `D = act(alpha A B + beta C + bias)` by Ampere's `mma.sync`: one collective, of many configurations.
//!
//! ```text
//!   host    GemmProblem ─ Configuration::plan ─► Plan: LaunchSpec, GemmParams                  kernel_abi::gemm
//!   block   kernel: which tile, which steps of k ─► pipeline: stages of shared memory ─► store    kernel, pipeline, raster
//!   types   GemmConfig: MMA, copies, layouts of every leg                                         config, configurations
//! ```
//!
//! A kernel is `kernel::run` of a configuration, a type that names the instruction, the tile, the layouts and the
//! copies; the bodies speak of tiles and of no index. [`CONFIGURATIONS`] is what the host knows of each.
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
mod epilogue_rounded;
#[cfg_attr(
    not(all(feature = "tuned-kernels", target_arch = "nvptx64")),
    allow(unused_macros, unused_imports)
)]
mod epilogue_store;
mod kernel;
#[cfg_attr(not(feature = "tuned-kernels"), allow(dead_code, unused_imports))]
mod long;
#[cfg_attr(not(feature = "tuned-kernels"), allow(unused_macros, unused_imports))]
pub mod operand;
#[cfg_attr(not(feature = "tuned-kernels"), allow(dead_code, unused_imports))]
mod persistent;
mod pipeline;
pub mod plain;
mod raster;
#[cfg_attr(not(feature = "tuned-kernels"), allow(dead_code, unused_imports))]
mod straight;
pub mod words;

pub use entries::*;

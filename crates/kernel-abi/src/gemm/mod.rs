//! The description of a GEMM that a host passes, the launch that computes it, and the parameters
//! that the kernel reads.
//!
//! ```text
//!   GemmProblem     m, n, k, types, orders, strides, epilogue  ─┐
//!   Configuration   a kernel of the table                      ─┼─ plan ─►  Plan { LaunchSpec, GemmParams, workspace }
//!   Schedule        how tiles are assigned to CTAs             ─┘             Packing before it, Reduction after it
//! ```
//!
//! `D = act(alpha A·B + beta C + bias)`: A is (m, k), B (k, n), C and D (m, n) row-major, the bias
//! one number per column of D.

mod arguments;
mod configuration;
mod epilogue;
mod packing;
mod params;
mod plan;
mod problem;
mod reads;
mod reduction;
mod scaling;
mod stream_k;
mod tensor_maps;
mod types;

pub use arguments::{GemmArgument, collective_arguments, scaled_arguments};
pub use configuration::{Configuration, HopperConfiguration, Schedule, clipped_rows};
pub use epilogue::{Activation, Epilogue};
pub use packing::Packing;
pub use params::{GemmParams, flags};
pub use plan::{MAX_CLUSTER, Plan};
pub use problem::GemmProblem;
pub use reads::{OperationReads, Reads};
pub use reduction::{REDUCTION_THREADS, Reduction};
pub use scaling::{SCALED_BLOCK, Scaling};
pub use stream_k::{MOST_PARTS, STREAM_K_WARPS, stream_k_counter_bytes};
pub use tensor_maps::{MapBuffer, MapElement, TensorMapPlan};
pub use types::{AccumulatorType, InputType, Major, Majors, Order, OutputType};

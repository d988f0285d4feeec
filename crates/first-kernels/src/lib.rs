//! The PTX of the kernels that a first run of Cutlet needs: the feature `first` of `gpu-kernels`.
//!
//! ```text
//!   gpu-kernels ──cuda_builder, in build.rs──► PTX: vecadd, transpose_b16, transpose_b32, gemm_f16_f32_tn_64x64x64_s4
//! ```
//!
//! Law: exactly one of [`PTX`] and [`WHY_NOT`] is empty.

/// The PTX of the kernels, for compute capability 8.0 and newer or for the value of `CUTLET_ARCH`;
/// it has line numbers if `CUTLET_LINE_TABLES=1` was set.
///
/// ```
/// assert!(first_kernels::PTX.contains(".entry vecadd(") || !first_kernels::WHY_NOT.is_empty());
/// ```
pub const PTX: &str = include_str!(concat!(env!("OUT_DIR"), "/first.ptx"));

/// Why there is no PTX, and what helps: the source of Rust's `core` is missing, or the build was
/// one that executes nothing.
pub const WHY_NOT: &str = include_str!(concat!(env!("OUT_DIR"), "/first.err"));

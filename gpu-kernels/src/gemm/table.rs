//! The kernels that there are, for a host to choose from.
//!
//! ```text
//!   gemm_<input>_<sums>_<majors>_<tile>_s<stages>[_b<bytes>]      gemm_f16_f32_tn_128x128x32_s3
//! ```
//!
//! Law: every entry is a kernel of this crate's PTX, and what it says is the configuration's own.

use super::problem::Configuration;

/// Every kernel of the collective.
pub const CONFIGURATIONS: &[Configuration] = &[];

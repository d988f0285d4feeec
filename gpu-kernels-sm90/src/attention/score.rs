//! The score functions of [`gpu_kernels::attention::score`], and [`With`], a configuration with
//! another score function.

pub use super::composed::With;
pub use gpu_kernels::attention::score::*;

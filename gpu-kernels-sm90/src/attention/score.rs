//! Score functions: those of [`gpu_kernels::attention::score`], and a configuration with another
//! one, [`With`].

pub use super::composed::With;
pub use gpu_kernels::attention::score::*;

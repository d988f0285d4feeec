//! The names that the body of `few_rows_kernel!` uses wherever it is expanded. They are not for
//! direct use.

pub use super::epilogue::Pointers;
pub use cuda_std::{for_kernel, kernel};
pub use kernel_abi::gemm::GemmParams;
pub use kernel_abi::weights::WeightsConfiguration;

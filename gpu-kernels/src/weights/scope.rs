//! What the body of `few_rows_kernel!` names, wherever it is expanded. Not for direct use.

pub use cuda_std::kernel;
pub use kernel_abi::weights::WeightsConfiguration;

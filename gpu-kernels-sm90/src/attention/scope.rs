//! The names that the body of `paged_attention_kernel!` uses wherever it is expanded. They are not
//! for direct use.

pub use super::composed::Composed;
pub use super::config::AttentionConfig;
pub use super::kernel::run;
pub use super::paged::PagedPrefill;
pub use cuda_std::kernel;
pub use kernel_abi::attention::{
    AttentionConfiguration, AttentionParams, AttentionParts, PageParams,
};
pub use layout_types::arch::copy_sm90_tma::TensorMap;

//! Builds a crate of GPU kernels to PTX, from a build script, with rustc's own NVPTX backend.
//!
//! docs placeholder

#![warn(missing_docs)]

mod arch;
mod builder;
mod compile;
mod crate_attrs;
mod environment;
mod error;
mod folders;
mod inputs;
mod kernel_crate;
mod process;
pub mod ptx;
pub mod rust_src;
#[cfg(test)]
mod testing;
mod toolchain;

pub use arch::{ArchVariant, NvvmArch, UnknownArch};
pub use builder::{Built, CudaBuilder, DebugInfo, EmitOption};
pub use error::CudaBuilderError;
pub use folders::{cache_of, default_cache};
pub use toolchain::{OLDEST, TARGET, Toolchain, ToolchainError};

//! How a kernel crate becomes PTX: of `build.rs`, which embeds the modules, and of the program,
//! which builds what was left to it. `build.rs` of `crates/first-kernels`, a package of its own,
//! says the same again.

use cuda_builder::{CudaBuilder, NvvmArch};
use std::path::Path;

/// What every GPU from Ampere on can run.
pub const BASE: NvvmArch = NvvmArch::Compute80;

/// The build of the kernel crate in `folder`.
pub fn recipe(folder: impl AsRef<Path>, arch: NvvmArch) -> CudaBuilder {
    CudaBuilder::new(folder)
        .arch(arch)
        // As Rust has it: one rounding an operation, on the GPU, in the emulator, on the host.
        .fma_contraction(false)
        // A fifth of the processor time, and the same PTX (docs/compile-time.md).
        .next_solver(true)
        .frontend_threads(2)
}

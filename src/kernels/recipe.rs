//! Builds a kernel crate to PTX, for `build.rs`, which embeds the modules, and for the program,
//! which builds the remaining ones. `build.rs` of `crates/first-kernels`, a separate package,
//! repeats this code.

use cuda_builder::{CudaBuilder, NvvmArch};
use std::path::Path;

/// The architecture that every GPU from Ampere on can run.
pub const BASE: NvvmArch = NvvmArch::Compute80;

/// Returns the build of the kernel crate in `folder`.
pub fn recipe(folder: impl AsRef<Path>, arch: NvvmArch) -> CudaBuilder {
    CudaBuilder::new(folder)
        .arch(arch)
        // As in Rust, each operation rounds once, on the GPU, in the emulator and on the host.
        .fma_contraction(false)
        // Takes a fifth of the processor time, and gives the same PTX (docs/compile-time.md).
        .next_solver(true)
        .frontend_threads(2)
}

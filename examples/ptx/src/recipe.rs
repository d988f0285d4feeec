//! The recipe for building the examples' kernels. The build script and the program share it.

use cuda_builder::{CudaBuilder, NvvmArch};

/// The folder of each crate, its architecture, and the variable that has the key of its sources.
pub const MODULES: [(&str, NvvmArch, &str); 4] = [
    ("kernels", NvvmArch::Compute80, "CUTLET_EXAMPLES"),
    (
        "hopper-kernels",
        NvvmArch::Compute90a,
        "CUTLET_HOPPER_EXAMPLES",
    ),
    (
        "blackwell-kernels",
        NvvmArch::Compute100a,
        "CUTLET_BLACKWELL_EXAMPLES",
    ),
    (
        "weights-kernels",
        NvvmArch::Compute90a,
        "CUTLET_WEIGHTS_EXAMPLES",
    ),
];

/// Returns the build of the crate in `folder`, next to this package.
pub fn recipe(folder: &str, arch: NvvmArch) -> CudaBuilder {
    CudaBuilder::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..").to_owned() + "/" + folder)
        .arch(arch)
        // As in Rust, each operation is rounded once, on the GPU, in the emulator and on the host.
        .fma_contraction(false)
        // The new solver gives the same PTX in a fraction of the time.
        .next_solver(true)
}

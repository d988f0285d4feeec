//! Compiles `fixtures/hopper` to PTX for `sm_90a`.

use cuda_builder::{CudaBuilder, NvvmArch};
use std::path::Path;
use std::sync::LazyLock;

pub static PTX: LazyLock<String> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent();
    let path = CudaBuilder::new(root.join("tests/fixtures/hopper"))
        .build_folder(target.expect("target/tmp").join("cuda-builder"))
        .arch(NvvmArch::Compute90a)
        // `wgmma` of s8 with u8 came with PTX 8.4.
        .ptx_version(8, 4)
        .build()
        .unwrap_or_else(|error| panic!("{error}"));
    std::fs::read_to_string(path).expect("the builder's PTX is readable")
});

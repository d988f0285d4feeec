//! category: build and dependencies
//! mistake: The compiler is older than the first whose NVPTX backend serves: the machine's own, not the one of rust-toolchain.toml.
//! cure: The project's `rust-toolchain.toml`, which `cutlet new` writes, or `rustup update`.
//! CuTe: no counterpart among programs: nvcc brings its device compiler; of a host compiler that is too new it says "unsupported GNU version!".

use crate::Project;
use cuda_builder::{CudaBuilderError, Toolchain};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// A rustc that says of itself what 1.80.1 did.
const OLD: &str = "#!/bin/sh\nprintf 'rustc 1.80.1\\nrelease: 1.80.1\\nhost: x86_64-unknown-linux-gnu\\n'\n";

pub fn run(project: &Project, right: bool) -> Result<PathBuf, CudaBuilderError> {
    if !right {
        let rustc = project.folder.join("rustc");
        fs::write(&rustc, OLD).unwrap();
        fs::set_permissions(&rustc, fs::Permissions::from_mode(0o755)).unwrap();
        Toolchain::ask(rustc, "cargo".into(), &project.folder)?;
    }
    project.builder().build()
}

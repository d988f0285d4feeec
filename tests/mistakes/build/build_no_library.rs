//! category: build and dependencies
//! mistake: The kernels stand in a `main.rs`: a program, not a library.
//! cure: A `src/lib.rs`, and `crate-type = ["cdylib", "rlib"]`.
//! CuTe: no counterpart: a `.cu` file is host and device at once.

use crate::Project;
use cuda_builder::CudaBuilderError;
use std::path::PathBuf;

pub fn run(project: &Project, right: bool) -> Result<PathBuf, CudaBuilderError> {
    if !right {
        project.write(
            "Cargo.toml",
            "[package]\nname = \"my-kernels\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n",
        );
        std::fs::rename(project.folder.join("src/lib.rs"), project.folder.join("src/main.rs")).unwrap();
    }
    project.builder().build()
}

//! category: build and dependencies
//! mistake: The manifest of the kernel crate does not name `cuda_std`.
//! cure: The dependency that the message writes out.
//! CuTe: no counterpart: headers have no manifest; of one whose folder the command lacks nvcc says "No such file or directory".

use crate::{KERNEL, Project};
use cuda_builder::CudaBuilderError;
use std::path::PathBuf;

pub fn run(project: &Project, right: bool) -> Result<PathBuf, CudaBuilderError> {
    if !right {
        project.write(
            "Cargo.toml",
            "[package]\nname = \"my-kernels\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n[lib]\ncrate-type = [\"cdylib\", \"rlib\"]\n",
        );
    }
    project.source("lib.rs", KERNEL);
    project.builder().build()
}

//! category: build and dependencies
//! mistake: A build script that comes from Rust-CUDA asks for `ftz(true)`, which rustc's backend does not have.
//! cure: `ftz` on the instructions that want it.
//! CuTe: no counterpart: `nvcc --ftz=true`.

use crate::Project;
use cuda_builder::CudaBuilderError;
use std::path::PathBuf;

pub fn run(project: &Project, right: bool) -> Result<PathBuf, CudaBuilderError> {
    project.builder().ftz(!right).build()
}

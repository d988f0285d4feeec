//! category: build and dependencies
//! mistake: A function that is to be launched has no `#[kernel]`.
//! cure: `#[cuda_std::kernel]` above each entry.
//! CuTe: compiles: a `__device__` function; the launch by `<<<>>>` does not compile, one by name fails at run time.

use crate::Project;
use cuda_builder::CudaBuilderError;
use std::path::PathBuf;

pub fn run(project: &Project, right: bool) -> Result<PathBuf, CudaBuilderError> {
    if !right {
        project.source("lib.rs", &crate::KERNEL.replace("#[cuda_std::kernel]", "use cuda_std as _;\n"));
    }
    project.builder().build()
}

//! category: build and dependencies
//! mistake: Kernels of two modules have one name: an entry of the PTX has no module.
//! cure: A name of its own for each kernel.
//! CuTe: entries have C++'s mangled names; of two with `extern "C"` the second is an error.

use crate::Project;
use cuda_builder::CudaBuilderError;
use std::path::PathBuf;

pub fn run(project: &Project, right: bool) -> Result<PathBuf, CudaBuilderError> {
    let other = if right { crate::KERNEL.replace("clear", "clear_all") } else { crate::KERNEL.to_owned() };
    project.source("lib.rs", "pub mod rows;\npub mod tiles;\n");
    project.source("rows.rs", crate::KERNEL);
    project.source("tiles.rs", &other);
    project.builder().build()
}

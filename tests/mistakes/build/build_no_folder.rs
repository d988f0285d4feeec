//! category: build and dependencies
//! mistake: The build script names a folder that is not there.
//! cure: The folder of the kernel crate's manifest, from the folder of the build script's.
//! CuTe: no counterpart: nvcc is given files, and says "No such file or directory" of one that is not there.

use crate::Project;
use cuda_builder::CudaBuilderError;
use std::path::PathBuf;

pub fn run(project: &Project, right: bool) -> Result<PathBuf, CudaBuilderError> {
    let folder = if right { project.folder.clone() } else { "kernel".into() };
    Project::builder_of(&folder).build()
}

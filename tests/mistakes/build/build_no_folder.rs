//! category: build and dependencies
//! mistake: The build script names a folder that is not there.
//! cure: The folder of the kernel crate's manifest, from the folder of the build script's.
//! CuTe: CMake names the file that it does not find.

use crate::Project;
use cuda_builder::CudaBuilderError;
use std::path::PathBuf;

pub fn run(project: &Project, right: bool) -> Result<PathBuf, CudaBuilderError> {
    let folder = if right { project.folder.clone() } else { "kernel".into() };
    Project::builder_of(&folder).build()
}

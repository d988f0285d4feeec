//! category: build and dependencies
//! mistake: A kernel crate depends on `half` with its default features: std among them, which `cargo check` on the host has.
//! cure: `default-features = false`.
//! CuTe: no counterpart: headers of CUDA have no std to ask for.

use crate::Project;
use cuda_builder::CudaBuilderError;
use std::path::PathBuf;

pub fn run(project: &Project, right: bool) -> Result<PathBuf, CudaBuilderError> {
    let half = if right { "{ version = \"2\", default-features = false }" } else { "\"2\"" };
    project.manifest(&format!("half = {half}"));
    let use_it = format!("pub use half::f16;\n{}", crate::KERNEL);
    project.source("lib.rs", &use_it);
    project.builder().build()
}

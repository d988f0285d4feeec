//! category: build and dependencies
//! mistake: A kernel takes `x.exp()`, which `std` has and `core` lacks: `cargo check`, for the host, has nothing to say of it.
//! cure: `use cuda_std::prelude::*;`, which has the methods of `GpuFloat` for both.
//! CuTe: no counterpart: `expf` is a function of host and device.

use crate::Project;
use cuda_builder::CudaBuilderError;
use std::path::PathBuf;

const KERNEL: &str = "use cuda_std::kernel;\n#[kernel]\npub unsafe fn exponential(d: *mut f32) {\n    unsafe { *d = (*d).exp() };\n}\n";

pub fn run(project: &Project, right: bool) -> Result<PathBuf, CudaBuilderError> {
    let prelude = "use cuda_std::prelude::*;";
    let text = match right {
        true => KERNEL.replace("use cuda_std::kernel;", prelude),
        false => KERNEL.to_owned(),
    };
    project.source("lib.rs", &text);
    project.builder().build()
}

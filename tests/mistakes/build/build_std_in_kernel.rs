//! category: build and dependencies
//! mistake: A kernel names `std`: `cargo check`, for the host, has nothing to say of it.
//! cure: `core`, which has most of what a kernel takes from `std`.
//! CuTe: some of `std::` is there by `<cuda/std/...>`; the rest is "calling a __host__ function from a __global__ function".

use crate::Project;
use cuda_builder::CudaBuilderError;
use std::path::PathBuf;

const KERNEL: &str = r#"
use cuda_std::kernel;
use std::f32::consts::PI;
#[kernel]
pub unsafe fn circle(d: *mut f32) {
    unsafe { *d *= PI };
}
"#;

pub fn run(project: &Project, right: bool) -> Result<PathBuf, CudaBuilderError> {
    let text = match right {
        true => KERNEL.replace("std::f32", "core::f32"),
        false => KERNEL.to_owned(),
    };
    project.source("lib.rs", &text);
    project.builder().build()
}

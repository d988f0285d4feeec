//! category: build and dependencies
//! mistake: A kernel collects into a `Vec`: `cargo check`, for the host, has nothing to say of it.
//! cure: An array: its length is known where registers hold it.
//! CuTe: `std::vector` is "calling a __host__ function from a __global__ function".

use crate::Project;
use cuda_builder::CudaBuilderError;
use std::path::PathBuf;

const KERNEL: &str = r#"
use cuda_std::kernel;
#[kernel]
pub unsafe fn squares(d: *mut f32) {
    let mut all = Vec::from([1.0; 4]);
    all[1] = 4.0;
    unsafe { *d = all.iter().sum() };
}
"#;

pub fn run(project: &Project, right: bool) -> Result<PathBuf, CudaBuilderError> {
    let text = match right {
        true => KERNEL.replace("Vec::from([1.0; 4])", "[1.0; 4]"),
        false => KERNEL.to_owned(),
    };
    project.source("lib.rs", &text);
    project.builder().build()
}

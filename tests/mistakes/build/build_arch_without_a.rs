//! category: Hopper
//! mistake: A kernel with `wgmma` is built for compute capability 9.0 without the `a`.
//! cure: `.arch(NvvmArch::Compute90a)`: `wgmma` and `setmaxnreg` exist on that architecture alone.
//! CuTe: compiles: `CUTE_INVALID_CONTROL_PATH`, which prints and traps at run time.

use crate::Project;
use cuda_builder::{CudaBuilderError, NvvmArch};
use std::path::PathBuf;

const KERNEL: &str = r#"
use cuda_std::kernel;
use layout_types::arch::mma_sm90_gmma::warpgroup_arrive;
#[kernel]
pub unsafe fn arrive(d: *mut u32) {
    unsafe {
        warpgroup_arrive();
        *d = 1;
    }
}
"#;

pub fn run(project: &Project, right: bool) -> Result<PathBuf, CudaBuilderError> {
    let types = crate::folder_of_workspace().join("layout-types");
    project.manifest(&format!("cutlet-layout-types = {{ path = {types:?} }}"));
    project.source("lib.rs", KERNEL);
    let arch = if right { NvvmArch::Compute90a } else { NvvmArch::Compute90 };
    project.builder().arch(arch).build()
}

//! category: build and dependencies
//! mistake: A kernel with `cp.async` is built for compute capability 7.5, the builder's default: Turing has no such instruction.
//! cure: `.arch(NvvmArch::Compute80)` in the build script, or an atom that the architecture has.
//! CuTe: compiles: `CUTE_INVALID_CONTROL_PATH`, which prints and traps at run time.

use crate::Project;
use cuda_builder::{CudaBuilderError, DebugInfo, NvvmArch};
use std::fs;
use std::path::PathBuf;

const KERNEL: &str = r#"
use cuda_std::{kernel, shared_array};
use layout_types::arch::copy_sm80::{cp_async_ca_4, cp_async_fence, cp_async_wait};
#[kernel]
pub unsafe fn through_shared(d: *mut u32, a: *const u32) {
    let tile = shared_array![u32; 32];
    let i = cuda_std::thread::thread_idx_x() as usize;
    unsafe {
        cp_async_ca_4(tile.add(i) as u32, a.add(i).cast());
        cp_async_fence();
        cp_async_wait::<0>();
        *d.add(i) = *tile.add(i);
    }
}
"#;

pub fn run(project: &Project, right: bool) -> Result<PathBuf, CudaBuilderError> {
    let types = crate::folder_of_workspace().join("layout-types");
    project.manifest(&format!("cutlet-layout-types = {{ path = {types:?} }}"));
    project.source("lib.rs", KERNEL);
    // As `cutlet new` has it: the kernels are a member of a workspace.
    let kernels = project.folder.join("kernels");
    fs::create_dir(&kernels).unwrap();
    fs::rename(project.folder.join("src"), kernels.join("src")).unwrap();
    let manifest = fs::read_to_string(project.folder.join("Cargo.toml")).unwrap();
    project.write("kernels/Cargo.toml", &manifest.replace("[workspace]\n", ""));
    project.write("Cargo.toml", "[workspace]\nmembers = [\"kernels\"]\nresolver = \"3\"\n");
    let arch = if right { NvvmArch::Compute80 } else { NvvmArch::Compute75 };
    Project::builder_of(&kernels).arch(arch).debug(DebugInfo::LineTables).build()
}

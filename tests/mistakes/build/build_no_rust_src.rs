//! category: build and dependencies
//! mistake: The toolchain has no `rust-src` component, the machine no network: there is no `core` to compile for a GPU.
//! cure: The command in the message's last line, which names the toolchain: `rustup component add rust-src`.
//! CuTe: no counterpart: nvcc brings its headers with it.

use crate::Project;
use cuda_builder::rust_src::{Machine, provision};
use cuda_builder::{CudaBuilderError, Toolchain};
use std::path::PathBuf;

pub fn run(project: &Project, right: bool) -> Result<PathBuf, CudaBuilderError> {
    if !right {
        let mut toolchain = Toolchain::detect()?;
        toolchain.sysroot = project.folder.join("toolchains/stable-x86_64-unknown-linux-gnu");
        let mut machine = Machine::here();
        machine.named = None;
        machine.usr_src = project.folder.join("usr-src");
        machine.path = Default::default();
        machine.network = false;
        provision(&toolchain, &project.folder.join("cache"), &machine)?;
    }
    project.builder().build()
}

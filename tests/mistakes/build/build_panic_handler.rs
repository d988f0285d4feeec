//! category: build and dependencies
//! mistake: The kernel crate, made after a guide to `no_std`, has a panic handler of its own.
//! cure: Leave it out: the one of `cuda_std` prints the message and traps.
//! CuTe: no counterpart: `assert` is the language's.

use crate::Project;
use cuda_builder::CudaBuilderError;
use std::path::PathBuf;

const KERNEL: &str = r#"#![no_std]
use cuda_std::kernel;
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}
#[kernel]
pub unsafe fn one(d: *mut f32) {
    unsafe { *d = 1.0 };
}
"#;

pub fn run(project: &Project, right: bool) -> Result<PathBuf, CudaBuilderError> {
    let text = match right {
        true => KERNEL.replace("#[panic_handler]\nfn panic(_: &core::panic::PanicInfo) -> ! {\n    loop {}\n}\n", ""),
        false => KERNEL.to_owned(),
    };
    project.source("lib.rs", &text);
    project.builder().build()
}

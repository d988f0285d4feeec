//! Compiles `example-kernels` to `OUT_DIR/kernels.ptx` and `example-hopper-kernels` to `OUT_DIR/hopper.ptx`; where the source of Rust's
//! `core` is missing, the files are empty and `kernels.err` says what to do.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use cuda_builder::{CudaBuilder, CudaBuilderError, NvvmArch};

fn main() -> Result<(), Box<dyn Error>> {
    let out_dir = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let modules = [
        ("../kernels", NvvmArch::Compute80, "kernels.ptx"),
        ("../hopper-kernels", NvvmArch::Compute90a, "hopper.ptx"),
    ];
    let mut why_not = String::new();
    for (folder, arch, name) in modules {
        let why = built(folder, arch, &out_dir.join(name))?;
        why_not = why.unwrap_or(why_not);
    }
    fs::write(out_dir.join("kernels.err"), why_not)?;
    Ok(())
}

/// Builds the crate in `folder`; where that cannot be, the file is empty, and the message says why.
fn built(folder: &str, arch: NvvmArch, ptx: &Path) -> Result<Option<String>, Box<dyn Error>> {
    if cuda_builder::in_clippy() {
        fs::write(ptx, "")?;
        return Ok(Some("a build for clippy".into()));
    }
    let built = CudaBuilder::new(folder)
        .arch(arch)
        // As Rust has it: one rounding an operation, on the GPU, in the emulator, on the host.
        .fma_contraction(false)
        // The same PTX, in a fraction of the time.
        .next_solver(true)
        .copy_to(ptx)
        .build();
    match built {
        Ok(_) => Ok(None),
        Err(CudaBuilderError::RustSrc(missing)) => {
            println!("cargo::warning=no source of core: the examples' kernels are not built");
            fs::write(ptx, "")?;
            Ok(Some(missing.to_string()))
        }
        Err(error) => Err(error.into()),
    }
}

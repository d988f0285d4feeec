//! Compiles `mistake-kernels` to `OUT_DIR/kernels.ptx` for compute capability 9.0a, with line tables. If the source of Rust's `core` is
//! missing, the file is empty and `kernels.err` says what to do.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use cuda_builder::{CudaBuilder, CudaBuilderError, DebugInfo, NvvmArch};

fn main() -> Result<(), Box<dyn Error>> {
    let out_dir = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let ptx = out_dir.join("kernels.ptx");
    if cuda_builder::in_clippy() {
        fs::write(&ptx, "")?;
        fs::write(out_dir.join("kernels.err"), "a build for clippy")?;
        return Ok(());
    }
    let built = CudaBuilder::new("kernels")
        .arch(NvvmArch::Compute90a)
        .fma_contraction(false)
        .debug(DebugInfo::LineTables)
        .next_solver(true)
        .copy_to(&ptx)
        .build();
    let why_not = match built {
        Ok(_) => String::new(),
        Err(CudaBuilderError::RustSrc(missing)) => {
            println!("cargo::warning=no source of core: the catalogue's kernels are not built");
            fs::write(&ptx, "")?;
            missing.to_string()
        }
        Err(error) => return Err(error.into()),
    };
    fs::write(out_dir.join("kernels.err"), why_not)?;
    Ok(())
}

//! Compiles the kernels of a first run to `OUT_DIR/first.ptx`, or writes to `OUT_DIR/first.err` why
//! it cannot: Cutlet's build still succeeds without them, so that `cutlet doctor` can say what to
//! do. Kernels that do not compile fail the build.

use std::env;
use std::error::Error;
use std::path::PathBuf;

use cuda_builder::CudaBuilder;
use cuda_builder::build_script::{
    KernelOptions, build_or_warn, no_kernels, recipe, write_if_changed,
};

fn main() -> Result<(), Box<dyn Error>> {
    let out_dir = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let ptx = out_dir.join("first.ptx");
    let why_not = match no_kernels() {
        Some(why) => why.to_owned(),
        None => build_or_warn(builder()?.copy_to(&ptx))?.unwrap_or_default(),
    };
    if !why_not.is_empty() {
        write_if_changed(&ptx, "")?;
    }
    write_if_changed(&out_dir.join("first.err"), &why_not)?;
    Ok(())
}

/// Returns the build of the four kernels, with the options of the environment.
fn builder() -> Result<CudaBuilder, Box<dyn Error>> {
    let options = KernelOptions::from_environment()?;
    let folder = env::var("DEP_CUTLET_GPU_KERNELS_FOLDER").map_err(
        |_| "DEP_CUTLET_GPU_KERNELS_FOLDER is not set: gpu-kernels' build script sets it",
    )?;
    let builder = options.apply(recipe(folder, options.base));
    Ok(builder.build_args(&["--no-default-features", "--features", "first"]))
}

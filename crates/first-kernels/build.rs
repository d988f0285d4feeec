//! Compiles the kernels of a first run to `OUT_DIR/first.ptx`, or writes to `OUT_DIR/first.err` why it cannot: Cutlet's build still succeeds
//! without them, so that `cutlet doctor` can say what to do. Kernels that do not compile fail the build.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use cuda_builder::{CudaBuilder, CudaBuilderError, DebugInfo, NvvmArch};

fn main() -> Result<(), Box<dyn Error>> {
    let out_dir = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let (ptx, why_not) = (out_dir.join("first.ptx"), out_dir.join("first.err"));
    println!("cargo::metadata=why_not={}", why_not.display());
    let message = match refusal() {
        Some(why) => why.to_owned(),
        None => match builder()?.copy_to(&ptx).build() {
            Ok(_) => String::new(),
            Err(CudaBuilderError::RustSrc(missing)) => missing.to_string(),
            Err(error) => return Err(error.into()),
        },
    };
    if !message.is_empty() {
        fs::write(&ptx, "")?;
    }
    fs::write(&why_not, message)?;
    Ok(())
}

/// Why this build makes no kernels.
fn refusal() -> Option<&'static str> {
    if cuda_builder::in_clippy() {
        return Some("this is a build for clippy, which executes nothing");
    }
    // There is no network there, and nothing that is executed.
    env::var_os("DOCS_RS").map(|_| "this is a build of the documentation")
}

/// As `build.rs` of `cutlet` builds the others, and by the same variables: a test holds both to the same PTX.
fn builder() -> Result<CudaBuilder, Box<dyn Error>> {
    let is_set = |name: &str| {
        println!("cargo::rerun-if-env-changed={name}");
        env::var(name).ok().filter(|value| value != "0")
    };
    println!("cargo::rerun-if-env-changed=CUTLET_ARCH");
    // What is no architecture, or too old, that one refuses.
    let named = env::var("CUTLET_ARCH")
        .ok()
        .and_then(|name| name.parse().ok());
    let arch = named.filter(|arch: &NvvmArch| arch.capability_value() >= 80);
    let lines = match is_set("CUTLET_LINE_TABLES") {
        Some(_) => DebugInfo::LineTables,
        None => DebugInfo::None,
    };
    let incremental = is_set("CUTLET_INCREMENTAL_KERNELS").is_some();
    let folder = env::var("DEP_CUTLET_GPU_KERNELS_FOLDER").map_err(
        |_| "DEP_CUTLET_GPU_KERNELS_FOLDER is not set: gpu-kernels' build script sets it",
    )?;
    Ok(CudaBuilder::new(folder)
        .arch(arch.unwrap_or(NvvmArch::Compute80))
        .fma_contraction(false)
        .next_solver(true)
        // Not two experiments at once.
        .frontend_threads(if incremental { 1 } else { 2 })
        .debug(lines)
        .incremental(incremental)
        .build_args(&["--no-default-features", "--features", "first"]))
}

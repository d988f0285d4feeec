//! Compiles the kernels of a first run to `OUT_DIR/first.ptx`, or writes to `OUT_DIR/first.err` why
//! it cannot: Cutlet's build still succeeds without them, so that `cutlet doctor` can say what to
//! do. Kernels that do not compile fail the build.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use cuda_builder::{CudaBuilder, CudaBuilderError, DebugInfo, NvvmArch};

fn main() -> Result<(), Box<dyn Error>> {
    let out_dir = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let ptx = out_dir.join("first.ptx");
    let why_not = match refusal() {
        Some(why) => why.to_owned(),
        None => match builder()?.copy_to(&ptx).build() {
            Ok(_) => String::new(),
            Err(CudaBuilderError::RustSrc(missing)) => {
                let message = missing.to_string();
                for line in message.lines() {
                    println!("cargo::warning={line}");
                }
                message
            }
            Err(error) => return Err(error.into()),
        },
    };
    if !why_not.is_empty() {
        write(&ptx, "")?;
    }
    write(&out_dir.join("first.err"), &why_not)?;
    Ok(())
}

/// Returns the reason why this build makes no kernels, or `None` if it makes them.
fn refusal() -> Option<&'static str> {
    if cuda_builder::in_clippy() {
        return Some("this is a build for clippy, which executes nothing");
    }
    // There is no network there, and nothing that is executed.
    env::var_os("DOCS_RS").map(|_| "this is a build of the documentation")
}

/// Returns a builder with the settings that `build.rs` of `cutlet` has for its kernels, by the same
/// variables. `tests/kernel_modules.rs` checks that both make the same PTX without options, apart
/// from the numbers of labels.
fn builder() -> Result<CudaBuilder, Box<dyn Error>> {
    let is_set = |name: &str| {
        println!("cargo::rerun-if-env-changed={name}");
        env::var(name).is_ok_and(|value| value != "0")
    };
    let lines = match is_set("CUTLET_LINE_TABLES") {
        true => DebugInfo::LineTables,
        false => DebugInfo::None,
    };
    let incremental = is_set("CUTLET_INCREMENTAL_KERNELS");
    println!("cargo::rerun-if-env-changed=CUTLET_ARCH");
    let arch = match env::var("CUTLET_ARCH") {
        Ok(name) => arch(&name)?,
        Err(_) => NvvmArch::Compute80,
    };
    let folder = env::var("DEP_CUTLET_GPU_KERNELS_FOLDER").map_err(
        |_| "DEP_CUTLET_GPU_KERNELS_FOLDER is not set: gpu-kernels' build script sets it",
    )?;
    Ok(CudaBuilder::new(folder)
        .arch(arch)
        .fma_contraction(false)
        .next_solver(true)
        // Not two experiments at once.
        .frontend_threads(if incremental { 1 } else { 2 })
        .debug(lines)
        .incremental(incremental)
        .build_args(&["--no-default-features", "--features", "first"]))
}

/// Returns the architecture with this name, which is Ampere or newer.
fn arch(name: &str) -> Result<NvvmArch, String> {
    match name.parse::<NvvmArch>() {
        Ok(arch) if arch.capability_value() >= 80 => Ok(arch),
        Ok(_) => Err(format!(
            "CUTLET_ARCH is {name}: the kernels need sm_80 (Ampere) or newer"
        )),
        Err(unknown) => Err(format!("CUTLET_ARCH: {unknown}")),
    }
}

/// Writes only what differs, so that what includes the file is not compiled again.
fn write(path: &Path, text: &str) -> io::Result<()> {
    if fs::read(path).is_ok_and(|there| there == text.as_bytes()) {
        return Ok(());
    }
    fs::write(path, text)
}

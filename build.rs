//! Compiles the kernels in `gpu-kernels` to `OUT_DIR/kernels.ptx`, and those in `gpu-kernels-sm90` to `OUT_DIR/kernels_sm90a.ptx`.
//!
//! Exactly one of `kernels.ptx` and `kernels.err` has content, and so of the other two. Without the source of Rust's
//! `core` there can be no PTX, but the program still builds, so that `cutlet doctor` can say
//! what to do: `kernels.err` then holds the message. Kernels that do not compile fail the build.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs, thread};

use cuda_builder::{CudaBuilder, CudaBuilderError, DebugInfo, NvvmArch};

fn main() -> Result<(), Box<dyn Error>> {
    let out_dir = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    // `.loc` directives, which leave the code as it is, for `cutlet profile` to count by lines of the source.
    println!("cargo::rerun-if-env-changed=CUTLET_LINE_TABLES");
    let lines = match env::var("CUTLET_LINE_TABLES") {
        Ok(value) if value != "0" => DebugInfo::LineTables,
        _ => DebugInfo::None,
    };
    // For work on kernels: an edit takes a tenth to a quarter of the time. Not by default, not even in a dev build: the PTX is not
    // the same to the letter, and what is tested shall be what is shipped.
    println!("cargo::rerun-if-env-changed=CUTLET_INCREMENTAL_KERNELS");
    let incremental = env::var("CUTLET_INCREMENTAL_KERNELS").is_ok_and(|value| value != "0");
    // What every GPU from Ampere on can run, unless another is asked for: `CUTLET_ARCH=sm_90` has Hopper's stmatrix.
    println!("cargo::rerun-if-env-changed=CUTLET_ARCH");
    let base = match env::var("CUTLET_ARCH") {
        Ok(name) => arch(&name)?,
        Err(_) => NvvmArch::Compute80,
    };
    // PTX for sm_90a runs on no other architecture, so that it is a module of its own.
    println!("cargo::rerun-if-env-changed=CUTLET_SM90A");
    let without_hopper = env::var("CUTLET_SM90A").is_ok_and(|value| value == "0");
    let build = |(kernels, arch, name): (&str, NvvmArch, &str)| -> Result<(), CudaBuilderError> {
        let ptx = out_dir.join(format!("{name}.ptx"));
        let err = out_dir.join(format!("{name}.err"));
        let left_out = if cuda_builder::in_clippy() {
            Some("this is a build for clippy, which executes nothing")
        } else if without_hopper && arch == NvvmArch::Compute90a {
            Some("CUTLET_SM90A was 0: build again without it")
        } else {
            None
        };
        if let Some(why) = left_out {
            write(&ptx, "")?;
            return write(&err, why);
        }
        let built = CudaBuilder::new(kernels)
            .arch(arch)
            // As Rust has it: one rounding an operation, on the GPU, in the emulator, on the host.
            .fma_contraction(false)
            .debug(lines)
            .incremental(incremental)
            // A fifth of the processor time, and the same PTX (docs/compile-time.md).
            .next_solver(true)
            // Not with incremental compilation: each is experimental in its way.
            .frontend_threads(if incremental { 1 } else { 2 })
            .copy_to(&ptx)
            .build();
        match built {
            Ok(_) => write(&err, ""),
            Err(CudaBuilderError::RustSrc(missing)) => {
                let message = missing.to_string();
                for line in message.lines() {
                    println!("cargo::warning={line}");
                }
                write(&ptx, "")?;
                write(&err, &message)
            }
            Err(error) => Err(error),
        }
    };
    // Side by side: LLVM compiles each module on one core.
    let (first, second) = thread::scope(|scope| {
        let hopper =
            scope.spawn(|| build(("gpu-kernels-sm90", NvvmArch::Compute90a, "kernels_sm90a")));
        let every = build(("gpu-kernels", base, "kernels"));
        (every, hopper.join())
    });
    first?;
    second.map_err(|_| "the build of gpu-kernels-sm90 panicked")??;
    Ok(())
}

/// The architecture of this name, from Ampere on.
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
fn write(path: &Path, text: &str) -> Result<(), CudaBuilderError> {
    if fs::read(path).is_ok_and(|there| there == text.as_bytes()) {
        return Ok(());
    }
    fs::write(path, text).map_err(|source| CudaBuilderError::Prepare {
        path: path.to_owned(),
        source,
    })
}

//! Compiles `atom-kernels` to `OUT_DIR/sm_80.ptx` and `OUT_DIR/sm_90.ptx`, which the tests carry
//! with them, and the GEMM's reference configuration as it is built for Hopper to
//! `OUT_DIR/gemm_sm_90.ptx`. Both for Hopper are for `sm_90a`: `core` and `layout-types` are
//! compiled for it already, by the build of Cutlet's own kernels.
//!
//! With `CUTLET_KERNELS`, as on a push, `sm_80.ptx` is left out.
//!
//! Where the source of Rust's `core` is missing, the two files hold nothing and `kernels.err` says
//! why.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use cuda_builder::{CudaBuilder, CudaBuilderError, NvvmArch};

fn main() -> Result<(), Box<dyn Error>> {
    let out_dir = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let mut why_not = String::new();
    // A push, which names the kernels that it builds, has the atoms as Hopper compiles them: those
    // of Ampere are among them.
    println!("cargo::rerun-if-env-changed=CUTLET_KERNELS");
    println!("cargo::rustc-check-cfg=cfg(of_a_push)");
    let of_a_push = env::var_os("CUTLET_KERNELS").is_some_and(|list| !list.is_empty());
    if of_a_push {
        println!("cargo::rustc-cfg=of_a_push");
    }
    if cuda_builder::in_clippy() {
        for name in ["sm_80.ptx", "sm_90.ptx", "gemm_sm_90.ptx"] {
            fs::write(out_dir.join(name), "")?;
        }
        fs::write(out_dir.join("kernels.err"), "a build for clippy")?;
        return Ok(());
    }
    for (arch, name, version) in [
        // `movmatrix` came with PTX 7.8, sums in f16 of fp8 products with PTX 8.7.
        (NvvmArch::Compute80, "sm_80.ptx", (7, 8)),
        (NvvmArch::Compute90a, "sm_90.ptx", (8, 7)),
    ] {
        if of_a_push && arch == NvvmArch::Compute80 {
            continue;
        }
        let ptx = out_dir.join(name);
        let built = CudaBuilder::new("../atom-kernels")
            .arch(arch)
            .ptx_version(version.0, version.1)
            // As Rust has it, so that emulator and GPU agree.
            .fma_contraction(false)
            // The same PTX, in a fraction of the time.
            .next_solver(true)
            .copy_to(&ptx)
            .build();
        match built {
            Ok(_) => {}
            Err(CudaBuilderError::RustSrc(missing)) => {
                why_not = missing.to_string();
                println!("cargo::warning=no source of core: the kernels of atoms are not built");
                fs::write(&ptx, "")?;
            }
            Err(error) => return Err(error.into()),
        }
    }
    // The features of the collective that only a build for sm_90 has: stmatrix.
    let ptx = out_dir.join("gemm_sm_90.ptx");
    let built = CudaBuilder::new("../../gpu-kernels")
        .arch(NvvmArch::Compute90a)
        .ptx_version(8, 7)
        .build_args(&["--no-default-features", "--features", "reference"])
        .fma_contraction(false)
        .next_solver(true)
        .copy_to(&ptx)
        .build();
    match built {
        Ok(_) => {}
        Err(CudaBuilderError::RustSrc(_)) => fs::write(&ptx, "")?,
        Err(error) => return Err(error.into()),
    }
    fs::write(out_dir.join("kernels.err"), why_not)?;
    Ok(())
}

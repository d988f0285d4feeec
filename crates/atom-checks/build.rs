//! Compiles `atom-kernels` to `OUT_DIR/sm_80.ptx` and `OUT_DIR/sm_90.ptx`, which the tests embed,
//! and the GEMM's reference configuration for Hopper to `OUT_DIR/gemm_sm_90.ptx`. Both files for
//! Hopper are for `sm_90a`: the build of Cutlet's own kernels has already compiled `core` and
//! `layout-types` for this architecture.
//!
//! If `CUTLET_KERNELS` is set, as the checks of a push do, `sm_80.ptx` is left out.
//!
//! If the source of Rust's `core` is missing, the files of `atom-kernels` are empty and
//! `kernels.err` says why.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use cuda_builder::{CudaBuilder, CudaBuilderError, NvvmArch};

fn main() -> Result<(), Box<dyn Error>> {
    let out_dir = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let mut why_not = String::new();
    // The checks of a push, which name the kernels that they build, use the atoms as compiled for
    // Hopper, which include those of Ampere.
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
        // `movmatrix` came with PTX 7.8, and accumulation in f16 for fp8 products with PTX 8.7.
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
            // Rust does not contract multiplications and additions either, so emulator and GPU
            // agree.
            .fma_contraction(false)
            // The new solver gives the same PTX, in a fraction of the time.
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
    // These are the features of the collective that only a build for sm_90 has: stmatrix.
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

//! Checks the kernels that this build has: each kernel unpacks, runs on its architecture, and can
//! be chosen.
//!
//! If this build has no file of kernels, every call returns an error that says so, and how to make
//! the file.

use cutlet_kernels::{GpuTraits, KernelRequest, ShippedError, gemm, kernel, kernels};
use kernel_abi::gemm::{GemmProblem, InputType, OutputType};
use std::time::Instant;

const H200: GpuTraits<'_> = GpuTraits {
    name: "NVIDIA H200",
    compute_capability: (9, 0),
    multiprocessors: 132,
    shared_bytes: 227 << 10,
};
const A100: GpuTraits<'_> = GpuTraits {
    name: "NVIDIA A100-SXM4-80GB",
    compute_capability: (8, 0),
    multiprocessors: 108,
    shared_bytes: 163 << 10,
};

#[test]
fn every_kernel_unpacks() {
    let pack = match kernels() {
        Ok(pack) => pack,
        Err(error) => {
            assert_eq!(error, ShippedError::Empty);
            assert!(error.to_string().contains("pack_kernels"), "{error}");
            return;
        }
    };
    let (mut slowest, mut text) = (("", 0.0_f64), 0);
    for name in pack.names() {
        let of = kernel(name).unwrap().unwrap();
        let start = Instant::now();
        let ptx = of.ptx().unwrap();
        let seconds = start.elapsed().as_secs_f64();
        assert!(ptx.contains(&format!(".target {}", of.target())), "{name}");
        assert_eq!(ptx.matches(".entry ").count(), 1, "{name}");
        assert!(ptx.contains(&format!(".entry {name}(")), "{name}");
        assert!(H200.runs(of.target()) && A100.runs(of.target()) == (of.target() == "sm_80"));
        text += ptx.len();
        if seconds > slowest.1 {
            slowest = (name, seconds);
        }
    }
    println!(
        "{} kernels, {text} bytes of PTX; the slowest, {}, takes {:.2} ms",
        pack.names().count(),
        slowest.0,
        1e3 * slowest.1
    );
    for name in pack.tables().kernels() {
        assert!(pack.kernel(name).is_some(), "{name}");
    }
}

/// Checks that a choice names kernels that the pack has and that run on the GPU.
#[test]
fn what_is_chosen_is_here() {
    let Ok(pack) = kernels() else { return };
    for gpu in [H200, A100] {
        for (m, n, k) in [(4096, 4096, 4096), (1, 4096, 4096), (100, 72, 1000)] {
            let problem = GemmProblem::new(m, n, k, InputType::F16, OutputType::Same);
            let choice = gemm(&gpu, &problem, &KernelRequest::default()).unwrap();
            for name in choice.plan.kernels() {
                assert!(gpu.runs(pack.kernel(name).unwrap().target()), "{name}");
            }
        }
    }
}

//! Cutlet's kernels for compute capability 9.0 and nothing else: TMA, `mbarrier` and `wgmma`, PTX for `sm_90a`.
//!
//! ```text
//!   gpu-kernels        ──► kernels.ptx         sm_80    every GPU from Ampere on
//!   gpu-kernels-sm90   ──► kernels_sm90a.ptx   sm_90a   loaded beside it where the device is a Hopper
//! ```
//!
//! As `gpu-kernels`, the crate is built to PTX by `cuda_builder` and, for the host, as a library of the same types and of each
//! kernel's launch.

pub mod attention;
pub mod gemm;

//! Cutlet's kernels. Every address in them comes from a layout type; the crate is built to PTX by
//! `cuda_builder` and, for the host, as a library of the same types and of each kernel's launch, a
//! [`LaunchSpec`](kernel_abi::LaunchSpec).
//!
//! ```text
//!   vecadd      c[i] = a[i] + b[i]                  128-bit accesses
//!   transpose   dst[c][r] = src[r][c]               through a swizzled shared-memory tile
//!   gemm        D = act(alpha A B + beta C + bias)  cp.async ─► ldmatrix ─► mma.sync, in stages
//! ```
//!
//! A kernel's body is the GPU's; on the host it type-checks and is never called.

// Where only some of the kernels are built, what the others need stays.
#![cfg_attr(
    not(feature = "all-kernels"),
    allow(dead_code, unused_imports, unused_macros)
)]

pub mod gemm;
pub mod hgemm_by_hand;
pub mod transpose;
pub mod vecadd;

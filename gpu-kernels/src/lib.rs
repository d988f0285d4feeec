//! Cutlet's kernels. Every address in them comes from a layout type. `cuda_builder` builds the
//! crate to PTX. For the host the crate is a library of the same types and of each kernel's launch,
//! a [`LaunchSpec`](kernel_abi::LaunchSpec).
//!
//! ```text
//!   vecadd      c[i] = a[i] + b[i]                  128-bit accesses
//!   transpose   dst[c][r] = src[r][c]               through a swizzled shared-memory tile
//!   attention   O = softmax(scale Q Kᵀ + mask) V         cp.async ─► ldmatrix ─► mma.sync, twice
//!   gemm        D = act(alpha A B + beta C + bias)  cp.async ─► ldmatrix ─► mma.sync, in stages
//! ```
//!
//! A kernel's body runs on the GPU; on the host it only type-checks. The host calls the function
//! that describes the kernel's launch:
//!
//! ```
//! # #[cfg(feature = "vecadd")] {
//! let spec = gpu_kernels::vecadd::launch_spec(1_000_003)?;
//! assert_eq!((spec.kernel, spec.grid, spec.block), ("vecadd", [977, 1, 1], [256, 1, 1]));
//! assert_eq!(spec.buffers[2].name, "c");
//! # }
//! # Ok::<(), kernel_abi::ProblemError>(())
//! ```
//!
//! | to | go to |
//! |---|---|
//! | multiply matrices in one call | `cutlet::gemm` |
//! | have a GEMM of your own types, tile or epilogue | [`operand!`], [`gemm_config!`], [`gemm_kernel!`]: `docs/guide/own-gemm.md` |
//! | launch these kernels from another language | `cutlet ptx --out DIR`: `docs/guide/launch.md` |
//! | read the smallest of them | `vecadd`, then `transpose`, then `hgemm_by_hand`: a GEMM in one file |
//! | write one | the crates `cuda_std` (what a kernel calls), `layout_types` (its addresses) and `cuda_builder` (to PTX) |

// `cuda_builder` adds these features to the crate that it builds. They are here for crates that
// depend on this one to define kernels with its collective.
#![cfg_attr(
    target_arch = "nvptx64",
    no_std,
    feature(abi_ptx, asm_experimental_arch)
)]

pub mod attention;
pub mod gemm;
#[cfg(feature = "pair")]
pub mod hgemm_by_hand;
#[cfg(feature = "transpose")]
pub mod transpose;
#[cfg(feature = "vecadd")]
pub mod vecadd;
pub mod weights;

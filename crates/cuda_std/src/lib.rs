//! Rust-CUDA's device-side standard library, on rustc's own NVPTX backend.
//!
//! ```text
//!   use cuda_std::prelude::*;
//!
//!   #[kernel]                                                     .visible .entry vecadd(
//!   pub unsafe fn vecadd(a: &[f32], b: &[f32], c: *mut f32) {         .param .u64 a, .param .u64 a_length,
//!       let i = thread::index_1d() as usize;               ──►        .param .u64 b, .param .u64 b_length,
//!       if i < a.len() {                                              .param .u64 c )
//!           unsafe { *c.add(i) = a[i] + b[i] };
//!       }
//!   }
//! ```
//!
//! Law: kernel source written for Rust-CUDA's `cuda_std` compiles with this crate to the same entry
//! points and parameters, except for the items that the table below marks as missing. Every
//! function is inlined to its instruction.
//!
//! `cuda_builder` compiles a crate of kernels for `nvptx64-nvidia-cuda`, with `core` only. The
//! crate of kernels needs no attributes of its own, because the builder adds `#![no_std]` and the
//! feature gates for GPU assembly. The same crate builds for the host. There, kernels are plain
//! functions, and functions that exist only on the GPU panic.
//!
//! # Upstream's API, item by item
//!
//! Upstream is `cuda_std` 0.2.2 and the main branch of Rust-CUDA.
//!
//! | upstream | here | why, and how |
//! |---|---|---|
//! | `#[kernel]` | yes | errors for what upstream lets through to the linker; slices are two parameters as upstream's kernel ABI has them |
//! | `#[kernel(grid_dim = .., block_dim = ..)]` | accepted | no effect, as upstream |
//! | `#[gpu_only]`, `#[externally_visible]` | yes | |
//! | `#[address_space(shared)]` | yes | the static becomes a [`Shared`](shared::Shared) that dereferences to its type; `&raw mut NAME` is the proxy's address, so take `NAME.as_ptr()` |
//! | `#[address_space(global)]` | yes | where rustc puts statics |
//! | `#[address_space(constant)]` | as `global` | rustc has no constant space; same values, without the constant cache |
//! | `#[address_space(local)]` | no | a compile error: a static is not per thread |
//! | `thread::*` | all | and `block_fence` |
//! | `Vec2`, `Vec3` of `vek` | own types | same fields; `vek` is a large dependency for three integers |
//! | `warp::*` | all | `warp_shuffle_up` works (upstream's clamp makes it the identity); `match` on floats compares bits; and `warp_id`, `WARP_SIZE`, `FULL_MASK` |
//! | shuffles of `half::f16`, `half::bf16` | no | this crate does not depend on `half`: shuffle `to_bits()` |
//! | `shared_array!`, `shared::dynamic_shared_mem` | yes | and window addresses for `.shared` instructions |
//! | `atomic::{AtomicF32, AtomicF64, Block.., System..}` | yes | the `System` types have system scope (upstream's have device scope); and integers, `swap`, `compare_exchange` |
//! | `atomic::intrinsics`, `atomic::mid` | yes | `inc` and `dec` take the limit that the instruction takes, `u32` only; no fallback before compute capability 7.0 |
//! | `ptr::*` | all | |
//! | `cfg::ComputeCapability` | yes | from the actual target instead of an environment variable |
//! | `#[cfg(target_feature = "compute_80")]` | yes, in the kernel crate | `cuda_builder` sets it; anywhere else branch on `ComputeCapability`, which costs nothing |
//! | `GpuFloat` | all | hardware where PTX is exact, `libm` otherwise; `log2` is base 2 (upstream calls `log10`) |
//! | `FloatExt` | most | not: `inv_complementary_error_function`, `scaled_complementary_error_function`, `inv_norm_cdf` (libdevice's) |
//! | `intrinsics` (libdevice) | no | libdevice comes with NVIDIA's toolkit; [`float::approx`] has the fast instructions |
//! | `misc::*` | all | `profiler_counter` assembles (upstream passes a register) |
//! | `mem::{malloc, free, dynamic_smem_size, total_smem_size}` | yes | |
//! | `mem::CUDAAllocator`, `alloc`, the prelude's `Box`, `Vec`, `format!`, .. | no | kernels are built with `core` only |
//! | `print!`, `println!` | yes, outside the prelude | one `vprintf`, its format made at compile time, up to eight arguments; upstream formats into a heap string |
//! | `assert_eq!`, `assert_ne!` | yes, outside the prelude | expressions and place, without the values; rustc now calls a glob import of them ambiguous with `core`'s, so `use cuda_std::assert_eq;` |
//! | `half`, `f16`, `bf16` re-exported | no | depend on `half` yourself |
//! | `cg` (cooperative groups) | own, in Rust | [`cooperative_groups`]: blocks and tiles of a warp, reductions and scans; upstream's is C++ compiled by `nvcc`, for grids |
//! | `rt` (dynamic parallelism) | no | commented out upstream |
//! | panic handler | yes | prints file and line through `__assertfail`, then traps; upstream traps |
//!
//! # Source
//!
//! Rust-CUDA's documentation and guide; the PTX ISA; LLVM's *User Guide for NVPTX Back-end*.
#![cfg_attr(
    target_arch = "nvptx64",
    no_std,
    feature(asm_experimental_arch, link_llvm_intrinsics, core_float_math),
    allow(internal_features)
)]
#![warn(missing_docs)]

pub mod atomic;
pub mod cfg;
pub mod cooperative_groups;
pub mod float;
pub mod io;
pub mod mem;
pub mod misc;
pub mod print;
pub mod ptr;
pub mod shared;
pub mod thread;
pub mod warp;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
#[cfg(target_arch = "nvptx64")]
mod intrinsics;
mod panic;
mod vector;

pub use cuda_std_macros::*;
pub use float::{FloatExt, GpuFloat};
pub use vector::{Vec2, Vec3};

/// The names that a file with kernels needs: `use cuda_std::prelude::*;`.
///
/// [`GpuFloat`] has the methods of `f32` and `f64` that `core` lacks. `cargo check` compiles for
/// the host, where `std` has these methods as inherent methods: a file without this line passes
/// `cargo check`, but fails when the PTX is built. The compiler does not report the glob import as
/// unused there.
///
/// ```no_run
/// use cuda_std::prelude::*;
///
/// /// `x[i] = exp(x[i])`.
/// ///
/// /// # Safety
/// /// A block of as many threads as `x` has elements.
/// #[kernel]
/// pub unsafe fn exponentials(x: *mut f32) {
///     let x = unsafe { &mut *x.add(thread::index_1d() as usize) };
///     *x = x.exp();
/// }
/// ```
pub mod prelude {
    pub use crate::{GpuFloat, kernel, thread};
}

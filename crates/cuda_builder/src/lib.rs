//! Builds a crate of GPU kernels to PTX, from a build script, with rustc's own NVPTX backend.
//!
//! The API is Rust-CUDA's `cuda_builder`: a build script written for it compiles with this crate
//! too. This crate needs a stable rustc of [`OLDEST`] or later and the source of Rust's `core`,
//! which it finds or fetches ([`rust_src`]). It needs no CUDA toolkit, no LLVM and no nightly.
//!
//! ```no_run
//! // build.rs
//! use cuda_builder::{CudaBuilder, NvvmArch};
//!
//! fn main() {
//!     let out_dir = std::env::var("OUT_DIR").unwrap();
//!     CudaBuilder::new("gpu-kernels")
//!         .arch(NvvmArch::Compute80)
//!         .copy_to(format!("{out_dir}/kernels.ptx"))
//!         .build()
//!         .unwrap();
//! }
//! ```
//!
//! ```text
//! // gpu-kernels/src/lib.rs            [lib] crate-type = ["cdylib", "rlib"]
//! use cuda_std::prelude::*;
//!
//! #[kernel]
//! pub unsafe fn add(a: &[f32], b: &[f32], c: *mut f32) {
//!     let i = thread::index_1d() as usize;
//!     if i < a.len() {
//!         unsafe { *c.add(i) = a[i] + b[i] };
//!     }
//! }
//! ```
//!
//! # How
//!
//! ```text
//! kernel crate ─┐
//! dependencies ─┼─ rustc, one LLVM module (fat LTO) ─ LLVM's NVPTX ─ PTX ─ checked ─ copied
//! core, alloc ──┘  RUSTC_BOOTSTRAP=1, only for this inner build
//! ```
//!
//! `build` runs a second cargo (the inner cargo) in `target/cuda-builder`, a folder that the outer
//! cargo does not lock. The inner cargo does not see the outer cargo's flags. The kernel crate gets
//! `#![no_std]` and the feature gates for `#[kernel]` and inline PTX, if the crate does not have
//! them. The build script runs again when a source file, a manifest or the lock file from which the
//! PTX was made changes, and after an error. PTX is stored by a hash of everything from which it
//! was made, so that a debug build, a release build and the tests together compile a kernel crate
//! only once. A checksum detects a file that was cut short. The inner cargo ends with the process
//! that started it.
//!
//! Law, after `build` returned `Ok`: the file at the returned path is PTX whose `.target` is the
//! requested architecture, with at least one `.entry`, compiled from the current sources. This was
//! tested on Linux. The inner rustc calls `true` as its linker.
//!
//! # Upstream's API, item by item
//!
//! Upstream is `Rust-GPU/rust-cuda`, crates `cuda_builder` and `nvvm` (which it re-exports).
//!
//! | upstream | here | why |
//! |---|---|---|
//! | `CudaBuilder::new` | yes | |
//! | `arch`, `NvvmArch` | yes | default `Compute75`, as upstream's; `Compute35` and `Compute37` of its releases too; not `Compute73`, which LLVM has no processor for |
//! | `NvvmArch::target_feature`, `all_target_features`, `capability_value`, `major_version`, `minor_version`, `base_architecture`, `get_variants`, `variants_for_capability`, `is_*_variant` | yes | `NvvmArch::iter` is [`NvvmArch::ALL`]; `FromStr` reads `sm_80` too |
//! | `cfg(target_feature = "compute_80")` in kernels | yes | and rustc's own `sm_80` |
//! | `CUDA_ARCH` in the environment (old releases) | no | `cfg(target_feature)` says it at compile time |
//! | `release` | yes | `false`: the dev profile with debug assertions and overflow checks |
//! | `nvvm_opts` | yes | `false`: level 1, because without optimisation Rust's PTX calls functions that no GPU has |
//! | `copy_to`, `ptx_file_copy_path` | yes | a copy that is up to date is not touched |
//! | `generate_line_info` | yes | not called: only where not `release`, as upstream; called: as it says |
//! | `debug`, `DebugInfo` | yes | `.loc` directives, which leave the code as it is |
//! | `fma_contraction` | yes | `true` by default, as upstream; `false` is Rust's own rule |
//! | `fast_div`, `fast_sqrt` | yes | `div.full.f32`, `sqrt.approx.f32` |
//! | `ftz` | `false` only | rustc has no way to tell LLVM; `true` is an error |
//! | `fast_math` | error | it asks for `ftz`; `fast_math().ftz(false)` is the rest |
//! | `emit_llvm_ir`, `emit_llvm_bitcode`, `emit`, `EmitOption` | yes | after optimisation, beside the PTX; the path is [`Built::llvm`] |
//! | `final_module_path` | yes | the same module as `emit_llvm_ir`: no libnvvm changes it afterwards |
//! | `build_args` | yes | for `cargo rustc`, not `cargo build` |
//! | `override_libm` | `false` only | libdevice is part of the CUDA toolkit; the default is `false` here |
//! | `optix` | `false` only | rustc compiles for CUDA only |
//! | `use_constant_memory_space` | `false` only | rustc places statics in global memory |
//! | `build`, `CudaBuilderError` | yes | the variants have fields: what was found, what was tried; there are more of them |
//! | `nvvm`'s `NvvmOption`, `NvvmProgram`, `NvvmError`, `LIBDEVICE_BITCODE`, version functions | no | they are libnvvm's, which is not used |
//! | feature `rustc_codegen_nvvm` | no | rustc's own backend is used |
//!
//! Not upstream's: [`CudaBuilder::ptx_version`], [`CudaBuilder::build_folder`],
//! [`CudaBuilder::machine`], [`CudaBuilder::build_with_details`], [`CudaBuilder::defer`],
//! [`CudaBuilder::quiet`], [`convergence`],
//! [`directives`], [`in_clippy`], [`ptx`], [`requirements`], [`rust_src`],
//! [`Toolchain`].

#![warn(missing_docs)]

mod arch;
mod bound;
#[doc(hidden)]
pub mod build_script;
mod builder;
mod compile;
pub mod convergence;
mod crate_attrs;
mod deferred;
pub mod directives;
mod environment;
mod error;
mod folders;
mod hash;
mod inputs;
mod kept;
mod kernel_crate;
mod line_tables;
mod needs_std;
mod process;
pub mod ptx;
mod ptx_version;
pub mod requirements;
pub mod rust_src;
mod sealed;
pub mod software;
#[cfg(test)]
mod testing;
mod toolchain;

pub use arch::{ArchVariant, NvvmArch, UnknownArch};
pub use builder::{Built, CudaBuilder, DebugInfo, EmitOption};
pub use environment::in_clippy;
pub use error::CudaBuilderError;
pub use folders::{cache_of, default_cache, folder_of};
pub use toolchain::{OLDEST, TARGET, Toolchain, ToolchainError};

//! The plain numbers on which a host and the kernels agree: launches, GEMM problems, kernel
//! parameters.
//!
//! ```text
//!   gpu-kernels  ── LaunchSpec, GemmParams ──►  kernel-abi  ◄── GemmProblem, Plan ──  host, cutlet
//!   no_std, nvptx                                no_std                               std
//! ```
//!
//! `gpu-kernels` describes its kernels in these types and reads [`gemm::GemmParams`] on the GPU.
//! `host` checks and makes the launches that the types describe. The crate has no dependencies and
//! no `std`, so that it builds for hosts and for GPUs.
//!
//! Law: a [`LaunchSpec`] that a kernel's author states, or that [`gemm::Configuration::plan`]
//! returns, is a launch that accesses its buffers within their lengths and computes what the kernel
//! documents.

#![cfg_attr(not(test), no_std)]

mod argument;
pub mod attention;
mod error;
pub mod gemm;
mod launch_spec;
pub mod weights;

pub use argument::{ArgumentName, ArgumentType, KernelArgument, KernelArguments};
pub use error::ProblemError;
pub use launch_spec::{BufferSpec, LaunchSpec, MAX_EXTENT, MAX_GRID_Y, MAX_GRID_Z, checked_extent};

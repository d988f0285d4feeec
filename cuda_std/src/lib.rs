//! Rust-CUDA's device-side standard library on rustc's own NVPTX backend.
#![cfg_attr(
    target_arch = "nvptx64",
    no_std,
    feature(asm_experimental_arch, link_llvm_intrinsics),
    allow(internal_features)
)]

pub mod io;
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
pub use vector::{Vec2, Vec3};

/// What a kernel file needs: `use cuda_std::prelude::*;`.
pub mod prelude {
    pub use crate::{kernel, thread};
}

//! How much shared memory the launch has, and the driver's heap.
//!
//! ```text
//!   total_smem_size = static arrays + dynamic_smem_size, rounded up to the GPU's allocation unit
//! ```
//!
//! Law: both sizes are the same for all threads of a launch.
//!
//! Upstream's global allocator over `malloc` and `free` is not here, since kernels are built with
//! `core` only.
//!
//! Source: PTX ISA, *%dynamic_smem_size*, *%total_smem_size*; PTX Writer's Guide to
//! Interoperability, *System Calls*; Rust-CUDA's `cuda_std::mem`.

use crate::gpu_only;

#[cfg(target_arch = "nvptx64")]
unsafe extern "C" {
    /// `size` bytes of the device heap, 16-byte aligned, or null. They outlive the launch until
    /// `free`.
    pub fn malloc(size: usize) -> *mut core::ffi::c_void;

    /// Gives back what `malloc` gave; null is ignored.
    pub fn free(ptr: *mut core::ffi::c_void);
}

/// Bytes of shared memory per block that the launch asked for.
#[gpu_only]
#[inline(always)]
#[must_use]
pub fn dynamic_smem_size() -> u32 {
    let size;
    // SAFETY: reads a special register.
    unsafe {
        core::arch::asm!("mov.u32 {0}, %dynamic_smem_size;", out(reg32) size, options(pure, nomem, nostack, preserves_flags));
    }
    size
}

/// Bytes of shared memory per block, static and dynamic together, in the GPU's allocation unit.
#[gpu_only]
#[inline(always)]
#[must_use]
pub fn total_smem_size() -> u32 {
    let size;
    // SAFETY: reads a special register.
    unsafe {
        core::arch::asm!("mov.u32 {0}, %total_smem_size;", out(reg32) size, options(pure, nomem, nostack, preserves_flags));
    }
    size
}

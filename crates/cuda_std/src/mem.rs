//! The sizes of a launch's shared memory, and the functions of the device heap.
//!
//! ```text
//!   total_smem_size = static arrays + dynamic_smem_size, rounded up to the GPU's allocation unit
//! ```
//!
//! Law: both sizes are the same for all threads of a launch.
//!
//! Upstream (Rust-CUDA) also has a global allocator that uses `malloc` and `free`. This crate has
//! none, since kernels are built with `core` only.
//!
//! Source: PTX ISA, *%dynamic_smem_size*, *%total_smem_size*; PTX Writer's Guide to
//! Interoperability, *System Calls*; Rust-CUDA's `cuda_std::mem`.

use crate::gpu_only;

#[cfg(target_arch = "nvptx64")]
unsafe extern "C" {
    /// Allocates `size` bytes on the device heap, aligned to 16 bytes. Returns null if there is not
    /// enough memory. The memory outlives the launch, until `free` releases it.
    pub fn malloc(size: usize) -> *mut core::ffi::c_void;

    /// Frees memory that `malloc` returned. Null is ignored.
    pub fn free(ptr: *mut core::ffi::c_void);
}

/// Returns the number of bytes of dynamic shared memory per block, as the launch set it.
#[gpu_only]
#[inline(always)]
#[must_use]
pub fn dynamic_smem_size() -> u32 {
    let size;
    // SAFETY: the instruction only reads a special register.
    unsafe {
        core::arch::asm!("mov.u32 {0}, %dynamic_smem_size;", out(reg32) size, options(pure, nomem, nostack, preserves_flags));
    }
    size
}

/// Returns the number of bytes of shared memory per block, static and dynamic together, rounded up
/// to the GPU's allocation unit.
#[gpu_only]
#[inline(always)]
#[must_use]
pub fn total_smem_size() -> u32 {
    let size;
    // SAFETY: the instruction only reads a special register.
    unsafe {
        core::arch::asm!("mov.u32 {0}, %total_smem_size;", out(reg32) size, options(pure, nomem, nostack, preserves_flags));
    }
    size
}

//! Single instructions that the kernels need besides those of their atoms.
//!
//! Source: PTX ISA, *atom*, *Special Registers*.

#[cfg(target_arch = "nvptx64")]
use core::arch::asm;
use cuda_std::gpu_only;

/// Adds `k_tiles` to a counter in global memory and returns what it was. Acquire and release: who sees the new value also sees
/// what this CTA, and those that added before, wrote ahead of their additions.
///
/// # Safety
/// `counter` is a word of global memory that only this function accesses.
#[gpu_only]
#[inline(always)]
pub unsafe fn add_acq_rel(counter: *mut u32, k_tiles: u32) -> u32 {
    let before: u32;
    // SAFETY: the caller passes a word of global memory that only this function accesses, each time atomically.
    unsafe {
        asm!(
            "{{ .reg .u64 g; cvta.to.global.u64 g, {1}; atom.acq_rel.gpu.global.add.u32 {0}, [g], {2}; }}",
            out(reg32) before, in(reg64) counter, in(reg32) k_tiles,
            options(nostack, preserves_flags)
        );
    }
    before
}

/// Returns this thread's index in its CTA, read anew: no register holds it until here.
#[gpu_only]
#[inline(always)]
#[must_use]
pub fn thread_here() -> u32 {
    let thread: u32;
    // SAFETY: the instruction accesses registers only. It is not `pure`, or LLVM would read the index once for all.
    unsafe {
        asm!("mov.u32 {0}, %tid.x;", out(reg32) thread, options(nomem, nostack, preserves_flags));
    }
    thread
}

//! A debugger's breakpoint, the profiler's counters and the clock.
//!
//! ```text
//!   let start = clock();  ...work...  let cycles = clock() - start;
//! ```
//!
//! Law: [`clock`] never decreases on one multiprocessor. Values from different multiprocessors
//! cannot be compared.
//!
//! Source: PTX ISA, *brkpt*, *pmevent*, *%clock64*; Rust-CUDA's `cuda_std::misc`.

use crate::gpu_only;

/// Stops the kernel for a debugger (`brkpt`).
#[gpu_only]
#[inline(always)]
pub fn breakpoint() {
    // SAFETY: without a debugger the launch fails. The instruction touches no memory.
    unsafe { core::arch::asm!("brkpt;", options(nomem, nostack, preserves_flags)) };
}

/// Adds one per warp to the profiler's counter `counter` (`pmevent`).
///
/// # Panics
/// Panics if `counter` is larger than 7. With a constant the compiler removes the check. (Rust-CUDA
/// passes a register, which `pmevent` does not take.)
#[gpu_only]
#[inline(always)]
pub fn profiler_counter(counter: u32) {
    macro_rules! count {
        ($($event:literal)+) => {
            match counter {
                // SAFETY: only a counter of the profiler changes.
                $($event => unsafe {
                    core::arch::asm!(concat!("pmevent ", $event, ";"), options(nomem, nostack, preserves_flags))
                },)+
                _ => panic!("there are the profiler counters 0 to 7"),
            }
        };
    }
    count!(0 1 2 3 4 5 6 7);
}

/// Returns the multiprocessor's cycle counter (`%clock64`). Several reads keep their order.
#[gpu_only]
#[inline(always)]
#[must_use]
pub fn clock() -> u64 {
    let cycles;
    // SAFETY: the instruction only reads a special register. It is not `pure`, because two reads
    // give two values.
    unsafe {
        core::arch::asm!("mov.u64 {0}, %clock64;", out(reg64) cycles, options(nomem, nostack, preserves_flags));
    }
    cycles
}

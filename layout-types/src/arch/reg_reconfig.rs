//! `setmaxnreg`: a warp group gives registers up, or takes those that others gave up.
//!
//! ```text
//!   384 threads of 168   producer  dec 40    consumers  inc 232 232      128 (40 + 232 + 232) = 64512 of 65536
//! ```
//!
//! Law: the count is 24 to 256 in steps of 8. `inc` waits until the block's pool has what it asks for. ptxas heeds it only in a
//! kernel whose registers are bounded: `#[kernel(threads = 384, min_blocks = 1)]` of `cuda_std`.
//!
//! Source: PTX ISA, *Miscellaneous Instructions: setmaxnreg*; CUTLASS `cutlass/arch/reg_reconfig.h`.
#![cfg_attr(not(target_arch = "nvptx64"), allow(unreachable_code, unused_unsafe))]

use super::intrinsic;
#[cfg(target_arch = "nvptx64")]
use super::intrinsics;

/// The register counts that `setmaxnreg` has, or it does not compile.
const fn check(registers: u32) {
    assert!(
        registers >= 24 && registers <= 256 && registers.is_multiple_of(8),
        "setmaxnreg takes 24 to 256 registers a thread, in steps of 8"
    );
}

/// `setmaxnreg.inc.sync.aligned.u32`: the thread has `REGISTERS` registers, more than before. CUTLASS's
/// `warpgroup_reg_alloc`.
///
/// ```compile_fail,E0080
/// use layout_types::arch::reg_reconfig::warpgroup_reg_alloc;
/// unsafe { warpgroup_reg_alloc::<236>() }; // steps of 8
/// ```
///
/// # Safety
/// All warps of the warp group execute it, whole warps together, with no other `setmaxnreg` between that they have not all
/// executed; they have at most `REGISTERS` now, and the other groups give up what is missing.
#[inline(always)]
pub unsafe fn warpgroup_reg_alloc<const REGISTERS: u32>() {
    const { check(REGISTERS) }
    // SAFETY: all warps of the group are here, with at most `REGISTERS`, and others give up the rest, by the caller's contract.
    unsafe { intrinsic!(intrinsics::setmaxnreg_inc(const { REGISTERS })) };
}

/// `setmaxnreg.dec.sync.aligned.u32`: the thread has `REGISTERS` registers, fewer than before. CUTLASS's
/// `warpgroup_reg_dealloc`.
///
/// # Safety
/// As of [`warpgroup_reg_alloc`], but that the warps have at least `REGISTERS` now.
#[inline(always)]
pub unsafe fn warpgroup_reg_dealloc<const REGISTERS: u32>() {
    const { check(REGISTERS) }
    // SAFETY: all warps of the group are here, with at least `REGISTERS`, by the caller's contract.
    unsafe { intrinsic!(intrinsics::setmaxnreg_dec(const { REGISTERS })) };
}

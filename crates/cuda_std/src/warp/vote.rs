//! Votes: functions that combine one bit from every lane, and return the result to every lane.
//!
//! ```text
//!   predicate  1 0 1 1   ──►   all = false   any = true   ballot = 0b1101 (bit i is lane i)
//! ```
//!
//! Law: bit `i` of `ballot` is set exactly if lane `i` is in `mask` and its predicate holds. `all`
//! is `ballot == mask`, and `any` is `ballot != 0`.
//!
//! Source: PTX ISA, *vote.sync*.

use crate::gpu_only;
#[cfg(target_arch = "nvptx64")]
use crate::intrinsics;

/// Whether `predicate` holds in all lanes of `mask`.
///
/// # Safety
/// The calling lane is in `mask`, all lanes in `mask` make this call with the same mask, and none
/// of them has exited.
#[gpu_only]
#[inline(always)]
#[must_use]
pub unsafe fn warp_vote_all(mask: u32, predicate: bool) -> bool {
    // SAFETY: by this function's contract the calling lane is in `mask`, all lanes of `mask` make
    // this call with the same mask, and none of them has exited.
    unsafe { intrinsics::vote_all(mask, predicate) }
}

/// Whether `predicate` holds in at least one lane of `mask`.
///
/// # Safety
/// The conditions of [`warp_vote_all`] hold.
#[gpu_only]
#[inline(always)]
#[must_use]
pub unsafe fn warp_vote_any(mask: u32, predicate: bool) -> bool {
    // SAFETY: by this function's contract the calling lane is in `mask`, all lanes of `mask` make
    // this call with the same mask, and none of them has exited.
    unsafe { intrinsics::vote_any(mask, predicate) }
}

/// Returns the mask of the lanes of `mask` in which `predicate` holds.
///
/// # Safety
/// The conditions of [`warp_vote_all`] hold.
#[gpu_only]
#[inline(always)]
#[must_use]
pub unsafe fn warp_vote_ballot(mask: u32, predicate: bool) -> u32 {
    // SAFETY: by this function's contract the calling lane is in `mask`, all lanes of `mask` make
    // this call with the same mask, and none of them has exited.
    unsafe { intrinsics::vote_ballot(mask, predicate) }
}

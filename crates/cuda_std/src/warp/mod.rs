//! Warps, the groups of 32 threads that execute together: the position of a thread in its warp, and
//! how the threads exchange values without memory.
//!
//! ```text
//!   lane   0   1   2   3  ...  31          shuffle_down by 1:   lane i receives the value of lane i+1
//!   value  a   b   c   d  ...   z    ──►   b   c   d   e  ...   z
//! ```
//!
//! Law: every operation with a `mask` waits for the lanes in the mask, and its result depends only
//! on the values of these lanes. Precondition throughout: the calling lane is in `mask`, all lanes
//! in `mask` execute the same call with the same mask, and none of them has exited.
//!
//! Source: PTX ISA, *shfl.sync*, *vote.sync*, *match.sync*, *redux.sync*, *activemask*,
//! *bar.warp.sync*; Rust-CUDA's `cuda_std::warp`.

mod matching;
mod reduce;
mod shuffle;
mod vote;

pub use matching::{WarpMatchValue, warp_match_all, warp_match_any};
pub use reduce::{WarpReduceValue, WarpReductionOp, warp_reduce};
pub use shuffle::{
    WarpShuffleMode, WarpShuffleValue, warp_shuffle_down, warp_shuffle_idx, warp_shuffle_up,
    warp_shuffle_xor,
};
pub use vote::{warp_vote_all, warp_vote_any, warp_vote_ballot};

use crate::gpu_only;
#[cfg(target_arch = "nvptx64")]
use crate::intrinsics;

/// The number of lanes in a warp: 32 on every GPU so far.
pub const WARP_SIZE: u32 = 32;

/// The mask with all lanes of a warp.
pub const FULL_MASK: u32 = u32::MAX;

/// Returns the thread's position in its warp, `0..32` (`%laneid`).
#[gpu_only]
#[inline(always)]
#[must_use]
pub fn lane_id() -> u32 {
    // SAFETY: the intrinsic only reads a special register.
    let lane = unsafe { intrinsics::laneid() };
    // SAFETY: by the PTX ISA, %laneid ranges from 0 to WARP_SZ - 1.
    unsafe { core::hint::assert_unchecked(lane < WARP_SIZE) };
    lane
}

/// Returns the warp's number in its block (`%warpid`).
///
/// The hardware may renumber warps while they run. For a stable number, divide the thread's index
/// in its block by [`WARP_SIZE`]. Rust-CUDA's `cuda_std` has no such function.
#[gpu_only]
#[inline(always)]
#[must_use]
pub fn warp_id() -> u32 {
    // SAFETY: the intrinsic only reads a special register.
    unsafe { intrinsics::warpid() }
}

/// Returns the mask of the warp's lanes that execute this instruction together (`activemask`).
#[gpu_only]
#[inline(always)]
#[must_use]
pub fn activemask() -> u32 {
    // SAFETY: the intrinsic only reads the state of the warp.
    unsafe { intrinsics::activemask() }
}

/// Waits for the lanes in `mask`. What they wrote to memory before the call is visible to all of
/// them after it (`bar.warp.sync`).
///
/// # Safety
/// The calling lane is in `mask`, all lanes in `mask` make this call with the same mask, and none
/// of them has exited.
#[gpu_only]
#[inline(always)]
pub unsafe fn sync_warp(mask: u32) {
    // SAFETY: by this function's contract the calling lane is in `mask`, every lane of `mask` makes
    // this call with the same mask, and none of them has exited.
    unsafe { intrinsics::warp_sync(mask) }
}

//! A thread's place in a kernel of warp groups: the first one produces, the others consume.
//!
//! ```text
//!   thread     0 .. 127      128 .. 255      256 .. 383
//!   role       producer      consumer 0      consumer 1
//! ```
//!
//! Law: the thread's number is read anew for each use, so that no register holds it during a
//! mainloop.

use cuda_std::thread::thread_idx_x;
use layout_types::arch::cluster_sm90::elect_one_sync;
use layout_types::arch::mov::here;

/// Threads of a warp group.
pub const WARP_GROUP: u32 = 128;

/// The thread's number in its warp group.
#[inline(always)]
pub fn thread_in_group() -> u32 {
    here(thread_idx_x()) % WARP_GROUP
}

/// The thread's number among all consumers: that of their tiled MMA.
#[inline(always)]
pub fn consumer_thread() -> u32 {
    here(thread_idx_x()) - WARP_GROUP
}

/// Whether the thread is the one that `elect.sync` chooses of the block's warp of this number.
///
/// What starts copies by TMA asks this and not for a warp's first thread: behind `elect.sync` the
/// assembler knows that one thread is left, whose operands are the warp's. Otherwise it lets each
/// copy loop over the threads that there might be, and a k tile of a small product takes up to a
/// tenth longer.
///
/// # Safety
/// All lanes of each warp are together.
#[inline(always)]
pub unsafe fn is_elected_of_warp(warp: u32) -> bool {
    // SAFETY: the warp's lanes are together, by the caller's contract.
    thread_idx_x() / 32 == warp && unsafe { elect_one_sync() }
}

/// The number of a consumer's group.
#[inline(always)]
pub fn consumer_group() -> u32 {
    here(thread_idx_x()) / WARP_GROUP - 1
}

/// The number among all consumers of a group's first thread.
#[inline(always)]
pub fn first_consumer_thread(group: u32) -> u32 {
    WARP_GROUP * group
}

//! A thread's place in a kernel of warp groups. The first group produces, the other groups consume.
//!
//! ```text
//!   thread     0 .. 127      128 .. 255      256 .. 383
//!   role       producer      consumer 0      consumer 1
//! ```
//!
//! Law: the thread's index is read again for each use, so that no register holds it during a
//! mainloop.

use cuda_std::thread::thread_idx_x;
use layout_types::arch::cluster_sm90::elect_one_sync;
use layout_types::arch::mov::here;

/// The number of threads in a warp group.
pub const WARP_GROUP: u32 = 128;

/// Returns the thread's index in its warp group.
#[inline(always)]
pub fn thread_in_group() -> u32 {
    here(thread_idx_x()) % WARP_GROUP
}

/// Returns the thread's index among all consumers, which is its index in their tiled MMA.
#[inline(always)]
pub fn consumer_thread() -> u32 {
    here(thread_idx_x()) - WARP_GROUP
}

/// Whether the thread is in warp `warp` of the CTA and is the thread that `elect.sync` chooses
/// there.
///
/// Use this, and not a test for a warp's first thread, before copies by TMA. After `elect.sync` the
/// assembler knows that exactly one thread remains, so that its operands are uniform. Otherwise the
/// assembler makes each copy a loop over the threads that might remain, and a k tile of a small
/// product takes up to a tenth longer.
///
/// # Safety
/// All lanes of each warp execute it together.
#[inline(always)]
pub unsafe fn is_elected_of_warp(warp: u32) -> bool {
    // SAFETY: the warp's lanes execute it together, by the caller's contract.
    thread_idx_x() / 32 == warp && unsafe { elect_one_sync() }
}

/// Returns the index of a consumer thread's group among the consumer groups.
#[inline(always)]
pub fn consumer_group() -> u32 {
    here(thread_idx_x()) / WARP_GROUP - 1
}

/// Returns the index, among all consumers, of the first thread of consumer group `group`.
#[inline(always)]
pub fn first_consumer_thread(group: u32) -> u32 {
    WARP_GROUP * group
}

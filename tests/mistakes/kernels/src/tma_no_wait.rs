//! category: Hopper
//! mistake: The tile of a bulk copy is read behind a barrier of the block, without a wait for the phase.
//! cure: `mbarrier_wait` in every thread that reads.
//! CuTe: compiles; stale data now and then; `racecheck` does not see the copy.

use cuda_std::shared::offset_of;
use cuda_std::shared_array;
use cuda_std::thread::{sync_threads, thread_idx_x};
use layout_types::arch::barrier::*;
use layout_types::arch::copy_sm90_bulk::*;

/// A tile on a 128-byte boundary.
#[repr(C, align(128))]
#[derive(Clone, Copy)]
pub struct Tile([f32; 128]);

/// Computes `d[i] = a[127 - i]`, by a bulk copy.
///
/// # Safety
/// A block of 128 threads; n is 128.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let tile = shared_array![Tile; 1].cast::<f32>();
    let barrier = offset_of(shared_array![u64; 1]);
    let (i, _) = (thread_idx_x() as usize, n);
    // SAFETY: a has 512 bytes; one thread initialises the barrier, and copies after its fence.
    unsafe {
        if i == 0 {
            mbarrier_init(barrier, 1);
            fence_mbarrier_init();
        }
        sync_threads();
        if i == 0 {
            mbarrier_arrive_expect_tx(barrier, 512);
            bulk_load(offset_of(tile), a.cast(), 512, barrier);
        }
        if RIGHT {
            mbarrier_wait(barrier, 0);
        } else {
            sync_threads();
        }
        *d.add(i) = *tile.add(127 - i);
    }
}
twins!(tma_no_wait, tma_no_wait_right);

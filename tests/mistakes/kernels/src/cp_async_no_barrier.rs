//! category: cp.async
//! mistake: A thread waits for its own copies and reads what another thread copied.
//! cure: The wait is the thread's own: a barrier behind it.
//! CuTe: compiles; wrong now and then; `racecheck` reports a hazard.
//! source: NVIDIA/cutlass#1442

use cuda_std::shared::offset_of;
use cuda_std::shared_array;
use cuda_std::thread::{sync_threads, thread_idx_x};
use layout_types::arch::copy_sm80::{cp_async_ca_4, cp_async_fence, cp_async_wait};

/// Computes `d[i] = a[n - 1 - i]`.
///
/// # Safety
/// A block of n = 128 threads.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let tile = shared_array![f32; 128];
    let i = thread_idx_x() as usize;
    // SAFETY: i and n - 1 - i are less than n.
    unsafe {
        *tile.add(i) = 0.0;
        sync_threads();
        cp_async_ca_4(offset_of(tile.add(i)), a.add(i).cast());
        cp_async_fence();
        cp_async_wait::<0>();
        if RIGHT {
            sync_threads();
        }
        *d.add(i) = *tile.add(n as usize - 1 - i);
    }
}
twins!(cp_async_no_barrier, cp_async_no_barrier_right);

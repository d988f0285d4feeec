//! category: barriers
//! mistake: A tile of shared memory is read behind its writes without a barrier between.
//! cure: `sync_threads()` between one thread's write and another's read.
//! CuTe: compiles; wrong now and then; `racecheck` reports a hazard.

use cuda_std::shared_array;
use cuda_std::thread::{sync_threads, thread_idx_x};

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
        *tile.add(i) = *a.add(i);
        if RIGHT {
            sync_threads();
        }
        *d.add(i) = *tile.add(n as usize - 1 - i);
    }
}
twins!(missing_barrier, missing_barrier_right);

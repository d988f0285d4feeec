//! category: barriers
//! caught: build
//! mistake: Threads past the end return before the barrier that the rest waits at.
//! cure: Predicate the accesses, not the thread: every thread comes to every barrier.
//! CuTe: compiles; works by chance where whole warps leave; `synccheck` reports it.

use cuda_std::shared_array;
use cuda_std::thread::{sync_threads, thread_idx_x};

/// Computes `d[i] = a[n - 1 - i]`.
///
/// # Safety
/// A block of 128 threads, n at most 128.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let tile = shared_array![f32; 128];
    let (i, n) = (thread_idx_x() as usize, n as usize);
    // SAFETY: memory is accessed only if i is less than n.
    unsafe {
        if !RIGHT && i >= n {
            return;
        }
        if i < n {
            *tile.add(i) = *a.add(i);
        }
        sync_threads();
        if i < n {
            *d.add(i) = *tile.add(n - 1 - i);
        }
    }
}
refused_twins!(return_before_barrier, return_before_barrier_right);

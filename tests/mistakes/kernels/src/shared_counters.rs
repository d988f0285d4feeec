//! category: barriers
//! mistake: Threads add to counters in shared memory without atomics.
//! cure: An atomic of block scope, and a barrier before the counters are read.
//! CuTe: compiles; counts are lost; `racecheck` reports a hazard.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use cuda_std::shared_array;
use cuda_std::thread::{sync_threads, thread_idx_x};

/// Counts in `d[j]` the elements of a that are j, modulo 8.
///
/// # Safety
/// A block of n = 128 threads; d has 8 elements.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let counters = shared_array![u32; 8];
    let (i, _) = (thread_idx_x() as usize, n);
    // SAFETY: i is less than n, a counter less than 8.
    unsafe {
        if i < 8 {
            *counters.add(i) = 0;
        }
        sync_threads();
        let counter = counters.add((*a.add(i) as i32 & 7) as usize);
        if RIGHT {
            AtomicU32::from_ptr(counter).fetch_add(1, Relaxed);
        } else {
            *counter += 1;
        }
        sync_threads();
        if i < 8 {
            *d.add(i) = *counters.add(i) as f32;
        }
    }
}
twins!(shared_counters, shared_counters_right);

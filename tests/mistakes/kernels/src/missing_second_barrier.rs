//! category: barriers
//! mistake: The tile is overwritten for the next step while slower warps still read this one's.
//! cure: Two barriers a step: behind the writes, and behind the reads.
//! CuTe: compiles; wrong now and then; `racecheck` reports a hazard.
//! source: NVIDIA/cutlass#386

use cuda_std::shared_array;
use cuda_std::thread::{sync_threads, thread_idx_x};

/// Writes to `d[i]` the sum of `a[128 k + 127 - i]` over k below n / 128.
///
/// # Safety
/// A block of 128 threads; n is a multiple of 128.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let tile = shared_array![f32; 128];
    let i = thread_idx_x() as usize;
    let mut sum = 0.0;
    // SAFETY: i is less than 128.
    unsafe {
        for k in 0..n as usize / 128 {
            *tile.add(i) = *a.add(128 * k + i);
            sync_threads();
            sum += *tile.add(127 - i);
            if RIGHT {
                sync_threads();
            }
        }
        *d.add(i) = sum;
    }
}
twins!(missing_second_barrier, missing_second_barrier_right);

//! category: barriers
//! mistake: A reduction in shared memory within a warp, without `sync_warp` between its steps.
//! cure: `sync_warp` between reads and writes, or shuffles.
//! CuTe: compiles; lanes of a warp need not go together since Volta; `racecheck` reports a hazard.

use cuda_std::shared_array;
use cuda_std::thread::thread_idx_x;
use cuda_std::warp::sync_warp;

/// Writes to `d[0]` the sum of a.
///
/// # Safety
/// A warp; n is 32.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let sums = shared_array![f32; 32];
    let (i, _) = (thread_idx_x() as usize, n);
    // SAFETY: i is less than 32; the whole warp comes.
    unsafe {
        *sums.add(i) = *a.add(i);
        let mut step = 16;
        while step > 0 {
            if RIGHT {
                sync_warp(u32::MAX);
            }
            let other = if i < step { *sums.add(i + step) } else { 0.0 };
            if RIGHT {
                sync_warp(u32::MAX);
            }
            if i < step {
                *sums.add(i) += other;
            }
            step /= 2;
        }
        if i == 0 {
            *d = *sums;
        }
    }
}
twins!(warp_synchronous, warp_synchronous_right);

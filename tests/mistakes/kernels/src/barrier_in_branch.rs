//! category: barriers
//! caught: build
//! mistake: The barrier stands inside the branch that only some threads take.
//! cure: Barriers stand where every thread of the block comes.
//! CuTe: compiles; undefined: it hangs or passes; `synccheck` reports divergent threads.

use cuda_std::shared_array;
use cuda_std::thread::{sync_threads, thread_idx_x};

/// Computes `d[i] = a[99 - i]`, and 0 from 100 on.
///
/// # Safety
/// A block of 128 threads; a and d have 128 elements.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let tile = shared_array![f32; 128];
    let (i, _) = (thread_idx_x() as usize, n);
    // SAFETY: i and 99 - i are less than 128.
    unsafe {
        if i < 100 {
            *tile.add(i) = *a.add(i);
            if !RIGHT {
                sync_threads();
            }
        }
        if RIGHT {
            sync_threads();
        }
        *d.add(i) = if i < 100 { *tile.add(99 - i) } else { 0.0 };
    }
}
refused_twins!(barrier_in_branch, barrier_in_branch_right);

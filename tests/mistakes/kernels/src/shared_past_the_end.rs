//! category: predicates and ragged sizes
//! mistake: A tile with a halo has no room for the halo: the last thread reads the next array.
//! cure: The tile has the threads and the halo: 128 + 1 elements.
//! CuTe: compiles; reads what lies behind in shared memory; `memcheck` sees nothing inside the block's
//!   memory.

use cuda_std::shared_array;
use cuda_std::thread::{sync_threads, thread_idx_x};

/// Computes `d[i] = a[i] + a[i + 1]`.
///
/// # Safety
/// A block of 128 threads; a has 129 elements.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let (short, long) = (shared_array![f32; 128], shared_array![f32; 129]);
    let tile = if RIGHT { long } else { short };
    let weights = shared_array![f32; 128];
    let (i, _) = (thread_idx_x() as usize, n);
    // SAFETY: in the right twin, i + 1 is inside the tile.
    unsafe {
        *tile.add(i) = *a.add(i);
        *weights.add(i) = 1.0;
        if RIGHT && i == 127 {
            *tile.add(128) = *a.add(128);
        }
        sync_threads();
        *d.add(i) = *tile.add(i) + *weights.add(i) * *tile.add(i + 1);
    }
}
twins!(shared_past_the_end, shared_past_the_end_right);

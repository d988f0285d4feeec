//! category: races between blocks
//! mistake: Every block adds its part to one result with a plain addition.
//! cure: An atomic addition, or a buffer of partial sums and a second launch.
//! CuTe: compiles; sums are lost; `racecheck` looks at shared memory only.

use core::sync::atomic::Ordering::Relaxed;
use cuda_std::atomic::AtomicF32;
use cuda_std::thread::{block_idx_x, thread_idx_x};

/// Increases `d[0]` by the sum of a: small whole numbers, exact in any order.
///
/// # Safety
/// n / 64 blocks of one thread.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let first = (block_idx_x() * 64 + thread_idx_x()) as usize;
    // SAFETY: the block's 64 elements are inside a.
    unsafe {
        let mut sum = 0.0;
        for i in first..first + 64 {
            sum += *a.add(i);
        }
        let _ = n;
        if RIGHT {
            (*d.cast::<AtomicF32>()).fetch_add(sum, Relaxed);
        } else {
            *d += sum;
        }
    }
}
twins!(sum_over_blocks, sum_over_blocks_right);

//! category: races between blocks
//! mistake: The last block by number adds what the others wrote, as if it ran last.
//! cure: A second launch, or a ticket by an atomic: who draws the last one adds.
//! CuTe: compiles; wrong where blocks run in another order; no tool reports it.

use core::sync::atomic::{AtomicU32, Ordering::AcqRel};
use cuda_std::thread::{block_idx_x, device_fence, grid_dim_x};

/// Sums a in `d[0]`: a block writes its part to d[1 + block]; d[15] begins with 0.
///
/// # Safety
/// n / 64 blocks, at most 14, of one thread.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let (block, blocks) = (block_idx_x(), grid_dim_x());
    let first = (block * 64) as usize;
    // SAFETY: the block's 64 elements are inside a, its place inside d.
    unsafe {
        let mut sum = 0.0;
        for i in first..first + 64 {
            sum += *a.add(i);
        }
        let _ = n;
        *d.add(1 + block as usize) = sum;
        device_fence();
        // The block that draws the last ticket is the last block.
        let place = if RIGHT {
            AtomicU32::from_ptr(d.add(15).cast()).fetch_add(1, AcqRel)
        } else {
            block
        };
        if place + 1 == blocks {
            device_fence();
            let mut all = 0.0;
            for other in 0..blocks {
                all += *d.add(1 + other as usize);
            }
            *d = all;
        }
    }
}
twins!(last_block_is_last, last_block_is_last_right);

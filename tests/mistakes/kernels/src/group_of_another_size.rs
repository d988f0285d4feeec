//! category: launches
//! mistake: A kernel reduces over `this_thread_block::<256>()`, and is launched with blocks of 128.
//! cure: One constant for both, and `block` in the launch's contract.
//! CuTe: `cub::BlockReduce<float, 256>` in a block of 128: compiles; adds what the missing warps' memory held.

use cuda_std::cooperative_groups::this_thread_block;
use cuda_std::shared_array;

/// Computes `d[i] = a[0] + a[1] + .. + a[n - 1]`.
///
/// # Safety
/// A block of n = 128 threads.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, _: u32) {
    let scratch = shared_array![f32; 8];
    // SAFETY: every thread comes here; scratch has a number for each warp.
    unsafe {
        if RIGHT {
            let block = this_thread_block::<128>();
            let i = block.thread_rank() as usize;
            *d.add(i) = block.reduce(scratch, *a.add(i), |x, y| x + y);
        } else {
            let block = this_thread_block::<256>();
            let i = block.thread_rank() as usize;
            *d.add(i) = block.reduce(scratch, *a.add(i), |x, y| x + y);
        }
    }
}
twins!(group_of_another_size, group_of_another_size_right);

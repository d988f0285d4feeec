//! category: accumulators and numerics
//! mistake: Partial sums in shared memory are added to before anything set them to zero.
//! cure: Zero them, and a barrier, before the first addition.
//! CuTe: compiles; adds what the memory held; `initcheck` looks at global memory only.

use cuda_std::shared_array;
use cuda_std::thread::{sync_threads, thread_idx_x};

/// Computes `d[i] = a[i] + a[i + 64]`, through shared memory.
///
/// # Safety
/// A block of 64 threads; n is 128.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let sums = shared_array![f32; 64];
    let (i, _) = (thread_idx_x() as usize, n);
    // SAFETY: i is less than 64.
    unsafe {
        if RIGHT {
            *sums.add(i) = 0.0;
        }
        for k in 0..2 {
            *sums.add(i) += *a.add(64 * k + i);
        }
        sync_threads();
        *d.add(i) = *sums.add(i);
    }
}
twins!(shared_not_zeroed, shared_not_zeroed_right);

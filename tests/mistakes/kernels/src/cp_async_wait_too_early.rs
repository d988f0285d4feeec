//! category: cp.async
//! mistake: `cp_async_wait::<2>` in a pipeline of two stages: the newest two groups are all that there are.
//! cure: Stages less one: `cp_async_wait::<1>`.
//! CuTe: compiles; stale data now and then.

use cuda_std::shared::offset_of;
use cuda_std::shared_array;
use cuda_std::thread::{sync_threads, thread_idx_x};
use layout_types::arch::copy_sm80::{cp_async_ca_4, cp_async_fence, cp_async_wait};

/// Writes to `d[i]` the sum of `a[128 k + 127 - i]` over k below n / 128.
///
/// # Safety
/// A block of 128 threads; n is a multiple of 128.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let stages = shared_array![f32; 256];
    let (i, steps) = (thread_idx_x() as usize, n as usize / 128);
    let mut sum = 0.0;
    // SAFETY: i is less than 128; barriers separate the writers and the readers of a stage.
    unsafe {
        cp_async_ca_4(offset_of(stages.add(i)), a.add(i).cast());
        cp_async_fence();
        for k in 0..steps {
            let next = k + 1;
            if next < steps {
                cp_async_ca_4(
                    offset_of(stages.add(next % 2 * 128 + i)),
                    a.add(128 * next + i).cast(),
                );
            }
            if RIGHT {
                cp_async_fence();
                cp_async_wait::<1>();
            } else {
                cp_async_fence();
                cp_async_wait::<2>();
            }
            sync_threads();
            sum += *stages.add(k % 2 * 128 + 127 - i);
            sync_threads();
        }
        *d.add(i) = sum;
    }
}
twins!(cp_async_wait_too_early, cp_async_wait_too_early_right);

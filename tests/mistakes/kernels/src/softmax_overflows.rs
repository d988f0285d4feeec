//! category: accumulators and numerics
//! caught: test
//! mistake: A softmax without the row's maximum: the exponential of a large score is infinite.
//! cure: Subtract the maximum first.
//! CuTe: silent: NaN.
//! source: pytorch/pytorch#121558

use cuda_std::float::approx::exp2;
use cuda_std::thread::thread_idx_x;

/// Writes to `d[i]` the softmax to base 2 of 8 a over 32 elements.
///
/// # Safety
/// A warp; n is 32.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let i = thread_idx_x() as usize;
    // SAFETY: i and j are less than n.
    unsafe {
        let mut largest = if RIGHT { f32::NEG_INFINITY } else { 0.0 };
        for j in 0..n as usize {
            if RIGHT {
                largest = f32::max(largest, 8.0 * *a.add(j));
            }
        }
        let mut sum = 0.0;
        for j in 0..n as usize {
            sum += exp2(8.0 * *a.add(j) - largest);
        }
        *d.add(i) = exp2(8.0 * *a.add(i) - largest) / sum;
    }
}
twins!(softmax_overflows, softmax_overflows_right);

//! category: accumulators and numerics
//! caught: test
//! mistake: A row of which every score is masked: -inf less the maximum of -inf is NaN.
//! cure: Where the maximum is -inf subtract 0, and divide by 1 where the sum is 0.
//! CuTe: silent: NaN, which the next layer spreads.

use cuda_std::float::approx::exp2;
use cuda_std::thread::thread_idx_x;

/// Writes to `d[i]` the softmax to base 2 of a over 32 elements, or 0 if all are -inf.
///
/// # Safety
/// A warp; n is 32.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let i = thread_idx_x() as usize;
    // SAFETY: i and j are less than n.
    unsafe {
        let mut largest = f32::NEG_INFINITY;
        for j in 0..n as usize {
            largest = f32::max(largest, *a.add(j));
        }
        if RIGHT && largest == f32::NEG_INFINITY {
            largest = 0.0;
        }
        let mut sum = 0.0;
        for j in 0..n as usize {
            sum += exp2(*a.add(j) - largest);
        }
        if RIGHT && sum == 0.0 {
            sum = 1.0;
        }
        *d.add(i) = exp2(*a.add(i) - largest) / sum;
    }
}
twins!(softmax_of_a_masked_row, softmax_of_a_masked_row_right);

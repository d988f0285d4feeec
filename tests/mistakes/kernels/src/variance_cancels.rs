//! category: accumulators and numerics
//! caught: test
//! mistake: A variance as the mean of squares less the square of the mean: of numbers near 10,000 all digits
//!   cancel.
//! cure: Two passes, or Welford's update.
//! CuTe: silent: wrong digits, and negative variances.

/// Writes to `d[0]` the variance of a.
///
/// # Safety
/// One thread; n is not 0.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    // SAFETY: i is less than n.
    unsafe {
        let (mut sum, mut squares) = (0.0, 0.0);
        for i in 0..n as usize {
            sum += *a.add(i);
            squares += *a.add(i) * *a.add(i);
        }
        let mean = sum / n as f32;
        let mut deviations = 0.0;
        for i in 0..n as usize {
            deviations += (*a.add(i) - mean) * (*a.add(i) - mean);
        }
        *d = if RIGHT {
            deviations / n as f32
        } else {
            squares / n as f32 - mean * mean
        };
    }
}
twins!(variance_cancels, variance_cancels_right);

//! category: accumulators and numerics
//! caught: test
//! mistake: A persistent kernel does not clear its accumulator before the next tile.
//! cure: Clear it at the head of each tile: `clear(&c.view())`.
//! CuTe: silent: each tile has the sums of those before.

use cuda_std::thread::thread_idx_x;

/// Computes `d[32 tile + i] = a[64 tile + i] + a[64 tile + 32 + i]`.
///
/// # Safety
/// A warp; n is a multiple of 64.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let i = thread_idx_x() as usize;
    let mut sum = 0.0;
    // SAFETY: i is less than 32.
    unsafe {
        for tile in 0..n as usize / 64 {
            if RIGHT {
                sum = 0.0;
            }
            for k in 0..2 {
                sum += *a.add(64 * tile + 32 * k + i);
            }
            *d.add(32 * tile + i) = sum;
        }
    }
}
twins!(accumulator_carries_over, accumulator_carries_over_right);

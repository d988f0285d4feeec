//! category: accumulators and numerics
//! caught: test
//! mistake: Squares are summed in f16, whose largest number is 65504.
//! cure: Accumulate in f32 and round once.
//! CuTe: silent: inf.
//! source: Dao-AILab/flash-attention#442

use cuda_std::thread::thread_idx_x;
use half::f16;
use layout_types::arch::mma::fma_f16;
use layout_types::atom::convert::convert;

/// Sums in `d[0]` the squares of a, whole numbers of at most 32.
///
/// # Safety
/// One thread.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let _ = thread_idx_x();
    // SAFETY: i is less than n.
    unsafe {
        let (mut half, mut sum) = (0, 0.0_f32);
        for i in 0..n as usize {
            let x = convert::<_, f16>(*a.add(i)).to_bits();
            half = fma_f16(x, x, half);
            sum += *a.add(i) * *a.add(i);
        }
        *d = if RIGHT {
            sum
        } else {
            convert::<_, f32>(f16::from_bits(half))
        };
    }
}
twins!(f16_sum_overflows, f16_sum_overflows_right);

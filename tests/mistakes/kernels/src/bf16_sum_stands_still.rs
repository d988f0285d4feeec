//! category: accumulators and numerics
//! caught: test
//! mistake: Ones are counted in bf16: from 256 on, adding 1 changes nothing.
//! cure: Accumulate in f32 and round once.
//! CuTe: silent: 256.

use half::bf16;
use layout_types::arch::mma::fma_bf16;
use layout_types::atom::convert::convert;

/// Counts in `d[0]` the elements of a that are at most 100, which all are.
///
/// # Safety
/// One thread.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let one = bf16::ONE.to_bits();
    // SAFETY: i is less than n.
    unsafe {
        let (mut short, mut sum) = (0, 0.0_f32);
        for i in 0..n as usize {
            if *a.add(i) <= 100.0 {
                short = fma_bf16(one, one, short);
                sum += 1.0;
            }
        }
        *d = if RIGHT {
            sum
        } else {
            convert::<_, f32>(bf16::from_bits(short))
        };
    }
}
twins!(bf16_sum_stands_still, bf16_sum_stands_still_right);

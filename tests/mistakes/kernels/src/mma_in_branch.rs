//! category: ldmatrix and stmatrix
//! caught: build
//! mistake: `mma.sync` stands in a branch that depends on the row: some lanes of the warp do not come.
//! cure: Branches around `gemm` are the same for the whole warp; predicate loads and stores instead.
//! CuTe: compiles; undefined: it hangs, or the product is wrong.

use cuda_std::thread::thread_idx_x;
use layout_types::arch::mma_sm80::mma_16x8x8_f32_tf32;

/// Writes to d the first accumulator of each lane of a product of ones: 8.
///
/// # Safety
/// A warp; n is 32.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let (i, _, _) = (thread_idx_x() as usize, a, n);
    let mut sums = [0.0_f32; 4];
    let ones = [1.0_f32.to_bits(); 4];
    // SAFETY: in the right twin the whole warp comes to the product; i is less than 32.
    unsafe {
        if RIGHT || i < 20 {
            mma_16x8x8_f32_tf32(&mut sums, &ones, &[ones[0], ones[1]]);
        }
        *d.add(i) = sums[0];
    }
}
refused_twins!(mma_in_branch, mma_in_branch_right);

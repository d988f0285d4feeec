//! category: types and conversions
//! caught: test
//! mistake: Products of s8 are formed in s8.
//! cure: Widen first: `i32::from(x) * i32::from(y)`.
//! CuTe: C++ widens to int; silent where the result is narrowed, as CUTLASS's epilogues without a clamp.

use cuda_std::thread::thread_idx_x;

/// Computes `d[i] = a[i] * a[i]`, for whole numbers of at most 32.
///
/// # Safety
/// A block of n threads.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let (i, _) = (thread_idx_x() as usize, n);
    // SAFETY: i is less than n.
    unsafe {
        let x = *a.add(i) as i8;
        let product = if RIGHT {
            i32::from(x) * i32::from(x)
        } else {
            i32::from(x.wrapping_mul(x))
        };
        *d.add(i) = product as f32;
    }
}
twins!(s8_product_wraps, s8_product_wraps_right);

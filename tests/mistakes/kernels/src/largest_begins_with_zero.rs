//! category: accumulators and numerics
//! caught: test
//! mistake: A maximum begins with 0: of negative numbers it is 0.
//! cure: Begin with -inf, or with the first element.
//! CuTe: silent: 0.

/// Writes to `d[0]` the largest element of a.
///
/// # Safety
/// One thread.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let mut largest = if RIGHT { f32::NEG_INFINITY } else { 0.0 };
    // SAFETY: i is less than n.
    unsafe {
        for i in 0..n as usize {
            largest = f32::max(largest, *a.add(i));
        }
        *d = largest;
    }
}
twins!(largest_begins_with_zero, largest_begins_with_zero_right);

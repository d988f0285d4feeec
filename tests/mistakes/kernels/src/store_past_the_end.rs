//! category: predicates and ragged sizes
//! mistake: The residue tile is stored without a predicate.
//! cure: `if i < n`, or `copy_if` by the tile's coordinates.
//! CuTe: compiles; `memcheck` reports invalid writes, if they leave the allocation.

use cuda_std::kernel;
use cuda_std::thread::index_1d;

/// `d[i] = 2 a[i]`.
///
/// # Safety
/// `ceil(n / 256)` blocks of 256 threads.
#[kernel]
pub unsafe fn store_past_the_end(d: *mut f32, a: *const f32, n: u32) {
    let i = index_1d();
    // SAFETY: none: i may be n or more.
    unsafe {
        let x = if i < n { *a.add(i as usize) } else { 0.0 };
        *d.add(i as usize) = 2.0 * x;
    }
}

/// `d[i] = 2 a[i]`.
///
/// # Safety
/// `ceil(n / 256)` blocks of 256 threads.
#[kernel]
pub unsafe fn store_past_the_end_right(d: *mut f32, a: *const f32, n: u32) {
    let i = index_1d();
    if i < n {
        // SAFETY: i is less than n.
        unsafe { *d.add(i as usize) = 2.0 * *a.add(i as usize) };
    }
}

//! category: predicates and ragged sizes
//! mistake: The residue tile is stored without a predicate.
//! cure: `if i < n`, or `copy_if` by the tile's coordinates.
//! CuTe: compiles; `memcheck` reports invalid writes, if they leave the allocation.
//! source: NVIDIA/cutlass#1397

use cuda_std::thread::index_1d;

/// Computes `d[i] = 2 a[i]`.
///
/// # Safety
/// `ceil(n / 256)` blocks of 256 threads.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let i = index_1d();
    // SAFETY: in the right twin, memory is accessed only if i is less than n.
    unsafe {
        let x = if i < n { *a.add(i as usize) } else { 0.0 };
        if !RIGHT || i < n {
            *d.add(i as usize) = 2.0 * x;
        }
    }
}
twins!(store_past_the_end, store_past_the_end_right);

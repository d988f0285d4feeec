//! category: predicates and ragged sizes
//! mistake: A stencil reads its right neighbour, past the end in the last thread.
//! cure: The predicate is that of the neighbour: i + 1 < n.
//! CuTe: compiles; reads what lies behind; `memcheck` reports it where the allocation ends there.

use cuda_std::thread::index_1d;

/// Computes `d[i] = a[i] + a[i + 1]`, and a[i] for the last element.
///
/// # Safety
/// `ceil(n / 64)` blocks of 64 threads.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let i = index_1d();
    if i < n {
        // SAFETY: i is less than n.
        unsafe {
            let right = if i + u32::from(RIGHT) < n {
                *a.add(i as usize + 1)
            } else {
                0.0
            };
            *d.add(i as usize) = *a.add(i as usize) + right;
        }
    }
}
twins!(halo_off_by_one, halo_off_by_one_right);

//! category: races between blocks
//! mistake: A stencil writes over the elements that its neighbours still read.
//! cure: Out of place: read one buffer, write another.
//! CuTe: compiles; wrong at the borders of blocks; no tool reports it.

use cuda_std::thread::index_1d;

/// Computes `d[i] = a[i] + a[i + 1]`, except for the last; d begins as a copy of a.
///
/// # Safety
/// n / 64 blocks of 64 threads.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let i = index_1d();
    let from = if RIGHT { a } else { d.cast_const() };
    if i + 1 < n {
        // SAFETY: i + 1 is less than n.
        unsafe { *d.add(i as usize) = *from.add(i as usize) + *from.add(i as usize + 1) };
    }
    let _ = a;
}
twins!(stencil_in_place, stencil_in_place_right);

//! category: predicates and ragged sizes
//! mistake: Tiles of D are stored whole, whatever D's extents are.
//! cure: `copy_if` with `atoms_inside()`, or `inside` of each element. With `Buffer::describe` the test's message says which element.
//! CuTe: compiles; wrong rows now and then; `memcheck` reports the last row alone.

use cuda_std::thread::{block_idx_x, block_idx_y, thread_idx_x};
use layout_types::prelude::*;

/// Computes `d[i][j] = a[j]`, for rows of 40, in tiles of (8, 16).
///
/// # Safety
/// A block of 128 threads per tile; d has n / 40 rows.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let at = (block_idx_y(), block_idx_x());
    let (row, column) = (thread_idx_x() / 16, thread_idx_x() % 16);
    // SAFETY: one thread writes each element; the right twin stores only elements inside.
    unsafe {
        let tile =
            Tensor::global_mut(d, [n / 40, 40], (40, Int::<1>)).local_tile::<tile!(8, 16), _>(at);
        let from = (16 * at.1 + column).min(39);
        if !RIGHT || tile.inside((row, column)) {
            tile.set((row, column), *a.add(from as usize));
        }
    }
}
twins!(no_predicate_on_d, no_predicate_on_d_right);

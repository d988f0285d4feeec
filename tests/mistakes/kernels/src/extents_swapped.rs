//! category: predicates and ragged sizes
//! caught: test
//! mistake: The predicate compares rows with the columns' extent: right for square matrices.
//! cure: One predicate of coordinates and extents in order: the tensor's `inside`.
//! CuTe: silent, or out of bounds.

use cuda_std::thread::{block_idx_x, thread_idx_x};

/// Computes `d[row 96 + column] = a[row 96 + column]`, for a (40, 96) matrix.
///
/// # Safety
/// 40 blocks of 128 threads.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let (row, column) = (block_idx_x(), thread_idx_x());
    let (rows, columns) = (n / 96, 96);
    let inside = if RIGHT {
        row < rows && column < columns
    } else {
        row < columns && column < rows
    };
    if inside {
        let i = (row * columns + column) as usize;
        // SAFETY: the place is inside the matrix.
        unsafe { *d.add(i) = *a.add(i) };
    }
}
twins!(extents_swapped, extents_swapped_right);

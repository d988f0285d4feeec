//! category: vectors and alignment
//! mistake: Rows of 25 floats are copied 16 bytes at a time: the second row begins at byte 100.
//! cure: Rows of a multiple of 4 floats, or copies of 4 bytes.
//! CuTe: compiles; "misaligned address" at run time; `memcheck` names the thread.
//! source: NVIDIA/cutlass#1272

use cuda_std::shared::offset_of;
use cuda_std::shared_array;
use cuda_std::thread::{sync_threads, thread_idx_x};
use layout_types::arch::copy_sm80::{cp_async_ca_16, cp_async_fence, cp_async_wait};

/// Computes `d[4 row + i] = a[28 row + i]`, the first four elements of each row.
///
/// # Safety
/// A block of 32 threads; a has 32 rows.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let tile = shared_array![[f32; 4]; 32];
    let (row, _) = (thread_idx_x() as usize, n);
    let pitch = if RIGHT { 28 } else { 25 };
    // SAFETY: row is less than 32.
    unsafe {
        cp_async_ca_16(offset_of(tile.add(row)), a.add(pitch * row).cast());
        cp_async_fence();
        cp_async_wait::<0>();
        sync_threads();
        for i in 0..4 {
            *d.add(4 * row + i) = (*tile.add(row))[i];
        }
    }
}
twins!(cp_async_misaligned, cp_async_misaligned_right);

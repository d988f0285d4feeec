//! category: cp.async
//! mistake: Copies past the end are skipped, and what lies in the stage there is read all the same.
//! cure: Zero-fill: `cp_async_ca_4_if`, or `copy_if` by a copy with zero-fill.
//! CuTe: compiles; the last tile adds what the memory held before; `initcheck` looks at global memory only.
//! source: NVIDIA/cutlass#2277

use cuda_std::shared::offset_of;
use cuda_std::shared_array;
use cuda_std::thread::{sync_threads, thread_idx_x};
use layout_types::arch::copy_sm80::{
    cp_async_ca_4, cp_async_ca_4_if, cp_async_fence, cp_async_wait,
};

/// Writes `a[127 - i]` to `d[i]`, or 0 if that element is past the end.
///
/// # Safety
/// A block of 128 threads, n at most 128; d has 128 elements.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let tile = shared_array![f32; 128];
    let i = thread_idx_x() as usize;
    // SAFETY: elements past the end are not read.
    unsafe {
        if RIGHT {
            cp_async_ca_4_if(
                offset_of(tile.add(i)),
                a.wrapping_add(i).cast(),
                u32::from(i < n as usize),
            );
        } else {
            if i < n as usize {
                cp_async_ca_4(offset_of(tile.add(i)), a.add(i).cast())
            }
        }
        cp_async_fence();
        cp_async_wait::<0>();
        sync_threads();
        *d.add(i) = *tile.add(127 - i);
    }
}
twins!(cp_async_no_zero_fill, cp_async_no_zero_fill_right);

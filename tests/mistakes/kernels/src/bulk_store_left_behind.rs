//! category: Hopper
//! mistake: The block ends while a bulk store still reads its shared memory.
//! cure: `tma_store_wait::<0>()` before the end.
//! CuTe: compiles; wrong now and then, when another block gets the memory.

use cuda_std::shared::offset_of;
use cuda_std::shared_array;
use cuda_std::thread::{sync_threads, thread_idx_x};
use layout_types::arch::barrier::*;
use layout_types::arch::copy_sm90_bulk::*;

/// A tile on a 128-byte boundary.
#[repr(C, align(128))]
#[derive(Clone, Copy)]
pub struct Tile([f32; 128]);

/// Computes `d[i] = a[127 - i]`, by a bulk store.
///
/// # Safety
/// A block of 128 threads; n is 128.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let tile = shared_array![Tile; 1].cast::<f32>();
    let (i, _) = (thread_idx_x() as usize, n);
    // SAFETY: d has 512 bytes; i is less than 128.
    unsafe {
        *tile.add(i) = *a.add(127 - i);
        fence_proxy_async_shared();
        sync_threads();
        if i == 0 {
            bulk_store(d.cast(), offset_of(tile), 512);
            tma_store_arrive();
            if RIGHT {
                tma_store_wait::<0>();
            }
        }
    }
}
twins!(bulk_store_left_behind, bulk_store_left_behind_right);

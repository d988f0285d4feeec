//! category: Hopper
//! mistake: The staging buffer is written for the next tile while the store before still reads it.
//! cure: `tma_store_wait::<0>()` and a barrier before the next write.
//! CuTe: compiles; wrong now and then; no tool reports it.

use cuda_std::shared::offset_of;
use cuda_std::shared_array;
use cuda_std::thread::{sync_threads, thread_idx_x};
use layout_types::arch::barrier::*;
use layout_types::arch::copy_sm90_bulk::*;

/// A tile on a 128-byte boundary.
#[repr(C, align(128))]
#[derive(Clone, Copy)]
pub struct Tile([f32; 128]);

/// Computes `d[i] = a[127 - i]` and `d[128 + i] = a[i]`, by bulk stores.
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
        sync_threads();
        *tile.add(i) = *a.add(i);
        fence_proxy_async_shared();
        sync_threads();
        if i == 0 {
            bulk_store(d.add(128).cast(), offset_of(tile), 512);
            tma_store_arrive();
            tma_store_wait_done::<0>();
        }
    }
}
twins!(bulk_store_overwritten, bulk_store_overwritten_right);

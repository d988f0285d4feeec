//! category: barriers
//! mistake: The epilogue stages D in the memory of the mainloop's tiles, which slower warps still read.
//! cure: A barrier between the last read of a tile and the first write of the epilogue.
//! CuTe: compiles; wrong now and then; `racecheck` reports a hazard.
//! source: NVIDIA/cutlass#1326

use cuda_std::shared_array;
use cuda_std::thread::{sync_threads, thread_idx_x};

/// Computes `d[i] = 2 a[n - 1 - i]`, through shared memory twice.
///
/// # Safety
/// A block of n = 128 threads.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let stage = shared_array![f32; 128];
    let i = thread_idx_x() as usize;
    // SAFETY: i and n - 1 - i are less than n.
    unsafe {
        *stage.add(i) = *a.add(i);
        sync_threads();
        let accumulator = 2.0 * *stage.add(i ^ 32);
        if RIGHT {
            sync_threads();
        }
        *stage.add(i) = accumulator;
        sync_threads();
        *d.add(i) = *stage.add((n as usize - 1 - i) ^ 32);
    }
}
twins!(epilogue_in_a_stage, epilogue_in_a_stage_right);

//! category: barriers
//! mistake: A tile of shared memory is read behind its writes without a barrier between.
//! cure: `sync_threads()` between one thread's write and another's read.
//! CuTe: compiles; wrong now and then; `racecheck` reports a hazard.

use cuda_std::kernel;
use cuda_std::shared_array;
use cuda_std::thread::{sync_threads, thread_idx_x};

macro_rules! reverse {
    ($name:ident: $($barrier:tt)*) => {
        /// `d[i] = a[n - 1 - i]`.
        ///
        /// # Safety
        /// A block of n = 128 threads.
        #[kernel]
        pub unsafe fn $name(d: *mut f32, a: *const f32, n: u32) {
            let tile = shared_array![f32; 128];
            let i = thread_idx_x() as usize;
            // SAFETY: i and n - 1 - i are less than n.
            unsafe {
                *tile.add(i) = *a.add(i);
                $($barrier)*
                *d.add(i) = *tile.add(n as usize - 1 - i);
            }
        }
    };
}
reverse!(missing_barrier:);
reverse!(missing_barrier_right: sync_threads(););

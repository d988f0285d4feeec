//! The position of a thread in its block and its grid, and functions by which the threads of a
//! block wait for one another.
//!
//! ```text
//!   grid_dim = (3,2,1)        block_dim = (4,2,1)
//!   ┌──────┬──────┬──────┐    ┌──┬──┬──┬──┐  thread_idx().x ──►
//!   │(0,0) │(1,0) │(2,0) │    ├──┼──┼──┼──┤
//!   ├──────┼──────┼──────┤    └──┴──┴──┴──┘
//!   │(0,1) │(1,1) │(2,1) │    index_1d() = thread_idx().x + block_idx().x · block_dim().x
//!   └──────┴──────┴──────┘
//! ```
//!
//! Law: `index()` numbers all threads of a launch of any shape without gap or repetition.
//! `index_1d()`, `index_2d()` and `index_3d()` do the same for launches of at most that many
//! dimensions.
//!
//! Source: PTX ISA, *Special Registers*, *bar*, *membar*, *nanosleep*; Rust-CUDA's
//! `cuda_std::thread`.

use crate::gpu_only;
#[cfg(target_arch = "nvptx64")]
use crate::intrinsics;
use crate::vector::{Vec2, Vec3};

/// Defines a function that reads a special register. The function states the range that every
/// compute capability guarantees, so that LLVM can remove checks.
macro_rules! register {
    ($(#[$doc:meta])* $name:ident = $intrinsic:ident in $low:literal ..= $high:literal) => {
        $(#[$doc])*
        #[gpu_only]
        #[inline(always)]
        #[must_use]
        pub fn $name() -> u32 {
            // SAFETY: the intrinsic only reads a special register.
            let value = unsafe { intrinsics::$intrinsic() };
            // SAFETY: the CUDA programming guide's table of technical specifications bounds the
            // register on every GPU.
            unsafe { ::core::hint::assert_unchecked(($low..=$high).contains(&value)) };
            value
        }
    };
}

register!(
    /// Returns the thread's x coordinate in its block, `0..block_dim_x()`.
    thread_idx_x = tid_x in 0..=1023
);
register!(
    /// Returns the thread's y coordinate in its block, `0..block_dim_y()`.
    thread_idx_y = tid_y in 0..=1023
);
register!(
    /// Returns the thread's z coordinate in its block, `0..block_dim_z()`.
    thread_idx_z = tid_z in 0..=63
);
register!(
    /// Returns the block's x coordinate in the grid, `0..grid_dim_x()`.
    block_idx_x = ctaid_x in 0..=0x7fff_fffe
);
register!(
    /// Returns the block's y coordinate in the grid, `0..grid_dim_y()`.
    block_idx_y = ctaid_y in 0..=65534
);
register!(
    /// Returns the block's z coordinate in the grid, `0..grid_dim_z()`.
    block_idx_z = ctaid_z in 0..=65534
);
register!(
    /// Returns the number of threads of a block along x.
    block_dim_x = ntid_x in 1..=1024
);
register!(
    /// Returns the number of threads of a block along y.
    block_dim_y = ntid_y in 1..=1024
);
register!(
    /// Returns the number of threads of a block along z.
    block_dim_z = ntid_z in 1..=64
);
register!(
    /// Returns the number of blocks of the grid along x.
    grid_dim_x = nctaid_x in 1..=0x7fff_ffff
);
register!(
    /// Returns the number of blocks of the grid along y.
    grid_dim_y = nctaid_y in 1..=65535
);
register!(
    /// Returns the number of blocks of the grid along z.
    grid_dim_z = nctaid_z in 1..=65535
);

/// Returns the thread's coordinates in its block.
#[inline(always)]
#[must_use]
pub fn thread_idx() -> Vec3<u32> {
    Vec3::new(thread_idx_x(), thread_idx_y(), thread_idx_z())
}

/// Returns the block's coordinates in the grid.
#[inline(always)]
#[must_use]
pub fn block_idx() -> Vec3<u32> {
    Vec3::new(block_idx_x(), block_idx_y(), block_idx_z())
}

/// Returns the number of threads of a block along each axis.
#[inline(always)]
#[must_use]
pub fn block_dim() -> Vec3<u32> {
    Vec3::new(block_dim_x(), block_dim_y(), block_dim_z())
}

/// Returns the number of blocks of the grid along each axis.
#[inline(always)]
#[must_use]
pub fn grid_dim() -> Vec3<u32> {
    Vec3::new(grid_dim_x(), grid_dim_y(), grid_dim_z())
}

/// Returns the thread's number in the whole launch of any shape. Blocks are counted in x-y-z order,
/// then threads in x-y-z order within the block.
///
/// Postcondition: different threads of a launch of fewer than 2^32 threads get different numbers,
/// from 0 up without gaps.
#[inline(always)]
#[must_use]
pub fn index() -> u32 {
    let grid = grid_dim();
    let block = block_idx();
    let size = block_dim();
    let thread = thread_idx();
    let block_number = grid
        .y
        .wrapping_mul(block.z)
        .wrapping_add(block.y)
        .wrapping_mul(grid.x)
        .wrapping_add(block.x);
    let thread_number = size
        .y
        .wrapping_mul(thread.z)
        .wrapping_add(thread.y)
        .wrapping_mul(size.x)
        .wrapping_add(thread.x);
    block_number
        .wrapping_mul(size.product())
        .wrapping_add(thread_number)
}

/// Returns the thread's number along x over all blocks. The number is unique for every thread only
/// in a one-dimensional launch of fewer than 2^32 threads.
#[inline(always)]
#[must_use]
pub fn index_1d() -> u32 {
    thread_idx_x().wrapping_add(block_idx_x().wrapping_mul(block_dim_x()))
}

/// Returns the thread's coordinates along x and y over all blocks. They are unique for every thread
/// of a launch with one layer in z.
#[inline(always)]
#[must_use]
pub fn index_2d() -> Vec2<u32> {
    Vec2::new(
        index_1d(),
        thread_idx_y().wrapping_add(block_idx_y().wrapping_mul(block_dim_y())),
    )
}

/// Returns the thread's coordinates along x, y and z over all blocks. They are unique for every
/// thread of a launch.
#[inline(always)]
#[must_use]
pub fn index_3d() -> Vec3<u32> {
    let Vec2 { x, y } = index_2d();
    Vec3::new(
        x,
        y,
        thread_idx_z().wrapping_add(block_idx_z().wrapping_mul(block_dim_z())),
    )
}

/// Whether this is thread (0,0,0) of block (0,0,0): true for exactly one thread of a launch.
#[inline(always)]
#[must_use]
pub fn first() -> bool {
    block_idx() == Vec3::zero() && thread_idx() == Vec3::zero()
}

/// Returns the number of threads of a warp: 32 on every GPU so far. The constant is
/// [`warp::WARP_SIZE`](crate::warp::WARP_SIZE).
#[gpu_only]
#[inline(always)]
#[must_use]
pub fn warp_size() -> u32 {
    // SAFETY: the intrinsic only reads a special register.
    unsafe { intrinsics::warpsize() }
}

/// Waits until every thread of the block has reached the barrier (`bar.sync 0`).
///
/// Postcondition: writes to global and shared memory before the barrier, by any thread of the
/// block, are visible to every thread of the block after the barrier.
///
/// Every thread of the block must reach the barrier, and all threads of a warp must reach it
/// together. If only some threads of a block reach the barrier, the kernel hangs or the barrier
/// fails.
#[gpu_only]
#[inline(always)]
pub fn sync_threads() {
    // SAFETY: a misplaced barrier makes the launch hang or fail, but does not break memory safety.
    unsafe { intrinsics::barrier_sync(0) }
}

/// Does a [`sync_threads`], and returns the number of threads of the block whose `predicate` is not
/// 0 (`bar.red.popc`).
#[gpu_only]
#[inline(always)]
pub fn sync_threads_count(predicate: u32) -> u32 {
    // SAFETY: a misplaced barrier makes the launch hang or fail, but does not break memory safety.
    unsafe { intrinsics::barrier_popc(0, predicate != 0) }
}

/// Does a [`sync_threads`], and returns 1 if every thread's `predicate` is not 0, else 0
/// (`bar.red.and`).
#[gpu_only]
#[inline(always)]
pub fn sync_threads_and(predicate: u32) -> u32 {
    // SAFETY: a misplaced barrier makes the launch hang or fail, but does not break memory safety.
    u32::from(unsafe { intrinsics::barrier_and(0, predicate != 0) })
}

/// Does a [`sync_threads`], and returns 1 if any thread's `predicate` is not 0, else 0
/// (`bar.red.or`).
#[gpu_only]
#[inline(always)]
pub fn sync_threads_or(predicate: u32) -> u32 {
    // SAFETY: a misplaced barrier makes the launch hang or fail, but does not break memory safety.
    u32::from(unsafe { intrinsics::barrier_or(0, predicate != 0) })
}

/// Orders this thread's memory accesses before the fence ahead of those after the fence, as seen by
/// the threads of its block (`membar.cta`). No thread waits. Rust-CUDA's `cuda_std` has no such
/// function; CUDA C++ calls it `__threadfence_block`.
#[gpu_only]
#[inline(always)]
pub fn block_fence() {
    // SAFETY: a fence only forbids reorderings.
    unsafe { intrinsics::membar_cta() }
}

/// Orders this thread's memory accesses before the fence ahead of those after the fence, as seen by
/// the threads of its grid. No thread waits.
///
/// PTX has no scope between block and device, so this is [`device_fence`].
#[gpu_only]
#[inline(always)]
pub fn grid_fence() {
    device_fence();
}

/// Orders this thread's memory accesses before the fence ahead of those after the fence, as seen by
/// every thread of the GPU (`membar.gl`). No thread waits.
#[gpu_only]
#[inline(always)]
pub fn device_fence() {
    // SAFETY: a fence only forbids reorderings.
    unsafe { intrinsics::membar_gl() }
}

/// Orders this thread's memory accesses before the fence ahead of those after the fence, as seen by
/// every thread of the system: this GPU, its peers and the host (`membar.sys`). No thread waits.
#[gpu_only]
#[inline(always)]
pub fn system_fence() {
    // SAFETY: a fence only forbids reorderings.
    unsafe { intrinsics::membar_sys() }
}

/// Suspends the thread for about `nanos` nanoseconds: for 0 to twice that time, and for at most 1
/// ms. The instruction needs compute capability 7.0 or newer.
#[gpu_only]
#[inline(always)]
pub fn nanosleep(nanos: u32) {
    // SAFETY: the instruction only lets time pass.
    unsafe { intrinsics::nanosleep(nanos) }
}

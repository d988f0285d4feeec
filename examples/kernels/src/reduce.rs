//! The sum of a vector, in a fixed order: every run gives the same bits.
//!
//! ```text
//!   vector ─ block b takes tiles b, b + blocks, .. ─► one sum per thread ─ shuffles ─► per warp ─ shared ─► the block's: partial[b]
//!   partial ──────── the same kernel, one block ────────► the sum
//! ```
//!
//! Law: `partial[b]` is the sum of the elements of block b's tiles, in f32, added in an order that
//! depends only on n and on the launch.

use cuda_std::kernel;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{block_idx_x, grid_dim_x, sync_threads, thread_idx_x};
use cuda_std::warp::warp_shuffle_xor;
use layout_types::prelude::*;
use layout_types::tensor::Shared;

use crate::rows::Tile4096;

/// The number of bytes of shared memory that [`block_all`] uses: one number for each warp.
pub const SHARED_BYTES: u32 = 32;

/// Combines a value of each lane over the warp, by halves. Every lane gets the result.
///
/// # Safety
/// The whole warp executes it.
#[inline(always)]
pub unsafe fn warp_all(mut value: f32, f: impl Fn(f32, f32) -> f32) -> f32 {
    unroll::<5>(|step| {
        // SAFETY: all 32 lanes of the warp are here by the function's contract, and the loop has no
        // condition.
        let (other, _) = unsafe { warp_shuffle_xor(u32::MAX, value, 16 >> step, 32) };
        value = f(value, other);
    });
    value
}

/// Combines a value of each thread over the block. Every thread gets the result.
///
/// # Safety
/// The whole block of 256 threads executes it. Nothing else uses the [`SHARED_BYTES`] of shared
/// memory at `at`, a multiple of 4, until the next barrier.
#[inline(always)]
pub unsafe fn block_all(at: u32, value: f32, f: impl Fn(f32, f32) -> f32) -> f32 {
    let thread = thread_idx_x();
    // SAFETY: 256 threads, in whole warps, have `SHARED_BYTES` at `at`, 4-byte aligned, by the
    // contract, a number for each warp. The barrier is between the writes and the reads.
    unsafe {
        let warps = Tensor::<Shared<f32>, layout!(8:1)>::shared(at);
        let value = warp_all(value, &f);
        if thread.is_multiple_of(32) {
            warps.set(thread / 32, value);
        }
        sync_threads();
        let mut all = warps.get(0u32);
        unroll::<7>(|warp| all = f(all, warps.get(warp as u32 + 1)));
        all
    }
}

/// Computes each block's part of the sum of `n` numbers.
///
/// # Safety
/// The launch has blocks of 256 threads, as many as `partial` has elements, with 32 bytes of
/// dynamic shared memory. `src` has n elements and begins at a multiple of 16 bytes.
#[kernel]
pub unsafe fn reduce_sum(partial: *mut f32, src: *const f32, n: u32) {
    let block = block_idx_x();
    // SAFETY: by the contract `src` has n readable elements, 16-byte aligned, and `load` omits
    // elements after them. `block_all` uses the 32 bytes of shared memory once. `partial` has an
    // element for each block, and only the block's first thread writes it.
    unsafe {
        let src = Tensor::global(src, [1, n], (n.into(), Int::<1>));
        let mut sum = 0.0;
        let mut tile = block;
        while tile < n.div_ceil(Tile4096::ELEMENTS) {
            sum += Tile4096::load(&src, (0, tile), 0.0).reduce(0.0, |sum, x| sum + x);
            tile += grid_dim_x();
        }
        let sum = block_all(dynamic_shared_offset(), sum, |x, y| x + y);
        if thread_idx_x() == 0 {
            *partial.add(block as usize) = sum;
        }
    }
}

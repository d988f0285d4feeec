//! category: swizzles and banks
//! mistake: A tile is written through a swizzle, and read as if it had none.
//! cure: One type for the tile, `Composition<Swizzle<..>, ..>`, and one tensor of it for writers and readers.
//! CuTe: compiles; wrong numbers; compute-sanitizer does not know of layouts.

use cuda_std::shared::offset_of;
use cuda_std::shared_array;
use cuda_std::thread::{sync_threads, thread_idx_x};
use layout_types::prelude::*;
use layout_types::tensor::Shared;

/// A tile of (32, 32) floats.
#[repr(C, align(1024))]
#[derive(Clone, Copy)]
pub struct Tile([f32; 1024]);

type Plain = layout!((32,32):(32,1));
type Swizzled = Composition<Swizzle<3, 2, 3>, Plain>;

/// Computes `d[i] = a[i]`, where a warp's columns go through shared memory.
///
/// # Safety
/// A warp; n is 1024.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let at = offset_of(shared_array![Tile; 1]);
    let column = thread_idx_x();
    // SAFETY: only this warp uses the tile, and a barrier separates writes and reads; all indices are less than n.
    unsafe {
        let write = Tensor::<Shared<f32>, Swizzled>::shared(at);
        let plain = Tensor::<Shared<f32>, Plain>::shared(at);
        for row in 0..n / 32 {
            write.set((row, column), *a.add((32 * row + column) as usize));
        }
        sync_threads();
        for row in 0..n / 32 {
            let x = if RIGHT {
                write.get((row, column))
            } else {
                plain.get((row, column))
            };
            *d.add((32 * row + column) as usize) = x;
        }
    }
}
twins!(swizzle_on_one_side, swizzle_on_one_side_right);

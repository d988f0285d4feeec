//! A copy of a vector, 16 bytes at a time, four loads of a thread under way at once.
//!
//! ```text
//!   src ─ Tile4096 ─► registers ─► dst          block b: elements [4096 b, 4096 b + 4096)
//! ```
//!
//! Law: `dst[i] == src[i]` for every i below n; nothing else is written.

use cuda_std::kernel;
use cuda_std::thread::block_idx_x;
use layout_types::prelude::*;

use crate::rows::Tile4096;

/// A copy of `n` elements.
///
/// # Safety
/// `ceil(n / 4096)` blocks of 256 threads; both vectors have n elements and begin at a multiple of
/// 16 bytes; they do not overlap.
#[kernel]
pub unsafe fn stream_copy(dst: *mut f32, src: *const f32, n: u32) {
    let at = (0, block_idx_x());
    // SAFETY: the caller has n elements at `src` to read and at `dst` to write, 16-byte aligned and
    // apart, and a block of 256 threads for each 4096 of them: an element is one thread's, and
    // `atoms_inside` leaves out what is behind the n.
    unsafe {
        let src = Tensor::global(src, [1, n], (n.into(), Int::<1>));
        let dst = Tensor::global_mut(dst, [1, n], (n.into(), Int::<1>));
        Tile4096::load(&src, at, 0.0).store(&dst, at);
    }
}

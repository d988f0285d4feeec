//! A copy of a vector, 16 bytes at a time, with four loads of a thread in flight at once.
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

/// Copies `n` elements.
///
/// # Safety
/// The launch has `ceil(n / 4096)` blocks of 256 threads. Both vectors have n elements, begin at a
/// multiple of 16 bytes and do not overlap.
#[kernel]
pub unsafe fn stream_copy(dst: *mut f32, src: *const f32, n: u32) {
    let at = (0, block_idx_x());
    // SAFETY: by the contract `src` and `dst` have n elements, 16-byte aligned, without overlap,
    // and there is a block of 256 threads for each 4096 elements: one thread accesses each element,
    // and `atoms_inside` omits those after the n.
    unsafe {
        let src = Tensor::global(src, [1, n], (n.into(), Int::<1>));
        let dst = Tensor::global_mut(dst, [1, n], (n.into(), Int::<1>));
        Tile4096::load(&src, at, 0.0).store(&dst, at);
    }
}

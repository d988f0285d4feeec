//! The softmax of each row of a matrix: with the row in registers, or online for rows of any
//! length.
//!
//! ```text
//!   in registers    load ─► max ─► exp ─► sum ─► scale ─► store                              one reading, cols <= 8192
//!   online          (max, sum) ⊕ (max', sum') = (m, sum e^(max-m) + sum' e^(max'-m)), m = max(max, max')      any cols
//! ```
//!
//! Law: `dst[r][c] == exp(src[r][c] - max) / sum of exp(src[r][..] - max)`, within a few ulp of
//! f32.

use cuda_std::float::approx::exp2;
use cuda_std::kernel;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::block_idx_x;
use layout_types::prelude::*;

use crate::reduce;
use crate::rows::{Tile1024, Tile4096, Tile8192};

/// The number of bytes of shared memory: a block combines two numbers.
pub const SHARED_BYTES: u32 = 2 * reduce::SHARED_BYTES;
/// The factor in `e^x == 2^(x LOG2_E)`: the instruction computes powers of two.
const LOG2_E: f32 = core::f32::consts::LOG2_E;

macro_rules! in_registers {
    ($($name:ident, $tile:ty, $cols:literal;)*) => {$(
        #[doc = concat!("The softmax of rows of at most ", $cols, " elements.")]
        ///
        /// # Safety
        /// The launch has a block of 256 threads for each row, with 64 bytes of dynamic shared
        /// memory; both matrices are (rows, cols), 16-byte aligned and do not overlap.
        #[kernel]
        pub unsafe fn $name(dst: *mut f32, src: *const f32, rows: u32, cols: u32) {
            let (at, shared) = ((block_idx_x(), 0), dynamic_shared_offset());
            // SAFETY: by the contract there is a block of 256 threads for each row, 64 bytes of
            // shared memory, in which each `block_all` has its own half, and two matrices of rows ×
            // cols elements, 16-byte aligned, without overlap. One thread accesses each element.
            unsafe {
                let src = Tensor::global(src, [rows, cols], (cols.into(), Int::<1>));
                let dst = Tensor::global_mut(dst, [rows, cols], (cols.into(), Int::<1>));
                let row = <$tile>::load(&src, at, f32::NEG_INFINITY);
                let most = reduce::block_all(shared, row.reduce(f32::NEG_INFINITY, f32::max), f32::max);
                row.map(|x| exp2((x - most) * LOG2_E));
                let sum = row.reduce(0.0, |sum, x| sum + x);
                let sum = reduce::block_all(shared + reduce::SHARED_BYTES, sum, |x, y| x + y);
                let scale = 1.0 / sum;
                row.map(|x| x * scale);
                row.store(&dst, at);
            }
        }
    )*};
}
in_registers! {
    softmax_1024, Tile1024, 1024;
    softmax_4096, Tile4096, 4096;
    softmax_8192, Tile8192, 8192;
}

/// Computes the softmax of rows of any length. The first pass over a row finds the largest element
/// and the sum; the second goes backwards, because the end of the row is still in the caches.
///
/// # Safety
/// The conditions are those of [`softmax_1024`], for any number of columns.
#[kernel]
pub unsafe fn softmax_online(dst: *mut f32, src: *const f32, rows: u32, cols: u32) {
    let (row, shared) = (block_idx_x(), dynamic_shared_offset());
    let tiles = cols.div_ceil(Tile4096::ELEMENTS);
    // SAFETY: by the contract there is a block of 256 threads for each row, 64 bytes of shared
    // memory, in which each `block_all` has its own half, and two matrices as of `softmax_1024`.
    // One thread accesses each element. The loops' conditions are the same in the whole block.
    unsafe {
        let src = Tensor::global(src, [rows, cols], (cols.into(), Int::<1>));
        let dst = Tensor::global_mut(dst, [rows, cols], (cols.into(), Int::<1>));
        // This is not -inf, because -inf minus -inf is NaN.
        let (mut most, mut sum) = (f32::MIN, 0.0);
        for tile in 0..tiles {
            let part = Tile4096::load(&src, (row, tile), f32::NEG_INFINITY);
            let new = part.reduce(most, f32::max);
            let old = sum * exp2((most - new) * LOG2_E);
            sum = part.reduce(old, |sum, x| sum + exp2((x - new) * LOG2_E));
            most = new;
        }
        let all = reduce::block_all(shared, most, f32::max);
        let sum = sum * exp2((most - all) * LOG2_E);
        let scale = 1.0 / reduce::block_all(shared + reduce::SHARED_BYTES, sum, |x, y| x + y);
        for tile in (0..tiles).rev() {
            let part = Tile4096::load(&src, (row, tile), f32::NEG_INFINITY);
            part.map(|x| exp2((x - all) * LOG2_E) * scale);
            part.store(&dst, (row, tile));
        }
    }
}

//! category: ldmatrix and stmatrix
//! caught: build
//! mistake: `ldmatrix` is executed by the lanes that give addresses alone.
//! cure: All 32 lanes execute it; lanes without an address give any.
//! CuTe: compiles; undefined; `synccheck` does not look at it.

use cuda_std::shared::offset_of;
use cuda_std::shared_array;
use cuda_std::thread::{sync_threads, thread_idx_x};
use layout_types::arch::copy_sm75::ldmatrix_x1;

/// Eight rows of 16 bytes.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
pub struct Rows([u32; 32]);

/// Writes to d the first of two 8×8 matrices of 16-bit elements: each lane's register, as a float.
///
/// # Safety
/// A warp; n is 32; a holds whole numbers below 256.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let tile = shared_array![Rows; 1].cast::<u32>();
    let (i, _) = (thread_idx_x() as usize, n);
    // SAFETY: i is less than 32; a row has 16 bytes.
    unsafe {
        *tile.add(i) = *a.add(i) as i32 as u32;
        sync_threads();
        let mut register = 0;
        if RIGHT || i < 8 {
            register = ldmatrix_x1(offset_of(tile.add(4 * (i % 8))))[0];
        }
        *d.add(i) = register as i32 as f32;
    }
}
refused_twins!(ldmatrix_in_branch, ldmatrix_in_branch_right);

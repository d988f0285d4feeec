//! Getting a (128, 32) tile of A or B from global into shared memory.
//!
//! ```text
//!   thread t, pass p ─► 8 elements of one row ─► 16 bytes of the swizzled tile      4 passes
//! ```
//!
//! Law: after the copies are waited for, `tile[row][k]` is the matrix's element where row and k lie inside it,
//! and zero where not.

use super::layouts::{GlobalToShared, SharedTile, Tile};
use layout_types::arch::copy::store_shared_b128;
use layout_types::arch::copy_sm80::cp_async_cg_16_zfill;
use layout_types::prelude::*;

/// A row-major matrix in global memory, seen from a block: `rows` and `k` count from the block's first row.
#[derive(Clone, Copy)]
pub struct Operand {
    /// Its first element.
    pub base: *const u16,
    /// The block's first row.
    pub row: u32,
    /// Rows of the matrix.
    pub rows: u32,
    /// Columns of the matrix, and elements from one row to the next.
    pub k: u32,
}

impl Operand {
    /// The address of `(row, k)`.
    ///
    /// # Safety
    /// `(row, k)` lies inside the matrix.
    #[inline(always)]
    unsafe fn at(self, row: u32, k: u32) -> *const u16 {
        // SAFETY: inside the matrix, by the caller's contract.
        unsafe { self.base.add(row as usize * self.k as usize + k as usize) }
    }
}

/// A way to copy the 8 elements `(row, k..k + 8)` of a matrix to 16 bytes of shared memory.
pub trait Load {
    /// Copies what lies inside the matrix and zero-fills the rest.
    ///
    /// # Safety
    /// `shared` is 16-byte aligned, in the block's shared memory, and nobody else touches its 16 bytes before
    /// the next wait and barrier; the matrix is readable.
    unsafe fn load(shared: u32, matrix: Operand, row: u32, k: u32);
}

/// 16 bytes at once, asynchronously. Needs K a multiple of 8 and a base on a 16-byte boundary.
pub struct Async16;

impl Load for Async16 {
    #[inline(always)]
    unsafe fn load(shared: u32, matrix: Operand, row: u32, k: u32) {
        // K is a multiple of 8, so eight elements from a multiple of 8 are inside or outside together.
        let inside = row < matrix.rows && k < matrix.k;
        // SAFETY: the address is formed and read only inside the matrix; with 0 source bytes nothing is read.
        unsafe {
            let source = if inside {
                matrix.at(row, k)
            } else {
                matrix.base
            };
            cp_async_cg_16_zfill(shared, source.cast(), if inside { 16 } else { 0 });
        }
    }
}

/// One element at a time, for any K and any alignment.
pub struct Elementwise;

impl Load for Elementwise {
    #[inline(always)]
    unsafe fn load(shared: u32, matrix: Operand, row: u32, k: u32) {
        let mut words = [0u32; 4];
        unroll::<8>(|i| {
            if row < matrix.rows && k + (i as u32) < matrix.k {
                // SAFETY: (row, k + i) lies inside the matrix.
                let element = unsafe { *matrix.at(row, k + i as u32) };
                words[i / 2] |= u32::from(element) << (16 * (i % 2));
            }
        });
        // SAFETY: the caller's contract.
        unsafe { store_shared_b128(shared, words) };
    }
}

/// (thread, pass) to (row, k).
type Coordinates = Composition<Tile, GlobalToShared>;
/// (thread, pass) to the byte of shared memory.
type Bytes = Composition<SharedTile, GlobalToShared>;

/// Copies this thread's share of the tile that starts at column `k`, to the tile at `shared`.
///
/// # Safety
/// `shared` is the address of a [`SharedTile`] that nobody else reads before the next wait and barrier; the
/// matrix is readable.
#[inline(always)]
pub unsafe fn load_tile<L: Load>(shared: u32, matrix: Operand, k: u32, thread: u32) {
    unroll::<4>(|pass| {
        let at = (thread, pass as u32);
        let [row, column] = Coordinates::coordinate(at);
        let byte = Bytes::at(at);
        // SAFETY: `SharedTile` maps 8 elements along k, from a multiple of 8, to 16 aligned bytes inside the
        // tile, and no two threads or passes to the same (`tests/layouts.rs`).
        unsafe { L::load(shared + byte, matrix, matrix.row + row, k + column) };
    });
}

//! The epilogue rounds and stores O and stores the log-sum-exp of each row. Four warps store 64
//! rows at a time.
//!
//! ```text
//!   accumulator (pairs of columns) ─ quad::transpose ─► eight columns of each of two rows, 16 bytes per store
//! ```
//!
//! Law: each row of the tile that is a query is stored once, with all its columns. Other rows are
//! not stored.

use super::quad;
use super::value::AttentionValue;
use layout_types::algorithm::copy_if;
use layout_types::atom::copy::UniversalCopy;
use layout_types::prelude::*;
use layout_types::tensor::{__, Fragment, GetSlice};
use layout_types::tiled::TiledCopy;
use layout_types::unroll::{Unroll, unroll, unroll_type};

/// The tiled copy that stores the O of four warps. It maps (thread, value) to (64,32); a thread has
/// eight columns of a row and of the row eight below.
pub type R2g = TiledCopy<
    UniversalCopy<u128>,
    u16,
    layout!(((4,8,4),(8,2)):((512,1,16),(64,8))),
    tile!(64, 32),
>;

/// Stores tile `tile` of 64 rows into a matrix with `rows` rows and `columns` columns, which are
/// `Blocks` blocks of 32. `pair` returns the thread's pair of neighbouring columns for one of its
/// two rows and a block of eight columns.
///
/// # Safety
/// Four whole warps execute it, and `thread()` is this thread's index in them. Rows below `rows`
/// are writable: they begin at `to`, `stride` elements apart.
#[inline(always)]
pub unsafe fn store_rows<T: AttentionValue, Blocks: Unroll>(
    to: *mut T,
    (rows, columns, stride): (u32, u32, u64),
    (tile, thread): (u32, impl Fn() -> u32),
    pair: impl Fn(u32, u32) -> u64,
) {
    // SAFETY: whole warps are here; rows below `rows` are writable by the function's contract.
    unsafe {
        let g_o = Tensor::global_mut(to.cast::<u16>(), [rows, columns], (stride, Int::<1>))
            .local_tile::<tile!(64, 32), _>((tile, __)); // (64,32,D/32)
        let t_go = R2g::get_slice(thread()).partition_d(&g_o).from_here(); // (CPY,CPY_M,CPY_N,D/32)
        unroll_type::<Blocks>(|block| {
            let vectors = Fragment::<u16, layout!(((8, 2), 1, 1))>::new();
            let words_of = vectors.view().recast::<u32>(); // ((4,2),1,1)
            unroll::<2>(|row| {
                let word = |i| T::round(pair(row as u32, 4 * block as u32 + i));
                let words = quad::transpose([word(0), word(1), word(2), word(3)], &thread);
                unroll::<4>(|i| words_of.set(((i as u32, row as u32), 0u32, 0u32), words[i]));
            });
            let t_go = t_go.slice((__, __, __, block as u32)); // (CPY,CPY_M,CPY_N)
            let inside = t_go.atoms_inside_along::<0>();
            copy_if(R2g::default(), inside, &vectors.view(), &t_go);
        });
    }
}

/// Does what [`store_rows`] does for the last 16 columns, if `columns` is an odd multiple of 16. It
/// stores a block of 32 columns whose second half is predicated.
///
/// # Safety
/// The conditions are those of [`store_rows`].
#[inline(always)]
pub unsafe fn store_last_16<T: AttentionValue>(
    to: *mut T,
    (rows, columns, stride): (u32, u32, u64),
    (tile, thread): (u32, impl Fn() -> u32),
    pair: impl Fn(u32, u32) -> u64,
) {
    let block = columns / 32;
    // SAFETY: whole warps are here; rows below `rows` are writable by the function's contract.
    unsafe {
        let g_o = Tensor::global_mut(to.cast::<u16>(), [rows, columns], (stride, Int::<1>))
            .local_tile::<tile!(64, 32), _>((tile, block)); // (64,32)
        let t_go = R2g::get_slice(thread()).partition_d(&g_o); // (CPY,CPY_M,CPY_N)
        let vectors = Fragment::<u16, layout!(((8, 2), 1, 1))>::new();
        let words_of = vectors.view().recast::<u32>(); // ((4,2),1,1)
        unroll::<2>(|row| {
            let word = |i| T::round(pair(row as u32, 4 * block + i));
            let words = quad::transpose([word(0), word(1), 0, 0], &thread);
            unroll::<4>(|i| words_of.set(((i as u32, row as u32), 0u32, 0u32), words[i]));
        });
        copy_if(R2g::default(), t_go.atoms_inside(), &vectors.view(), &t_go);
    }
}

/// Stores the log-sum-exps of tile `tile` of 64 rows, where the matrix has `rows` rows. `finished`
/// has them as the second number, for each of the thread's two rows.
///
/// # Safety
/// Four whole warps execute it, and `thread` is this thread's index in them. `rows` log-sum-exps
/// are writable.
#[inline(always)]
pub unsafe fn store_lse(
    lse: *mut f32,
    rows: u32,
    (tile, thread): (u32, u32),
    finished: [(f32, f32); 2],
) {
    // SAFETY: rows below `rows` are writable by the function's contract.
    unsafe {
        // All columns have the same value, by the stride 0.
        let g_lse = Tensor::global_mut(lse, [rows, 32], [1, 0])
            .local_tile::<tile!(64, 32), _>((tile, 0u32)); // (64,32)
        let t_gl = R2g::get_slice(thread).partition_d(&g_lse); // (CPY,CPY_M,CPY_N)
        unroll::<2>(|row| {
            let at = ((0u32, row as u32), 0u32, 0u32);
            if thread.is_multiple_of(4) & t_gl.inside(at) {
                t_gl.set(at, finished[row].1);
            }
        });
    }
}

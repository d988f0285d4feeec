//! The epilogue: O divided by the sums of its rows and rounded, and the log-sum-exp of each row.
//!
//! ```text
//!   accumulator (pairs of columns) ─ quad::transpose ─► eight columns of each of two rows, 16 bytes per store
//! ```
//!
//! Law: each row of the tile that is a query is stored once. Other rows are not stored.

use super::config::{AttentionConfig, Results};
use super::fragments::{Accumulator, AccumulatorLayout};
use super::score::ScoreFunction;
use super::sequences::{Sequences, TileOf};
use super::softmax::{Softmax, finish_rows, join_sink};
use super::tile_scheduler::stored_before;
use crate::warp_group::{consumer_group, thread_in_group};
use core::borrow::Borrow;
use gpu_kernels::attention::epilogue;
use kernel_abi::attention::{AttentionParams, flags};
use layout_types::algorithm::copy_if;
use layout_types::atom::copy::UniversalCopy;
use layout_types::prelude::*;
use layout_types::tensor::{__, Fragment, GetSlice};
use layout_types::tiled::TiledCopy;
use layout_types::unroll::{Unroll, unroll, unroll_type};

/// Stores a consumer group's rows of the tile that begins at row `tile` into a matrix of `rows`
/// rows.
///
/// # Safety
/// The whole consumer group executes it. Rows below `rows` are writable: they begin at `to`,
/// `stride` elements apart.
#[inline(always)]
pub unsafe fn store_rows<C: AttentionConfig>(
    to: *mut C::OutputElement,
    (rows, stride): (u32, u64),
    tile: u32,
    output: &Accumulator<C::Output>,
) {
    let (group, thread) = (consumer_group(), thread_in_group());
    let of = (rows, C::DIM_V, stride);
    let pair = |row, block| C::Output::pair(output, row, block);
    // SAFETY: four whole warps are here; rows below `rows` are writable by the function's contract.
    unsafe {
        epilogue::store_rows::<_, C::BlocksOf32>(to, of, (tile / 64 + group, || thread), pair);
    }
}

/// The tiled copy that stores a consumer group's O in f32. It maps (thread, value) to (64,8); a
/// thread has two columns of a row and of the row eight below.
type R2gPairs =
    TiledCopy<UniversalCopy<u64>, f32, layout!(((4,8,4),(2,2)):((128,1,16),(64,8))), tile!(64, 8)>;

/// Stores tile `tile` of 64 rows into a matrix of f32 with `rows` rows and `columns` columns, which
/// are `Blocks` blocks of 32. `pair` returns the thread's pair of neighbouring columns for one of
/// its two rows and a block of eight columns.
///
/// # Safety
/// The whole warp group executes it. Rows below `rows` are writable: they begin at `to`, `stride`
/// elements apart.
#[inline(always)]
pub unsafe fn store_pairs<Blocks: Unroll>(
    to: *mut f32,
    (rows, columns, stride): (u32, u32, u64),
    tile: u32,
    pair: impl Fn(u32, u32) -> u64,
) {
    // SAFETY: whole warps are here; rows below `rows` are writable by the function's contract.
    unsafe {
        let g_o = Tensor::global_mut(to, [rows, columns], (stride, Int::<1>))
            .local_tile::<tile!(64, 8), _>((tile, __)); // (64,8,D/8)
        let t_go = R2gPairs::get_slice(thread_in_group())
            .partition_d(&g_o)
            .from_here(); // (CPY,CPY_M,CPY_N,D/8)
        unroll_type::<Blocks>(|of_32| {
            unroll::<4>(|i| {
                let block = 4 * of_32 as u32 + i as u32;
                let pairs = Fragment::<f32, layout!(((2, 2), 1, 1))>::new();
                let words_of = pairs.view().recast::<u64>(); // ((1,2),1,1)
                unroll::<2>(|row| {
                    words_of.set(((0u32, row as u32), 0u32, 0u32), pair(row as u32, block));
                });
                let t_go = t_go.slice((__, __, __, block)); // (CPY,CPY_M,CPY_N)
                let inside = t_go.atoms_inside_along::<0>();
                copy_if(R2gPairs::default(), inside, &pairs.view(), &t_go);
            });
        });
    }
}

/// Stores the log-sum-exps of tile `tile` of 64 rows into a compact array of `rows` log-sum-exps.
/// `finished` has them as the second number, for each of the thread's two rows.
///
/// # Safety
/// The whole warp group executes it; `rows` log-sum-exps are writable.
#[inline(always)]
pub unsafe fn store_pairs_lse(lse: *mut f32, rows: u32, tile: u32, finished: [(f32, f32); 2]) {
    let thread = thread_in_group();
    // SAFETY: whole warps are here; rows below `rows` are writable by the function's contract.
    unsafe {
        // All columns have the same value, by the stride 0.
        let g_lse =
            Tensor::global_mut(lse, [rows, 8], [1, 0]).local_tile::<tile!(64, 8), _>((tile, 0u32)); // (64,8)
        let t_gl = R2gPairs::get_slice(thread).partition_d(&g_lse); // (CPY,CPY_M,CPY_N)
        unroll::<2>(|row| {
            let at = ((0u32, row as u32), 0u32, 0u32);
            if thread.is_multiple_of(4) & t_gl.inside(at) {
                t_gl.set(at, finished[row].1);
            }
        });
    }
}

/// Stores a consumer group's rows of O of a tile, and their log-sum-exp.
///
/// # Safety
/// The whole consumer group executes it. O and, if the flag is set, the log-sum-exp are writable as
/// the parameters say.
#[inline(always)]
pub unsafe fn store<C: AttentionConfig>(
    (o, lse): Results<C>,
    (params, sequences, score): (&AttentionParams, C::Sequences, C::Score),
    tile: TileOf<C>,
    output: &Accumulator<C::Output>,
    softmax: &Softmax,
) {
    // SAFETY: whole warps are here. The rows of O and the log-sum-exps of queries below `queries`
    // are writable by the function's contract.
    unsafe {
        let by = sequences.output_scale(params, tile);
        let mut finished = softmax.finish(by);
        if const { C::Score::SINKS } {
            let sink = score.sink(tile.head);
            finished = [join_sink(finished[0], sink), join_sink(finished[1], sink)];
        }
        finish_rows(C::Output::rows(output), finished);
        if let Some((to, lse)) = sequences.partial(params, tile) {
            let of = (params.queries, C::DIM_V, u64::from(C::DIM_V));
            let pair = |row, block| C::Output::pair(output, row, block);
            store_pairs::<C::BlocksOf32>(to, of, 0, pair);
            return store_pairs_lse(lse, params.queries, 0, finished);
        }
        let o = o.wrapping_add(sequences.offset_of_o(params, tile));
        let of = sequences.params(params, tile);
        let queries = stored_before(of.borrow(), tile.row, C::TILE[0]);
        store_rows::<C>(o, (queries, params.row_o), tile.row, output);
        if params.flags & flags::LSE != 0 {
            let (group, thread) = (consumer_group(), thread_in_group());
            let lse = lse.wrapping_add(sequences.offset_of_lse(params, tile));
            epilogue::store_lse(lse, queries, (tile.row / 64 + group, thread), finished);
        }
    }
}

//! The mainloop: for a tile of queries, it processes the blocks of keys one after the other.
//!
//! ```text
//!   one stage    wait K, barrier │ V i begins │ S │ wait V, barrier │ K i+1 begins │ softmax │ P V
//!   two stages   wait K and V, barrier │ K, V i+1 begin in the other stage │ S │ softmax │ P V
//! ```
//!
//! Law: a stage is read after the wait for its copies and a barrier. It is filled again after a
//! barrier that all its readers have passed.

use super::collective::AttentionCollective;
use super::config::*;
use super::epilogue::{store_last_16, store_lse, store_rows};
use super::fragments::{AccumulatorAtoms, RetileToA};
use super::score::ScoreFunction;
use super::sequences::SequenceTiles;
use super::softmax::{Softmax, finish_rows, join_sink, scale_row};
use super::tile_scheduler::{KeyBlocks, TileAt};
use super::value::{ScoreCoordinates, own_key};
use crate::gemm::mainloop::{GlobalMatrix, MatrixOf};
use core::borrow::Borrow;
use core::f32::consts::{LN_2, LOG2_E};
use cuda_std::thread::sync_threads;
use kernel_abi::attention::{AttentionParams, AttentionReads, flags};
use layout_types::algorithm::{cp_async_fence, cp_async_wait};
use layout_types::arch::mov::{here, thread_here};
use layout_types::tensor::Fragment;
use layout_types::typenum::{Const, ToUInt};
use layout_types::unroll::{Unroll, unroll};

/// The results of a kernel: O and the log-sum-exp.
pub type Results<T> = (*mut T, *mut f32);
/// The inputs of a kernel: Q, K and V.
pub type Inputs<T> = [*const T; 3];

/// A CTA's work on a tile of queries. Each warp has `M` atoms of 16 queries.
struct Tile<'a, C: MultistageAttentionKernel, const M: usize> {
    params: &'a AttentionParams,
    score: C::Score,
    sequences: C::Sequences,
    at: TileAt,
    /// The first key of the block whose scores are computed next.
    key: u32,
    /// K and V of the tile's head: (keys,D).
    matrices: (MatrixOf<C::K>, MatrixOf<C::V>),
    collective: AttentionCollective<C>,
    r_q: QueryFragment<C>,
    output: OutputFragment<C>,
    softmax: [Softmax; M],
}

/// Returns the matrix (rows,D) of head `of_head` in batch `of_batch` of a tensor with strides (row,
/// head, batch).
#[inline(always)]
pub(super) fn matrix<T, C: MultistageAttention>(
    from: *const T,
    (row, head, batch): (u64, u64, u64),
    (rows, of_head, of_batch): (u32, u32, u32),
) -> GlobalMatrix<u16> {
    let before = u64::from(of_batch) * batch + u64::from(of_head) * head;
    GlobalMatrix {
        pointer: from.cast::<u16>().wrapping_add(before as usize),
        extents: [rows, C::DIM],
        strides: [row, 1],
    }
}

impl<C: MultistageAttentionKernel, const M: usize> Tile<'_, C, M>
where
    Const<M>: ToUInt<Output: Unroll>,
{
    /// Returns the blocks of keys that the tile sees. They are computed for each use, so that no
    /// register holds them during the mainloop.
    #[inline(always)]
    fn blocks(&self) -> KeyBlocks {
        let [rows, keys] = C::TILE;
        let of = self.sequences.params(self.params, self.at);
        KeyBlocks::of(of.borrow(), here(self.at.row), rows, keys)
    }

    /// Converts the scores of the block whose first key is `key` to probabilities, by the score
    /// function and, if the block is `MASKED`, the mask. Corrects O.
    ///
    /// # Safety
    /// Whole warps execute it.
    #[inline(always)]
    unsafe fn softmax<const MASKED: bool>(&mut self, scores: &ScoreFragment<C>, key: u32) {
        if const { !C::Score::IDENTITY } {
            // The scale is read here, so that no register holds it during the products.
            let scale_log2 = f32::from_bits(here(self.params.scale_log2.to_bits()));
            let (function, scale) = (self.score, scale_log2 * LN_2);
            let own = if const { C::Score::USES_DISTANCE } {
                own_key(self.sequences.params(self.params, self.at).borrow())
            } else {
                0
            };
            let first = (self.at.score_at(key), own);
            C::Mma::change(scores, thread_here(), first, |score, at| {
                function.score(score * scale, at)
            });
        }
        if MASKED {
            let of = self.sequences.params(self.params, self.at);
            C::Mma::mask(scores, thread_here(), of.borrow(), (self.at.row, key));
        }
        unroll::<M>(|m| {
            let rows = C::Scores::rows(scores, m); // (2,N/8)
            let of_output = C::Output::rows(&self.output, m); // (2,D/8)
            let softmax = &mut self.softmax[m];
            // SAFETY: whole warps are here by the function's contract.
            let (before, corrected) = unsafe { softmax.raise(&rows, C::LAZY) };
            unroll::<2>(|i| {
                let correction = if const { C::Score::MASKS } {
                    softmax.exponentiate::<true, _>(&rows[i], i, before[i])
                } else {
                    softmax.exponentiate::<MASKED, _>(&rows[i], i, before[i])
                };
                if corrected[i] {
                    scale_row(&of_output[i], correction);
                }
            });
        });
    }

    /// Computes block `i` of `count` blocks of keys.
    ///
    /// # Safety
    /// Every thread of the CTA executes it, for each block in turn.
    #[inline(always)]
    unsafe fn step<const MASKED: bool>(&mut self, i: u32, count: u32) {
        let stage = if const { C::STAGES == 1 } {
            0
        } else {
            i % C::STAGES
        };
        let ((k, v), key) = (self.matrices, self.key);
        // SAFETY: every thread of the CTA is here. After the wait and the barrier, K of the block
        // is complete and V of the previous block has no reader; with two stages V is complete,
        // too, and the other stage has no reader. With one stage, V is complete and K has no reader
        // after the second barrier. Only the first block can have rows after the last key, and it
        // is masked then.
        unsafe {
            cp_async_wait::<0>();
            sync_threads();
            if const { C::STAGES == 1 } {
                self.collective.load_v(v, key, 0, MASKED);
            } else if i + 1 < count {
                let (next, stage) = (self.blocks().key(i + 1, C::TILE[1]), (i + 1) % C::STAGES);
                self.collective.load_k(k, next, stage, false);
                self.collective.load_v(v, next, stage, false);
                self.key = next;
            }
            cp_async_fence();
            if const { C::Q_IN_REGISTERS } && i == 0 {
                self.collective.load_fragment_q(&self.r_q);
            }
            let scores = self.collective.scores(&self.r_q, stage); // (MMA,MMA_M,N/8)
            if const { C::STAGES == 1 } {
                cp_async_wait::<0>();
                sync_threads();
                if i + 1 < count {
                    self.key = self.blocks().key(i + 1, C::TILE[1]);
                    self.collective.load_k(k, self.key, 0, false);
                }
                cp_async_fence();
            }
            self.softmax::<MASKED>(&scores, key);
            let probabilities = ProbabilityFragment::<C>::new(); // (MMA,MMA_M,N/16)
            C::Scores::round(&scores, &probabilities);
            self.collective
                .add_values(&probabilities, &self.output, stage);
        }
    }

    /// Computes the tile.
    ///
    /// # Safety
    /// Every thread of the CTA executes it, after a barrier that the readers of the previous tile
    /// have passed.
    #[inline(always)]
    unsafe fn attend(&mut self, q: MatrixOf<C::Q>) {
        let ((k, v), blocks) = (self.matrices, self.blocks());
        self.key = blocks.key(0, C::TILE[1]);
        // SAFETY: every thread of the CTA is here. The stages are free by the caller's barrier, and
        // `step` is called for each block in turn.
        unsafe {
            self.collective.load_q(q, self.at.row);
            self.collective.load_k(k, self.key, 0, true);
            if const { C::STAGES > 1 } {
                self.collective.load_v(v, self.key, 0, true);
            }
            cp_async_fence();
            let mut i = 0;
            while i < blocks.masked {
                self.step::<true>(i, blocks.count);
                i += 1;
            }
            while i < blocks.count {
                self.step::<false>(i, blocks.count);
                i += 1;
            }
        }
    }

    /// Stores the tile at `at`.
    ///
    /// # Safety
    /// Every thread of the CTA executes it. O and, if the flag is set, the log-sum-exp are writable
    /// as the parameters say.
    #[inline(always)]
    unsafe fn store(&self, at: TileAt, (o, lse): Results<C::Value>) {
        // SAFETY: whole warps are here, in groups of four. The rows of queries are writable by the
        // function's contract.
        unsafe {
            let (params, thread) = (self.params, thread_here());
            let o = o.wrapping_add(self.sequences.offset_of_o(params, at));
            let lse = lse.wrapping_add(self.sequences.offset_of_lse(params, at));
            let of = self.sequences.params(params, at);
            let queries = Borrow::<AttentionParams>::borrow(&of).queries;
            unroll::<M>(|m| {
                let mut finished = self.softmax[m].finish(1.0);
                if const { C::Score::SINKS } {
                    let sink = self.score.sink(at.head);
                    finished = [join_sink(finished[0], sink), join_sink(finished[1], sink)];
                }
                finish_rows(C::Output::rows(&self.output, m), finished);
                // The index of a tile of 64 rows; four warps store each.
                let of_64 = at.row / 64 + m as u32 * (C::WARPS / 4) + thread / 128;
                let to = (queries, C::DIM_V, params.row_o);
                let thread_of_64 = || here(thread) % 128;
                let pair = |row, block| C::Output::pair(&self.output, m, row, block);
                store_rows::<C::Value, C::BlocksOf32>(o, to, (of_64, thread_of_64), pair);
                if const { !C::DIM_V.is_multiple_of(32) } {
                    store_last_16(o, to, (of_64, thread_of_64), pair);
                }
                if params.flags & flags::LSE != 0 {
                    store_lse(lse, queries, (of_64, thread % 128), finished);
                }
            });
        }
    }
}

/// Runs the kernel of a configuration whose warps have `M` atoms of 16 queries.
///
/// # Safety
/// The launch is the plan's: the buffers, also those of the sequences, are as the parameters say.
#[inline(always)]
pub unsafe fn run<C: MultistageAttentionKernel, const M: usize>(
    results: Results<C::Value>,
    params: &AttentionParams,
    [q, k, v]: Inputs<C::Value>,
    reads: &AttentionReads,
    (score, sequences): (C::Score, C::Sequences),
) where
    Const<M>: ToUInt<Output: Unroll>,
{
    const {
        assert!(
            M as u32 == C::ATOMS && C::TILE[0] == 16 * C::ATOMS * C::WARPS,
            "each warp has M atoms of 16 queries"
        );
        assert!(C::WARPS.is_multiple_of(4), "four warps store 64 rows");
        assert!(
            C::STAGES == 1 || C::STAGES == 2,
            "K and V have one stage each, or two"
        );
    }
    // A CTA has one tile. Its place is computed again for the store, so that no register holds it
    // during the mainloop.
    let tile_of_cta = || sequences.tile_of_cta(params, C::TILE[0]);
    let Some(at) = tile_of_cta() else {
        return;
    };
    let ([first_query, first_key], batch) = sequences.place(params, at);
    let of = sequences.params(params, at);
    let of: &AttentionParams = of.borrow();
    let of_keys = (of.keys, at.key_head, batch);
    // Returns the tensor from row `first` on, the first row of a sequence.
    let rows_from = |tensor: *const C::Value, first: u32, row: u64| {
        tensor.wrapping_add((u64::from(first) * row) as usize)
    };
    let scale = if const { C::Score::IDENTITY } {
        params.scale_log2
    } else {
        LOG2_E
    };
    // SAFETY: the launch is the plan's by the function's contract. It has `SHARED_BYTES` of shared
    // memory, which nothing has used.
    unsafe {
        let mut tile = Tile::<C, M> {
            params,
            score,
            sequences,
            at,
            key: 0,
            matrices: (
                matrix::<_, C>(
                    rows_from(k, first_key, reads.row_k),
                    (reads.row_k, reads.head_k, reads.batch_k),
                    of_keys,
                ),
                GlobalMatrix {
                    extents: [of.keys, C::DIM_V],
                    ..matrix::<_, C>(
                        rows_from(v, first_key, reads.row_v),
                        (reads.row_v, reads.head_v, reads.batch_v),
                        of_keys,
                    )
                },
            ),
            collective: AttentionCollective::new(thread_here()),
            r_q: Fragment::new(),
            output: Fragment::new(),
            softmax: [Softmax::new(scale, 0.0); M],
        };
        let of_queries = (of.queries, at.head, batch);
        let q = rows_from(q, first_query, reads.row_q);
        let strides = (reads.row_q, reads.head_q, reads.batch_q);
        tile.attend(matrix::<_, C>(q, strides, of_queries));
        if let Some(at) = tile_of_cta() {
            tile.store(at, results);
        }
    }
}

//! The mainloop: for a tile of the resident tensors, it processes the blocks of the streamed
//! tensors one after the other.
//!
//! ```text
//!   two stages   wait y 0, y 1, barrier │ the next block begins in the other stage │ S ─ P ─ P y 1 │ T ─ dS ─ dS y 0
//!   one stage    the same, but the next block begins after a barrier at the end
//!   apart        all blocks with S ─ P ─ P y 1, and then all blocks again with S ─ P ─ T ─ dS ─ dS y 0
//! ```
//!
//! Law: a stage is read after the wait for its copies and a barrier. It is filled again after a
//! barrier that all its readers have passed.

use super::super::collective::AttentionCollective;
use super::super::config::*;
use super::super::epilogue::{store_last_16, store_rows};
use super::super::fragments::{AccumulatorAtoms, RetileToA};
use super::super::mainloop::matrix;
use super::super::score::{DifferentiableScore, ScoreAt, ScoreFunction};
use super::super::sequences::SequenceTiles;
use super::super::softmax::scale_row;
use super::super::tile_scheduler::{KeyBlocks, TileAt};
use super::super::value::{ScoreCoordinates, own_key};
use super::config::{MultistageGradient, MultistageGradientKernel};
use super::gradients::{BlockAt, ScoreGradients, differentiate};
use super::sequences::GradientTiles;
use crate::gemm::mainloop::Operand;
use core::borrow::Borrow;
use core::f32::consts::LOG2_E;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::sync_threads;
use kernel_abi::attention::{
    AttentionBackwardParams, AttentionParams, AttentionStrides, GradientReads,
};
use layout_types::algorithm::{cp_async_fence, cp_async_wait};
use layout_types::arch::mov::{here, thread_here};
use layout_types::tensor::{Fragment, Global, ReadOnly, Tensor};
use layout_types::typenum::{Const, ToUInt};
use layout_types::unroll::{Unroll, unroll};

/// The results of a kernel: dK and dV, or dQ and an unused pointer.
pub type Results<T> = (*mut T, *mut T);
/// The inputs of a kernel: the two resident tensors, then the two streamed tensors.
pub type Inputs<T> = [*const T; 4];
/// The values (LSE or δ) of a tile or a block, at each coordinate of the tile.
type Values<C> = Tensor<Global<f32, ReadOnly, 0>, <C as MultistageGradient>::TileValues>;

/// The results that a pass over the blocks computes.
mod pass {
    /// Both results.
    pub const ALL: u32 = 0;
    /// Only the second result: dV.
    pub const SECOND: u32 = 1;
    /// Only the first result: dK.
    pub const FIRST: u32 = 2;
}

/// A streamed block: the index of its head among the tile's streamed heads, and its index in that
/// head.
#[derive(Clone, Copy)]
struct Block {
    head: u32,
    i: u32,
}

/// The parameters of a configuration's sequence.
type OwnParams<'a, C> = <<C as MultistageAttention>::Sequences as SequenceTiles>::Params<'a>;

/// Returns the tensor from row `first` on, where rows are `row` elements apart.
#[inline(always)]
fn rows_from<T>(tensor: *const T, first: u32, row: u64) -> *const T {
    tensor.wrapping_add((u64::from(first) * row) as usize)
}

/// A CTA's work on a tile.
struct GradientTile<'a, C: MultistageGradientKernel> {
    params: &'a AttentionBackwardParams,
    reads: &'a GradientReads,
    score: C::Score,
    sequences: C::Sequences,
    at: TileAt,
    /// The parameters of the sequence of the tile.
    own: OwnParams<'a, C>,
    /// The first rows of the tile's sequence, in the resident and in the streamed tensors.
    firsts: [u32; 2],
    /// The streamed tensors.
    streamed: [*const C::Value; 2],
    /// The log-sum-exp in powers of two, and δ, of each query.
    values: *const f32,
    /// The stage of the next block.
    stage: u32,
    /// The collectives of both products. The first has (x 0, y 0, y 0) as Q, K and V, the second
    /// has (x 1, y 1, y 1).
    collectives: [AttentionCollective<C>; 2],
    first: OutputFragment<C>,
    second: OutputFragment<C>,
}

impl<C: MultistageGradientKernel> GradientTile<'_, C> {
    /// Returns the parameters of the tile's sequence.
    #[inline(always)]
    fn own(&self) -> &AttentionParams {
        self.own.borrow()
    }

    /// Returns the blocks that the tile sees. They are computed for each use, so that no register
    /// holds them during the mainloop.
    #[inline(always)]
    fn blocks(&self) -> KeyBlocks {
        let [rows, streamed] = C::TILE;
        KeyBlocks::of(self.own(), here(self.at.row), rows, streamed)
    }

    /// Returns the head of the streamed tensors that has the index `head` among the tile's streamed
    /// heads.
    #[inline(always)]
    fn streamed_head(&self, head: u32) -> u32 {
        self.at.key_head * self.params.streamed_heads + head
    }

    /// Returns the block after `block`, if there is one.
    #[inline(always)]
    fn behind(&self, Block { head, i }: Block) -> Option<Block> {
        let (i, count) = (i + 1, self.blocks().count);
        if i < count {
            Some(Block { head, i })
        } else if head + 1 < here(self.params.streamed_heads) {
            Some(Block {
                head: head + 1,
                i: 0,
            })
        } else {
            None
        }
    }

    /// Begins to copy a block of both streamed tensors to a stage. Only the first block of a head
    /// can have rows after the last.
    ///
    /// # Safety
    /// The tensors are readable. Nothing reads the stage before a wait for the copies and a barrier
    /// after it.
    #[inline(always)]
    unsafe fn load(&self, block: Block, stage: u32) {
        let first = self.blocks().key(block.i, C::TILE[1]);
        let head = self.streamed_head(block.head);
        let of = (
            self.own().keys,
            head,
            self.sequences.batch(&self.params.of, self.at),
        );
        let first_row = self.sequences.first_here(self.firsts[1]);
        unroll::<2>(|i| {
            let AttentionStrides { row, head, batch } = [self.reads.y_0, self.reads.y_1][i];
            let y = rows_from(self.streamed[i], first_row, row);
            let y = matrix::<_, C>(y, (row, head, batch), of);
            // SAFETY: the caller keeps the tensors readable and the stage free.
            unsafe { self.collectives[i].load_k(y, first, stage, block.i == 0) };
        });
    }

    /// Returns the log-sum-exps (`which` is 0) or δ (1) of a block whose first row is `row`, or of
    /// the tile.
    ///
    /// # Safety
    /// The values of all rows, including the padding, are readable.
    #[inline(always)]
    unsafe fn values(&self, which: u32, head: u32, row: u32) -> Values<C> {
        let (head, row) = if C::OF_KEYS {
            (self.streamed_head(head), row)
        } else {
            (self.at.head, self.at.row)
        };
        let first = self.firsts[C::OF_KEYS as usize];
        let first = self
            .sequences
            .first_value_row(&self.params.of, first, self.at);
        let batch = self.sequences.batch(&self.params.of, self.at);
        let at = (self.params).value_at(which, (head, batch), first + row);
        // SAFETY: the rows of a sequence are padded to a multiple of the queries of a tile and of a
        // block, which `run` checks.
        unsafe { Tensor::global_static(self.values.wrapping_add(at)) }
    }

    /// Applies the score function to the scores of the block from `row` on of the tile's streamed
    /// head with index `head`.
    #[inline(always)]
    fn differentiate(
        &self,
        scores_and_derivatives: [&ScoreFragment<C>; 2],
        (head, row): (u32, u32),
    ) {
        let own = if const { C::Score::USES_DISTANCE } {
            own_key(self.own())
        } else {
            0
        };
        let head = if C::OF_KEYS {
            self.streamed_head(head)
        } else {
            self.at.head
        };
        let at = BlockAt {
            first: ScoreAt {
                head,
                ..self.at.score_at(row)
            },
            own,
            of_keys: C::OF_KEYS,
        };
        let by = (self.params.scale, self.score);
        differentiate::<C::Mma, C::TileS, _, _>(scores_and_derivatives, thread_here(), at, by);
    }

    /// Computes one block and adds it to the results.
    ///
    /// # Safety
    /// Every thread of the CTA executes it, for each block in turn.
    #[inline(always)]
    unsafe fn step<const PASS: u32, const MASKED: bool>(&mut self, block: Block) {
        let stage = if const { C::STAGES == 1 } {
            0
        } else {
            self.stage
        };
        self.stage = 1 - self.stage;
        let row = self.blocks().key(block.i, C::TILE[1]);
        let [of_0, of_1] = &self.collectives;
        let x = QueryFragment::<C>::new();
        // SAFETY: every thread of the CTA is here. After the wait and the barrier the block is
        // complete. With two stages the other stage has no reader then; with one stage the stage
        // has no reader after the second barrier.
        unsafe {
            cp_async_wait::<0>();
            sync_threads();
            if const { C::STAGES == 2 }
                && let Some(next) = self.behind(block)
            {
                self.load(next, 1 - stage);
            }
            cp_async_fence();
            let scores = of_0.scores(&x, stage); // (MMA,MMA_M,N/8)
            let derivatives = ScoreFragment::<C>::new(); // (MMA,MMA_M,N/8)
            if const { !C::Score::IDENTITY } {
                self.differentiate([&scores, &derivatives], (block.head, row));
            }
            if MASKED {
                C::Mma::mask(&scores, thread_here(), self.own(), (self.at.row, row));
            }
            let lse = self.values(0, block.head, row);
            let scale_log2 = if const { C::Score::IDENTITY } {
                self.params.of.scale_log2
            } else {
                LOG2_E
            };
            C::Gradients::probabilities(&scores, &lse, thread_here(), scale_log2);
            let probabilities = ProbabilityFragment::<C>::new(); // (MMA,MMA_M,N/16)
            if const { C::OF_KEYS && PASS != pass::FIRST } {
                C::Scores::round(&scores, &probabilities);
            }
            // This comes before the product, so that no register holds the derivatives during the
            // product.
            if const { PASS != pass::SECOND && !C::Score::SHIFTS } {
                C::Gradients::multiply(&derivatives, &scores);
            }
            if const { C::OF_KEYS && PASS != pass::FIRST } {
                of_1.add_values(&probabilities, &self.second, stage);
            }
            if const { PASS != pass::SECOND } {
                let of_p = of_1.scores(&x, stage); // (MMA,MMA_M,N/8)
                let delta = self.values(1, block.head, row);
                C::Gradients::gradients(&scores, &of_p, &delta, thread_here());
                let gradients = ProbabilityFragment::<C>::new(); // (MMA,MMA_M,N/16)
                C::Scores::round(&of_p, &gradients);
                of_0.add_values(&gradients, &self.first, stage);
            }
            if const { C::STAGES == 1 } {
                sync_threads();
                if let Some(next) = self.behind(block) {
                    self.load(next, 0);
                }
                cp_async_fence();
            }
        }
    }

    /// Begins to copy the resident tensors. Rows after the last become zeros.
    ///
    /// # Safety
    /// The tensors are readable as the parameters say, and nothing has used their places in shared
    /// memory.
    #[inline(always)]
    unsafe fn load_tile(&self, stays: [*const C::Value; 2]) {
        let (queries, head) = (self.own().queries, self.at.head);
        let of = (
            queries,
            head,
            self.sequences.batch(&self.params.of, self.at),
        );
        unroll::<2>(|i| {
            let AttentionStrides { row, head, batch } = [self.reads.x_0, self.reads.x_1][i];
            let x = rows_from(stays[i], self.firsts[0], row);
            let x = matrix::<_, C>(x, (row, head, batch), of);
            // SAFETY: the caller keeps the tensors readable and their places free.
            unsafe { self.collectives[i].load_q(x, self.at.row) };
        });
    }

    /// Makes a pass over all blocks, after [`load_tile`](Self::load_tile).
    ///
    /// # Safety
    /// Every thread of the CTA executes it, after a barrier that the readers of the previous pass
    /// have passed. The tensors are readable as the parameters say.
    #[inline(always)]
    unsafe fn attend<const PASS: u32>(&mut self) {
        // SAFETY: every thread of the CTA is here. The stages are free by the caller's barrier, and
        // `step` is called for each block in turn.
        unsafe {
            self.stage = 0;
            self.load(Block { head: 0, i: 0 }, 0);
            cp_async_fence();
            let mut head = 0;
            while head < here(self.params.streamed_heads) {
                let mut i = 0;
                while i < self.blocks().masked {
                    self.step::<PASS, true>(Block { head, i });
                    i += 1;
                }
                while i < self.blocks().count {
                    self.step::<PASS, false>(Block { head, i });
                    i += 1;
                }
                head += 1;
            }
        }
    }

    /// Stores a result of the tile at `at`. Each warp has `M` atoms of it.
    ///
    /// # Safety
    /// Every thread of the CTA executes it. The rows of the tile are writable: rows begin at `to`,
    /// `stride` elements apart.
    #[inline(always)]
    unsafe fn store<const M: usize>(
        &self,
        to: *mut C::Value,
        (at, stride): (TileAt, u64),
        result: &OutputFragment<C>,
    ) where
        Const<M>: ToUInt<Output: Unroll>,
    {
        let own = self.sequences.params(&self.params.of, at);
        let own: &AttentionParams = own.borrow();
        unroll::<M>(|m| {
            // The index of a tile of 64 rows; four warps store each.
            let of_64 = at.row / 64 + m as u32 * (C::WARPS / 4) + thread_here() / 128;
            let of = (own.queries, C::DIM, stride);
            let thread = || thread_here() % 128;
            let pair = |row, block| C::Output::pair(result, m, row, block);
            // SAFETY: whole warps are here, in groups of four. The rows of the tile are writable by
            // the function's contract.
            unsafe {
                store_rows::<C::Value, C::BlocksOf32>(to, of, (of_64, thread), pair);
                if const { !C::DIM.is_multiple_of(32) } {
                    store_last_16(to, of, (of_64, thread), pair);
                }
            }
        });
    }
}

/// Runs the kernel of a configuration whose warps have `M` atoms of 16 rows.
///
/// # Safety
/// The launch is the plan's: the buffers, also those of the sequences, are as the parameters say.
#[inline(always)]
pub unsafe fn run<C: MultistageGradientKernel, const M: usize>(
    results: Results<C::Value>,
    values: *const f32,
    (params, score, sequences): (&AttentionBackwardParams, C::Score, C::Sequences),
    [x_0, x_1, y_0, y_1]: Inputs<C::Value>,
    reads: &GradientReads,
) where
    Const<M>: ToUInt<Output: Unroll>,
{
    const {
        assert!(
            M as u32 == C::ATOMS && C::TILE[0] == 16 * C::ATOMS * C::WARPS,
            "each warp has M atoms of 16 rows"
        );
        assert!(C::WARPS.is_multiple_of(4), "four warps store 64 rows");
        assert!(
            C::STAGES == 1 || C::STAGES == 2,
            "the streamed tensors have one stage each, or two"
        );
        assert!(!C::Q_IN_REGISTERS, "what stays is loaded for each block");
        assert!(
            128 % C::TILE[C::OF_KEYS as usize] == 0,
            "values are of rows that are padded to multiples of 128"
        );
        assert!(!C::APART || C::OF_KEYS, "dQ is one result");
    }
    // A CTA has one tile. Its place is computed again for the store, so that no register holds it
    // during the mainloop.
    let tile_of_cta = || sequences.tile_of_cta(&params.of, C::TILE[0]);
    let Some(at) = tile_of_cta() else {
        return;
    };
    let (shared, thread) = (dynamic_shared_offset(), thread_here());
    let streamed = shared + C::STREAMED_OFFSET;
    // SAFETY: the launch is the plan's by the function's contract. It has `GRADIENT_SHARED_BYTES`
    // of shared memory, which nothing has used.
    unsafe {
        let second = streamed + C::K::BYTES;
        let mut tile = GradientTile::<C> {
            params,
            reads,
            score,
            sequences,
            at,
            own: sequences.params(&params.of, at),
            firsts: sequences.firsts(&params.of, at),
            streamed: [y_0, y_1],
            values,
            stage: 0,
            collectives: [
                AttentionCollective::at(thread, [shared, streamed, streamed]),
                AttentionCollective::at(thread, [shared + C::Q::BYTES, second, second]),
            ],
            first: Fragment::new(),
            second: Fragment::new(),
        };
        tile.load_tile([x_0, x_1]);
        if const { C::APART } {
            tile.attend::<{ pass::SECOND }>();
            sync_threads();
        } else {
            tile.attend::<{ pass::ALL }>();
        }
        if const { C::OF_KEYS } {
            let Some(at) = tile_of_cta() else {
                return;
            };
            let to = results
                .1
                .wrapping_add(sequences.offset_of_second(params, at));
            tile.store::<M>(to, (at, params.row_second), &tile.second);
        }
        if const { C::APART } {
            tile.attend::<{ pass::FIRST }>();
        }
        let Some(at) = tile_of_cta() else {
            return;
        };
        unroll::<M>(|m| {
            let [row, eighth] = C::Output::rows(&tile.first, m);
            scale_row(&row, params.scale);
            scale_row(&eighth, params.scale);
        });
        let to = results
            .0
            .wrapping_add(sequences.offset_of_o(&params.of, at));
        tile.store::<M>(to, (at, params.of.row_o), &tile.first);
    }
}

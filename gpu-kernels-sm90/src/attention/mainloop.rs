//! The mainloop: what the producer loads for a tile of queries, and what a consumer group makes of it.
//!
//! ```text
//!   producers   Q        K 0 ─ K 1 ─ ..        V 0 ─ V 1 ─ ..      a thread each
//!   consumer    S 0 ─ softmax ─┬ S 1 issued ─ P 0 V 0 issued ─ wait for S ─ softmax ─ wait for O ─ correct O ─┬ ..
//!                              └─────────────────────────────────────────────────────────────────────────────┘
//!               .. P n V n issued ─ S 0 of the next tile issued ─ wait for O ─ store O ─ wait for S ─ softmax ─ ..
//! ```
//!
//! Law: a stage is released by each warp behind the wait for the products that read it. P is rounded behind the wait for the products
//! that read the P before.

use super::config::{AttentionConfig, DescriptorsK, DescriptorsQ, DescriptorsV, ProbabilitiesOf};
use super::config::{Results, Smem};
use super::epilogue::store;
use super::fragments::{
    Accumulator, AccumulatorLayout, OperandElement, OutputProduct, ScoresProduct,
};
use super::output::OutputSums;
use super::pipelines::{ConsumerEnd, Pipelines, Turns};
use super::score::ScoreFunction;
use super::sequences::{Place, Sequences, TileOf};
use super::smem_tile::SmemTile;
use super::softmax::Softmax;
use super::tile_scheduler::KeyBlocks;
use super::value::ScoreCoordinates;
use core::borrow::Borrow;
use core::f32::consts::{LN_2, LOG2_E};
use cuda_std::thread::thread_idx_x;
use kernel_abi::attention::AttentionParams;
use layout_types::algorithm::pipeline_tma::{PipelineState, PipelineTmaAsync};
use layout_types::algorithm::warpgroup::{InFlight, fence_operand};
use layout_types::arch::barrier::{fence_proxy_async_shared, named_barrier_sync};
use layout_types::arch::mov::here;
use layout_types::tensor::{GetSlice, Shared, Tensor};

/// The named barrier behind the clearing of V.
const CLEARED_BARRIER: u32 = 1;

/// Fills the stages of an operand, of `bytes` each, for all tiles of a CTA: by `load` of (tile, place of its sequence, first key, stage,
/// barrier), once a tile or once a block of keys.
///
/// # Safety
/// One thread executes it, on the initialised pipeline; `load` copies so many bytes into the stage, counted on the barrier.
#[inline(always)]
pub unsafe fn produce<C: AttentionConfig, const STAGES: u32, const WARPS: u32>(
    pipeline: PipelineTmaAsync<STAGES, WARPS>,
    (bytes, once_a_tile): (u32, bool),
    (params, sequences): (&AttentionParams, C::Sequences),
    load: impl Fn(TileOf<C>, Place, u32, u32, u32),
) {
    let [rows, keys] = C::TILE;
    let mut tiles = Default::default();
    let mut state = PipelineState::<STAGES>::producer();
    while let Some(tile) = sequences.next(&mut tiles, params, rows) {
        let of = sequences.params(params, tile);
        let blocks = KeyBlocks::of(of.borrow(), tile.row, rows, keys);
        let place = sequences.place(params, tile);
        let count = if once_a_tile { 1 } else { blocks.count };
        for i in 0..count {
            // SAFETY: the state is the one thread's own; `kernel::run` gives `load` with the bytes of the tile that it copies.
            unsafe { pipeline.producer_acquire(&state, bytes) };
            let stage = state.stage();
            load(
                tile,
                place,
                blocks.key(i, keys),
                stage,
                pipeline.full(stage),
            );
            state.advance();
        }
    }
}

/// A thread of a consumer group.
pub struct Consumer<
    'a,
    C: AttentionConfig,
    const Q_STAGES: u32,
    const WARPS: u32,
    const K_STAGES: u32,
> {
    params: &'a AttentionParams,
    score: C::Score,
    sequences: C::Sequences,
    turns: Turns,
    s_v: Tensor<Shared<C::Element>, C::SmemV>, // (D,N,stages)
    q: ConsumerEnd<Q_STAGES, WARPS>,
    k: ConsumerEnd<K_STAGES, WARPS>,
    v: ConsumerEnd<K_STAGES, WARPS>,
    t_rq: DescriptorsQ<C>, // (1,MMA_M,MMA_K,stages)
    t_rk: DescriptorsK<C>, // (1,MMA_N,MMA_K,stages)
    t_rv: DescriptorsV<C>, // (1,MMA_N,MMA_K,stages)
}

impl<'a, C: AttentionConfig, const Q_STAGES: u32, const WARPS: u32, const K_STAGES: u32>
    Consumer<'a, C, Q_STAGES, WARPS, K_STAGES>
{
    /// A thread of the group that `turns` names, the same in all threads of a warp.
    #[inline(always)]
    pub fn new(
        (params, score, sequences): (&'a AttentionParams, C::Score, C::Sequences),
        pipelines: Pipelines<Q_STAGES, WARPS, K_STAGES>,
        smem: &Smem<C>,
        turns: Turns,
    ) -> Self {
        let thr_qk = C::Qk::get_slice(128 * turns.group());
        let thr_pv = C::Pv::get_slice(128 * turns.group());
        Self {
            params,
            score,
            sequences,
            turns,
            s_v: smem.v,
            q: ConsumerEnd::new(pipelines.q),
            k: ConsumerEnd::new(pipelines.k),
            v: ConsumerEnd::new(pipelines.v),
            t_rq: thr_qk.partition_descriptors_a(&smem.q),
            t_rk: thr_qk.partition_descriptors_b(&smem.k),
            t_rv: thr_pv.partition_descriptors_b(&smem.v),
        }
    }

    /// Applies the score function to the scores of a tile and of the block whose first key is `key`.
    #[inline(always)]
    fn change(&self, scores: &Accumulator<C::Scores>, (tile, key): (TileOf<C>, u32)) {
        if const { !C::Score::IDENTITY } {
            let scale_log2 = self.sequences.scale_log2(self.params, tile);
            let (function, scale) = (self.score, scale_log2 * LN_2);
            let first = tile.score_at(key);
            C::Qk::change(scores, here(thread_idx_x()) - 128, first, |score, at| {
                function.score(score * scale, at)
            });
        }
    }

    /// [`softmax`](Self::softmax) of a tile's first block, a masked one: without the second half where the group does not see it.
    ///
    /// # Safety
    /// The whole warp executes it, and no product is under way.
    #[inline(always)]
    unsafe fn begin_masked(
        &self,
        scores: &Accumulator<C::Scores>, // ((2,2,N/8),1,1)
        softmax: &mut Softmax,
        (tile, key): (TileOf<C>, u32),
    ) {
        self.change(scores, (tile, key));
        let of = self.sequences.params(self.params, tile);
        let group = 64 * self.turns.group();
        let thread = here(thread_idx_x()) - 128;
        let first = (tile.row, key);
        let rows_and_keys = ([group, 64], C::TILE[1]);
        let whole = C::Qk::mask_halves(scores, thread, of.borrow(), first, rows_and_keys);
        // SAFETY: the whole warp is here by the function's contract.
        unsafe { softmax.begin_halves(C::Scores::rows(scores), whole) };
    }

    /// Makes probabilities of the scores of a tile and of the block whose first key is `key`, by the score function and, where it is
    /// `MASKED`, the mask. Returns the rows' corrections, and which are to be made.
    ///
    /// # Safety
    /// The whole warp executes it.
    #[inline(always)]
    unsafe fn softmax<const MASKED: bool>(
        &self,
        scores: &Accumulator<C::Scores>, // ((2,2,N/8),1,1)
        softmax: &mut Softmax,
        (tile, key): (TileOf<C>, u32),
    ) -> ([f32; 2], [bool; 2]) {
        self.change(scores, (tile, key));
        if MASKED {
            let first = (tile.row, key);
            let of = self.sequences.params(self.params, tile);
            C::Qk::mask(scores, here(thread_idx_x()) - 128, of.borrow(), first);
        }
        let rows = C::Scores::rows(scores);
        // SAFETY: the whole warp is here: `attend` and `step` are executed by whole warp groups, without a branch around this.
        unsafe {
            if const { C::Score::MASKS } {
                softmax.update::<true, _>(rows, C::LAZY)
            } else {
                softmax.update::<MASKED, _>(rows, C::LAZY)
            }
        }
    }

    /// Issues S = Q Kᵀ of the stages that are read.
    ///
    /// # Safety
    /// The whole consumer group executes it, behind the waits for both stages.
    #[inline(always)]
    unsafe fn issue_scores(
        &self,
        scores: Accumulator<C::Scores>,
    ) -> InFlight<C::QkAtom, C::Scores> {
        let (q, k) = ((&self.t_rq, self.q.state()), (&self.t_rk, self.k.state()));
        // SAFETY: `issue_first` and `step` call it behind the waits for both stages, with the whole group, and release them behind `finish`.
        unsafe { C::Qk::issue(q, k, scores) }
    }

    /// Clears the rows of V behind the last of `keys` keys in the tile's first block, which has them: their weights are 0, but 0 times what
    /// is no number is none.
    ///
    /// # Safety
    /// The one consumer group executes it whole, before the first product with V.
    #[inline(always)]
    unsafe fn clear_behind(&self, keys: u32) {
        let rows = C::TILE[1];
        let first = keys % rows;
        if first == 0 {
            return;
        }
        // SAFETY: the stage is full behind the wait, and nobody else writes it before its release; the fence and the barrier of the group's
        // 128 threads order the zeros before the products.
        unsafe {
            self.v.wait();
            let stage = self.v.state().stage();
            let mut column = here(thread_idx_x()) - 128;
            while column < C::DIM {
                let mut row = first;
                while row < rows {
                    C::SmemV::clear(&self.s_v, (column, row, stage));
                    row += 1;
                }
                column += 128;
            }
            fence_proxy_async_shared();
            named_barrier_sync(CLEARED_BARRIER, 128);
        }
    }

    /// One block of keys behind the first: S of this block, P V of the one before.
    ///
    /// # Safety
    /// The whole consumer group executes it, for the key block that the producers load next, and all groups as often.
    #[inline(always)]
    unsafe fn step<const MASKED: bool>(
        &mut self,
        scores: Accumulator<C::Scores>,     // ((2,2,N/8),1,1)
        probabilities: &ProbabilitiesOf<C>, // ((2,2,2),1,N/16)
        (output, product): (&mut OutputSums<C>, Accumulator<C::Output>), // ((2,2,D/8),1,1)
        softmax: &mut Softmax,
        at: (TileOf<C>, u32),
    ) -> (Accumulator<C::Scores>, Accumulator<C::Output>) {
        // SAFETY: the whole group is here: `attend` goes through the blocks with all of its threads.
        // Each `wait` orders the products behind the copies into their stage, which `release` frees behind the `finish` of those
        // products.
        unsafe {
            self.k.wait();
            self.turns.begin();
            let scores = self.issue_scores(scores);
            output.promote(&product);
            self.v.wait();
            let product =
                OutputSums::<C>::issue(probabilities, &self.t_rv, self.v.state(), product);
            self.turns.end();
            let scores = scores.finish_leaving::<1>();
            self.k.release();
            let corrections = self.softmax::<MASKED>(&scores, softmax, at);
            // The softmax runs under P V: it is not to sink behind the wait.
            fence_operand(&scores);
            let product = product.finish();
            fence_operand(probabilities);
            self.v.release();
            output.correct(&product, corrections);
            C::Pv::round(&scores, probabilities);
            (scores, product)
        }
    }

    /// Issues the first scores of a tile.
    ///
    /// # Safety
    /// The whole consumer group executes it in its turn, for the tile that the producers load next.
    #[inline(always)]
    unsafe fn issue_first(&self, scores: Accumulator<C::Scores>) -> InFlight<C::QkAtom, C::Scores> {
        // SAFETY: the waits order the product behind the copies of Q and of the block of K, which are not freed before it ends.
        unsafe {
            self.q.wait();
            self.k.wait();
            self.issue_scores(scores)
        }
    }

    /// Computes and stores all tiles of the CTA.
    ///
    /// # Safety
    /// The whole consumer group executes it, and so do all groups; O and, where the flag says so, the log-sum-exp are writable as the
    /// parameters say.
    #[inline(always)]
    pub unsafe fn attend(&mut self, results: Results<C>) {
        let [rows, keys] = C::TILE;
        let mut tiles = Default::default();
        let Some(mut tile) = self.sequences.next(&mut tiles, self.params, rows) else {
            return;
        };
        let probabilities = ProbabilitiesOf::<C>::new();
        // Of a block without a mask only a score function asks for the first key.
        let key_of = |blocks: &KeyBlocks, i: u32| {
            if const { C::Score::IDENTITY } {
                0
            } else {
                blocks.key(i, keys)
            }
        };
        // SAFETY: the whole group is here, and all groups take as many turns. Tiles and key blocks come in the producers' order, and what
        // is released has been waited for, its products too.
        unsafe {
            self.turns.begin();
            let scores = self.issue_first(Accumulator::new());
            self.turns.end();
            let mut scores = scores.finish();
            loop {
                let of = self.sequences.params(self.params, tile);
                let blocks = KeyBlocks::of(of.borrow(), tile.row, rows, keys);
                let scale = if const { C::Score::IDENTITY } {
                    self.sequences.scale_log2(self.params, tile)
                } else {
                    LOG2_E
                };
                let mut softmax = Softmax::new(scale, C::Element::TOP);
                self.k.release();
                if blocks.masked > 0 {
                    let at = (tile, blocks.key(0, keys));
                    if const { C::HALVES } {
                        self.begin_masked(&scores, &mut softmax, at);
                    } else {
                        self.softmax::<true>(&scores, &mut softmax, at);
                    }
                } else {
                    let at = (tile, key_of(&blocks, 0));
                    self.softmax::<false>(&scores, &mut softmax, at);
                }
                C::Pv::round(&scores, &probabilities);
                if const { C::Sequences::ANY_BEHIND } {
                    self.clear_behind(of.borrow().keys);
                }
                let (mut output, mut product) = (OutputSums::<C>::zero(), Accumulator::new());
                let mut i = 1;
                while i < blocks.masked {
                    let at = (tile, blocks.key(i, keys));
                    let of = (&mut output, product);
                    (scores, product) =
                        self.step::<true>(scores, &probabilities, of, &mut softmax, at);
                    i += 1;
                }
                while i < blocks.count {
                    let at = (tile, key_of(&blocks, i));
                    let of = (&mut output, product);
                    (scores, product) =
                        self.step::<false>(scores, &probabilities, of, &mut softmax, at);
                    i += 1;
                }
                self.q.release();
                output.promote(&product);
                self.v.wait();
                let next = if const { C::LOCATES_UNDER_PRODUCTS } {
                    let found = self.sequences.find(&mut tiles, self.params, rows);
                    // Its place comes below.
                    if found { Some(tile) } else { None }
                } else {
                    self.sequences.next(&mut tiles, self.params, rows)
                };
                let Some(mut next) = next else {
                    let (stage, v) = (self.v.state(), &self.t_rv);
                    let product = OutputSums::<C>::issue(&probabilities, v, stage, product);
                    store::<C>(
                        results,
                        (self.params, self.sequences),
                        tile,
                        &output.finish(product.finish()),
                        &softmax,
                    );
                    return;
                };
                self.turns.begin();
                let (stage, v) = (self.v.state(), &self.t_rv);
                let product = OutputSums::<C>::issue(&probabilities, v, stage, product);
                let next_scores = self.issue_first(scores);
                self.turns.end();
                if const { C::LOCATES_UNDER_PRODUCTS }
                    && let Some(at) = self.sequences.locate(tiles, self.params, rows)
                {
                    next = at;
                }
                // The tile is stored while the first scores of the next one are multiplied.
                let output = output.finish(product.finish_leaving::<1>());
                fence_operand(&probabilities);
                self.v.release();
                store::<C>(
                    results,
                    (self.params, self.sequences),
                    tile,
                    &output,
                    &softmax,
                );
                scores = next_scores.finish();
                tile = next;
            }
        }
    }
}

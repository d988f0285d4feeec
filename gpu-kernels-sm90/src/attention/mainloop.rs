//! The mainloop: the loads of the producers for a tile of queries, and the computation of a
//! consumer group.
//!
//! ```text
//!   producers   Q        K 0 ─ K 1 ─ ..        V 0 ─ V 1 ─ ..      one thread for each tensor
//!   consumer    S 0 ─ softmax ─┬ S 1 issued ─ P 0 V 0 issued ─ wait for S ─ softmax ─ wait for O ─ correct O ─┬ ..
//!                              └─────────────────────────────────────────────────────────────────────────────┘
//!               .. P n V n issued ─ S 0 of the next tile issued ─ wait for O ─ store O ─ wait for S ─ softmax ─ ..
//! ```
//!
//! Law: each warp releases a stage after the wait for the products that read it. P is rounded after
//! the wait for the products that read the previous P.

use super::config::{
    AttentionConfig, DescriptorsK, DescriptorsQ, DescriptorsV, ProbabilitiesOf, Results, Smem,
};
use super::cta_problem::CtaProblem;
use super::epilogue::store;
use super::fragments::{Accumulator, OutputProduct, ScoresProduct};
use super::output::OutputSums;
use super::pipelines::{ConsumerEnd, Pipelines, Turns};
use super::sequences::{Place, Sequences, TileOf};
use super::smem_tile::clear_from;
use super::softmax::Softmax;
use crate::warp_group::first_consumer_thread;
use layout_types::algorithm::pipeline_tma::{PipelineState, PipelineTmaAsync};
use layout_types::algorithm::warpgroup::{InFlight, fence_operand};
use layout_types::tensor::{GetSlice, Shared, Tensor};

/// Fills the stages of an operand, of `bytes` bytes each, for all tiles of a CTA. Calls `load` with
/// (tile, place of its sequence, first key, stage, barrier) once per tile or once per block of
/// keys.
///
/// # Safety
/// One thread executes it, on the initialised pipeline. `load` copies `bytes` bytes into the stage,
/// and the barrier counts them.
#[inline(always)]
pub unsafe fn produce<C: AttentionConfig, const STAGES: u32, const WARPS: u32>(
    pipeline: PipelineTmaAsync<STAGES, WARPS>,
    (bytes, once_a_tile): (u32, bool),
    problem: CtaProblem<C>,
    load: impl Fn(TileOf<C>, Place, u32, u32, u32),
) {
    let mut tiles = Default::default();
    let mut state = PipelineState::<STAGES>::producer();
    while let Some(tile) = problem.next(&mut tiles) {
        let blocks = problem.blocks(tile);
        let place = problem.sequences.place(problem.params, tile);
        let count = if once_a_tile { 1 } else { blocks.count };
        for i in 0..count {
            // SAFETY: the state is this thread's own, and `kernel::run` passes a `load` that copies
            // `bytes` bytes.
            unsafe { pipeline.producer_acquire(&state, bytes) };
            let (key, stage) = (blocks.key(i, C::TILE[1]), state.stage());
            load(tile, place, key, stage, pipeline.full(stage));
            state.advance();
        }
    }
}

/// A thread of a consumer group.
pub struct Consumer<'a, C: AttentionConfig, const Q: u32, const WARPS: u32, const KV: u32> {
    problem: CtaProblem<'a, C>,
    turns: Turns,
    s_v: Tensor<Shared<C::Element>, C::SmemV>, // (D,N,stages)
    q: ConsumerEnd<Q, WARPS>,
    k: ConsumerEnd<KV, WARPS>,
    v: ConsumerEnd<KV, WARPS>,
    t_rq: DescriptorsQ<C>, // (1,MMA_M,MMA_K,stages)
    t_rk: DescriptorsK<C>, // (1,MMA_N,MMA_K,stages)
    t_rv: DescriptorsV<C>, // (1,MMA_N,MMA_K,stages)
}

impl<'a, C: AttentionConfig, const Q: u32, const WARPS: u32, const KV: u32>
    Consumer<'a, C, Q, WARPS, KV>
{
    /// Returns a thread of the group that `turns` names. `turns` is the same in all threads of a
    /// warp.
    #[inline(always)]
    pub fn new(
        problem: CtaProblem<'a, C>,
        pipelines: Pipelines<Q, WARPS, KV>,
        smem: &Smem<C>,
        turns: Turns,
    ) -> Self {
        let thread = first_consumer_thread(turns.group());
        let (thr_qk, thr_pv) = (C::Qk::get_slice(thread), C::Pv::get_slice(thread));
        Self {
            problem,
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

    /// Issues S = Q Kᵀ for the current stages of Q and K.
    ///
    /// # Safety
    /// The whole consumer group executes it, after the waits for both stages.
    #[inline(always)]
    unsafe fn issue_scores(
        &self,
        scores: Accumulator<C::Scores>,
    ) -> InFlight<C::QkAtom, C::Scores> {
        let (q, k) = ((&self.t_rq, self.q.state()), (&self.t_rk, self.k.state()));
        // SAFETY: `issue_first` and `step` call it after the waits for both stages, with the whole
        // group, and release the stages after `finish`.
        unsafe { C::Qk::issue(q, k, scores) }
    }

    /// Issues P V for the current stage of V.
    ///
    /// # Safety
    /// The conditions are those of [`OutputSums::issue`]: the whole consumer group executes it,
    /// after the wait for the stage.
    #[inline(always)]
    unsafe fn issue_output(
        &self,
        probabilities: &ProbabilitiesOf<C>, // ((2,2,2),1,N/16)
        product: Accumulator<C::Output>,
    ) -> InFlight<C::PvAtom, C::Output> {
        // SAFETY: `step` and `attend` call it after the wait for the stage, with the whole group,
        // and release the stage after `finish`.
        unsafe { OutputSums::<C>::issue(probabilities, &self.t_rv, self.v.state(), product) }
    }

    /// Issues the first scores of a tile.
    ///
    /// # Safety
    /// The whole consumer group executes it in its turn, for the tile that the producers load next.
    #[inline(always)]
    unsafe fn issue_first(&self, scores: Accumulator<C::Scores>) -> InFlight<C::QkAtom, C::Scores> {
        // SAFETY: the waits order the product after the copies of Q and of the block of K. The
        // stages are not freed before the product ends.
        unsafe {
            self.q.wait();
            self.k.wait();
            self.issue_scores(scores)
        }
    }

    /// Computes one block of keys after the first: S of this block, and P V of the previous block.
    ///
    /// # Safety
    /// The whole consumer group executes it, for the key block that the producers load next. All
    /// groups execute it equally often.
    #[inline(always)]
    unsafe fn step<const MASKED: bool>(
        &mut self,
        scores: Accumulator<C::Scores>,     // ((2,2,N/8),1,1)
        probabilities: &ProbabilitiesOf<C>, // ((2,2,2),1,N/16)
        (output, product): (&mut OutputSums<C>, Accumulator<C::Output>), // ((2,2,D/8),1,1)
        softmax: &mut Softmax,
        at: (TileOf<C>, u32),
    ) -> (Accumulator<C::Scores>, Accumulator<C::Output>) {
        // SAFETY: the whole group is here: `attend` goes through the blocks with all of its
        // threads. Each `wait` orders the products after the copies into their stage, and `release`
        // frees the stage after the `finish` of these products.
        unsafe {
            self.k.wait();
            self.turns.begin();
            let scores = self.issue_scores(scores);
            output.promote(&product);
            self.v.wait();
            let product = self.issue_output(probabilities, product);
            self.turns.end();
            let scores = scores.finish_leaving::<1>();
            self.k.release();
            let corrections = self.problem.update::<MASKED>(&scores, softmax, at);
            // The fence keeps the compiler from moving the softmax, which overlaps with P V, after
            // the wait.
            fence_operand(&scores);
            let product = product.finish();
            fence_operand(probabilities);
            self.v.release();
            output.correct(&product, corrections);
            C::Pv::round(&scores, probabilities);
            (scores, product)
        }
    }

    /// Computes and stores all tiles of the CTA.
    ///
    /// # Safety
    /// All consumer groups execute it as a whole. O and, if the flag is set, the log-sum-exp are
    /// writable as the parameters say.
    #[inline(always)]
    pub unsafe fn attend(&mut self, results: Results<C>) {
        let (problem, mut tiles) = (self.problem, Default::default());
        let Some(mut tile) = problem.next(&mut tiles) else {
            return;
        };
        let probabilities = ProbabilitiesOf::<C>::new();
        // SAFETY: the whole group is here, and all groups take equally many turns. Tiles and key
        // blocks come in the producers' order. Each stage is released after the waits for it and
        // for the products that read it.
        unsafe {
            self.turns.begin();
            let scores = self.issue_first(Accumulator::new());
            self.turns.end();
            let mut scores = scores.finish();
            loop {
                // ---- the first block, which needs no correction
                let blocks = problem.blocks(tile);
                let mut softmax = problem.softmax(tile);
                self.k.release();
                problem.begin(&scores, &mut softmax, tile, (&blocks, self.turns.group()));
                C::Pv::round(&scores, &probabilities);
                if const { C::Sequences::ANY_BEHIND } && problem.keys_of_last(tile, &blocks) != 0 {
                    self.v.wait();
                    let stage = self.v.state().stage();
                    clear_from::<C>(&self.s_v, problem.keys_of_last(tile, &blocks), stage);
                }

                // ---- mainloop: masked blocks, then the other blocks
                let (mut output, mut product) = (OutputSums::<C>::zero(), Accumulator::new());
                let mut i = 1;
                while i < blocks.masked {
                    let at = problem.at::<true>(tile, &blocks, i);
                    let of = (&mut output, product);
                    (scores, product) =
                        self.step::<true>(scores, &probabilities, of, &mut softmax, at);
                    i += 1;
                }
                while i < blocks.count {
                    let at = problem.at::<false>(tile, &blocks, i);
                    let of = (&mut output, product);
                    (scores, product) =
                        self.step::<false>(scores, &probabilities, of, &mut softmax, at);
                    i += 1;
                }

                // ---- the last product, then the next tile's first scores
                self.q.release();
                output.promote(&product);
                self.v.wait();
                let of = (problem.params, problem.sequences, problem.score);
                let Some(next) = problem.find(&mut tiles, tile) else {
                    let product = self.issue_output(&probabilities, product);
                    let output = output.finish(product.finish());
                    return store::<C>(results, of, tile, &output, &softmax);
                };
                self.turns.begin();
                let product = self.issue_output(&probabilities, product);
                let next_scores = self.issue_first(scores);
                self.turns.end();
                let next = problem.locate(tiles, next);

                // ---- epilogue, while the tensor cores compute these scores
                let output = output.finish(product.finish_leaving::<1>());
                fence_operand(&probabilities);
                self.v.release();
                store::<C>(results, of, tile, &output, &softmax);
                scores = next_scores.finish();
                tile = next;
            }
        }
    }
}

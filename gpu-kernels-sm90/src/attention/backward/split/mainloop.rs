//! The mainloops of the two consumer groups.
//!
//! ```text
//!   dV's group     P dO of block i issued ─ S of i+1 issued ─ wait for P dO ─ wait for S ─ P ─ sent
//!   dK's group     dS Q of block i issued ─ T of i+1 issued ─ wait for dS Q ─ wait for T ─ P received ─ dS
//! ```
//!
//! The elementwise part of one group overlaps with the products of the other group.
//!
//! Law: each thread releases a stage after the wait for the one product of its group that reads it,
//! and after its own reads of values.

use super::super::super::config::{AttentionConfig, ProbabilitiesOf, STAGES};
use super::super::super::fragments::{
    Accumulator, AccumulatorLayout, OutputProduct, ScoresProduct,
};
use super::super::super::pipelines::{ConsumerEnd, Pipelines};
use super::super::super::score::{DifferentiableScore, ScoreFunction};
use super::super::super::sequences::Sequences;
use super::super::super::softmax::scale_rows;
use super::super::super::tile_scheduler::{KeyBlocks, TileAt};
use super::super::super::value::ScoreCoordinates;
use super::super::config::GradientSmem;
use super::super::gradients::{ScoreGradients, differentiate};
use super::super::mainloop::block_at;
use super::super::sequences::GradientSequences;
use super::config::SplitConfig;
use super::exchange::{EXCHANGE_STAGES, Exchange};
use crate::warp_group::thread_in_group;
use core::borrow::Borrow;
use core::f32::consts::LOG2_E;
use core::marker::PhantomData;
use gpu_kernels::attention::epilogue;
use kernel_abi::attention::AttentionBackwardParams;
use layout_types::algorithm::pipeline_tma::PipelineState;
use layout_types::algorithm::warpgroup::{InFlight, fence_operand};
use layout_types::arch::mov::here;
use layout_types::tensor::GetSlice;

/// The group of dV. Its scores are S = K Qᵀ, of the first tensors.
pub const DV: usize = 0;
/// The group of dK. Its scores are T = V dOᵀ, of the second tensors.
pub const DK: usize = 1;

/// A thread's fragments that a block passes to the next block: the registers of S or T, and dV or
/// dK.
struct Registers<C: AttentionConfig> {
    scores: Accumulator<C::Scores>,
    result: Accumulator<C::Output>,
}

/// A thread of the consumer group that computes `RESULT`. Descriptors and places of values are
/// computed again for each block, so that no register holds them during the mainloop.
pub struct Consumer<'a, C: SplitConfig, const CONSUMERS: u32, const RESULT: usize> {
    params: &'a AttentionBackwardParams,
    score: C::Score,
    sequences: C::Sequences,
    shared: u32,
    stays: ConsumerEnd<1, CONSUMERS>,
    /// The streamed tensor of the scores. `of_result` is the other streamed tensor, that of the
    /// result.
    of_scores: ConsumerEnd<STAGES, CONSUMERS>,
    of_result: ConsumerEnd<STAGES, CONSUMERS>,
    exchange: (Exchange, PipelineState<EXCHANGE_STAGES>),
    of: PhantomData<C>,
}

impl<'a, C: SplitConfig, const CONSUMERS: u32, const RESULT: usize>
    Consumer<'a, C, CONSUMERS, RESULT>
{
    /// Returns a thread of the group, with the tiles from `shared` on.
    ///
    /// # Safety
    /// The conditions are those of [`GradientSmem::at`].
    #[inline(always)]
    pub unsafe fn new(
        (params, score, sequences): (&'a AttentionBackwardParams, C::Score, C::Sequences),
        pipelines: Pipelines<1, CONSUMERS>,
        exchange: Exchange,
        shared: u32,
    ) -> Self {
        let (of_scores, of_result, state) = if const { RESULT == DV } {
            (pipelines.k, pipelines.v, PipelineState::producer())
        } else {
            (pipelines.v, pipelines.k, PipelineState::consumer())
        };
        Self {
            params,
            score,
            sequences,
            shared,
            stays: ConsumerEnd::of_each_thread(pipelines.q),
            of_scores: ConsumerEnd::of_each_thread(of_scores),
            of_result: ConsumerEnd::of_each_thread(of_result),
            exchange: (exchange, state),
            of: PhantomData,
        }
    }

    /// Issues S or T of the next block.
    ///
    /// # Safety
    /// The whole group executes it, after the wait for the resident tensors, for the block that the
    /// producers load next.
    #[inline(always)]
    unsafe fn issue_scores(
        &self,
        scores: Accumulator<C::Scores>,
    ) -> InFlight<C::QkAtom, C::Scores> {
        let thr_qk = C::Qk::get_slice(0);
        // SAFETY: the wait orders the product after the copies into the stage. `operand` frees the
        // stage after the product's `finish`.
        unsafe {
            let smem = GradientSmem::<C>::at(here(self.shared));
            let t_rx = thr_qk.partition_descriptors_a(&smem.stays[RESULT]); // (1,MMA_M,MMA_K,1)
            let t_ry = thr_qk.partition_descriptors_b(&smem.streamed[RESULT]); // (1,MMA_N,MMA_K,stages)
            self.of_scores.wait();
            let y = (&t_ry, self.of_scores.state());
            C::Qk::issue((&t_rx, self.stays.state()), y, scores)
        }
    }

    /// Issues the product of P or dS of a block.
    ///
    /// # Safety
    /// The whole group executes it, for the block of `operand`.
    #[inline(always)]
    unsafe fn issue_result(
        &self,
        operand: &ProbabilitiesOf<C>, // ((2,2,2),1,N/16)
        result: Accumulator<C::Output>,
    ) -> InFlight<C::PvAtom, C::Output> {
        let thr_pv = C::Pv::get_slice(0);
        // SAFETY: the wait orders the product after the copies into the stage. The caller frees the
        // stage after the product's `finish`.
        unsafe {
            let smem = GradientSmem::<C>::at(here(self.shared));
            let t_rt = thr_pv.partition_descriptors_b(&smem.transposed[1 - RESULT]); // (1,MMA_N,MMA_K,stages)
            self.of_result.wait();
            C::Pv::issue(operand, &t_rt, self.of_result.state(), result)
        }
    }

    /// Computes P or dS from a block's scores, and frees their stage. `at` is the tile, and the
    /// streamed head and row of the first score.
    ///
    /// # Safety
    /// The whole group executes it, after the end of the scores' product and of the product that
    /// read the previous operand.
    #[inline(always)]
    unsafe fn operand<const MASKED: bool>(
        &mut self,
        scores: &Accumulator<C::Scores>,
        operand: &ProbabilitiesOf<C>, // ((2,2,2),1,N/16)
        at: (TileAt, [u32; 2]),
    ) {
        let thread = thread_in_group();
        // SAFETY: the group has waited for the stage of the values, and frees it after their reads.
        // Both groups exchange P for each block.
        unsafe {
            let smem = GradientSmem::<C>::at(here(self.shared));
            let values = smem.values(RESULT as u32, self.of_scores.state().stage());
            let (exchange, state) = &mut self.exchange;
            let mask = || {
                if MASKED {
                    let (tile, [_, streamed]) = at;
                    let own = self.sequences.params(&self.params.of, tile);
                    C::Qk::mask(scores, thread, own.borrow(), (tile.row, streamed));
                }
            };
            if const { RESULT == DV && C::Score::IDENTITY } {
                mask();
                C::Gradients::probabilities(scores, &values, thread, self.params.of.scale_log2);
                exchange.send(state, scores);
            } else if const { RESULT == DV } {
                let derivatives = Accumulator::<C::Scores>::new();
                let of_block = block_at::<C>((self.params, self.sequences), at);
                let by = (self.params.scale, self.score);
                let both = [scores, &derivatives];
                differentiate::<C::Qk, C::TileS, _, _>(both, thread, of_block, by);
                mask();
                C::Gradients::probabilities(scores, &values, thread, LOG2_E);
                if const { !C::Score::SHIFTS } {
                    C::Pv::round(scores, operand);
                    C::Gradients::multiply(&derivatives, scores);
                }
                exchange.send(state, scores);
            } else {
                let probabilities = exchange.receive(state);
                C::Gradients::gradients(&probabilities, scores, &values, thread);
            }
            state.advance();
            if const { RESULT == DK || C::Score::SHIFTS } {
                C::Pv::round(scores, operand);
            }
            self.of_scores.release();
        }
    }

    /// Computes the scores of a tile's first block.
    ///
    /// # Safety
    /// The conditions are those of [`issue_scores`](Self::issue_scores).
    #[inline(always)]
    unsafe fn first<const MASKED: bool>(
        &mut self,
        scores: Accumulator<C::Scores>,
        operand: &ProbabilitiesOf<C>, // ((2,2,2),1,N/16)
        at: (TileAt, [u32; 2]),
    ) -> Accumulator<C::Scores> {
        // SAFETY: by the function's contract the whole group is here, after the wait for the
        // resident tensors, for the block that the producers load next. `finish` ends the scores'
        // product, and the previous tile's products, which read the operand, have ended.
        unsafe {
            let scores = self.issue_scores(scores).finish();
            self.operand::<MASKED>(&scores, operand, at);
            scores
        }
    }

    /// Computes a block after the first: its scores, and the previous block's addition to the
    /// result.
    ///
    /// # Safety
    /// The conditions are those of [`issue_scores`](Self::issue_scores).
    #[inline(always)]
    unsafe fn step<const MASKED: bool>(
        &mut self,
        Registers { scores, result }: Registers<C>,
        operand: &ProbabilitiesOf<C>, // ((2,2,2),1,N/16)
        at: (TileAt, [u32; 2]),
    ) -> Registers<C> {
        // SAFETY: by the function's contract the whole group is here, after the wait for the
        // resident tensors, for the block that the producers load next. The stage of the result is
        // freed, and the operand written again, after the end of the result's product.
        unsafe {
            let result = self.issue_result(operand, result);
            let scores = self.issue_scores(scores);
            let result = result.finish_leaving::<1>();
            fence_operand(operand);
            self.of_result.release();
            let scores = scores.finish();
            self.operand::<MASKED>(&scores, operand, at);
            Registers { scores, result }
        }
    }

    /// Computes the group's result for all tiles of the CTA and stores it to `to`.
    ///
    /// # Safety
    /// Both groups execute it as a whole. The result is writable as the parameters say.
    #[inline(always)]
    pub unsafe fn attend(&mut self, to: *mut C::OutputElement) {
        let [rows, streamed] = C::TILE;
        let (of, sequences) = (&self.params.of, self.sequences);
        let mut tiles = <C::Sequences as Sequences>::Scheduler::default();
        let operand = &ProbabilitiesOf::<C>::new();
        let mut scores = Accumulator::new();
        while let Some(tile) = sequences.next(&mut tiles, of, rows) {
            // SAFETY: the whole group is here. Tiles and blocks come in the producers' order. Each
            // stage is released after the waits for it and for the products that read it. The
            // stored rows are the tile's own.
            unsafe {
                self.stays.wait();
                let own = sequences.params(of, tile);
                let blocks = KeyBlocks::of(own.borrow(), tile.row, rows, streamed);
                // The group of dK does not mask: dS is 0 where P is 0.
                let masked = if const { RESULT == DV } {
                    blocks.masked
                } else {
                    0
                };
                scores = if masked > 0 {
                    self.first::<true>(scores, operand, (tile, [0, blocks.key(0, streamed)]))
                } else {
                    self.first::<false>(scores, operand, (tile, [0, blocks.key(0, streamed)]))
                };
                let mut registers = Registers::<C> {
                    scores,
                    result: Accumulator::new(),
                };
                let (mut head, mut i) = (0, 1);
                loop {
                    while i < masked {
                        let at = (tile, [head, blocks.key(i, streamed)]);
                        registers = self.step::<true>(registers, operand, at);
                        i += 1;
                    }
                    while i < blocks.count {
                        let at = (tile, [head, blocks.key(i, streamed)]);
                        registers = self.step::<false>(registers, operand, at);
                        i += 1;
                    }
                    head += 1;
                    if head == self.params.streamed_heads {
                        break;
                    }
                    i = 0;
                }
                self.stays.release();
                let result = self.issue_result(operand, registers.result).finish();
                fence_operand(operand);
                self.of_result.release();
                scores = registers.scores;
                self.store(to, tile, &result);
                sequences.join();
            }
        }
    }

    /// Stores the result of a tile.
    ///
    /// # Safety
    /// The whole group executes it; the result is writable as the parameters say.
    #[inline(always)]
    unsafe fn store(
        &self,
        to: *mut C::OutputElement,
        tile: TileAt,
        result: &Accumulator<C::Output>,
    ) {
        let (of, sequences) = (&self.params.of, self.sequences);
        let (offset, stride) = if const { RESULT == DV } {
            (
                sequences.offset_of_second(self.params, tile),
                self.params.row_second,
            )
        } else {
            scale_rows(C::Output::rows(result), [self.params.scale; 2]);
            (sequences.offset_of_o(of, tile), of.row_o)
        };
        let keys = sequences.params(of, tile).borrow().queries;
        let of_rows = (keys, C::DIM, stride);
        let result = C::Output::copied(result);
        // SAFETY: four whole warps are here, and the stored rows are the tile's own.
        unsafe {
            epilogue::store_rows::<_, C::BlocksOf32>(
                to.wrapping_add(offset),
                of_rows,
                (tile.row / 64, thread_in_group),
                |row, block| C::Output::pair(&result, row, block),
            );
        }
    }
}

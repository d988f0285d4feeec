//! The mainloop of a consumer group: it computes the scores of its own blocks of keys, and receives
//! P of the other group's blocks.
//!
//! ```text
//!   group 0   S even ─ softmax ─ send P ─ O += P V even ────── receive P ─ O += P V odd
//!   group 1   S odd ────────────────────── receive P ─ O += P V even ─ softmax ─ send P ─ O += P V odd
//! ```
//!
//! Law: each group adds the blocks' products to its half of O in the order of the keys, relative to
//! the maxima of all blocks so far. After P V a group frees the half of a stage that holds its own
//! columns of V. If the block is its own, it frees the other half after the scores. Otherwise it
//! does not read the other half and frees it when it receives P.

use super::super::super::epilogue::{store_pairs, store_pairs_lse};
use super::super::super::fragments::{
    Accumulator, AccumulatorLayout, OutputProduct, ScoresProduct,
};
use super::super::super::pipelines::ConsumerEnd;
use super::super::super::sequences::Sequences;
use super::super::super::smem_tile::SmemTile;
use super::super::super::softmax::{Softmax, finish_rows, scale_row};
use super::super::super::tile_scheduler::TileAt;
use super::super::pages::{PagedSequences, Part};
use super::config::{
    DIM_V, DescriptorsK, DescriptorsQ, DescriptorsV, LatentAttention, LatentSmem, PART,
    ProbabilitiesOf, ResultsOf, TILE, WARPS,
};
use super::exchange::Exchange;
use super::kernel::{Barriers, first_row};
use super::visibility::Visibility;
use crate::warp_group::{WARP_GROUP, thread_in_group};
use core::marker::PhantomData;
use cuda_std::thread::thread_idx_x;
use gpu_kernels::attention::epilogue;
use kernel_abi::attention::{AttentionParams, flags};
use layout_types::algorithm::pipeline_tma::PipelineState;
use layout_types::algorithm::warpgroup::{InFlight, arrive, fence_operand};
use layout_types::arch::barrier::{fence_proxy_async_shared, named_barrier_sync};
use layout_types::arch::mov::here;
use layout_types::tensor::GetSlice;

/// The first of the named barriers, one per group, after a group clears rows of its half of V.
const CLEARED_BARRIER: u32 = 5;

/// The factors of a thread's two rows of O, and whether each row has to be multiplied.
type Corrections = ([f32; 2], [bool; 2]);

/// A thread of consumer group `GROUP`.
pub struct LatentConsumer<'a, C: LatentAttention, const GROUP: u32> {
    params: &'a AttentionParams,
    sequences: PagedSequences<TILE>,
    /// The address of the tiles in shared memory.
    shared: u32,
    q: ConsumerEnd<1, WARPS>,
    barriers: Barriers,
    /// The pipeline state of the even blocks' stage.
    even: PipelineState<1>,
    /// The pipeline state of the odd blocks' stage.
    odd: PipelineState<1>,
    /// 1 if this thread arrives for its warp, else 0.
    arrives: u32,
    exchange: Exchange,
    of: PhantomData<C>,
}

/// Multiplies the rows of O whose maxima have grown by their corrections.
#[inline(always)]
fn correct<C: LatentAttention>(
    output: &Accumulator<C::Output>,
    (corrections, corrected): Corrections,
) {
    let rows = C::Output::rows(output);
    if corrected[0] {
        scale_row(&rows[0], corrections[0]);
    }
    if corrected[1] {
        scale_row(&rows[1], corrections[1]);
    }
}

impl<'a, C: LatentAttention, const GROUP: u32> LatentConsumer<'a, C, GROUP> {
    /// The stage of the blocks whose scores this group computes.
    const OWN: u32 = GROUP;

    /// Returns a thread before the first tile.
    #[inline(always)]
    pub fn new(
        (params, sequences): (&'a AttentionParams, PagedSequences<TILE>),
        shared: u32,
        (q, barriers, exchange): (ConsumerEnd<1, WARPS>, Barriers, Exchange),
    ) -> Self {
        Self {
            params,
            sequences,
            shared,
            of: PhantomData,
            q,
            barriers,
            even: PipelineState::consumer(),
            odd: PipelineState::consumer(),
            arrives: u32::from(thread_idx_x().is_multiple_of(32)),
            exchange,
        }
    }

    /// Returns the tiles. Each use computes their addresses again, because the descriptors of all k
    /// blocks would not fit the registers.
    #[inline(always)]
    fn smem(&self) -> LatentSmem<C> {
        // SAFETY: `kernel::run` passes the address of the tiles.
        unsafe { LatentSmem::at(here(self.shared)) }
    }

    /// Returns the pipeline state of a stage.
    #[inline(always)]
    fn state(&self, stage: u32) -> PipelineState<1> {
        if stage == 0 { self.even } else { self.odd }
    }

    /// Waits for a half of a stage.
    ///
    /// # Safety
    /// The barriers are initialised. The producers load, or have loaded, a block into the stage,
    /// and this group has not freed that block.
    #[inline(always)]
    unsafe fn wait(&self, stage: u32, half: u32) {
        // SAFETY: the barriers are initialised by the contract, and the state is this thread's.
        unsafe {
            self.barriers
                .k(stage, half)
                .consumer_wait(&self.state(stage));
        }
    }

    /// Frees a half of a stage for this warp.
    ///
    /// # Safety
    /// It follows the last access of this group to the half, once for each block.
    #[inline(always)]
    unsafe fn release(&self, stage: u32, half: u32) {
        // SAFETY: each consumer warp arrives once, by the contract.
        unsafe {
            self.barriers
                .k(stage, half)
                .consumer_release_if(&self.state(stage), self.arrives);
        }
    }

    /// Computes the scores of the block in this group's own stage.
    ///
    /// # Safety
    /// The whole group executes it, for the block that the producers load next into the stage.
    #[inline(always)]
    unsafe fn scores(&self) -> Accumulator<C::Scores> {
        // SAFETY: the whole group is here. Each wait orders the products after the copies that they
        // read, and `finish` waits for all products.
        unsafe {
            self.wait(Self::OWN, 0);
            let mut scores: InFlight<C::QkAtom, C::Scores> =
                arrive(C::Qk::default(), Accumulator::new());
            let (smem, thr_mma) = (self.smem(), C::Qk::get_slice(0));
            let t_rq: DescriptorsQ<C, C::SmemQ> = thr_mma.partition_descriptors_a(&smem.q); // (1,MMA_M,MMA_K,parts)
            let t_rk: DescriptorsK<C, C::SmemK> = thr_mma.partition_descriptors_b(&smem.k); // (1,MMA_N,MMA_K,parts of all stages)
            let part = <C::Qk as ScoresProduct<_, _, C::SmemQ, C::SmemK, _, _>>::multiply_part;
            part((&t_rq, 0), (&t_rk, 2 * Self::OWN), &mut scores, 0);
            self.wait(Self::OWN, 1);
            scores.arrive_again();
            part((&t_rq, 1), (&t_rk, 2 * Self::OWN + 1), &mut scores, 1);
            let t_rq: DescriptorsQ<C, C::SmemRopeQ> = thr_mma.partition_descriptors_a(&smem.rope_q); // (1,MMA_M,MMA_K,1)
            let t_rk: DescriptorsK<C, C::SmemRopeK> = thr_mma.partition_descriptors_b(&smem.rope_k); // (1,MMA_N,MMA_K,stages)
            let rope =
                <C::Qk as ScoresProduct<_, _, C::SmemRopeQ, C::SmemRopeK, _, _>>::multiply_part;
            rope((&t_rq, 0), (&t_rk, Self::OWN), &mut scores, 1);
            scores.commit();
            let scores = scores.finish();
            // Frees the half that holds the other group's columns of V.
            self.release(Self::OWN, 1 - GROUP);
            scores
        }
    }

    /// Clears V's rows from `first` on in this group's half of a stage: P is 0 for keys past the
    /// last, but 0 times a NaN or an infinity there would be NaN.
    ///
    /// # Safety
    /// The whole group executes it, after its wait for the half and after the scores of the block,
    /// and before its product with the half.
    #[inline(always)]
    unsafe fn clear_from(&self, stage: u32, first: u32) {
        let (s_v, mut column) = (self.smem().v, thread_in_group()); // (256,64,parts of all stages)
        while column < PART {
            let mut row = first;
            while row < TILE {
                C::SmemV::clear(&s_v, (column, row, 2 * stage + GROUP));
                row += 1;
            }
            column += WARP_GROUP;
        }
        // SAFETY: the half is full, and nothing else accesses it, by the function's contract. The
        // fence and the group's barrier order the zeros before the group's product.
        unsafe {
            fence_proxy_async_shared();
            named_barrier_sync(CLEARED_BARRIER + GROUP, WARP_GROUP);
        }
    }

    /// Issues O += P V for a stage. The sequence has `left` keys from the block's first key on;
    /// rows of V after them are cleared.
    ///
    /// # Safety
    /// The whole group executes it, after the scores of the block and after its wait for its half
    /// of the stage.
    #[inline(always)]
    unsafe fn issue_output(
        &self,
        stage: u32,
        left: u32,
        probabilities: &ProbabilitiesOf<C>,
        output: Accumulator<C::Output>,
    ) -> InFlight<C::PvAtom, C::Output> {
        // SAFETY: the whole group is here, after the wait for its half of the stage.
        unsafe {
            if left < TILE {
                self.clear_from(stage, left);
            }
            let t_rv: DescriptorsV<C> = C::Pv::get_slice(0).partition_descriptors_b(&self.smem().v); // (1,MMA_N,MMA_K,parts of all stages)
            C::Pv::issue_part(probabilities, (&t_rv, 2 * stage + GROUP), output)
        }
    }

    /// Computes the masked scores of this group's next block, whose first key is `key`.
    ///
    /// # Safety
    /// The conditions are those of [`scores`](Self::scores).
    #[inline(always)]
    unsafe fn masked_scores(&self, seen: &Visibility<C>, key: u32) -> Accumulator<C::Scores> {
        // SAFETY: the whole group is here, and the producers load the block, by the function's
        // contract, which is that of `scores`.
        let scores = unsafe { self.scores() };
        if !seen.sees_all(key) {
            seen.mask(&scores, key);
        }
        scores
    }

    /// Computes probabilities from this group's scores, and sends them to the other group.
    ///
    /// # Safety
    /// The conditions are those of [`Exchange::send`].
    #[inline(always)]
    unsafe fn send(
        &self,
        scores: &Accumulator<C::Scores>,
        softmax: &mut Softmax,
        own: &ProbabilitiesOf<C>,
    ) -> Corrections {
        // SAFETY: the whole group is here, by the function's contract.
        unsafe {
            let corrections = softmax.update::<true, _>(C::Scores::rows(scores), true);
            C::Pv::round(scores, own);
            self.exchange.send::<GROUP, _, _>(own, softmax.maxima());
            corrections
        }
    }

    /// Receives the probabilities of the other group's block, and issues their product. `left` is
    /// as in [`issue_output`](Self::issue_output).
    ///
    /// # Safety
    /// The whole group executes it, once for each block of the other group, which sends them.
    #[inline(always)]
    unsafe fn receive(
        &self,
        left: u32,
        softmax: &mut Softmax,
        others: &ProbabilitiesOf<C>,
        output: Accumulator<C::Output>,
    ) -> InFlight<C::PvAtom, C::Output> {
        let stage = 1 - GROUP;
        // SAFETY: the whole group is here, and the other group sends. This group does not read the
        // half of this block that holds the other group's columns of V. The other group's scores,
        // which read this group's half, have ended, because that group sent P after them.
        unsafe {
            let maxima = self.exchange.receive::<GROUP, _, _>(others);
            self.release(stage, 1 - GROUP);
            correct::<C>(&output, softmax.follow(maxima));
            self.wait(stage, GROUP);
            self.issue_output(stage, left, others, output)
        }
    }

    /// Waits for a product P V, and frees its stage.
    ///
    /// # Safety
    /// The whole group executes it, after [`issue_output`](Self::issue_output) for the stage.
    #[inline(always)]
    unsafe fn finish_output(
        &mut self,
        stage: u32,
        product: InFlight<C::PvAtom, C::Output>,
        probabilities: &ProbabilitiesOf<C>,
    ) -> Accumulator<C::Output> {
        // SAFETY: the whole group is here, by the function's contract. `finish` waits for the
        // product, which is the last access to the half.
        unsafe {
            let output = product.finish();
            fence_operand(probabilities);
            self.release(stage, GROUP);
            if stage == 0 {
                self.even.advance();
            } else {
                self.odd.advance();
            }
            output
        }
    }

    /// Computes and stores all tiles of the CTA.
    ///
    /// # Safety
    /// Both groups execute it as a whole. O and, if the flag is set, the log-sum-exp are writable
    /// as the parameters say, and the partial results as the plan says.
    #[inline(always)]
    pub unsafe fn attend(&mut self, results: ResultsOf<C>) {
        let mut tiles = Default::default();
        let own = ProbabilitiesOf::<C>::new();
        let others = ProbabilitiesOf::<C>::new();
        while let Some(tile) = self.sequences.next(&mut tiles, self.params, TILE) {
            let keys = self.sequences.keys(tile.batch);
            let seen = Visibility::<C>::of(self.params, first_row(), keys);
            let mut softmax = Softmax::new(self.params.scale_log2, 0.0);
            let mut output = Accumulator::<C::Output>::new();
            let mut key = tile.part.block * TILE;
            let end = key + tile.part.count * TILE;
            // SAFETY: the whole group is here, and the other group goes through the same blocks of
            // the same tiles. Blocks come in the producers' order. A half is freed when it is full
            // and the group's products that read it have ended. The groups' messages alternate.
            unsafe {
                self.q.wait();
                while key < end {
                    let (of_even, of_odd) = (keys - key, (keys - key).saturating_sub(TILE));
                    let has_odd = key + TILE < end;
                    let is_last = key + 2 * TILE >= end;
                    if const { GROUP == 0 } {
                        let scores = self.masked_scores(&seen, key);
                        if is_last {
                            self.q.release();
                        }
                        let corrections = self.send(&scores, &mut softmax, &own);
                        correct::<C>(&output, corrections);
                        let product = self.issue_output(0, of_even, &own, output);
                        output = self.finish_output(0, product, &own);
                        if has_odd {
                            let product = self.receive(of_odd, &mut softmax, &others, output);
                            output = self.finish_output(1, product, &others);
                        }
                    } else if has_odd {
                        let scores = self.masked_scores(&seen, key + TILE);
                        if is_last {
                            self.q.release();
                        }
                        let product = self.receive(of_even, &mut softmax, &others, output);
                        let corrections = self.send(&scores, &mut softmax, &own);
                        output = self.finish_output(0, product, &others);
                        correct::<C>(&output, corrections);
                        let product = self.issue_output(1, of_odd, &own, output);
                        output = self.finish_output(1, product, &own);
                    } else {
                        self.q.release();
                        let product = self.receive(of_even, &mut softmax, &others, output);
                        output = self.finish_output(0, product, &others);
                    }
                    key += 2 * TILE;
                }
                let of_other = self.exchange.swap_sums::<GROUP>(softmax.sums());
                softmax.add_sums(of_other);
                self.store(results, tile, &output, &softmax);
            }
        }
    }

    /// Stores this group's half of O for a tile. Group 0 also stores the log-sum-exps.
    ///
    /// # Safety
    /// The conditions are those of [`attend`](Self::attend).
    #[inline(always)]
    unsafe fn store(
        &self,
        (o, lse): ResultsOf<C>,
        tile: TileAt<Part>,
        output: &Accumulator<C::Output>,
        softmax: &Softmax,
    ) {
        let (params, rows) = (self.params, self.params.queries);
        let number = first_row() / TILE;
        let column = (PART * GROUP) as usize;
        let pair = |row, block| C::Output::pair(output, row, block);
        // SAFETY: whole warps are here. The columns of O and the log-sum-exps of rows below
        // `queries` are writable by the function's contract.
        unsafe {
            let finished = softmax.finish(1.0);
            finish_rows(C::Output::rows(output), finished);
            if let Some((to, lse)) = self.sequences.partial(params, tile) {
                let of = (rows, PART, u64::from(DIM_V));
                store_pairs::<C::BlocksOf32>(to.wrapping_add(column), of, number, pair);
                if const { GROUP == 0 } {
                    store_pairs_lse(lse, rows, number, finished);
                }
                return;
            }
            let o = o.wrapping_add(self.sequences.offset_of_o(params, tile) + column);
            let of = (rows, PART, params.row_o);
            epilogue::store_rows::<_, C::BlocksOf32>(o, of, (number, thread_in_group), pair);
            if const { GROUP == 0 } && params.flags & flags::LSE != 0 {
                let lse = lse.wrapping_add(self.sequences.offset_of_lse(params, tile));
                epilogue::store_lse(lse, rows, (number, thread_in_group()), finished);
            }
        }
    }
}

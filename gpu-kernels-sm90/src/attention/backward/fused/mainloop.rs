//! The mainloop of a consumer group, and the reducer that adds dQ.
//!
//! ```text
//!   consumer   S, dP issued ─ wait for S ─ P ─ wait for dP ─ dS ─ dV += P dO issued ─ dS stored ─ barrier of both groups
//!              ─ dQ issued ─ wait for dV ─ dK += dS Q issued ─ wait for dQ ─ staged ─ wait for dK
//!   reducer    sums += dQ of each block, in the consumers' order
//! ```
//!
//! Law: each thread releases a stage after the wait for the products that read it and after its own
//! reads of values. A stage of dS is written again two blocks later, after the barrier of the block
//! between. A group reaches that barrier after its wait for the dQ product that read the stage.

use super::super::super::config::{AttentionConfig, ProbabilitiesOf, STAGES};
use super::super::super::epilogue::store_rows;
use super::super::super::fragments::{
    Accumulator, AccumulatorLayout, OutputProduct, ScoresProduct,
};
use super::super::super::pipelines::Pipelines;
use super::super::super::sequences::Sequences;
use super::super::super::smem_tile::SmemTile;
use super::super::super::softmax::scale_rows;
use super::super::super::tile_scheduler::{KeyBlocks, TileAt};
use super::super::super::value::ScoreCoordinates;
use super::super::gradients::ScoreGradients;
use super::super::sequences::GradientSequences;
use super::config::{FusedConfig, FusedSmem};
use super::round::sums_at;
use super::staging::{OperandWords, Staging, store_ds};
use crate::warp_group::{consumer_thread, first_consumer_thread};
use core::borrow::Borrow;
use core::marker::PhantomData;
use cuda_std::warp::sync_warp;
use kernel_abi::attention::AttentionBackwardParams;
use layout_types::algorithm::pipeline_tma::PipelineState;
use layout_types::algorithm::transform_in_place;
use layout_types::algorithm::warpgroup::fence_operand;
use layout_types::arch::barrier::{fence_proxy_async_shared, named_barrier_sync};
use layout_types::arch::mov::here;
use layout_types::prelude::*;
use layout_types::tensor::GetSlice;

/// Maps a thread of the consumer groups to its first row in the tile. The thread's second row is
/// eight rows below.
type RowOfThread = layout!((4,8,4,2):(0,1,16,64));
/// The named barrier at which both consumer groups have stored a block's dS.
const STORED_BARRIER: u32 = 1;

/// Adds the staged blocks of dQ of all tiles of a CTA to the sums.
///
/// # Safety
/// One thread executes it, on the initialised staging. The sums are writable as the parameters say.
#[inline(always)]
pub unsafe fn reduce<C: FusedConfig>(
    staging: Staging,
    sums: *mut f32,
    (params, sequences): (&AttentionBackwardParams, C::Sequences),
) {
    let [rows, streamed] = C::TILE;
    let mut tiles = <C::Sequences as Sequences>::Scheduler::default();
    let mut n = 0;
    while let Some(tile) = sequences.next(&mut tiles, &params.of, rows) {
        let mut head = tile.key_head * params.streamed_heads;
        let end = head + params.streamed_heads;
        while head < end {
            let mut i = 0;
            loop {
                // This is computed again for each block, because there are few registers.
                let (first, batch, head) = (here(tile.row), here(tile.batch), here(head));
                let own = sequences.params(&params.of, tile);
                let blocks = KeyBlocks::of(own.borrow(), first, rows, streamed);
                if i == blocks.count {
                    break;
                }
                let params = AttentionBackwardParams {
                    streamed_heads: here(params.streamed_heads),
                    ..*params
                };
                let row = blocks.key(i, streamed);
                let to = sums.wrapping_add(sums_at(&params, (head, batch), row, C::DIM));
                // SAFETY: the block's rows are in the sums, because the heads of the sums are
                // padded to whole blocks.
                unsafe { staging.reduce(n, to) };
                n += 1;
                i += 1;
            }
            head += 1;
        }
    }
    Staging::finish();
}

/// A thread's parts of dK and dV.
struct Results<C: AttentionConfig> {
    dk: Accumulator<C::Output>,
    dv: Accumulator<C::Output>,
}

/// A thread of a consumer group. Besides the results, everything that a block needs is computed
/// from the block's index, so that no register holds it during the mainloop.
pub struct Consumer<'a, C: FusedConfig, const CONSUMERS: u32> {
    params: &'a AttentionBackwardParams,
    sequences: C::Sequences,
    pipelines: Pipelines<1, CONSUMERS>,
    shared: u32,
    group: u32,
    of: PhantomData<C>,
}

/// Returns the place of block `n`, counted from the first block, in a pipeline of `STAGES` stages.
#[inline(always)]
fn state_of<const STAGES: u32>(n: u32) -> PipelineState<STAGES> {
    let mut state = PipelineState::consumer();
    state.advance_by(n % (2 * STAGES));
    state
}

impl<'a, C: FusedConfig, const CONSUMERS: u32> Consumer<'a, C, CONSUMERS> {
    /// Returns a thread of the group `group`, which is the same in all threads of a warp, with
    /// shared memory from `shared` on.
    ///
    /// # Safety
    /// The conditions are those of [`FusedSmem::at`].
    #[inline(always)]
    pub unsafe fn new(
        (params, sequences): (&'a AttentionBackwardParams, C::Sequences),
        pipelines: Pipelines<1, CONSUMERS>,
        shared: u32,
        group: u32,
    ) -> Self {
        Self {
            params,
            sequences,
            pipelines,
            shared,
            group,
            of: PhantomData,
        }
    }

    /// Clears the probabilities of keys after the last. Their rows of K are zeros, but the
    /// probability of a score of 0 may be infinite, and 0 times infinity would be NaN in dQ, which
    /// is a sum over the tile's keys. (To clear the scores instead would be correct, but it
    /// spills.)
    #[inline(always)]
    fn clear_keys(&self, probabilities: &Accumulator<C::Scores>, tile: TileAt) {
        let row: u32 = RowOfThread::at(consumer_thread());
        let keys = here(self.params.of.queries).wrapping_sub(tile.row);
        let [first, eighth] = C::Scores::rows(probabilities);
        transform_in_place(&first, |p| if row < keys { p } else { 0.0 });
        transform_in_place(&eighth, |p| if row + 8 < keys { p } else { 0.0 });
    }

    /// Computes the `n`th block, counted over all tiles: adds it to the results, and computes its
    /// dQ. Its first score is that of the tile's first row and query `streamed`.
    ///
    /// # Safety
    /// The whole consumer group executes it, after the wait for the resident tensors, for the block
    /// that the producers load next.
    #[inline(always)]
    unsafe fn step<const MASKED: bool>(
        &self,
        n: u32,
        Results { dk, dv }: Results<C>,
        (probabilities, gradients): (&ProbabilitiesOf<C>, &ProbabilitiesOf<C>), // ((2,2,2),1,N/16)
        (tile, streamed): (TileAt, u32),
    ) -> Results<C> {
        let thread = consumer_thread();
        let thr_qk = <C as AttentionConfig>::Qk::get_slice(first_consumer_thread(self.group));
        let thr_pv = <C as AttentionConfig>::Pv::get_slice(first_consumer_thread(self.group));
        let thr_dq = <C as FusedConfig>::Dq::get_slice(first_consumer_thread(self.group));
        let state = &state_of::<STAGES>(n);
        let stays = &PipelineState::<1>::consumer();
        // SAFETY: the whole group is here: `attend` goes through the blocks with all of its
        // threads. Each `wait` orders the products and the reads of values after the copies into
        // their stage. The release frees the stage after the `finish` of these products.
        unsafe {
            let smem = FusedSmem::<C>::at(here(self.shared)).tiles;
            let t_rx = thr_qk.partition_descriptors_a(&smem.stays[0]); // (1,MMA_M,MMA_K,1)
            let t_ry = thr_qk.partition_descriptors_b(&smem.streamed[0]); // (1,MMA_N,MMA_K,stages)
            self.pipelines.k.consumer_wait(state);
            let scores = C::Qk::issue((&t_rx, stays), (&t_ry, state), Accumulator::new());
            let t_rx = thr_qk.partition_descriptors_a(&smem.stays[1]); // (1,MMA_M,MMA_K,1)
            let t_ry = thr_qk.partition_descriptors_b(&smem.streamed[1]); // (1,MMA_N,MMA_K,stages)
            self.pipelines.v.consumer_wait(state);
            let of_p = C::Qk::issue((&t_rx, stays), (&t_ry, state), Accumulator::new());
            let smem = FusedSmem::<C>::at(here(self.shared)).tiles;
            let lse = smem.values(0, state.stage());
            let delta = smem.values(1, state.stage());
            let scores = scores.finish_leaving::<1>();
            if MASKED {
                let own = self.sequences.params(&self.params.of, tile);
                C::Qk::mask(&scores, thread, own.borrow(), (tile.row, streamed));
            }
            C::Gradients::probabilities(&scores, &lse, thread, self.params.of.scale_log2);
            fence_operand(&scores);
            if MASKED {
                // The fence keeps LLVM from computing exponentials in a branch that threads of a
                // warp take differently.
                self.clear_keys(&scores, tile);
                fence_operand(&scores);
            }
            let of_p = of_p.finish();
            C::Gradients::gradients(&scores, &of_p, &delta, thread);
            C::Pv::round(&scores, probabilities);
            C::Pv::round(&of_p, gradients);
            let smem = FusedSmem::<C>::at(here(self.shared));
            let t_rt = thr_pv.partition_descriptors_b(&smem.tiles.transposed[1]); // (1,MMA_N,MMA_K,stages)
            let dv = C::Pv::issue(probabilities, &t_rt, state, dv);
            store_ds::<C::BlocksOf16>(
                self.group,
                |block| C::Element::words(gradients, block),
                |query, key| C::SmemDs::address(&smem.ds, (query, key, state.stage())),
            );
            fence_proxy_async_shared();
            named_barrier_sync(STORED_BARRIER, CONSUMERS);
            let smem = FusedSmem::<C>::at(here(self.shared));
            let t_rs = thr_dq.partition_descriptors_a(&smem.ds); // (1,MMA_M,MMA_K,stages)
            let t_rk = thr_dq.partition_descriptors_b(&smem.kt); // (1,MMA_N,MMA_K,1)
            let dq = C::Dq::issue((&t_rs, state), (&t_rk, stays), Accumulator::new());
            let dv = dv.finish_leaving::<1>();
            fence_operand(probabilities);
            self.pipelines.v.consumer_release_if(state, 1);
            let smem = FusedSmem::<C>::at(here(self.shared));
            let t_rt = thr_pv.partition_descriptors_b(&smem.tiles.transposed[0]); // (1,MMA_N,MMA_K,stages)
            let dk = C::Pv::issue(gradients, &t_rt, state, dk);
            let dq = dq.finish_leaving::<1>();
            smem.staging
                .store::<C::DqAtom, C::DqBlock>((self.group, n), &C::DqBlock::copied(&dq));
            let dk = dk.finish();
            fence_operand(gradients);
            self.pipelines.k.consumer_release_if(state, 1);
            Results { dk, dv }
        }
    }

    /// Computes and stores all tiles of the CTA.
    ///
    /// # Safety
    /// All consumer groups execute it as a whole. dK and dV are writable as the parameters say.
    #[inline(always)]
    pub unsafe fn attend(&self, to: (*mut C::OutputElement, *mut C::OutputElement)) {
        let [rows, streamed] = C::TILE;
        let (of, sequences) = (&self.params.of, self.sequences);
        let mut tiles = <C::Sequences as Sequences>::Scheduler::default();
        let operands = (&ProbabilitiesOf::<C>::new(), &ProbabilitiesOf::<C>::new());
        let mut n = 0;
        let mut stays = PipelineState::<1>::consumer();
        let next =
            |tiles: &mut <C::Sequences as Sequences>::Scheduler| sequences.next(tiles, of, rows);
        while let Some(tile) = next(&mut { tiles }) {
            let mut results = Results::<C> {
                dk: Accumulator::new(),
                dv: Accumulator::new(),
            };
            // SAFETY: the whole group is here. Tiles and blocks come in the producers' order. Each
            // stage is released after the waits for it and for the products that read it. The
            // stored rows are the tile's own.
            unsafe {
                self.pipelines.q.consumer_wait(&stays);
                let mut head = 0;
                while head < self.params.streamed_heads {
                    // This is computed again for each masked block, because there are few
                    // registers.
                    let blocks = || {
                        let own = sequences.params(of, tile);
                        KeyBlocks::of(own.borrow(), here(tile.row), rows, streamed)
                    };
                    // A tile with keys after the last masks these keys in all blocks.
                    let masked = |blocks: &KeyBlocks| {
                        if here(tile.row) + rows > here(of.queries) {
                            blocks.count
                        } else {
                            blocks.masked
                        }
                    };
                    let mut i = 0;
                    loop {
                        let blocks = blocks();
                        if i >= masked(&blocks) {
                            break;
                        }
                        let at = (tile, blocks.key(i, streamed));
                        results = self.step::<true>(n, results, operands, at);
                        n += 1;
                        i += 1;
                    }
                    let count = blocks().count;
                    while i < count {
                        results = self.step::<false>(n, results, operands, (tile, 0));
                        n += 1;
                        i += 1;
                    }
                    head += 1;
                }
                self.pipelines.q.consumer_release_if(&stays, 1);
                stays.advance();
                // The tile is computed again: if its head and batch were held during the blocks,
                // ptxas would spill.
                let tile = next(&mut tiles).unwrap_or(tile);
                let Results { dk, dv } = &results;
                scale_rows(C::Output::rows(dk), [self.params.scale; 2]);
                let keys = sequences.params(of, tile).borrow().queries;
                let to_k = to.0.wrapping_add(sequences.offset_of_o(of, tile));
                store_rows::<C>(to_k, (keys, of.row_o), tile.row, &C::Output::copied(dk));
                let second = sequences.offset_of_second(self.params, tile);
                let to_v = to.1.wrapping_add(second);
                let of_v = (keys, self.params.row_second);
                store_rows::<C>(to_v, of_v, tile.row, &C::Output::copied(dv));
                // Without it, LLVM writes the scheduler's values for the next tile in each arm of
                // the last store, and the warp does not reconverge after them.
                sync_warp(u32::MAX);
            }
        }
    }
}

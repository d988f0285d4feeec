//! The roles of the warp groups: one group loads, two groups multiply.
//!
//! ```text
//!   thread 0      Q, once per tile
//!   thread 32     the left part of each block of K                    even blocks into stage 0, odd blocks into stage 1
//!   thread 64     the right part of each block of K and its columns of RoPE
//! ```
//!
//! Law: each half of a stage has barriers of its own, so that it is filled and freed independently.
//! The left half has group 0's columns of V, the right half group 1's. The scores read both halves
//! and the columns of RoPE, which are loaded with the right half.

use super::super::super::pipelines::ConsumerEnd;
use super::super::super::sequences::{Place, Sequences};
use super::super::super::tile_scheduler::TileAt;
use super::super::pages::{PagedSequences, Part};
use super::config::{
    BARRIERS, DIM, DIM_V, EXCHANGE_OFFSET, LatentAttention, LatentSmem, LoadK, LoadQ, LoadRopeK,
    LoadRopeQ, PART, ResultsOf, TILE, WARPS,
};
use super::exchange::Exchange;
use super::mainloop::LatentConsumer;
use crate::warp_group::{WARP_GROUP, consumer_group};
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{block_idx_y, sync_threads, thread_idx_x};
use cuda_std::warp::warp_shuffle_idx;
use kernel_abi::attention::AttentionParams;
use layout_types::algorithm::pipeline_tma::{PipelineState, PipelineTmaAsync};
use layout_types::arch::copy_sm90_tma::{TensorMap, prefetch_tma_descriptor};
use layout_types::arch::mov::here;
use layout_types::arch::reg_reconfig::{warpgroup_reg_alloc, warpgroup_reg_dealloc};
use layout_types::atom::smem_operand::TmaTile;
use layout_types::unroll::unroll;

/// A pipeline of one stage, which all consumer warps free.
pub type Stage = PipelineTmaAsync<1, WARPS>;

/// The barriers of Q and of each half of each stage of K.
#[derive(Clone, Copy)]
pub struct Barriers {
    at: u32,
}

impl Barriers {
    /// Returns the barriers from address `at` on.
    ///
    /// # Safety
    /// `at` is a multiple of 8 and names 80 bytes of the CTA's shared memory that nothing else
    /// uses.
    #[inline(always)]
    pub const unsafe fn at(at: u32) -> Self {
        Self { at }
    }

    /// Returns the barriers of Q.
    #[inline(always)]
    pub fn q(self) -> Stage {
        // SAFETY: Q's barriers are the first 16 of the bytes of `at`'s contract.
        unsafe { Stage::at(self.at) }
    }

    /// Returns the barriers of half 0 or 1 of stage 0 or 1 of K.
    #[inline(always)]
    pub fn k(self, stage: u32, half: u32) -> Stage {
        // SAFETY: after Q's barriers, the bytes of `at`'s contract have 16 bytes for each half of
        // each stage.
        unsafe { Stage::at(self.at + Stage::BYTES * (1 + 2 * stage + half)) }
    }

    /// Initialises all barriers.
    ///
    /// # Safety
    /// One thread of the CTA executes it, once, before a barrier of the CTA.
    #[inline(always)]
    unsafe fn init(self) {
        // SAFETY: one thread is here, once, by the function's contract.
        unsafe {
            self.q().init();
            unroll::<2>(|stage| unroll::<2>(|half| self.k(stage as u32, half as u32).init()));
        }
    }
}

/// Returns the first row of this CTA's tiles, counted in the rows of a sequence.
#[inline(always)]
pub fn first_row() -> u32 {
    here(block_idx_y()) * TILE
}

/// Calls `load(tile, place, block)` for each block of each tile of the CTA. If `once`, calls it
/// only for block 0 of each tile.
#[inline(always)]
fn each_block(
    once: bool,
    (params, sequences): (&AttentionParams, PagedSequences<TILE>),
    mut load: impl FnMut(TileAt<Part>, Place, u32),
) {
    let mut tiles = Default::default();
    while let Some(tile) = sequences.next(&mut tiles, params, 0) {
        let place = sequences.place(params, tile);
        let count = if once { 1 } else { tile.part.count };
        let mut block = 0;
        while block < count {
            load(tile, place, block);
            block += 1;
        }
    }
}

/// Fills half `HALF` of the stages with a part of K. The right half also has the columns of RoPE.
///
/// # Safety
/// One thread executes it, on initialised barriers. The map of K has the configuration's boxes.
#[inline(always)]
unsafe fn produce_keys<C: LatentAttention, const HALF: u32>(
    of: (&AttentionParams, PagedSequences<TILE>),
    map: &TensorMap,
    (barriers, smem): (Barriers, impl Fn() -> LatentSmem<C>),
) {
    let pages = of.1.pages();
    let columns = const { TmaTile::<C::SmemK, C::Element>::BOX.extents[1] };
    let bytes = const {
        let rope = if HALF == 1 { LoadRopeK::<C>::BYTES } else { 0 };
        LoadK::<C>::BYTES + rope
    };
    // The number of times that each stage has been filled. It is counted without a branch, because
    // with a branch the counts would be in local memory.
    let (mut even, mut odd) = (0, 0);
    each_block(false, of, |tile, place, block| {
        let stage = block % 2;
        let pipeline = barriers.k(stage, HALF);
        let mut state = PipelineState::<1>::producer();
        state.advance_by(if stage == 0 { even } else { odd });
        even += 1 - stage;
        odd += stage;
        // SAFETY: the state is this thread's own. Both loads copy the bytes that the barrier
        // expects, into the half that the thread has waited for.
        unsafe {
            pipeline.producer_acquire(&state, bytes);
            let (at, full) = ((tile, place, block * TILE), pipeline.full(0));
            let (first, smem) = (PART * HALF, smem());
            let part = (&smem.k, [first, first + PART], columns);
            pages.load(map, at, part, (2 * stage + HALF, full), |key, column| {
                (key, column - first)
            });
            if const { HALF == 1 } {
                let rope = (&smem.rope_k, [DIM_V, DIM], columns);
                pages.load(map, at, rope, (stage, full), |key, column| {
                    (key, column - DIM_V)
                });
            }
        }
    });
}

/// Runs the kernel of a configuration.
///
/// # Safety
/// The launch is the plan's: the maps of Q and K have the configuration's boxes, and the buffers,
/// also those of the sequences, are as the parameters say.
#[inline(always)]
pub unsafe fn run<C: LatentAttention>(
    results: ResultsOf<C>,
    params: &AttentionParams,
    [map_q, map_k]: [&TensorMap; 2],
    sequences: PagedSequences<TILE>,
) {
    let (shared, thread) = (dynamic_shared_offset(), thread_idx_x());
    // SAFETY: the plan's launch has `SHARED_BYTES` of shared memory, which holds the tiles, the
    // exchange and the barriers. `sync_threads` orders thread 0's initialisation before all use,
    // and whole warp groups take each branch of the roles.
    unsafe {
        let barriers = Barriers::at(shared + BARRIERS);
        if thread == 0 {
            barriers.init();
            unroll::<2>(|i| prefetch_tma_descriptor([map_q, map_k][i]));
        }
        sync_threads();
        if thread < WARP_GROUP {
            warpgroup_reg_dealloc::<56>();
            let smem = || LatentSmem::<C>::at(here(shared));
            let of = (params, sequences);
            if thread == 0 {
                let mut state = PipelineState::<1>::producer();
                each_block(true, of, |tile, (_, batch), _| {
                    let bytes = 2 * LoadQ::<C>::BYTES + LoadRopeQ::<C>::BYTES;
                    barriers.q().producer_acquire(&state, bytes);
                    state.advance();
                    let (smem, row, full) = (smem(), first_row(), barriers.q().full(0));
                    let head = (tile.head, batch);
                    unroll::<2>(|part| {
                        let (part, at) = (part as u32, (row, PART * part as u32));
                        LoadQ::<C>::copy_4d(map_q, at, head, &smem.q, part, full);
                    });
                    LoadRopeQ::<C>::copy_4d(map_q, (row, DIM_V), head, &smem.rope_q, 0, full);
                });
            } else if thread == 32 {
                produce_keys::<C, 0>(of, map_k, (barriers, smem));
            } else if thread == 64 {
                produce_keys::<C, 1>(of, map_k, (barriers, smem));
            }
        } else {
            warpgroup_reg_alloc::<224>();
            let exchange = Exchange::at(shared + EXCHANGE_OFFSET);
            let q = ConsumerEnd::new(barriers.q());
            // The shuffle shows ptxas that the group is the same in all threads of a warp.
            if warp_shuffle_idx(u32::MAX, consumer_group(), 0, 32).0 == 0 {
                LatentConsumer::<C, 0>::new((params, sequences), shared, (q, barriers, exchange))
                    .attend(results);
            } else {
                LatentConsumer::<C, 1>::new((params, sequences), shared, (q, barriers, exchange))
                    .attend(results);
            }
        }
    }
}

//! The roles of the warps: one warp group loads, the other warps multiply.

use super::super::super::score::ScoreFunction;
use super::super::super::sequences::{Place, Sequences};
use super::super::super::tile_scheduler::TileAt;
use super::super::pages::{PagedSequences, Part};
use super::config::{CacheAttention, LoadCache, LoadRows, is_run_by};
use super::mainloop::{CacheConsumer, ResultsOf};
use super::merge::{Merged, MergedLse};
use crate::warp_group::WARP_GROUP;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{sync_threads, thread_idx_x};
use kernel_abi::attention::{AttentionParams, flags};
use layout_types::algorithm::pipeline_tma::{PipelineState, PipelineTmaAsync};
use layout_types::arch::copy_sm90_tma::{TensorMap, prefetch_tma_descriptor};
use layout_types::arch::mov::here;
use layout_types::arch::reg_reconfig::{warpgroup_reg_alloc, warpgroup_reg_dealloc};
use layout_types::atom::element::FloatE4M3;
use layout_types::atom::smem_operand::TmaTile;
use layout_types::tensor::{Shared, Tensor};
use layout_types::unroll::unroll;

pub use super::super::super::pipelines::Pipelines;

/// The factors of K's and V's elements: one number for each tensor or, if the parameters' flags say
/// so, one for each key head.
#[derive(Clone, Copy)]
pub struct CacheScales {
    k: *const f32,
    v: *const f32,
    of_heads: bool,
}

impl CacheScales {
    /// Returns the scales at these addresses.
    #[inline(always)]
    pub fn new([k, v]: [*const f32; 2], params: &AttentionParams) -> Self {
        let of_heads = params.flags & flags::SCALES_OF_HEADS != 0;
        Self { k, v, of_heads }
    }

    /// Returns the scale of K for a key head.
    #[inline(always)]
    pub fn of_k(self, key_head: u32) -> f32 {
        self.of(self.k, key_head)
    }

    /// Returns the scale of V for a key head. It is loaded when it is used, so that no register
    /// holds it during the mainloop.
    #[inline(always)]
    pub fn of_v(self, key_head: u32) -> f32 {
        self.of(self.v, key_head)
    }

    #[inline(always)]
    fn of(self, scales: *const f32, key_head: u32) -> f32 {
        let at = if self.of_heads { key_head as usize } else { 0 };
        // SAFETY: the plan's launch has one scale for each tensor, or one for each key head if the
        // flag is set.
        unsafe { *here(scales).wrapping_add(at) }
    }
}

/// The tiles in shared memory.
pub struct CacheSmem<C: CacheAttention> {
    /// (M,D,stages)
    pub q: Tensor<Shared<C::Element>, C::SmemQ>,
    /// (N,D,stages)
    pub k: Tensor<Shared<FloatE4M3>, C::SmemCache>,
    /// (N,D,stages)
    pub v: Tensor<Shared<FloatE4M3>, C::SmemCache>,
    /// (4 columns,row,warp)
    pub o: Tensor<Shared<u128>, Merged>,
    /// (row,warp)
    pub lse: Tensor<Shared<f32>, MergedLse>,
}

impl<C: CacheAttention> CacheSmem<C> {
    /// Returns the tiles, which follow each other from `shared` on.
    ///
    /// # Safety
    /// `shared` is a multiple of 1024 and names `SHARED_BYTES` bytes of the CTA's shared memory.
    #[inline(always)]
    pub unsafe fn at(shared: u32) -> Self {
        const { assert!(C::WARPS <= 8, "the merge has places of eight warps") }
        // SAFETY: by their definition the offsets leave each tile its bytes, and all tiles end
        // before the barriers. The merge's layouts have places for eight warps; only those of
        // `WARPS` warps are used.
        unsafe {
            Self {
                q: Tensor::shared(shared),
                k: Tensor::shared(shared + C::K_OFFSET),
                v: Tensor::shared(shared + C::V_OFFSET),
                o: Tensor::shared(shared + C::O_OFFSET),
                lse: Tensor::shared(shared + C::LSE_OFFSET),
            }
        }
    }
}

/// Fills the stages of an operand, of `bytes` bytes each, for all tiles of a CTA. Calls `load` with
/// (tile, place of its sequence, first key, (stage, barrier)) once per tile or once per block of
/// keys.
///
/// # Safety
/// One thread executes it, on the initialised pipeline. `load` copies `bytes` bytes into the stage,
/// and the barrier counts them.
#[inline(always)]
unsafe fn produce<const BLOCK: u32, const STAGES: u32, const THREADS: u32>(
    pipeline: PipelineTmaAsync<STAGES, THREADS>,
    (bytes, once_a_tile): (u32, bool),
    (params, sequences): (&AttentionParams, PagedSequences<BLOCK>),
    load: impl Fn(TileAt<Part>, Place, u32, (u32, u32)),
) {
    let mut tiles = Default::default();
    let mut state = PipelineState::<STAGES>::producer();
    while let Some(tile) = sequences.next(&mut tiles, params, 0) {
        let place = sequences.place(params, tile);
        let count = if once_a_tile { 1 } else { tile.part.count };
        let mut block = 0;
        while block < count {
            // SAFETY: the state is this thread's own, and `run` passes a `load` that copies `bytes`
            // bytes.
            unsafe { pipeline.producer_acquire(&state, bytes) };
            let stage = state.stage();
            load(tile, place, block * BLOCK, (stage, pipeline.full(stage)));
            state.advance();
            block += 1;
        }
    }
}

/// Runs the kernel of a configuration, whose blocks have `BLOCK` keys.
///
/// # Safety
/// The launch is the plan's: the maps of Q, K and V have the configuration's boxes, and the
/// buffers, also those of the sequences and the scales, are as the parameters say.
#[inline(always)]
pub unsafe fn run<
    C: CacheAttention,
    F: ScoreFunction,
    const BLOCK: u32,
    const Q_STAGES: u32,
    const THREADS: u32,
    const KV_STAGES: u32,
>(
    results: ResultsOf<C>,
    params: &AttentionParams,
    [map_q, map_k, map_v]: [&TensorMap; 3],
    (score, sequences, scales): (F, PagedSequences<BLOCK>, CacheScales),
) {
    const { is_run_by::<C>([Q_STAGES, KV_STAGES, THREADS]) }
    const { assert!(C::TILE[1] == BLOCK, "the sequences' blocks are the tile's") }
    let (shared, thread) = (dynamic_shared_offset(), thread_idx_x());
    // SAFETY: the plan's launch has `SHARED_BYTES` of shared memory, which holds the tiles and then
    // the barriers. `sync_threads` orders thread 0's initialisation before all use. Whole warps
    // take each branch of the roles. Each `load` copies the bytes that are passed with it.
    unsafe {
        let pipelines = Pipelines::<Q_STAGES, THREADS, KV_STAGES>::at(shared + C::BARRIERS);
        if thread == 0 {
            pipelines.init();
            unroll::<3>(|i| prefetch_tma_descriptor([map_q, map_k, map_v][i]));
        }
        sync_threads();
        if thread < WARP_GROUP {
            if const { C::WARPS == 8 } {
                warpgroup_reg_dealloc::<40>();
            }
            let smem = || CacheSmem::<C>::at(here(shared));
            let of = (params, sequences);
            if thread == 0 {
                let bytes = (LoadRows::<C>::BYTES, true);
                produce(
                    pipelines.q,
                    bytes,
                    of,
                    |tile, (_, batch), _, (stage, full)| {
                        let (at, head) = ((0, 0), (tile.head, batch));
                        LoadRows::<C>::copy_4d(map_q, at, head, &smem().q, stage, full);
                    },
                );
            }
            let bytes = (LoadCache::<C>::BYTES, false);
            let load = |map, smem: &_, tile, place, key, stage| {
                let columns = const { TmaTile::<C::SmemCache, FloatE4M3>::BOX.extents[1] };
                let to = (smem, [0, C::DIM], columns);
                let pages = sequences.pages();
                pages.load(map, (tile, place, key), to, stage, |key, column| {
                    (key, column)
                });
            };
            if thread == 32 {
                produce(pipelines.k, bytes, of, |tile, place, key, stage| {
                    load(map_k, &smem().k, tile, place, key, stage);
                });
            } else if thread == 64 {
                produce(pipelines.v, bytes, of, |tile, place, key, stage| {
                    load(map_v, &smem().v, tile, place, key, stage);
                });
            }
        } else {
            // With four warps the registers that a thread has from the launch suffice.
            if const { C::WARPS == 8 } {
                warpgroup_reg_alloc::<232>();
            }
            let smem = CacheSmem::<C>::at(shared);
            let of = (score, sequences, scales);
            CacheConsumer::<C, F, BLOCK, Q_STAGES, THREADS, KV_STAGES>::new(
                params, of, smem, pipelines,
            )
            .attend(results);
        }
    }
}

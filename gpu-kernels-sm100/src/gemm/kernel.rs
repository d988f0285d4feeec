//! The roles: one thread loads, one thread multiplies, four warps store.
//!
//! ```text
//!   producer    tile 0        tile 1        tile 2 ..
//!   MMA            tile 0 ─► sums 0   tile 1 ─► sums 1   tile 2 ─► sums 0 ..      sums: accumulators in tensor memory
//!   epilogue                          sums 0 ─► D        sums 1 ─► D ..
//! ```
//!
//! Law: global memory is accessed after the previous launches have ended. Stages are filled and
//! read, and accumulators are filled and stored, in the order of the cluster's tiles. In a pair of
//! CTAs each CTA loads and stores, and the even CTA multiplies for both. Tensor memory is freed,
//! and a CTA ends, when no arrival at the pair's barriers is outstanding.

use super::config::{ACCUMULATORS, EPILOGUE_WARPS, GemmConfig, SumOf, THREADS, check};
use super::epilogue::store;
use super::mainloop::{multiply, produce};
use super::products::ScaleMaps;
use cuda_std::shared::{dynamic_shared_mem, dynamic_shared_offset};
use cuda_std::thread::{sync_threads, thread_idx_x};
use gpu_kernels::gemm::params::KernelPointers;
use gpu_kernels_sm90::gemm::clip::LoadedBytes;
use gpu_kernels_sm90::gemm::cluster::Place;
use gpu_kernels_sm90::gemm::epilogue::Epilogue;
use gpu_kernels_sm90::gemm::mainloop::{Loads, Maps};
use gpu_kernels_sm90::gemm::tile_scheduler::TileScheduler;
use gpu_kernels_sm90::warp_group::is_elected_of_warp;
use kernel_abi::gemm::GemmParams;
use layout_types::algorithm::pipeline_tma::PipelineState;
use layout_types::algorithm::pipeline_umma::{GroupPlace, PipelineTmaUmmaAsync, PipelineUmmaAsync};
use layout_types::arch::cluster_sm90::cluster_sync;
use layout_types::arch::copy_sm90_bulk::tma_store_wait;
use layout_types::arch::copy_sm90_tma::{TensorMap, prefetch_tma_descriptor};
use layout_types::arch::grid_dependency_control::{
    launch_dependent_grids, wait_on_dependent_grids,
};
use layout_types::arch::mma_sm100_umma::{tcgen05_after_thread_sync, tcgen05_before_thread_sync};
use layout_types::arch::mov::here;
use layout_types::atom::mma::AtomD;
use layout_types::atom::tmem::allocation::TmemAllocation;
use layout_types::atom::tmem::fragment::CtaGroup;
use layout_types::num::Bool;
use layout_types::tensor::{Tensor, Tmem};

/// The warp whose elected thread loads.
const PRODUCER_WARP: u32 = 0;
/// The warp whose elected thread multiplies.
const MMA_WARP: u32 = 1;
/// The warp that allocates and frees tensor memory.
const ALLOCATING_WARP: u32 = 2;

/// Waits for all threads of the CTAs that multiply together.
///
/// # Safety
/// All of these threads come to it, whole warps together.
#[inline(always)]
unsafe fn sync_group<G: CtaGroup>() {
    // SAFETY: all threads of the CTA come here by the function's contract, or all threads of the
    // cluster, which is the pair.
    unsafe {
        if const { <G::IsPair as Bool>::VALUE } {
            cluster_sync();
        } else {
            sync_threads();
        }
    }
}

/// Runs the kernel of a configuration.
///
/// # Safety
/// The launch is the plan's: pointers and parameters are the plan's, the maps of A, B, D and the
/// scale factors have the configuration's boxes, and the buffers are as the parameters say.
#[inline(always)]
pub unsafe fn run<C: GemmConfig, const STAGES: u32>(
    pointers: KernelPointers,
    params: GemmParams,
    [a, b, d]: [&TensorMap; 3],
    scales: ScaleMaps<'_, C>,
    batches: u32,
) {
    const {
        check::<C>();
        assert!(STAGES == C::STAGES, "the number is the configuration's");
    }
    let (shared, thread) = (dynamic_shared_offset(), thread_idx_x());
    let place = Place::in_clusters(const { C::CLUSTER_LOG });
    let of_group = GroupPlace::<C::Group>::of_this_cta();
    // SAFETY: pointers and parameters are the plan's by the function's contract.
    let mut tiles =
        unsafe { C::Tiles::new::<C>(&pointers, &params, &place, batches, params.k_slices) };
    let loaded = LoadedBytes::of::<C>(&params, place.sharers() > 1);
    // SAFETY: the launch has `SHARED_BYTES` of dynamic shared memory, in which each stage, the
    // staged D, the barriers and the address do not overlap. All threads of the group come to its
    // barriers before and after the roles, and the allocating warp is whole at both barriers.
    // Columns are accessed between the two barriers.
    unsafe {
        let pipeline =
            PipelineTmaUmmaAsync::<STAGES, C::Group>::at(shared + C::BARRIER_OFFSET, of_group);
        let sums = PipelineUmmaAsync::<ACCUMULATORS, EPILOGUE_WARPS, C::Group>::at(
            shared + C::ACCUMULATOR_BARRIERS,
            of_group,
        );
        // The next launch, which adds up slices, begins when all CTAs have ended.
        if params.k_slices <= 1 {
            launch_dependent_grids();
        }
        if thread == 0 {
            pipeline.init();
            sums.init();
            prefetch_tma_descriptor(a);
            prefetch_tma_descriptor(b);
            prefetch_tma_descriptor(d);
        }
        loaded.zero_rest::<C>(shared, THREADS);
        // The other CTA of a pair has begun, and its barriers exist: it can allocate together with
        // this CTA.
        sync_group::<C::Group>();
        if thread / 32 == ALLOCATING_WARP {
            TmemAllocation::<C::Columns, C::Group>::allocate(shared + C::ADDRESS_OFFSET);
        }
        tcgen05_before_thread_sync();
        sync_group::<C::Group>();
        tcgen05_after_thread_sync();
        let address = dynamic_shared_mem::<u8>().add(C::ADDRESS_OFFSET as usize);
        let columns = TmemAllocation::<C::Columns, C::Group>::at(*address.cast());
        let first = columns.tensor::<SumOf<C>, C::Accumulators, 0>().address();
        let accumulator = |stage: u32| first + C::TILE[1] * stage;
        let after_accumulators = first + const { C::TILE[1] * ACCUMULATORS };
        // Global memory belongs to the previous launches until here.
        wait_on_dependent_grids();
        // Each role's threads have registers of their own. The registers of the epilogue hold the
        // same values in all of its threads.
        let mut index = place.cluster;
        // Whole warps branch here, and the threads of a role branch within their warp.
        if thread < const { THREADS - 32 * EPILOGUE_WARPS } {
            if is_elected_of_warp(PRODUCER_WARP) {
                let (mut index, mut tiles) = (here(index), tiles);
                let mut state = PipelineState::producer();
                let part_of_b = place.share_of_b().begin(C::TILE[1]);
                while tiles.seek::<C>(index) {
                    let mut tile = tiles.at::<C>(index, &place);
                    tile.batch = tiles.operand_batch(&tile);
                    let of_batch = |stride: u64| if stride == 0 { 0 } else { tile.batch };
                    let batch = [params.batch_a, params.batch_b].map(of_batch);
                    let row_b = tile.column + part_of_b;
                    let loads = Loads {
                        tile,
                        k_tiles: tiles.k_tiles::<C>(index, place.slice),
                        bytes: loaded.of_stage() + C::SCALE_BYTES,
                    };
                    let maps = (Maps { a, b }, scales);
                    produce::<C, STAGES>(shared, pipeline, &mut state, maps, batch, row_b, loads);
                    index += place.clusters;
                }
                pipeline.producer_tail(&mut state);
            } else if is_elected_of_warp(MMA_WARP) {
                let (mut index, mut tiles) = (here(index), tiles);
                let mut state = PipelineState::consumer();
                let mut of_sums = PipelineState::producer();
                while of_group.is_leader() && tiles.seek::<C>(index) {
                    let k_tiles = tiles.k_tiles::<C>(index, place.slice).count;
                    sums.producer_acquire(&of_sums);
                    let d = Tensor::<Tmem<SumOf<C>>, AtomD<C::Atom>>::tmem(accumulator(
                        of_sums.stage(),
                    ));
                    multiply::<C, _, STAGES>(
                        shared,
                        pipeline,
                        &mut state,
                        &d,
                        after_accumulators,
                        k_tiles,
                    );
                    sums.producer_commit(&of_sums);
                    of_sums.advance();
                    index += place.clusters;
                }
            }
        } else {
            let mut of_sums = PipelineState::consumer();
            let mut epilogue = Epilogue {
                pointers,
                params: &params,
                map: d,
                staged: shared + C::D_OFFSET,
                group: 0,
                buffer: 0,
            };
            while tiles.seek::<C>(index) {
                let tile = tiles.at::<C>(index, &place);
                sums.consumer_wait(&of_sums);
                let address = accumulator(of_sums.stage());
                store::<C, ACCUMULATORS>(&mut epilogue, address, tile, sums, &of_sums);
                of_sums.advance();
                index += place.clusters;
            }
            // The copies read the staged D before the CTA ends.
            tma_store_wait::<0>();
        }
        tcgen05_before_thread_sync();
        sync_group::<C::Group>();
        tcgen05_after_thread_sync();
        if thread / 32 == ALLOCATING_WARP {
            columns.relinquish();
            columns.free();
        }
    }
}

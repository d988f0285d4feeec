//! The roles of the warp groups: one group loads, two groups multiply and store.
//!
//! ```text
//!   cooperative   group 1  rows 0 ..       group 2  rows TILE_M / 2 ..       of the same tile; or columns
//!   pingpong      group 1  tile i: mainloop ─ epilogue ───────── mainloop ..
//!                 group 2            wait ── mainloop ─ epilogue ────── ..   of tile i + clusters
//! ```
//!
//! Law: global memory is accessed only after the previous launches have ended; the prologue does
//! not wait for them. A pipeline's stages are filled and read in the order of the cluster's tiles.
//! With pingpong the mainloops of the two groups never overlap, so each mainloop has all the tensor
//! cores.

use super::clip::LoadedBytes;
use super::cluster::Place;
use super::cluster_reduction::add_slices;
use super::config::{AccumulatorPairs, CONSUMER_GROUPS, GemmConfig, THREADS};
use super::epilogue::Epilogue;
use super::mainloop::{Loads, Mainloop, Maps, Shares, Stages, produce};
use super::staged::StagedD;
use super::tile_scheduler::TileScheduler;
use crate::warp_group::{consumer_group, is_elected_of_warp, thread_in_group};
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{sync_threads, thread_idx_x};
use gpu_kernels::gemm::params::KernelPointers;
use kernel_abi::gemm::GemmParams;
use layout_types::algorithm::pipeline_tma::{PipelineState, PipelineTmaAsync};
use layout_types::arch::barrier::{named_barrier_arrive, named_barrier_sync};
use layout_types::arch::cluster_sm90::{cluster_sync, cluster_sync_relaxed};
use layout_types::arch::copy_sm90_bulk::tma_store_wait;
use layout_types::arch::copy_sm90_tma::{TensorMap, prefetch_tma_descriptor};
use layout_types::arch::grid_dependency_control::{
    launch_dependent_grids, wait_on_dependent_grids,
};
use layout_types::arch::mov::here;
use layout_types::arch::reg_reconfig::{warpgroup_reg_alloc, warpgroup_reg_dealloc};
use layout_types::atom::mma::Major;
use layout_types::num::Bool;
use layout_types::typenum::Unsigned;

/// The number of registers of a thread in the producer's warp group.
pub const PRODUCER_REGISTERS: u32 = 40;
/// The number of registers of a consumer thread.
pub const CONSUMER_REGISTERS: u32 = 232;

/// The first of the named barriers by which the consumer groups take turns in the mainloop.
const ORDER_BARRIER: u32 = 4;
/// The first of the named barriers after which the last k tile of a group is zero beyond the
/// group's end.
pub(super) const TAIL_BARRIER: u32 = 7;
/// The named barrier of the consumer groups that multiply one tile.
const CONSUMER_BARRIER: u32 = 6;

/// Checks that the parts of a configuration fit each other.
pub const fn check<C: GemmConfig>() {
    let [along_m, along_n] = if C::GROUPS_ALONG_N {
        [1, C::GROUPS]
    } else {
        [C::GROUPS, 1]
    };
    assert!(
        C::TILE[0] == 64 * C::ATOMS as u32 * along_m
            && C::TILE[1] == <C::N as Unsigned>::U32 * along_n,
        "the consumer groups have the tile's rows and columns"
    );
    assert!(
        C::TILE[0].is_multiple_of(C::CLUSTER[1]) && C::TILE[1].is_multiple_of(C::CLUSTER[0]),
        "the CTAs of a cluster load equal shares of what they have in common"
    );
    assert!(
        !C::GROUPS_ALONG_N || !(C::CLUSTER_SPLIT || C::Tiles::STREAM_K || C::Tiles::GROUPED),
        "consumer groups with columns of a tile multiply all of its k tiles, of no groups"
    );
    assert!(
        C::CLUSTER[0].is_power_of_two() && C::CLUSTER[1].is_power_of_two(),
        "a cluster has a power of two of tiles along m and along n"
    );
    assert!(
        !C::CLUSTER_SPLIT || C::CTAS == 1,
        "a configuration's cluster shares tiles, or slices of one: a launch's shares both"
    );
    assert!(
        !C::ANY_CLUSTER
            || (C::CTAS == 1
                && <C::MajorA as Major>::IsK::VALUE
                && <C::MajorB as Major>::IsK::VALUE),
        "a launch says the clusters of a kernel of K-major operands, whose configuration says none"
    );
    assert!(
        !(C::Tiles::STREAM_K && C::ANY_CLUSTER),
        "stream-K shares tiles among CTAs without clusters"
    );
    assert!(
        !C::Tiles::STREAM_K || (C::CTAS == 1 && !C::CLUSTER_SPLIT && !C::PINGPONG),
        "stream-K shares tiles among CTAs, whose consumer groups have halves of one"
    );
    assert!(
        !C::Tiles::GROUPED || (!C::CLUSTER_SPLIT && C::CHUNK == 64 && !C::SWAPPED),
        "tiles of groups are stored by their group's rows, in chunks of 64 columns"
    );
    assert!(
        !C::SWAPPED || !C::GROUPS_ALONG_N,
        "a group of swapped operands has rows of the tile, columns of D"
    );
    assert!(
        !C::D::BY_THREADS || C::CHUNK.is_multiple_of(16),
        "rows of a chunk of bytes are whole vectors of 16"
    );
    assert!(
        C::SHARED_BYTES <= 227 * 1024,
        "the stages and the staged D exceed a CTA's 232448 bytes of shared memory"
    );
}

/// Runs the kernel of a configuration.
///
/// # Safety
/// The launch is the plan's, with its pointers and parameters. The maps of A, B and D have the
/// configuration's boxes, and the buffers are as the parameters say.
#[inline(always)]
pub unsafe fn run<C: GemmConfig, const STAGES: u32, const ARRIVALS: u32, const ATOMS: usize>(
    pointers: KernelPointers,
    params: GemmParams,
    [a, b, d]: [&TensorMap; 3],
    batches: u32,
) where
    C::Mainloop: Mainloop<C, STAGES, ARRIVALS, ATOMS>,
{
    const {
        check::<C>();
        assert!(
            STAGES == C::STAGES && ARRIVALS == C::ARRIVALS && ATOMS == C::ATOMS,
            "the numbers are the configuration's"
        );
    }
    let (params, [a, b]) = if const { C::SWAPPED } {
        (params.transposed(), [b, a])
    } else {
        (params, [a, b])
    };
    let shared = dynamic_shared_offset();
    let thread = thread_idx_x();
    let place = Place::of::<C>(&params);
    let splits = Place::splits::<C>(&params);
    // Whether the CTAs of a slice load tiles for each other and arrive at each other's barriers.
    let shares = place.sharers() > 1;
    let slices = if splits { 1 } else { params.k_slices };
    let pointers = if const { C::SWAPPED || C::CHUNK < 64 } && slices > 1 {
        // The epilogue stores the slices by their addresses, as if they were D.
        let of_slices = (4 * params.batch_c) as usize;
        KernelPointers {
            d: pointers.workspace.wrapping_add(of_slices),
            ..pointers
        }
    } else {
        pointers
    };
    // SAFETY: pointers and parameters are the plan's, by the function's contract.
    let mut tiles = unsafe { C::Tiles::new::<C>(&pointers, &params, &place, batches, slices) };
    let (cluster, clusters) = (place.cluster, place.clusters);
    let loaded = LoadedBytes::of::<C>(&params, shares);
    // SAFETY: the launch has `SHARED_BYTES` of dynamic shared memory, in which each stage, the
    // staged D and the barriers have their own part. All threads of the cluster reach its barrier
    // before and after the roles. Each warp group has one role as a whole.
    unsafe {
        let pipeline = PipelineTmaAsync::<STAGES, ARRIVALS>::at(shared + C::BARRIER_OFFSET);
        // The next launch may occupy multiprocessors that this launch does not use, and waits there
        // for this launch's end. The reduction of slices is the exception: it would crowd on those
        // few multiprocessors, so it begins when all CTAs have exited.
        if params.k_slices <= 1 || splits {
            launch_dependent_grids();
        }
        if thread == 0 {
            pipeline.init_for(4 * const { C::GROUPS } * place.sharers());
            prefetch_tma_descriptor(a);
            prefetch_tma_descriptor(b);
            prefetch_tma_descriptor(d);
        }
        loaded.zero_rest::<C>(shared, THREADS);
        // Orders the zeroed rest of the CTA's own stages. The cluster's barrier orders only the
        // barriers, because a release by every thread would take half a microsecond.
        sync_threads();
        if shares {
            cluster_sync_relaxed();
        }
        // Until here the previous launches may still write global memory.
        wait_on_dependent_grids();
        if thread < 128 {
            warpgroup_reg_dealloc::<PRODUCER_REGISTERS>();
            if is_elected_of_warp(0) {
                let sharing = Shares::of(&place, &params);
                let mut state = PipelineState::producer();
                // `here` gives the producer an index register of its own: the consumers' index is
                // uniform across their threads.
                let mut index = here(cluster);
                while tiles.seek::<C>(index) {
                    let mut tile = tiles.at::<C>(index, &place);
                    tile.batch = tiles.operand_batch(&tile);
                    let maps = Maps { a, b };
                    let loads = Loads {
                        tile,
                        k_tiles: tiles.k_tiles::<C>(index, place.slice),
                        bytes: loaded.of_stage(),
                    };
                    produce::<C, STAGES, ARRIVALS>(
                        shared, pipeline, &mut state, maps, sharing, loads,
                    );
                    index += clusters;
                }
                if shares && !splits {
                    // The other CTAs' consumers free stages here until the last one.
                    pipeline.producer_tail(state);
                }
            }
            if splits {
                // This matches the consumers' barrier before they add the slices.
                cluster_sync();
            }
        } else {
            warpgroup_reg_alloc::<CONSUMER_REGISTERS>();
            let group = consumer_group();
            let stages = Stages {
                pipeline,
                told: place.told(),
            };
            let mut epilogue = Epilogue {
                pointers,
                params: &params,
                map: d,
                staged: shared + C::D_OFFSET,
                group,
                buffer: 0,
            };
            let mut registers = [C::Registers::ZERO; ATOMS];
            let mut state = PipelineState::consumer();
            let mut index = cluster;
            if const { C::PINGPONG } && group == 1 {
                if const { C::Tiles::GROUPED } {
                    tiles.seek::<C>(index);
                }
                state.advance_by(tiles.k_tiles::<C>(here(index), place.slice).count);
                index += clusters;
            }
            while tiles.seek::<C>(index) {
                let k_tiles = tiles.k_tiles::<C>(here(index), place.slice).count;
                let block = if const { C::PINGPONG } { 0 } else { group };
                if const { C::PINGPONG } && index != cluster {
                    named_barrier_sync(ORDER_BARRIER + group, 256);
                }
                let at = |index| {
                    let mut tile = tiles.at::<C>(here(index), &place);
                    if const { C::GROUPS_ALONG_N } {
                        tile.column += block * const { <C::N as Unsigned>::U32 };
                    } else {
                        tile.row += block * 64 * ATOMS as u32;
                    }
                    tile
                };
                let of_tile = (&pointers, &params, || at(index));
                let products = C::Mainloop::multiply(
                    shared, stages, &mut state, registers, block, k_tiles, of_tile,
                );
                // A copy looks up the next tile, because with groups `seek` moves the position in
                // the list.
                let mut next = tiles;
                if const { C::PINGPONG } && next.seek::<C>(index + clusters) {
                    named_barrier_arrive(ORDER_BARRIER + (1 - group), 256);
                    state.advance_by(next.k_tiles::<C>(here(index) + clusters, place.slice).count);
                }
                registers = products.finish(stages);
                if splits {
                    // All warps that multiply the tile have read the stages.
                    let groups = const { if C::PINGPONG { 1 } else { CONSUMER_GROUPS } };
                    named_barrier_sync(CONSUMER_BARRIER, 128 * groups);
                    let thread = thread_in_group();
                    add_slices::<C, ATOMS>(shared, &mut registers, block, thread, &place);
                }
                if !const { C::Tiles::STREAM_K }
                    || tiles.fix_up::<C, ATOMS>(&pointers, &mut registers)
                {
                    epilogue.store::<C, ATOMS>(&registers, at(index), place.slice);
                }
                index += if const { C::PINGPONG } {
                    2 * clusters
                } else {
                    clusters
                };
            }
            if const { C::PINGPONG } && splits && group == 1 {
                // The other group multiplies the cluster's only tile; this matches the barrier in
                // its `add_slices`.
                cluster_sync();
            }
            // The staged D has to be read before the CTA exits.
            tma_store_wait::<0>();
        }
        if splits {
            // No CTA may exit while another one reads its slice.
            cluster_sync();
        }
    }
}

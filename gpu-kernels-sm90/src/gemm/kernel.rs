//! The roles: one warp group loads, two multiply and store.
//!
//! ```text
//!   cooperative   group 1  rows 0 ..       group 2  rows TILE_M / 2 ..       of the same tile
//!   pingpong      group 1  tile i: mainloop ─ epilogue ───────── mainloop ..
//!                 group 2            wait ── mainloop ─ epilogue ────── ..   of tile i + clusters
//! ```
//!
//! Law: a pipeline's stages are filled and read in the order of the cluster's tiles; with pingpong the mainloops of the two groups
//! never overlap, so that each has all the tensor cores.

use super::config::{AccumulatorPairs, CONSUMER_GROUPS, GemmConfig};
use super::epilogue::Epilogue;
use super::mainloop::{Maps, Sharing, multiply, produce};
use super::tile_scheduler::ClusterTiles;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{block_idx_x, grid_dim_x, sync_threads, thread_idx_x};
use gpu_kernels::gemm::epilogue::element::RoundPairs;
use gpu_kernels::gemm::params::KernelPointers;
use kernel_abi::gemm::GemmParams;
use layout_types::algorithm::pipeline_tma::{PipelineState, PipelineTmaAsync};
use layout_types::arch::barrier::{named_barrier_arrive, named_barrier_sync};
use layout_types::arch::cluster_sm90::{block_rank_in_cluster, cluster_sync};
use layout_types::arch::copy_sm90_bulk::tma_store_wait;
use layout_types::arch::copy_sm90_tma::TensorMap;
use layout_types::arch::mov::here;
use layout_types::arch::reg_reconfig::{warpgroup_reg_alloc, warpgroup_reg_dealloc};

/// Registers of a thread of the producer's warp group.
pub const PRODUCER_REGISTERS: u32 = 40;
/// Registers of a consumer's thread.
pub const CONSUMER_REGISTERS: u32 = 232;

/// The named barriers that pass the mainloop between the consumer groups.
const ORDER_BARRIER: u32 = 4;

/// Checks that a configuration is run with its own numbers.
pub const fn is_run_by<C: GemmConfig>(stages: u32, arrivals: u32, atoms: usize) {
    let groups = if C::PINGPONG { 1 } else { CONSUMER_GROUPS };
    assert!(stages == C::STAGES, "the stages are the configuration's");
    assert!(
        arrivals == 4 * groups * C::CTAS,
        "a stage is freed by each warp that reads it, in each CTA of the cluster"
    );
    assert!(
        C::TILE[0] == 64 * atoms as u32 * groups,
        "the consumer groups have the tile's rows"
    );
}

/// The kernel of a configuration.
///
/// # Safety
/// The launch is the plan's: maps of A, B and D in boxes of the configuration, buffers as its parameters say.
#[inline(always)]
pub unsafe fn run<C: GemmConfig, const STAGES: u32, const ARRIVALS: u32, const ATOMS: usize>(
    pointers: KernelPointers,
    params: GemmParams,
    [a, b, d]: [&TensorMap; 3],
    batches: u32,
) where
    f32: RoundPairs<C::D>,
{
    const { is_run_by::<C>(STAGES, ARRIVALS, ATOMS) }
    let shared = dynamic_shared_offset();
    let thread = thread_idx_x();
    let tiles = ClusterTiles::of::<C>(&params, batches);
    let k_tiles = params.k.div_ceil(C::TILE[2]);
    let (rank, cluster, clusters) = if const { C::CTAS == 1 } {
        (0, block_idx_x(), grid_dim_x())
    } else {
        (
            block_rank_in_cluster(),
            block_idx_x() / C::CTAS,
            grid_dim_x() / C::CTAS,
        )
    };
    // SAFETY: `SHARED_BYTES` of dynamic shared memory are the launch's, of which each stage, the staged D and the barriers have
    // their own part. All threads of the cluster come to its barrier before and behind the roles; whole warp groups have one.
    unsafe {
        let pipeline = PipelineTmaAsync::<STAGES, ARRIVALS>::at(shared + C::BARRIER_OFFSET);
        if thread == 0 {
            pipeline.init();
        }
        if const { C::CTAS == 1 } {
            sync_threads();
        } else {
            cluster_sync();
        }
        if thread < 128 {
            warpgroup_reg_dealloc::<PRODUCER_REGISTERS>();
            if thread == 0 {
                let sharing = Sharing::of::<C>(rank, &params);
                let mut state = PipelineState::producer();
                // A register of its own: that of the consumers' is the same in all their threads.
                let mut index = here(cluster);
                while index < tiles.count {
                    let tile = tiles.at::<C>(index, rank);
                    let maps = Maps { a, b };
                    produce::<C, STAGES, ARRIVALS>(
                        shared, pipeline, &mut state, maps, sharing, tile, k_tiles,
                    );
                    index += clusters;
                }
            }
        } else {
            warpgroup_reg_alloc::<CONSUMER_REGISTERS>();
            let group = here(thread_idx_x()) / 128 - 1;
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
                index += clusters;
                state.advance_by(here(k_tiles));
            }
            while index < tiles.count {
                let block = if const { C::PINGPONG } { 0 } else { group };
                if const { C::PINGPONG } && index != cluster {
                    named_barrier_sync(ORDER_BARRIER + group, 256);
                }
                let products = multiply::<C, STAGES, ARRIVALS, ATOMS>(
                    shared, pipeline, &mut state, registers, block, k_tiles,
                );
                if const { C::PINGPONG } {
                    if index + clusters < tiles.count {
                        named_barrier_arrive(ORDER_BARRIER + (1 - group), 256);
                    }
                    state.advance_by(here(k_tiles));
                }
                registers = products.finish(pipeline);
                let mut tile = tiles.at::<C>(here(index), rank);
                tile.row += block * 64 * ATOMS as u32;
                epilogue.store::<C, ATOMS>(&registers, tile);
                index += if const { C::PINGPONG } {
                    2 * clusters
                } else {
                    clusters
                };
            }
            // The staged D is read before the CTA leaves.
            tma_store_wait::<0>();
        }
        if const { C::CTAS > 1 } {
            cluster_sync();
        }
    }
}

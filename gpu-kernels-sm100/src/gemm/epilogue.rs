//! The epilogue: from an accumulator in tensor memory to D, 16 lanes and 64 columns of each warp at
//! a time.
//!
//! ```text
//!   warp w    lanes 32 w ..       tcgen05.ld 16x256b ─► the fragment of `wgmma` of 16 rows ─► Hopper's epilogue ─► D
//!             lanes 32 w + 16 ..  the same
//!             behind its last load ── arrive: the MMA may write the accumulator again
//! ```
//!
//! Law: row m of the tile is in lane m, so warp w stores rows `32 w ..` of it. In Hopper's epilogue
//! warp w has rows `16 w ..` of what it is given: it is given the tile `16 w` rows further down.

use super::config::{EPILOGUE_WARPS, FromRegisters, GemmConfig};
use cuda_std::warp::sync_warp;
use gpu_kernels_sm90::gemm::cluster::Slice;
use gpu_kernels_sm90::gemm::epilogue::Epilogue;
use gpu_kernels_sm90::gemm::tile_scheduler::TileAt;
use gpu_kernels_sm90::warp_group::thread_in_group;
use layout_types::algorithm::pipeline_tma::PipelineState;
use layout_types::algorithm::pipeline_umma::PipelineUmmaAsync;
use layout_types::arch::mma_sm100_umma::tcgen05_before_thread_sync;
use layout_types::atom::copy::Sm100_TMEM_LOAD_16dp256b8x as TmemLoad;
use layout_types::prelude::*;
use layout_types::tensor::Tmem;

/// The words that a load moves, in their order: 64 columns of 16 lanes.
type Words = layout!((64,16):(1,65536));
/// Lanes of a load.
const LANES: u32 = 16;
/// All of a tile's k: no other CTA has a slice of it.
const WHOLE: Slice = Slice { index: 0, count: 1 };

/// Stores a tile whose accumulator begins at `address` of tensor memory, and frees the accumulator
/// once it is loaded.
///
/// # Safety
/// All warps of the epilogue execute it, behind `consumer_wait` of the accumulator's state; `store`
/// of the epilogue may store the tile.
#[inline(always)]
pub unsafe fn store<C: GemmConfig, const ACCUMULATORS: u32>(
    epilogue: &mut Epilogue<'_>,
    address: u32,
    tile: TileAt,
    pipeline: PipelineUmmaAsync<ACCUMULATORS, EPILOGUE_WARPS, C::Group>,
    state: &PipelineState<ACCUMULATORS>,
) {
    let (warp, lane) = (thread_in_group() / 32, thread_in_group() % 32);
    let pieces = const { 2 * C::COLUMN_CHUNKS };
    let mut piece = 0;
    while piece < pieces {
        let (chunk, half) = (piece / 2, piece % 2);
        let first_lane = 32 * warp + LANES * half;
        let from = address + (first_lane << 16) + C::CHUNK * chunk;
        // SAFETY: the warp is whole and reads its own quarter of the lanes, within the
        // accumulator, whose products are done. Behind the last wait all lanes have loaded; the
        // barrier of the warp orders that before the arrival of lane 0.
        let registers = unsafe { TmemLoad::copy(&Tensor::<Tmem<f32>, Words>::tmem(from)).wait() };
        if piece + 1 == pieces {
            tcgen05_before_thread_sync();
            // SAFETY: the caller guarantees that the warp is whole; lane 0 arrives once for it,
            // behind the loads of all its lanes.
            unsafe {
                sync_warp(u32::MAX);
                pipeline.consumer_release_if(state, u32::from(lane == 0));
            }
        }
        let rows = TileAt {
            row: tile.row + LANES * (warp + half),
            column: tile.column + C::CHUNK * chunk,
            ..tile
        };
        // SAFETY: all lanes of the warp are here, with the fragment of its 16 rows; buffers and D
        // are as the caller says.
        unsafe { epilogue.store::<C, 1>(&[C::Registers::from_registers(registers)], rows, WHOLE) };
        piece += 1;
    }
}

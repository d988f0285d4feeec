//! The epilogue moves an accumulator from tensor memory to D. Each warp moves 16 lanes and 64
//! columns at a time.
//!
//! ```text
//!   warp w    lanes 32 w ..       tcgen05.ld 16x256b ─► the fragment of `wgmma` of 16 rows ─► Hopper's epilogue ─► D
//!             lanes 32 w + 16 ..  the same
//!             behind its last load ── arrive: the MMA may write the accumulator again
//! ```
//!
//! Law: row m of the tile is in lane m, so warp w stores the 32 rows from row `32 w` on. In
//! Hopper's epilogue warp w stores rows `16 w ..` of the tile that it is given, so it is given the
//! tile `16 w` rows further down.

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

/// The layout of the words that a load moves, in their order: 64 columns of 16 lanes.
type Words = layout!((64,16):(1,65536));
/// The number of lanes in a load.
const LANES: u32 = 16;
/// The slice that has all of a tile's k: no other CTA has a slice of the tile.
const WHOLE: Slice = Slice { index: 0, count: 1 };

/// Stores a tile whose accumulator begins at `address` of tensor memory, and frees the accumulator
/// after its last load.
///
/// # Safety
/// All warps of the epilogue execute it, after `consumer_wait` for the accumulator's state. The
/// conditions of the epilogue's `store` hold for the tile.
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
        // SAFETY: the warp is whole and reads its own quarter of the lanes, within the accumulator,
        // whose products are complete. All lanes have loaded after the last wait; the warp's
        // barrier orders their loads before the arrival of lane 0.
        let registers = unsafe { TmemLoad::copy(&Tensor::<Tmem<f32>, Words>::tmem(from)).wait() };
        if piece + 1 == pieces {
            tcgen05_before_thread_sync();
            // SAFETY: the warp is whole by the function's contract. Lane 0 arrives once for the
            // warp, after the loads of all its lanes.
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
        // SAFETY: all lanes of the warp are here, with the fragment of its 16 rows. Buffers and D
        // are as the function's contract says.
        unsafe { epilogue.store::<C, 1>(&[C::Registers::from_registers(registers)], rows, WHOLE) };
        piece += 1;
    }
}

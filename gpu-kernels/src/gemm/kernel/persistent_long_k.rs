//! The persistent driver for tiles in bounds of many k tiles: a tile's epilogue overlaps the next tile's prologue only.
//!
//! ```text
//!   copies   │ tile 0 ────────────────────── │ tile 3 ───────────────── ..
//!   MMAs        │ tile 0 ─────────────────────     │ tile 3 ─────────── ..
//!   D                                        │ 0 │                        from the staging buffer, at once
//! ```
//!
//! A mainloop that neither stores nor looks for a next tile is 8 % faster than one that does ([`super::persistent`]); from
//! [`LONG_K_TILES`] k tiles on that is more than what an epilogue takes.
//!
//! Law: that of [`super::predicated`], to the bit.

use super::persistent::operand_copies;
use crate::gemm::epilogue::staged::StagedEpilogue;
use crate::gemm::intrinsics::thread_here;
use crate::gemm::mainloop::{
    Operand, TileLoader, UnpredicatedLoader, drain, issue_prologue, mainloop, wait_prologue,
};
use crate::gemm::params::{KernelPointers, epilogue_pointers, operands, stages};
use crate::gemm::tile_scheduler::TileGrid;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{block_idx_x, block_idx_z, grid_dim_x, sync_threads};
use kernel_abi::gemm::GemmParams;
use layout_types::unroll::unroll_type;

/// The least k tiles for which it is faster: with an f32 accumulator both take the same time at 10 (H200, `docs/benchmarks.md`).
pub(super) const LONG_K_TILES: u32 = 12;

/// Computes tiles `cta`, `cta + ctas`, ..
///
/// # Safety
/// As [`super::persistent::run`]; the problem [`is_unpredicated`](super::is_unpredicated), and a tile has at least
/// [`LONG_K_TILES`] k tiles.
#[inline(always)]
pub(super) unsafe fn run<C: StagedEpilogue>(
    pointers: &KernelPointers,
    params: &GemmParams,
    grid: TileGrid,
) {
    let batch = block_idx_z();
    let mut tile = block_idx_x();
    // SAFETY: the plan's grid has as many z coordinates as D has batches.
    let epilogue = unsafe { epilogue_pointers::<C>(pointers, params, batch) };
    let matrices = operands::<C>(pointers, params, batch);
    let shared = dynamic_shared_offset() + C::A::BYTES + C::B::BYTES;
    let (s_a, s_b) = stages::<C>();
    let collective = C::new(thread_here(), &s_a, &s_b);
    let loader_of = |at| {
        let (a, b) = operand_copies::<C>(&matrices, at);
        let last = grid.k_tiles - 1;
        TileLoader::<C> {
            a,
            b,
            next: 0,
            last,
        }
    };
    let mut at = grid.coordinate(tile);
    let mut loader = loader_of(at);
    // SAFETY: every thread of the CTA is here, and all tiles are in bounds. Barriers stand between the stages' last readers and
    // the next prologue, and on both sides of `stage`; this CTA alone stores its tiles.
    unsafe {
        issue_prologue::<C>(&mut UnpredicatedLoader(&mut loader));
        loop {
            let mut state = wait_prologue(&collective);
            let mut unpredicated = UnpredicatedLoader(&mut loader);
            mainloop(&collective, &mut unpredicated, &mut state, grid.k_tiles);
            drain();
            sync_threads();
            let done = at;
            tile += grid_dim_x();
            let more = tile < grid.tiles();
            if more {
                at = grid.coordinate(tile);
                loader = loader_of(at);
                issue_prologue::<C>(&mut UnpredicatedLoader(&mut loader));
            }
            collective.stage(shared);
            sync_threads();
            unroll_type::<C::StagingColumns>(|column| {
                C::store_column::<false>(epilogue, params, done, shared, column as u32);
            });
            if !more {
                return;
            }
            collective.clear_accumulator();
        }
    }
}

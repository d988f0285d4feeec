//! The driver for any extents: one tile per CTA, split-K or stream-K, by the tile scheduler.
//!
//! Law: every k tile of every tile is computed by one CTA. A tile that several CTAs compute is stored by the one that finishes
//! last, which adds the partial tiles in the order of k: the bits of D do not depend on which CTA that is. No CTA waits for
//! another.

use super::fixup::fixup;
use crate::gemm::config::GemmConfig;
use crate::gemm::intrinsics::thread_here;
use crate::gemm::mainloop::{Operand, TileLoader, drain, mainloop, prologue};
use crate::gemm::params::{KernelPointers, epilogue_pointers, operands, stages};
use crate::gemm::tile_scheduler::{TileScheduler, WorkUnit, rasterize};
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{block_idx_x, block_idx_z, grid_dim_x, sync_threads};
use kernel_abi::gemm::GemmParams;
use typenum::Unsigned;

/// Computes a CTA's work of a GEMM.
///
/// # Safety
/// The launch is as [`Configuration::plan`](kernel_abi::gemm::Configuration::plan) says.
#[inline(always)]
pub unsafe fn run<C: GemmConfig>(pointers: KernelPointers, params: GemmParams) {
    let [tile_m, tile_n, tile_k] = C::CONFIGURATION.tile;
    let &GemmParams { m, n, k, .. } = &params;
    let (rows, columns) = (m.div_ceil(tile_m), n.div_ceil(tile_n));
    let scheduler = TileScheduler {
        tiles: rows * columns,
        k_tiles: k.div_ceil(tile_k),
        k_slices: params.k_slices,
    };
    let batch = block_idx_z();
    let (cta, ctas) = (block_idx_x(), grid_dim_x());
    let shared = dynamic_shared_offset();
    let (g_a, g_b) = operands::<C>(&pointers, &params, batch);
    let (s_a, s_b) = stages::<C>();
    // SAFETY: the plan's grid has as many z coordinates as D and C have batches.
    let epilogue = unsafe { epilogue_pointers::<C>(&pointers, &params, batch) };
    let WorkUnit {
        mut tile,
        mut first,
        k_tiles: mut left,
    } = scheduler.work(cta, ctas);
    loop {
        // Read anew for each tile, so that no register holds it during an epilogue.
        let thread = thread_here();
        let collective = C::new(thread, &s_a, &s_b);
        let end = (first + left).min(scheduler.k_tiles);
        let at = rasterize(tile, (columns, rows), params.raster_group);
        let mut loader = TileLoader::<C> {
            a: C::A::new(g_a, &s_a, (at.0, first), thread),
            b: C::B::new(g_b, &s_b, (at.1, first), thread),
            next: first,
            last: end.max(first + C::Stages::U32) - 1,
        };
        // SAFETY: every thread of the CTA is here, with the same k tiles; the barrier at the end of this loop's body stands between
        // the stages' last readers and this prologue.
        unsafe {
            let mut state = prologue(&collective, &mut loader);
            mainloop(&collective, &mut loader, &mut state, end - first);
        }
        drain();
        sync_threads();
        // Where k is not split, the compiler knows by the first comparison that this is the only tile, and all of it.
        let unsplit = scheduler.k_slices == 1 || end - first == scheduler.k_tiles;
        let work = WorkUnit {
            tile,
            first,
            k_tiles: end - first,
        };
        // SAFETY: the plan gives the workspace; the barrier above stands behind the last reader of shared memory.
        if unsplit || unsafe { fixup::<C>(&collective, &pointers, &scheduler, work, shared) } {
            // SAFETY: as for `fixup`, which ends with a barrier; this CTA alone stores the tile.
            unsafe { collective.store(epilogue, &params, [at.0, at.1], shared) };
        }
        left -= end - first;
        if scheduler.k_slices == 1 || left == 0 {
            return;
        }
        (tile, first) = (tile + 1, 0);
        sync_threads();
    }
}

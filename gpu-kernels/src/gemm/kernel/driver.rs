//! The driver: one function for all schedules. Its constants say what a path omits.
//!
//! ```text
//!   PREDICATED  OVERLAP                                                                     fixup
//!   true        NOTHING    any extents; one tile per CTA, split-K, stream-K                 adds the partial tiles
//!   false       NOTHING    one tile per CTA, in bounds; identity epilogue
//!   true        MAINLOOP   any extents, persistent: CTA i computes tiles i, i + CTAs, ..
//!   false       MAINLOOP   persistent, in bounds; identity epilogue
//!   false       PROLOGUE   persistent, in bounds, with many k tiles; identity epilogue
//!
//!   MAINLOOP                                                               PROLOGUE
//!   copies        │ tile 0 ───────── │ tile 3 ───────── │ tile 6 ..        │ tile 0 ──────── │ tile 3 ────── ..
//!   MMAs             │ tile 0 ───────── │ tile 3 ───────── │ tile 6 ..        │ tile 0 ──────    │ tile 3 ── ..
//!   staging buffer                    ▼ 0                ▼ 3                                 ▼ 0
//!   D                                 │ 0 0 0 0          │ 3 3 3 3                           │ 0 │
//!                                 a few chunks with each k tile            at once
//! ```
//!
//! Law: every k tile of every tile is computed by one CTA. If several CTAs compute a tile, the CTA
//! that finishes last adds the partial tiles in the order of k and stores the tile, so the bits of
//! D do not depend on which CTA finishes last. No CTA waits for another. All paths give the same
//! bits.

use super::fixup::fixup;
use super::tile_loader::TileLoader;
use crate::gemm::collective::Collective;
use crate::gemm::config::GemmKernel;
use crate::gemm::epilogue::identity::IdentityEpilogue;
use crate::gemm::epilogue::staged::StagedTile;
use crate::gemm::epilogue::{OutputTile, is_identity, store::store};
use crate::gemm::mainloop::{
    Loader, Operand, OperandLoader, SmemPipe, drain, issue_prologue, mainloop, wait_prologue,
};
use crate::gemm::params::{
    EpiloguePointers, KernelPointers, OperandsOf, epilogue_pointers, operands, stages,
};
use crate::gemm::tile_scheduler::{TileScheduler, WorkUnit};
use core::ops::Range;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{block_idx_x, block_idx_z, grid_dim_x, sync_threads};
use kernel_abi::gemm::GemmParams;
use layout_types::algorithm::partial_tile::PartialTile;
use layout_types::arch::mov::thread_here;
use typenum::Unsigned;

/// A tile's epilogue does not overlap: a CTA computes a work unit and then stores it.
pub(super) const NOTHING: u8 = 0;
/// A tile's epilogue overlaps the next tile's prologue. A mainloop that neither stores nor looks
/// for a next tile is 8 % faster than one that does. From [`LONG_K_TILES`] k tiles on, this saves
/// more time than an epilogue takes.
pub(super) const PROLOGUE: u8 = 1;
/// A tile's epilogue overlaps the next tile's mainloop: the pipeline continues from tile to tile.
pub(super) const MAINLOOP: u8 = 2;

/// The number of k tiles from which on [`PROLOGUE`] is used instead of [`MAINLOOP`]. With an f32
/// accumulator both take the same time at 10 k tiles (H200, `docs/benchmarks/gemm-mma-sync.md`).
const LONG_K_TILES: u32 = 12;

/// Computes a CTA's part of a GEMM.
///
/// # Safety
/// The launch is as [`Configuration::plan`](kernel_abi::gemm::Configuration::plan) says.
#[inline(always)]
pub unsafe fn run<C: GemmKernel>(pointers: KernelPointers, params: GemmParams) {
    let (pointers, params, stages) = (&pointers, &params, C::Stages::U32);
    let operands = || operands::<C>(pointers, params, block_idx_z());
    // SAFETY: the plan's grid has as many z coordinates as D and C have batches.
    let epilogue = || unsafe { epilogue_pointers::<C>(pointers, params, block_idx_z()) };
    let batch = |scheduler| Batch {
        pointers,
        params,
        scheduler,
        operands,
        epilogue,
    };
    // The unpredicated paths come first so that their code is near the entry (instruction prefetch,
    // `docs/benchmarks/gemm-mma-sync.md`). The last iteration of a mainloop loads fragments of the
    // next stage, so each stage must be written once.
    //
    // SAFETY: the launch is the plan's by the function's contract, and nothing has used the stages.
    // The tests take a path without predicates only for a problem that needs none and has enough k
    // tiles.
    unsafe {
        if const { C::CONFIGURATION.persistent } {
            let scheduler = TileScheduler::of::<C>(params, u32::div_ceil);
            let TileScheduler { tiles, k_tiles, .. } = scheduler;
            let of_cta = if tiles < 2 * grid_dim_x() { 1 } else { 2 } * k_tiles;
            if k_tiles >= LONG_K_TILES && is_unpredicated::<C>(params) {
                compute::<C, false, PROLOGUE>(&batch(scheduler), block_idx_x(), 0..k_tiles)
            } else if k_tiles >= stages - 1 && of_cta >= stages && is_unpredicated::<C>(params) {
                compute::<C, false, MAINLOOP>(&batch(scheduler), block_idx_x(), 0..k_tiles)
            } else {
                compute::<C, true, MAINLOOP>(&batch(scheduler), block_idx_x(), 0..k_tiles)
            }
        } else {
            let k_tiles = params.k / C::CONFIGURATION.tile[2];
            if const { C::StagingColumns::U32 > 0 }
                && params.k_slices == 1
                && k_tiles >= stages
                && is_unpredicated::<C>(params)
            {
                let scheduler = TileScheduler::of::<C>(params, |extent, tile| extent / tile);
                compute::<C, false, NOTHING>(&batch(scheduler), block_idx_x(), 0..k_tiles)
            } else {
                // Computed once for all work units.
                let scheduler = TileScheduler::of::<C>(params, u32::div_ceil);
                let (operands, epilogue) = (operands(), epilogue());
                compute_split::<C>(&Batch {
                    pointers,
                    params,
                    scheduler,
                    operands: || operands,
                    epilogue: || epilogue,
                })
            }
        }
    }
}

/// Computes a CTA's work units one after the other. A work unit is a tile, or the k tiles of a tile
/// that split-K or stream-K assigns to the CTA.
///
/// # Safety
/// The conditions are those of [`run`].
#[inline(always)]
unsafe fn compute_split<C: GemmKernel>(
    batch: &Batch<impl Fn() -> OperandsOf<C>, impl Fn() -> EpiloguePointers>,
) {
    let scheduler = batch.scheduler;
    let WorkUnit {
        mut tile,
        mut first,
        k_tiles: mut left,
    } = scheduler.work(block_idx_x(), grid_dim_x());
    loop {
        let end = (first + left).min(scheduler.k_tiles);
        // SAFETY: the launch is the plan's, and the barrier below separates two work units.
        unsafe { compute::<C, true, NOTHING>(batch, tile, first..end) };
        left -= end - first;
        if scheduler.k_slices == 1 || left == 0 {
            return;
        }
        (tile, first) = (tile + 1, 0);
        sync_threads();
    }
}

/// The inputs from which a CTA computes its tiles.
struct Batch<'a, Operands, Epilogue> {
    pointers: &'a KernelPointers,
    params: &'a GemmParams,
    scheduler: TileScheduler,
    /// Returns A and B.
    operands: Operands,
    /// Returns D, C and the bias.
    epilogue: Epilogue,
}

/// Whether no predicate is needed, because the epilogue is the identity and the extents are
/// multiples of the tile's extents.
#[inline(always)]
fn is_unpredicated<C: GemmKernel>(params: &GemmParams) -> bool {
    let [tile_m, tile_n, tile_k] = C::CONFIGURATION.tile;
    let &GemmParams { m, n, k, .. } = params;
    is_identity::<C::Operation>(params) && m % tile_m == 0 && n % tile_n == 0 && k % tile_k == 0
}

/// Computes a work unit. If the epilogue overlaps the next tile, computes all of the CTA's tiles
/// from this tile on.
///
/// # Safety
/// The conditions are those of [`run`], and the stages are free. If not `PREDICATED`, the problem
/// [`is_unpredicated`], tiles are staged, and a tile has at least `Stages` k tiles. If the pipeline
/// continues from tile to tile, `Stages - 1` suffice, provided that all of a CTA's tiles together
/// have `Stages`. With [`NOTHING`] the k tiles are those of one work unit, otherwise `tile` is the
/// CTA's first tile.
#[inline(always)]
unsafe fn compute<C: GemmKernel, const PREDICATED: bool, const OVERLAP: u8>(
    batch: &Batch<impl Fn() -> OperandsOf<C>, impl Fn() -> EpiloguePointers>,
    mut tile: u32,
    k_tiles: Range<u32>,
) {
    let (pointers, params, scheduler) = (batch.pointers, batch.params, batch.scheduler);
    let (operands, epilogue) = (&batch.operands, &batch.epilogue);
    let shared = dynamic_shared_offset();
    // The staging buffer follows the stages if they are in use while a tile is stored.
    let staging = if const { OVERLAP == NOTHING } {
        shared
    } else {
        shared + C::A::BYTES + C::B::BYTES
    };
    let output = |at| OutputTile {
        pointers: epilogue(),
        params,
        at,
        shared: staging,
    };
    let staged = |at, stored| StagedTile {
        tile: output(at),
        stored,
    };
    let Range { start, end } = k_tiles;
    let last = end.max(start + u32::from(PREDICATED) * C::Stages::U32) - 1;
    let thread = thread_here();
    let again = || match OVERLAP {
        NOTHING => thread,
        _ => thread_here(),
    };
    let (g_a, g_b) = operands();
    let (s_a, s_b) = stages::<C>();
    let collective = Collective::<C>::new(thread, &s_a, &s_b);
    let accumulator = &collective.accumulator;
    let (thread, at) = (again(), scheduler.coordinate(tile));
    let mut loader = TileLoader::<C, PREDICATED, OVERLAP> {
        a: Loader::<C::A>::new(g_a, &s_a, (at.0, start), thread),
        b: Loader::<C::B>::new(g_b, &s_b, (at.1, start), thread),
        operands: (g_a, g_b),
        scheduler,
        tile,
        at,
        before: at,
        next: start,
        last,
        staged: None,
    };
    if const { OVERLAP == MAINLOOP } {
        loader.staged = Some(staged(at, C::StagingColumns::U32));
    }
    let count = end - start;
    let identity = !PREDICATED || is_identity::<C::Operation>(params);
    let mut pipe = SmemPipe::new::<C>();
    // SAFETY: every thread of the CTA is here, with the same k tiles, and the caller leaves the
    // stages free. Barriers separate the stages' last readers from the next prologue, and surround
    // `stage`, `store` and `fixup`. Only this CTA stores its tiles.
    unsafe {
        issue_prologue::<C>(&mut loader);
        if const { OVERLAP == MAINLOOP } {
            wait_prologue(&collective);
        }
        loop {
            if const { OVERLAP != MAINLOOP } {
                pipe = SmemPipe::new::<C>();
                wait_prologue(&collective);
            }
            mainloop(&collective, &mut loader, &mut pipe, count);
            let at = if const { OVERLAP != MAINLOOP } {
                loader.at
            } else if const { PREDICATED } {
                scheduler.coordinate(tile)
            } else {
                // There are enough k tiles that the copies are exactly one tile ahead.
                loader.before
            };
            let mut more = false;
            if const { OVERLAP != MAINLOOP } {
                drain();
                sync_threads();
            }
            if const { OVERLAP == PROLOGUE } {
                tile += grid_dim_x();
                more = tile < scheduler.tiles;
                if more {
                    loader.restart(tile);
                    issue_prologue::<C>(&mut loader);
                }
            }
            if const { !PREDICATED || OVERLAP == MAINLOOP } && identity {
                if const { OVERLAP == MAINLOOP }
                    && let Some(before) = &mut loader.staged
                    && before.is_left::<C>()
                {
                    // There were too few k tiles to store the whole previous tile. All threads
                    // agree on this, so all pass the barrier.
                    before.store_rest::<C, PREDICATED>();
                    sync_threads();
                }
                C::Identity::stage(accumulator, staging);
                sync_threads();
                if const { OVERLAP != MAINLOOP } {
                    staged(at, 0).store_all::<C, PREDICATED>();
                } else if let Some(next) = &mut loader.staged {
                    (next.tile.at, next.stored) = (at, 0);
                }
            } else if const { OVERLAP == MAINLOOP }
                // If k is not split, the first comparison tells the compiler that this is the only
                // tile, and that the CTA has all of its k tiles.
                || scheduler.k_slices == 1
                || count == scheduler.k_tiles
                || fixup::<C>(accumulator, pointers, &scheduler, tile, start..end, shared)
            {
                store::<C>(accumulator, &output(at));
            }
            if const { OVERLAP == NOTHING } {
                return;
            }
            if const { OVERLAP == MAINLOOP } {
                tile += grid_dim_x();
                more = tile < scheduler.tiles;
            }
            if !more {
                break;
            }
            C::FragmentC::clear(accumulator);
        }
        if const { OVERLAP == MAINLOOP }
            && let Some(last) = &mut loader.staged
        {
            drain();
            last.store_rest::<C, PREDICATED>();
        }
    }
}

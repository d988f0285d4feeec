//! The persistent driver: CTA i computes tiles i, i + CTAs, .., and stores each while the next one's mainloop runs.
//!
//! ```text
//!   copies        │ tile 0 ─────────── │ tile 3 ─────────── │ tile 6 ..     the pipeline goes on from tile to tile
//!   MMAs             │ tile 0 ─────────── │ tile 3 ─────────── │ tile 6 ..
//!   accumulator                         ▼ 0                  ▼ 3            rounded into the staging buffer
//!   D                                   │ 0 0 0 0            │ 3 3 3 3      from there, a few chunks with each k tile
//! ```
//!
//! Tiles of many k tiles are `persistent_long_k`'s.
//!
//! Law: that of [`super::predicated`]. Barriers stand between a chunk's writers and its readers, both ways: the one after
//! `stage`, and the one of the last k tile, before which all chunks of the tile before were stored.

use super::{is_unpredicated, persistent_long_k};
use crate::gemm::config::GemmConfig;
use crate::gemm::epilogue::is_identity;
use crate::gemm::epilogue::staged::StagedEpilogue;
use crate::gemm::intrinsics::thread_here;
use crate::gemm::mainloop::{GlobalMatrix, KTileLoader, Operand, drain, mainloop, prologue};
use crate::gemm::params::{
    Bits, EpiloguePointers, KernelPointers, epilogue_pointers, operands, stages,
};
use crate::gemm::tile_scheduler::TileGrid;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{block_idx_x, block_idx_z, grid_dim_x, sync_threads};
use kernel_abi::gemm::GemmParams;
use typenum::Unsigned;

/// A staged tile, stored column by column.
struct StagedTile<'a> {
    epilogue: EpiloguePointers,
    params: &'a GemmParams,
    /// The staging buffer.
    shared: u32,
    /// The tile's row and column.
    at: (u32, u32),
    /// The columns of chunks that were stored; all of them, if there is no tile.
    stored: u32,
}

impl StagedTile<'_> {
    /// Stores the next column, if there is one left.
    ///
    /// # Safety
    /// A barrier has passed since the tile was staged; without predicates it is in bounds of D.
    #[inline(always)]
    unsafe fn store_next<C: StagedEpilogue, const PREDICATED: bool>(&mut self) {
        if self.stored < C::StagingColumns::U32 {
            let &mut Self {
                epilogue,
                params,
                shared,
                at,
                stored,
            } = self;
            // SAFETY: the tile was staged before a barrier, by the function's contract; this CTA alone stores its tiles.
            unsafe { C::store_column::<PREDICATED>(epilogue, params, at, shared, stored) };
            self.stored += 1;
        }
    }
    /// Stores all columns that are left.
    ///
    /// # Safety
    /// As [`store_next`](Self::store_next).
    #[inline(always)]
    unsafe fn store_rest<C: StagedEpilogue, const PREDICATED: bool>(&mut self) {
        while self.stored < C::StagingColumns::U32 {
            // SAFETY: the tile was staged before a barrier, by the function's contract.
            unsafe { self.store_next::<C, PREDICATED>() };
        }
    }
}

/// Loads the k tiles of all of a CTA's tiles, one after the other, and stores a staged tile beside the MMAs. Without predicates
/// all tiles are in bounds.
struct PersistentLoader<'a, C: GemmConfig, const PREDICATED: bool> {
    a: C::A,
    b: C::B,
    matrices: (GlobalMatrix<Bits<C>>, GlobalMatrix<Bits<C>>),
    grid: TileGrid,
    /// The tile whose k tiles are copied, its coordinate and that of the tile before, and its next k tile.
    tile: u32,
    at: (u32, u32),
    before: (u32, u32),
    next: u32,
    staged: StagedTile<'a>,
}

/// Returns the copies of a tile's k tiles.
#[inline(always)]
pub(super) fn operand_copies<C: GemmConfig>(
    (a, b): &(GlobalMatrix<Bits<C>>, GlobalMatrix<Bits<C>>),
    (row, column): (u32, u32),
) -> (C::A, C::B) {
    let thread = thread_here();
    let (s_a, s_b) = stages::<C>();
    (
        C::A::new(*a, &s_a, (row, 0), thread),
        C::B::new(*b, &s_b, (column, 0), thread),
    )
}

impl<C: StagedEpilogue, const PREDICATED: bool> KTileLoader
    for PersistentLoader<'_, C, PREDICATED>
{
    #[inline(always)]
    unsafe fn begin_load(&mut self, stage: u32, _prologue: bool) {
        if self.next == self.grid.k_tiles {
            self.before = self.at;
            let tile = self.tile + grid_dim_x();
            if tile < self.grid.tiles() {
                (self.tile, self.next, self.at) = (tile, 0, self.grid.coordinate(tile));
                (self.a, self.b) = operand_copies::<C>(&self.matrices, self.at);
            }
        }
        // SAFETY: nobody else accesses `stage` by the trait's contract. Past the last tile's last k tile predicates are false;
        // without them all k tiles below `k_tiles` are in bounds.
        unsafe {
            if PREDICATED {
                self.a.begin_load(self.next, stage);
                self.b.begin_load(self.next, stage);
            } else if self.next < self.grid.k_tiles {
                self.a.begin_load_unpredicated(self.next, stage);
                self.b.begin_load_unpredicated(self.next, stage);
            }
        }
        self.a.advance();
        self.b.advance();
        self.next += 1;
    }
    #[inline(always)]
    unsafe fn finish_load(&mut self, stage: u32) {
        // SAFETY: nobody else accesses `stage` by the trait's contract.
        unsafe {
            self.a.finish_load(stage);
            self.b.finish_load(stage);
        }
    }
    #[inline(always)]
    fn overlap(&mut self, k_block: u32) {
        if k_block == 1 || k_block == 2 {
            // SAFETY: `overlapped` passes a barrier after it stages a tile; without predicates all tiles are in bounds.
            unsafe { self.staged.store_next::<C, PREDICATED>() };
        }
    }
}

/// Computes tiles `cta`, `cta + ctas`, ..
///
/// # Safety
/// The launch is as [`Configuration::plan`](kernel_abi::gemm::Configuration::plan) says.
#[inline(always)]
pub unsafe fn run<C: StagedEpilogue>(pointers: KernelPointers, params: GemmParams) {
    let grid = TileGrid::of::<C>(&params);
    // Without predicates each stage must be written once, and the copies must be at most one tile ahead. The unpredicated paths
    // come first so that their code is near the entry (instruction prefetch, `docs/benchmarks.md`).
    let k_tiles_of_cta = if grid.tiles() < 2 * grid_dim_x() {
        1
    } else {
        2
    } * grid.k_tiles;
    if grid.k_tiles >= persistent_long_k::LONG_K_TILES && is_unpredicated::<C>(&params) {
        // SAFETY: the launch is the plan's; the conditions are those of the function.
        unsafe { persistent_long_k::run::<C>(&pointers, &params, grid) }
    } else if grid.k_tiles >= C::Stages::U32 - 1
        && k_tiles_of_cta >= C::Stages::U32
        && is_unpredicated::<C>(&params)
    {
        // SAFETY: the launch is the plan's; the conditions are those of the function.
        unsafe { overlapped::<C, false>(pointers, &params, grid) }
    } else {
        // SAFETY: the launch is the plan's.
        unsafe { overlapped::<C, true>(pointers, &params, grid) }
    }
}

/// Computes the CTA's tiles, each tile's epilogue beside the next one's mainloop where it is the identity.
///
/// # Safety
/// As [`run`]; without predicates the problem [`is_unpredicated`], a tile has at least `Stages - 1` k tiles, and all of a CTA's
/// tiles have at least `Stages`.
#[inline(always)]
unsafe fn overlapped<C: StagedEpilogue, const PREDICATED: bool>(
    pointers: KernelPointers,
    params: &GemmParams,
    grid: TileGrid,
) {
    let batch = block_idx_z();
    let mut tile = block_idx_x();
    let at = grid.coordinate(tile);
    // SAFETY: the plan's grid has as many z coordinates as D and C have batches.
    let epilogue = unsafe { epilogue_pointers::<C>(&pointers, params, batch) };
    let matrices = operands::<C>(&pointers, params, batch);
    let (a, b) = operand_copies::<C>(&matrices, at);
    let mut loader = PersistentLoader::<C, PREDICATED> {
        a,
        b,
        matrices,
        grid,
        tile,
        at,
        before: at,
        next: 0,
        staged: StagedTile {
            epilogue,
            params,
            shared: dynamic_shared_offset() + C::A::BYTES + C::B::BYTES,
            at,
            stored: C::StagingColumns::U32,
        },
    };
    let (s_a, s_b) = stages::<C>();
    let collective = C::new(thread_here(), &s_a, &s_b);
    let identity = !PREDICATED || is_identity::<C::Operation>(params);
    // SAFETY: every thread of the CTA is here, and nobody has accessed the stages.
    let mut state = unsafe { prologue(&collective, &mut loader) };
    loop {
        // SAFETY: every thread of the CTA is here, with the same k tiles.
        unsafe { mainloop(&collective, &mut loader, &mut state, grid.k_tiles) };
        // Without predicates there are k tiles enough for the copies to be just one tile ahead.
        let at = if PREDICATED {
            grid.coordinate(tile)
        } else {
            loader.before
        };
        let staged = &mut loader.staged;
        if identity {
            if staged.stored < C::StagingColumns::U32 {
                // There were too few k tiles to store all of the tile before. All threads agree, so all pass the barrier.
                //
                // SAFETY: a barrier has passed since the tile was staged.
                unsafe { staged.store_rest::<C, PREDICATED>() };
                sync_threads();
            }
            // SAFETY: all chunks of the tile before were stored, and a barrier has passed.
            unsafe { collective.stage(staged.shared) };
            (staged.at, staged.stored) = (at, 0);
            sync_threads();
        } else {
            // SAFETY: nobody else accesses the staging buffer, as no tile is staged; `store` ends with a barrier. This CTA alone
            // stores the tile.
            unsafe { collective.store(epilogue, params, [at.0, at.1], staged.shared) };
        }
        tile += grid_dim_x();
        if tile >= grid.tiles() {
            break;
        }
        collective.clear_accumulator();
    }
    drain();
    // SAFETY: a barrier has passed since the last tile was staged.
    unsafe { loader.staged.store_rest::<C, PREDICATED>() };
}

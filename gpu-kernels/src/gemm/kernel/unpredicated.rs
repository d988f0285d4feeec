//! The driver for tiles in bounds: one tile per CTA, identity epilogue, neither copies nor stores predicated, 1 % faster.
//!
//! Law: that of [`super::predicated`], to the bit.

use super::{is_unpredicated, predicated};
use crate::gemm::epilogue::staged::StagedEpilogue;
use crate::gemm::intrinsics::thread_here;
use crate::gemm::mainloop::{Operand, TileLoader, UnpredicatedLoader, drain, mainloop, prologue};
use crate::gemm::params::{KernelPointers, epilogue_pointers, operands, stages};
use crate::gemm::tile_scheduler::rasterize;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{block_idx_x, block_idx_z, sync_threads};
use kernel_abi::gemm::GemmParams;
use layout_types::unroll::unroll_type;
use typenum::Unsigned;

/// Computes a CTA's work of a GEMM, without predicates where it can.
///
/// # Safety
/// The launch is as [`Configuration::plan`](kernel_abi::gemm::Configuration::plan) says.
#[inline(always)]
pub unsafe fn run<C: StagedEpilogue>(pointers: KernelPointers, params: GemmParams) {
    let k_tiles = params.k / C::CONFIGURATION.tile[2];
    // The last iteration loads fragments of the stage behind it, so that each stage must be written once. The unpredicated path
    // comes first so that its code is near the entry (instruction prefetch, `docs/benchmarks.md`).
    if params.k_slices == 1 && k_tiles >= C::Stages::U32 && is_unpredicated::<C>(&params) {
        // SAFETY: the launch is the plan's; the conditions are those of `tile`.
        unsafe { tile::<C>(&pointers, &params, k_tiles) }
    } else {
        // SAFETY: the launch is the plan's.
        unsafe { predicated::run::<C>(pointers, params) }
    }
}

/// Computes the CTA's tile of `k_tiles` k tiles.
///
/// # Safety
/// As [`run`]; the problem [`is_unpredicated`], and there are at least as many k tiles as stages.
#[inline(always)]
unsafe fn tile<C: StagedEpilogue>(pointers: &KernelPointers, params: &GemmParams, k_tiles: u32) {
    let [tile_m, tile_n, _] = C::CONFIGURATION.tile;
    let tiles = (params.n / tile_n, params.m / tile_m);
    let at = rasterize(block_idx_x(), tiles, params.raster_group);
    let shared = dynamic_shared_offset();
    let thread = thread_here();
    let (g_a, g_b) = operands::<C>(pointers, params, block_idx_z());
    let (s_a, s_b) = stages::<C>();
    let collective = C::new(thread, &s_a, &s_b);
    let mut loader = TileLoader::<C> {
        a: C::A::new(g_a, &s_a, (at.0, 0), thread),
        b: C::B::new(g_b, &s_b, (at.1, 0), thread),
        next: 0,
        last: k_tiles - 1,
    };
    // SAFETY: every thread of the CTA is here, and the tile is in bounds. Barriers stand between the stages' last readers and
    // `stage`, which writes where they were, and between `stage` and `store_column`; this CTA alone stores the tile.
    unsafe {
        let mut loader = UnpredicatedLoader(&mut loader);
        let mut state = prologue(&collective, &mut loader);
        mainloop(&collective, &mut loader, &mut state, k_tiles);
        drain();
        sync_threads();
        collective.stage(shared);
        sync_threads();
        let epilogue = epilogue_pointers::<C>(pointers, params, block_idx_z());
        unroll_type::<C::StagingColumns>(|column| {
            C::store_column::<false>(epilogue, params, at, shared, column as u32);
        });
    }
}

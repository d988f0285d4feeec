//! The fix-up of split-K and stream-K: CTAs save partial accumulator tiles, and the CTA that saves
//! the last one adds them.
//!
//! ```text
//!   workspace   a counter per tile and batch: saved k tiles    a partial tile per CTA, two with stream-K
//! ```

use crate::gemm::config::{AccumulatorOf, GemmKernel};
use crate::gemm::epilogue::element::ElementAccumulator;
use crate::gemm::params::KernelPointers;
use crate::gemm::tile_scheduler::TileScheduler;
use core::ops::Range;
use cuda_std::atomic::intrinsics::atomic_fetch_add_acqrel_u32_device;
use cuda_std::thread::{
    block_idx_x, block_idx_z, grid_dim_x, grid_dim_z, sync_threads, thread_idx_x,
};
use layout_types::algorithm::partial_tile::PartialTile;
use layout_types::arch::mov::thread_here;
use layout_types::prelude::*;
use layout_types::tensor::Shared;
use layout_types::unroll::unroll_type;

/// Saves this CTA's partial accumulator tile. If this completes the k tiles of the tile, replaces
/// the accumulator by the sum of all partial tiles, in the order of k, and returns true.
///
/// # Safety
/// Every thread of the CTA calls it, after a barrier that follows the last access of shared memory.
/// The workspace is the plan's.
#[inline(always)]
pub(super) unsafe fn fixup<C: GemmKernel>(
    accumulator: &AccumulatorOf<C>,
    pointers: &KernelPointers,
    scheduler: &TileScheduler,
    tile: u32,
    work: Range<u32>,
    shared: u32,
) -> bool {
    let saved = work.end - work.start;
    let (cta, ctas, batch) = (block_idx_x(), grid_dim_x(), block_idx_z());
    let (tiles, k_tiles, k_slices) = (scheduler.tiles, scheduler.k_tiles, scheduler.k_slices);
    // A CTA of stream-K may have two partial tiles: one of a tile that it begins, and one of a tile
    // that another CTA began.
    let slots = if k_slices == 0 { 2 * ctas } else { ctas };
    let slot = |cta: u32, begins: bool| {
        if k_slices == 0 {
            2 * cta + u32::from(begins)
        } else {
            cta
        }
    };
    let counters = (u64::from(tiles) * u64::from(grid_dim_z()) * 4).next_multiple_of(256);
    // SAFETY: slots are below `slots`, and the plan's workspace holds the counters and `slots`
    // partial tiles for each batch.
    let partial_tile = |slot: u32| unsafe {
        let number = u64::from(batch) * u64::from(slots) + u64::from(slot);
        pointers
            .workspace
            .add((counters + number * u64::from(C::CONFIGURATION.partial_bytes)) as usize)
            .cast::<u32>()
    };
    // SAFETY: other CTAs read the slot only after this CTA has added to the tile's counter.
    unsafe {
        C::FragmentC::save(
            accumulator,
            partial_tile(slot(cta, work.start == 0)),
            thread_here(),
        )
    };
    cuda_std::thread::device_fence();
    sync_threads();
    // SAFETY: the caller passed a barrier after the last access of shared memory, and barriers
    // surround the accesses below.
    let flag = unsafe { Tensor::<Shared<u32>, layout!(1:1)>::shared(shared) };
    if thread_idx_x() == 0 {
        // SAFETY: the plan's workspace begins with a counter for each tile of each batch, which
        // only this function accesses.
        let done = unsafe {
            let counter = pointers
                .workspace
                .cast::<u32>()
                .add((batch * tiles + tile) as usize);
            let before = atomic_fetch_add_acqrel_u32_device(counter, saved);
            if before + saved == k_tiles {
                // Resets the counter for the next launch.
                atomic_fetch_add_acqrel_u32_device(counter, 0u32.wrapping_sub(k_tiles));
            }
            before + saved
        };
        flag.set(0u32, done);
    }
    sync_threads();
    let complete = flag.get(0u32) == k_tiles;
    sync_threads();
    if complete {
        cuda_std::thread::device_fence();
        C::FragmentC::clear(accumulator);
        let (from, to) = if k_slices == 0 {
            let shares = scheduler.shares(ctas);
            (
                shares.cta_of(tile * k_tiles),
                shares.cta_of(tile * k_tiles + k_tiles - 1),
            )
        } else {
            (tile * k_slices, tile * k_slices + k_slices - 1)
        };
        // Adds group by group, because there are not enough registers for a second accumulator.
        unroll_type::<<C::FragmentC as PartialTile<_, _>>::Groups>(|group| {
            let mut from = from;
            while from <= to {
                let begins = k_slices == 0 && scheduler.shares(ctas).begin(from) <= tile * k_tiles;
                // SAFETY: the counter says that all partial tiles were saved, and the fences make
                // them visible here.
                unsafe {
                    let saved = partial_tile(slot(from, begins));
                    C::FragmentC::add_group(
                        accumulator,
                        group as u32,
                        saved,
                        thread_here(),
                        C::Accumulator::add,
                    );
                }
                from += 1;
            }
        });
    }
    complete
}

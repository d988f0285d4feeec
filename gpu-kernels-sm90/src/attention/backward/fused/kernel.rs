//! The roles of the warp groups: one group loads and adds dQ to its sums, two groups multiply.

use super::super::super::pipelines::Pipelines;
use super::super::config::GradientConfig;
use super::super::kernel::load;
use super::config::{FusedConfig, FusedSmem, give_up_registers, is_run_by, take_registers};
use super::mainloop::{Consumer, reduce};
use crate::warp_group::WARP_GROUP;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{sync_threads, thread_idx_x};
use cuda_std::warp::warp_shuffle_idx;
use kernel_abi::attention::AttentionBackwardParams;
use layout_types::arch::copy_sm90_tma::{TensorMap, prefetch_tma_descriptor};
use layout_types::arch::mov::here;
use layout_types::unroll::unroll;

/// Runs the kernel of a configuration, which has `CONSUMERS` consumer threads, 128 per group.
///
/// # Safety
/// The launch is the plan's: the maps of K, V, Q and dO have the configuration's boxes, and the
/// buffers are as the parameters say.
#[inline(always)]
pub unsafe fn run<C: FusedConfig, const CONSUMERS: u32>(
    results: (*mut C::OutputElement, *mut C::OutputElement),
    (values, sums): (*const f32, *mut f32),
    (params, sequences): (&AttentionBackwardParams, C::Sequences),
    maps: [&TensorMap; 4],
) {
    const { is_run_by::<C>(CONSUMERS / 32) }
    let (shared, thread) = (dynamic_shared_offset(), thread_idx_x());
    // SAFETY: the plan's launch has `FUSED_SHARED_BYTES` of shared memory, which holds everything
    // in `FusedSmem` and the barriers. `sync_threads` orders thread 0's initialisation before all
    // use, and whole warp groups take each branch. The reducer is one thread.
    unsafe {
        let smem = FusedSmem::<C>::at(shared);
        let pipelines = Pipelines::<1, CONSUMERS>::at(
            shared + C::TILES_OFFSET + <C as GradientConfig>::GRADIENT_BARRIERS,
        );
        if thread == 0 {
            pipelines.init();
            smem.staging.init();
            unroll::<4>(|i| prefetch_tma_descriptor(maps[i]));
        }
        sync_threads();
        if thread < WARP_GROUP {
            give_up_registers();
            // `here` separates this comparison from those in `load`; together they would become a
            // table of branches.
            if here(thread) == 96 {
                reduce::<C>(smem.staging, sums, (params, sequences));
            } else {
                load::<C, CONSUMERS, true>(
                    thread,
                    (&smem.tiles, pipelines),
                    values,
                    (params, sequences),
                    maps,
                );
            }
        } else {
            take_registers();
            // The shuffle lets the compiler know that all threads of a warp have the same value.
            let group = warp_shuffle_idx(u32::MAX, thread / WARP_GROUP - 1, 0, 32).0;
            Consumer::<C, CONSUMERS>::new((params, sequences), pipelines, shared, group)
                .attend(results);
        }
    }
}

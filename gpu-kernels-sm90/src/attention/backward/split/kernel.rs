//! The roles of the warp groups: one group loads, one computes dV and one computes dK.

use super::super::super::pipelines::Pipelines;
use super::super::super::score::ScoreFunction;
use super::super::config::GradientSmem;
use super::super::kernel::load;
use super::config::{SplitConfig, give_up_registers, is_run_by, take_registers};
use super::exchange::Exchange;
use super::mainloop::{Consumer, DK, DV};
use crate::warp_group::WARP_GROUP;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{sync_threads, thread_idx_x};
use cuda_std::warp::warp_shuffle_idx;
use kernel_abi::attention::AttentionBackwardParams;
use layout_types::arch::copy_sm90_tma::{TensorMap, prefetch_tma_descriptor};
use layout_types::unroll::unroll;

/// Runs the kernel of a configuration, which has `CONSUMERS` consumer threads, 128 per group.
///
/// # Safety
/// The launch is the plan's: the maps of K, V, Q and dO have the configuration's boxes, and the
/// buffers are as the parameters say.
#[inline(always)]
pub unsafe fn run<C: SplitConfig, const CONSUMERS: u32>(
    results: (*mut C::OutputElement, *mut C::OutputElement),
    values: *const f32,
    (params, score, sequences): (&AttentionBackwardParams, C::Score, C::Sequences),
    maps: [&TensorMap; 4],
) {
    const { is_run_by::<C>(CONSUMERS / 32) }
    let (shared, thread) = (dynamic_shared_offset(), thread_idx_x());
    // SAFETY: the plan's launch has `SPLIT_SHARED_BYTES` of shared memory, which holds the tiles,
    // the barriers and the exchange. `sync_threads` orders thread 0's initialisation before all
    // use, and whole warp groups take each branch.
    unsafe {
        let smem = GradientSmem::<C>::at(shared);
        let pipelines = Pipelines::<1, CONSUMERS>::at(shared + C::GRADIENT_BARRIERS);
        let exchange = Exchange::at(shared + C::GRADIENT_SHARED_BYTES);
        if thread == 0 {
            pipelines.init();
            exchange.init();
            unroll::<4>(|i| prefetch_tma_descriptor(maps[i]));
        }
        sync_threads();
        if thread < WARP_GROUP {
            give_up_registers();
            let of = (params, sequences);
            if const { C::Score::IDENTITY } {
                load::<C, CONSUMERS, false>(thread, (&smem, pipelines), values, of, maps);
            } else {
                // Kernels with a score function take packed sequences too; without this flag ptxas
                // spills registers of the producers. The other body does the same.
                load::<C, CONSUMERS, true>(thread, (&smem, pipelines), values, of, maps);
            }
        } else {
            take_registers();
            let of = (params, score, sequences);
            // The shuffle lets the compiler know that all threads of a warp have the same value.
            let group = warp_shuffle_idx(u32::MAX, thread / WARP_GROUP - 1, 0, 32).0;
            if group == 0 {
                Consumer::<C, CONSUMERS, DV>::new(of, pipelines, exchange, shared)
                    .attend(results.1);
            } else {
                Consumer::<C, CONSUMERS, DK>::new(of, pipelines, exchange, shared)
                    .attend(results.0);
            }
        }
    }
}

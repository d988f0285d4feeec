//! The roles of the warp groups: one group loads, the others multiply.

use super::config::{AttentionConfig, LoadK, LoadQ, LoadV, Results, Smem};
use super::config::{give_up_registers, is_run_by, take_registers};
use super::cta_problem::CtaProblem;
use super::mainloop::{Consumer, produce};
use super::pipelines::{Pipelines, Turns};
use super::sequences::Sequences;
use crate::warp_group::{WARP_GROUP, consumer_group};
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{sync_threads, thread_idx_x};
use cuda_std::warp::warp_shuffle_idx;
use kernel_abi::attention::AttentionParams;
use layout_types::arch::copy_sm90_tma::{TensorMap, prefetch_tma_descriptor};
use layout_types::arch::mov::here;
use layout_types::unroll::unroll;

/// Runs a configuration's kernel. Q has `Q_STAGES` stages, K and V have `KV_STAGES` each, and there
/// are `WARPS` consumer warps.
///
/// # Safety
/// The launch is the plan's: the maps of Q, K and V have the configuration's boxes, and the
/// buffers, also those of the sequences, are as the parameters say.
#[inline(always)]
pub unsafe fn run<
    C: AttentionConfig,
    const Q_STAGES: u32,
    const WARPS: u32,
    const KV_STAGES: u32,
>(
    results: Results<C>,
    params: &AttentionParams,
    maps: [&TensorMap; 3],
    (score, sequences): (C::Score, C::Sequences),
) {
    const { is_run_by::<C>([Q_STAGES, KV_STAGES], WARPS) }
    let (shared, thread) = (dynamic_shared_offset(), thread_idx_x());
    let cta = CtaProblem::<C> {
        params,
        score,
        sequences,
    };
    // SAFETY: the plan's launch has `SHARED_BYTES` of shared memory, which holds the tiles and then
    // the barriers. `sync_threads` orders thread 0's initialisation before all use. Whole warp
    // groups take each branch of the roles. Each `load` copies the bytes that are passed with it.
    unsafe {
        let smem = Smem::<C>::at(shared);
        let pipelines = Pipelines::<Q_STAGES, WARPS, KV_STAGES>::at(shared + C::BARRIERS);
        if thread == 0 {
            pipelines.init();
            unroll::<3>(|i| prefetch_tma_descriptor(maps[i]));
        }
        sync_threads();
        if thread < WARP_GROUP {
            give_up_registers::<C>();
            // Each tensor has a thread of its own, because the states of all three would not fit
            // the few registers of this group. The stages' addresses would not fit either: each
            // copy computes them again.
            let smem = || Smem::<C>::at(here(shared));
            let [q, k, v] = maps;
            if thread == 0 {
                let bytes = (LoadQ::<C>::BYTES, true);
                produce::<C, _, _>(pipelines.q, bytes, cta, |tile, place, _, stage, full| {
                    sequences.load_q(q, (tile, place), &smem(), (stage, full));
                });
            } else if thread == 32 {
                let bytes = (LoadK::<C>::BYTES, false);
                produce::<C, _, _>(pipelines.k, bytes, cta, |tile, place, key, stage, full| {
                    sequences.load_k(k, (tile, place, key), &smem(), (stage, full));
                });
            } else if thread == 64 {
                let bytes = (LoadV::<C>::BYTES, false);
                produce::<C, _, _>(pipelines.v, bytes, cta, |tile, place, key, stage, full| {
                    sequences.load_v(v, (tile, place, key), &smem(), (stage, full));
                });
            }
        } else {
            take_registers::<C>();
            // The shuffle shows ptxas that the group is the same in all threads of a warp. The
            // closure recomputes it at the end, which frees a register in between.
            let group = || warp_shuffle_idx(u32::MAX, consumer_group(), 0, 32).0;
            let turns = Turns::first(group(), C::GROUPS);
            Consumer::<C, _, _, _>::new(cta, pipelines, &smem, turns).attend(results);
            Turns::of(group(), C::GROUPS).last();
        }
    }
}

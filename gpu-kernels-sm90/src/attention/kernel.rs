//! The roles: one warp group loads, the others multiply.

use super::config::{AttentionConfig, LoadK, LoadQ, LoadV, Results, STAGES, Smem};
use super::config::{give_up_registers, is_run_by, take_registers};
use super::mainloop::{Consumer, produce};
use super::pipelines::{Pipelines, Turns};
use super::sequences::Sequences;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{sync_threads, thread_idx_x};
use cuda_std::warp::warp_shuffle_idx;
use kernel_abi::attention::AttentionParams;
use layout_types::arch::copy_sm90_tma::{TensorMap, prefetch_tma_descriptor};
use layout_types::arch::mov::here;
use layout_types::unroll::unroll;

/// The kernel of a configuration of two stages of K and of V, whose Q has `Q_STAGES` stages and whose consumers have `WARPS` warps.
///
/// # Safety
/// The launch is the plan's: maps of Q, K and V in boxes of the configuration, buffers as its parameters say, the sequences' too.
#[inline(always)]
pub unsafe fn run<C: AttentionConfig, const Q_STAGES: u32, const WARPS: u32>(
    results: Results<C>,
    params: &AttentionParams,
    maps: [&TensorMap; 3],
    of: (C::Score, C::Sequences),
) {
    // SAFETY: the launch is the plan's by the function's contract.
    unsafe { run_staged::<C, Q_STAGES, WARPS, STAGES>(results, params, maps, of) }
}

/// The kernel of a configuration, whose K and V have `K_STAGES` stages.
///
/// # Safety
/// As of [`run`].
#[inline(always)]
pub unsafe fn run_staged<
    C: AttentionConfig,
    const Q_STAGES: u32,
    const WARPS: u32,
    const K_STAGES: u32,
>(
    results: Results<C>,
    params: &AttentionParams,
    maps: [&TensorMap; 3],
    (score, sequences): (C::Score, C::Sequences),
) {
    const { is_run_by::<C>([Q_STAGES, K_STAGES], WARPS) }
    let (shared, thread) = (dynamic_shared_offset(), thread_idx_x());
    // SAFETY: the plan's launch has `SHARED_BYTES` of shared memory, in which the tiles and the barriers behind them have their places;
    // `sync_threads` orders the one thread's initialisation before all use, and the branches are whole warp groups. Each `load`
    // copies the bytes that it is given with.
    unsafe {
        let smem = Smem::<C>::at(shared);
        let pipelines = Pipelines::<Q_STAGES, WARPS, K_STAGES>::at(shared + C::BARRIERS);
        if thread == 0 {
            pipelines.init();
            unroll::<3>(|i| prefetch_tma_descriptor(maps[i]));
        }
        sync_threads();
        if thread < 128 {
            give_up_registers::<C>();
            // A thread each: their states together would not fit into the few registers that are left to this group.
            // Nor the stages' addresses beside them: a copy has them anew.
            let smem = || Smem::<C>::at(here(shared));
            let [q, k, v] = maps;
            let of = (params, sequences);
            if thread == 0 {
                let bytes = (LoadQ::<C>::BYTES, true);
                produce::<C, _, _>(pipelines.q, bytes, of, |tile, place, _, stage, full| {
                    let ([first, _], batch) = place;
                    let (at, head) = ((first + tile.row, 0), (tile.head, batch));
                    LoadQ::<C>::copy_4d(q, at, head, &smem().q, stage, full);
                });
            } else if thread == 32 {
                let bytes = (LoadK::<C>::BYTES, false);
                produce::<C, _, _>(pipelines.k, bytes, of, |tile, place, key, stage, full| {
                    sequences.load_k(k, (tile, place, key), &smem(), (stage, full));
                });
            } else if thread == 64 {
                let bytes = (LoadV::<C>::BYTES, false);
                produce::<C, _, _>(pipelines.v, bytes, of, |tile, place, key, stage, full| {
                    sequences.load_v(v, (tile, place, key), &smem(), (stage, full));
                });
            }
        } else {
            take_registers::<C>();
            // The same in all threads of a warp, and known to be. At the end it is made anew: no register holds it until there.
            let group = || warp_shuffle_idx(u32::MAX, here(thread_idx_x()) / 128 - 1, 0, 32).0;
            let turns = Turns::first(group(), C::GROUPS);
            Consumer::<C, _, _, _>::new((params, score, sequences), pipelines, &smem, turns)
                .attend(results);
            Turns::of(group(), C::GROUPS).last();
        }
    }
}

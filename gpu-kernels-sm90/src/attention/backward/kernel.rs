//! The roles of the warp groups in a gradient kernel: one group loads, the others multiply.

use super::super::config::{LoadK, LoadQ, give_up_registers, take_registers};
use super::super::pipelines::Pipelines;
use super::super::score::ScoreFunction;
use super::config::{GradientConfig, GradientSmem, is_run_by};
use super::mainloop::{Block, Consumer, produce};
use super::sequences::GradientSequences;
use crate::warp_group::WARP_GROUP;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{sync_threads, thread_idx_x};
use cuda_std::warp::warp_shuffle_idx;
use kernel_abi::attention::AttentionBackwardParams;
use layout_types::arch::copy_sm90_bulk::bulk_load;
use layout_types::arch::copy_sm90_tma::{TensorMap, prefetch_tma_descriptor};
use layout_types::arch::mov::here;
use layout_types::unroll::unroll;

/// Runs the kernel of a configuration, which has `CONSUMERS` consumer threads, 128 per group.
///
/// # Safety
/// The launch is the plan's: the maps of the two resident and the two streamed tensors have the
/// configuration's boxes, and the buffers are as the parameters say.
#[inline(always)]
pub unsafe fn run<C: GradientConfig, const CONSUMERS: u32>(
    results: (*mut C::OutputElement, *mut C::OutputElement),
    values: *const f32,
    (params, score, sequences): (&AttentionBackwardParams, C::Score, C::Sequences),
    maps: [&TensorMap; 4],
) {
    const { is_run_by::<C>(CONSUMERS / 32) }
    let (shared, thread) = (dynamic_shared_offset(), thread_idx_x());
    // SAFETY: the plan's launch has `GRADIENT_SHARED_BYTES` of shared memory, which holds the
    // tiles, the values and then the barriers. `sync_threads` orders thread 0's initialisation
    // before all use, and whole warp groups take each branch.
    unsafe {
        let smem = GradientSmem::<C>::at(shared);
        let pipelines = Pipelines::<1, CONSUMERS>::at(shared + C::GRADIENT_BARRIERS);
        if thread == 0 {
            pipelines.init();
            unroll::<4>(|i| prefetch_tma_descriptor(maps[i]));
        }
        sync_threads();
        if thread < WARP_GROUP {
            give_up_registers::<C>();
            let of = (params, sequences);
            if const { C::Score::IDENTITY } {
                load::<C, CONSUMERS, false>(thread, (&smem, pipelines), values, of, maps);
            } else {
                // With a score function and without this flag, ptxas spills some of the producers'
                // 40 registers.
                load::<C, CONSUMERS, true>(thread, (&smem, pipelines), values, of, maps);
            }
        } else {
            take_registers::<C>();
            // The shuffle lets the compiler know that all threads of a warp have the same value.
            let group = warp_shuffle_idx(u32::MAX, thread / WARP_GROUP - 1, 0, 32).0;
            Consumer::<C, CONSUMERS>::new((params, score, sequences), pipelines, shared, group)
                .attend(results);
        }
    }
}

/// Runs the loads of the producer's group: thread 0 loads the resident tensors, threads 32 and 64
/// load one streamed tensor each. `LEAN` needs fewer registers.
///
/// # Safety
/// The pipelines' barriers are initialised; maps and values are as in [`run`].
#[inline(always)]
pub(super) unsafe fn load<C: GradientConfig, const CONSUMERS: u32, const LEAN: bool>(
    thread: u32,
    (smem, pipelines): (&GradientSmem<C>, Pipelines<1, CONSUMERS>),
    values: *const f32,
    (params, sequences): (&AttentionBackwardParams, C::Sequences),
    maps: [&TensorMap; 4],
) {
    // SAFETY: each `load` copies the bytes that are passed with it. Values are padded, so a tile or
    // a block has all its values.
    unsafe {
        let load_values = |which: u32, head: u32, at: Block, stage: u32, full: u32| {
            let params = AttentionBackwardParams {
                streamed_heads: if LEAN {
                    here(params.streamed_heads)
                } else {
                    params.streamed_heads
                },
                ..*params
            };
            let from = values.wrapping_add(sequences.value_at(
                &params,
                (which, C::OF_KEYS),
                (head, at.tile),
                at.row,
            ));
            bulk_load(
                smem.values_at(which, stage),
                from.cast(),
                C::VALUE_BYTES,
                full,
            );
        };
        let with_values = |of_keys: bool, count: u32| {
            if C::OF_KEYS == of_keys {
                count * C::VALUE_BYTES
            } else {
                0
            }
        };
        let of_block = (LoadK::<C>::BYTES + with_values(true, 1), false);
        if thread == 0 {
            let of = (2 * LoadQ::<C>::BYTES + with_values(false, 2), true);
            produce::<C, _, _, LEAN>(pipelines.q, of, (params, sequences), |at, stage, full| {
                let ([before, _], batch) = at.place;
                let (row, head) = ((before + at.row, 0), (at.tile.head, batch));
                LoadQ::<C>::copy_4d(maps[0], row, head, &smem.stays[0], stage, full);
                LoadQ::<C>::copy_4d(maps[1], row, head, &smem.stays[1], stage, full);
                if !C::OF_KEYS {
                    load_values(0, at.tile.head, at, stage, full);
                    load_values(1, at.tile.head, at, stage, full);
                }
            });
        } else if thread == 32 {
            produce::<C, _, _, LEAN>(
                pipelines.k,
                of_block,
                (params, sequences),
                |at, stage, full| {
                    let ([_, before], batch) = at.place;
                    let (row, head) = ((before + at.row, 0), (at.head, batch));
                    LoadK::<C>::copy_4d(maps[2], row, head, &smem.streamed[0], stage, full);
                    if C::OF_KEYS {
                        load_values(0, at.head, at, stage, full);
                    }
                },
            );
        } else if thread == 64 {
            produce::<C, _, _, LEAN>(
                pipelines.v,
                of_block,
                (params, sequences),
                |at, stage, full| {
                    let ([_, before], batch) = at.place;
                    let (row, head) = ((before + at.row, 0), (at.head, batch));
                    LoadK::<C>::copy_4d(maps[3], row, head, &smem.streamed[1], stage, full);
                    if C::OF_KEYS {
                        load_values(1, at.head, at, stage, full);
                    }
                },
            );
        }
    }
}

//! The kernel, which gives each warp its role.
//!
//! ```text
//!   warps 0..4, 4..8    softmax       a row of the tile of queries a thread: S ─► P                192 registers
//!   warps 8..12         correction    a row of both tiles a thread: O, corrected and stored        64
//!   warp 12             load          one thread: TMA                                              64
//!   warp 13             MMA           one thread: all products
//! ```
//!
//! Law: every role goes through the same tiles and blocks. Tensor memory is freed, and the CTA
//! ends, when no arrival is outstanding.

use super::config::{AttentionConfig, Results, check};
use super::correction::CorrectionThread;
use super::mainloop::{Columns, TmemTiles, load, multiply};
use super::pipelines::Pipelines;
use super::problem::CtaProblem;
use super::softmax::{Corrections, SoftmaxThread};
use cuda_std::shared::{dynamic_shared_mem, dynamic_shared_offset};
use cuda_std::thread::{sync_threads, thread_idx_x};
use cuda_std::warp::warp_shuffle_idx;
use gpu_kernels_sm90::warp_group::{WARP_GROUP, is_elected_of_warp};
use kernel_abi::attention::AttentionParams;
use layout_types::arch::copy_sm90_tma::{TensorMap, prefetch_tma_descriptor};
use layout_types::arch::mma_sm100_umma::{tcgen05_after_thread_sync, tcgen05_before_thread_sync};
use layout_types::arch::reg_reconfig::{warpgroup_reg_alloc, warpgroup_reg_dealloc};
use layout_types::tensor::Tensor;
use layout_types::unroll::unroll;

/// The warp whose elected thread loads.
const LOAD_WARP: u32 = 12;
/// The warp whose elected thread multiplies.
const MMA_WARP: u32 = 13;
/// The warp that allocates and frees tensor memory.
const ALLOCATING_WARP: u32 = 8;

/// Runs the kernel of a configuration whose K and V have `STAGES` stages each.
///
/// # Safety
/// The launch is the plan's: the maps of Q, K and V have the configuration's boxes, and the
/// buffers, also those of the sequences, are as the parameters say.
#[inline(always)]
pub unsafe fn run<C: AttentionConfig, const STAGES: u32>(
    results: Results<C>,
    params: &AttentionParams,
    maps: [&TensorMap; 3],
    (score, sequences): (C::Score, C::Sequences),
) {
    const {
        check::<C>();
        assert!(STAGES == C::STAGES, "the stages are the configuration's");
    }
    let (shared, thread) = (dynamic_shared_offset(), thread_idx_x());
    let problem = CtaProblem::<C> {
        params,
        score,
        sequences,
    };
    // SAFETY: the plan's launch has `SHARED_BYTES` of shared memory, in which the tiles, the
    // corrections, the barriers and the address do not overlap. All threads come to the CTA's
    // barriers before and after the roles. A role is a whole warp group, or an elected thread of a
    // warp. The allocating warp is whole at both barriers. Columns are accessed between the two
    // barriers.
    unsafe {
        let pipelines = Pipelines::<STAGES>::at(shared + C::BARRIERS);
        if thread == 0 {
            pipelines.init();
            unroll::<3>(|i| prefetch_tma_descriptor(maps[i]));
        }
        if thread / 32 == ALLOCATING_WARP {
            Columns::allocate(shared + C::ADDRESS);
        }
        tcgen05_before_thread_sync();
        sync_threads();
        tcgen05_after_thread_sync();
        let address = dynamic_shared_mem::<u8>().add(C::ADDRESS as usize);
        let columns = Columns::at(*address.cast());
        let tmem = TmemTiles::of::<C>(columns);
        let corrections: Corrections = Tensor::shared(shared + C::CORRECTIONS);
        if thread < 2 * WARP_GROUP {
            warpgroup_reg_alloc::<192>();
            // The shuffle shows ptxas that the tile is the same in all threads of a warp.
            let tile = warp_shuffle_idx(u32::MAX, thread / WARP_GROUP, 0, 32).0;
            SoftmaxThread::<C, STAGES>::new(problem, pipelines, corrections, (tile, tmem)).run();
        } else if thread < 3 * WARP_GROUP {
            warpgroup_reg_dealloc::<64>();
            CorrectionThread::<C, STAGES>::new(problem, pipelines, corrections, tmem).run(results);
        } else {
            warpgroup_reg_dealloc::<64>();
            if is_elected_of_warp(LOAD_WARP) {
                load::<C, STAGES>(problem, pipelines, shared, maps);
            } else if is_elected_of_warp(MMA_WARP) {
                multiply::<C, STAGES>(problem, pipelines, shared, tmem);
            }
        }
        tcgen05_before_thread_sync();
        sync_threads();
        tcgen05_after_thread_sync();
        if thread / 32 == ALLOCATING_WARP {
            columns.relinquish();
            columns.free();
        }
    }
}

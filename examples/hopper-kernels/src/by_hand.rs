//! Step 8 with every index computed by hand, without layout, operand and pipeline types.
//!
//! ```text
//!   stage s of A        byte 16384 s            row r of 128 bytes at 128 r, 8 rows a period of the swizzle
//!   stage s of B        byte 65536 + 32768 s    the same
//!   staged D            byte 196608             group g at 16384 g, buffer b at 8192 b; bits 4 to 6 of a byte xor bits 7 to 9
//!   barriers            byte 229376             full 0 .. 3, empty 0 .. 3
//! ```
//!
//! It shows what layout types cost in [`hopper_8_store`](crate::hopper_8_store): see
//! `docs/hopper-gemm.md`. The instructions and their order are the same, and so are the bits of D.
//! There the layouts derive each constant below; here nothing checks these constants.
//!
//! Source: PTX ISA, *Asynchronous Warpgroup Level Matrix Instructions* (the descriptor, and which
//! thread holds which elements of an accumulator), *stmatrix*.

use cuda_std::kernel;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{block_idx_x, grid_dim_x, thread_idx_x};
use cuda_std::warp::sync_warp;
use layout_types::arch::barrier::{
    fence_mbarrier_init, fence_proxy_async_shared, mbarrier_arrive_cluster_if,
    mbarrier_arrive_expect_tx, mbarrier_init, mbarrier_wait,
};
use layout_types::arch::cluster_sm90::{block_rank_in_cluster, cluster_sync};
use layout_types::arch::convert::f16x2_from_f32;
use layout_types::arch::copy_sm90::stmatrix_x4;
use layout_types::arch::copy_sm90_bulk::{tma_store_arrive, tma_store_wait};
use layout_types::arch::copy_sm90_tma::{
    TensorMap, tma_load_2d, tma_load_multicast_2d, tma_store_2d,
};
use layout_types::arch::mma_sm90_gmma::{
    WgmmaIssue, warpgroup_arrive, warpgroup_commit_batch, warpgroup_fence_operand, warpgroup_wait,
};
use layout_types::arch::mov::here;
use layout_types::arch::reg_reconfig::{warpgroup_reg_alloc, warpgroup_reg_dealloc};
use layout_types::atom::mma::sm90::F32F16F16;
use layout_types::typenum::U256;
use layout_types::unroll::unroll;

const STAGES: u32 = 4;
const B: u32 = 65_536;
const D: u32 = 196_608;
const BARRIERS: u32 = 229_376;
/// The upper half of a descriptor: 128-byte swizzle, 1024 bytes between groups of eight rows.
const UPPER: u64 = 1 << 62 | 64 << 32;
/// The lower half without its address, which counts 16 bytes: a leading offset that is not used.
const LOWER: u32 = 1 << 16;

/// Runs step 8 by hand, as the head of `by_hand.rs` says.
///
/// # Safety
/// The conditions are those of [`hopper_8_store`](crate::hopper_8_store).
#[kernel(threads = 384, min_blocks = 1)]
pub unsafe fn hopper_8_by_hand(
    #[grid_constant] map_d: &TensorMap,
    #[grid_constant] map_a: &TensorMap,
    #[grid_constant] map_b: &TensorMap,
    m: u32,
    n: u32,
    k: u32,
) {
    let shared = dynamic_shared_offset();
    let thread = thread_idx_x();
    let rank = block_rank_in_cluster();
    let (cluster, clusters) = (block_idx_x() / 2, grid_dim_x() / 2);
    let (rows, columns) = (m / 256, n / 256);
    let (count, k_tiles) = (rows * columns, k / 64);
    let full = |stage: u32| shared + BARRIERS + 8 * stage;
    let empty = |stage: u32| shared + BARRIERS + 8 * (STAGES + stage);
    // Tiles are in bands of 12 rows of cluster tiles, and go down a band first.
    let tile = |index: u32| {
        let band = index / (12 * columns.max(1));
        let height = (rows - 12 * band).clamp(1, 12);
        let within = index - band * 12 * columns;
        (
            (12 * band + within % height) * 256 + rank * 128,
            within / height * 256,
        )
    };
    // SAFETY: the parts of shared memory do not overlap, and all threads come to the cluster's
    // barriers. A stage is written after 8 warps of both CTAs have completed its empty barrier's
    // phase, and read after its bytes have arrived. A buffer of D is written after TMA has read it,
    // and stored after the fence and the warp's barrier.
    unsafe {
        if thread == 0 {
            unroll::<4>(|stage| {
                mbarrier_init(full(stage as u32), 1);
                mbarrier_init(empty(stage as u32), 16);
            });
            fence_mbarrier_init();
        }
        cluster_sync();
        if thread < 128 {
            warpgroup_reg_dealloc::<40>();
            if thread == 0 {
                let (mut stage, mut phase) = (0, 1);
                let mut index = here(cluster);
                while index < count {
                    let (row, column) = tile(index);
                    let mut k_tile = 0;
                    while k_tile < k_tiles {
                        let from = (k_tile * 64) as i32;
                        mbarrier_wait(empty(stage), phase);
                        mbarrier_arrive_expect_tx(full(stage), 49_152);
                        let to = shared + 16_384 * stage;
                        tma_load_2d(to, map_a, [from, row as i32], full(stage));
                        let to = shared + B + 32_768 * stage + 16_384 * rank;
                        let at = [from, (column + 128 * rank) as i32];
                        tma_load_multicast_2d(to, map_b, at, full(stage), 0b11);
                        stage += 1;
                        if stage == STAGES {
                            stage = 0;
                            phase ^= 1;
                        }
                        k_tile += 1;
                    }
                    index += clusters;
                }
            }
        } else {
            warpgroup_reg_alloc::<232>();
            let group = here(thread) / 128 - 1;
            let lane = here(thread) % 32;
            let mut sums = [0.0_f32; 128];
            let (mut stage, mut phase) = (0, 0);
            let of_a = LOWER | ((shared + 8192 * group) >> 4);
            let of_b = LOWER | ((shared + B) >> 4);
            let mut index = cluster;
            while index < count {
                let mut last = stage;
                let mut k_tile = 0;
                while k_tile < k_tiles {
                    mbarrier_wait(full(stage), phase);
                    warpgroup_fence_operand(&mut sums);
                    warpgroup_arrive();
                    unroll::<4>(|k_block| {
                        let along = 2 * k_block as u32;
                        let a = of_a + 1024 * stage + along;
                        let b = of_b + 2048 * stage + along;
                        let [a, b] = [a, b].map(|lower| UPPER | u64::from(lower));
                        let add = u32::from(k_block > 0 || k_tile > 0);
                        <F32F16F16 as WgmmaIssue<U256>>::ss::<0, 0>(&mut sums, a, b, add);
                    });
                    warpgroup_commit_batch();
                    warpgroup_wait::<1>();
                    let now = u32::from((k_tile > 0) & (lane < 2));
                    mbarrier_arrive_cluster_if(empty(last), lane, now);
                    last = stage;
                    stage += 1;
                    if stage == STAGES {
                        stage = 0;
                        phase ^= 1;
                    }
                    k_tile += 1;
                }
                warpgroup_wait::<0>();
                warpgroup_fence_operand(&mut sums);
                mbarrier_arrive_cluster_if(empty(last), lane, u32::from(lane < 2));
                let (row, column) = tile(here(index));
                let thread = here(thread_idx_x()) % 128;
                let (warp, lane) = (thread / 32, thread % 32);
                let row = row + 64 * group + 16 * warp;
                // Lane l has the address of row l % 16 and of the 16 bytes l / 16.
                let line = shared + D + 16_384 * group + 128 * (16 * warp + lane % 16);
                unroll::<4>(|chunk| {
                    let buffer = 8192 * (chunk as u32 % 2);
                    if lane == 0 {
                        tma_store_wait::<1>();
                    }
                    sync_warp(u32::MAX);
                    unroll::<4>(|four| {
                        let bytes = (2 * four as u32 + lane / 16) ^ (lane % 8);
                        let halves = [0, 1, 2, 3].map(|i| {
                            let first = 32 * chunk + 8 * four + 2 * i;
                            f16x2_from_f32(sums[first], sums[first + 1])
                        });
                        stmatrix_x4(line + buffer + 16 * bytes, halves);
                    });
                    fence_proxy_async_shared();
                    sync_warp(u32::MAX);
                    if lane == 0 {
                        let from = shared + D + 16_384 * group + buffer + 2048 * warp;
                        let to = [(column + 64 * chunk as u32) as i32, row as i32];
                        tma_store_2d(map_d, to, from);
                        tma_store_arrive();
                    }
                });
                index += clusters;
            }
            tma_store_wait::<0>();
        }
        cluster_sync();
    }
}

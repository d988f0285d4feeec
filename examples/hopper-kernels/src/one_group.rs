//! Steps 1 and 2: one warp group loads, multiplies and stores.

use crate::tiles::{ROW_BYTES, TILE_K, products, store_pairs};
use cuda_std::kernel;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{block_idx_x, sync_threads, thread_idx_x};
use half::f16;
use layout_types::arch::barrier::{
    fence_mbarrier_init, mbarrier_arrive_expect_tx, mbarrier_init, mbarrier_wait,
};
use layout_types::arch::copy_sm90_tma::{TensorMap, tma_load_2d};
use layout_types::arch::mma_sm90_gmma::{
    FenceOperand, warpgroup_arrive, warpgroup_commit_batch, warpgroup_wait,
};
use layout_types::atom::gmma::LayoutKSw128Atom;
use layout_types::atom::mma::sm90::{F32F16F16, Shared, Wgmma};
use layout_types::prelude::*;
use layout_types::typenum::{U2, U32, U128};
use layout_types::unroll::unroll;

/// The tiles of A, and of B: (M or N, K, stages).
type Smem1 = TileToShape<LayoutKSw128Atom<f16>, shape!((128, 64, 1))>;
type Smem4 = TileToShape<LayoutKSw128Atom<f16>, shape!((128, 64, 4))>;
type Op = Wgmma<F32F16F16, U128, Shared>;
/// The number of bytes that one operand has in a stage.
const BYTES: u32 = 128 * ROW_BYTES;

/// Step 1: loads a k tile by TMA, waits for it by an `mbarrier`, and multiplies it from shared
/// memory by `wgmma`.
///
/// # Safety
/// The launch has a CTA of 128 threads for each tile of 128 × 128, row by row. The matrices are as
/// [the crate](crate) says.
#[kernel(threads = 128)]
pub unsafe fn hopper_1_tma(
    d: *mut f16,
    #[grid_constant] map_a: &TensorMap,
    #[grid_constant] map_b: &TensorMap,
    n: u32,
    k: u32,
) {
    let [a, b, full] = [0, 1, 2].map(|part| dynamic_shared_offset() + part * BYTES);
    let columns = (n / 128).max(1);
    let (row, column) = (block_idx_x() / columns * 128, block_idx_x() % columns * 128);
    let mut accumulator = [[0.0; 64]; 2];
    // SAFETY: the launch's shared memory holds the stage and its barrier. The barrier's phases
    // follow each other, one for each k tile. After the group's wait nothing reads the stage.
    unsafe {
        if thread_idx_x() == 0 {
            mbarrier_init(full, 1);
            fence_mbarrier_init();
        }
        sync_threads();
        let mut k_tile = 0;
        while k_tile < k / TILE_K {
            if thread_idx_x() == 0 {
                let from = (k_tile * TILE_K) as i32;
                mbarrier_arrive_expect_tx(full, 2 * BYTES);
                tma_load_2d(a, map_a, [from, row as i32], full);
                tma_load_2d(b, map_b, [from, column as i32], full);
            }
            mbarrier_wait(full, k_tile % 2);
            accumulator.iter_mut().for_each(FenceOperand::fence);
            warpgroup_arrive();
            let add = u32::from(k_tile > 0);
            products::<Smem1, Smem1, U128, Op, U2, 2>([a, b], 0, 0, &mut accumulator, add);
            warpgroup_commit_batch();
            warpgroup_wait::<0>();
            accumulator.iter_mut().for_each(FenceOperand::fence);
            sync_threads();
            k_tile += 1;
        }
        unroll::<2>(|atom| {
            store_pairs::<U32, 64>(&accumulator[atom], d, n, (row + 64 * atom as u32, column));
        });
    }
}

/// Step 2: has four stages, so that three k tiles are in flight while one is multiplied.
///
/// # Safety
/// The conditions are those of [`hopper_1_tma`], with four stages.
#[kernel(threads = 128)]
pub unsafe fn hopper_2_stages(
    d: *mut f16,
    #[grid_constant] map_a: &TensorMap,
    #[grid_constant] map_b: &TensorMap,
    n: u32,
    k: u32,
) {
    let [a, b, full] = [0, 4, 8].map(|stages| dynamic_shared_offset() + stages * BYTES);
    let columns = (n / 128).max(1);
    let (row, column) = (block_idx_x() / columns * 128, block_idx_x() % columns * 128);
    let mut accumulator = [[0.0; 64]; 2];
    let load = |k_tile: u32| {
        let (stage, from) = (k_tile % 4, (k_tile * TILE_K) as i32);
        let full = full + 8 * stage;
        // SAFETY: nothing reads the stage: it is filled for the first time, or its readers have
        // passed the CTA's barrier.
        unsafe {
            mbarrier_arrive_expect_tx(full, 2 * BYTES);
            tma_load_2d(a + stage * BYTES, map_a, [from, row as i32], full);
            tma_load_2d(b + stage * BYTES, map_b, [from, column as i32], full);
        }
    };
    let k_tiles = k / TILE_K;
    // SAFETY: the launch's shared memory holds the four stages and a barrier for each. A barrier's
    // phases follow each other, one for every fourth k tile. After the group's wait nothing reads
    // the stage, and the CTA's barrier is between the wait and `load`.
    unsafe {
        if thread_idx_x() == 0 {
            unroll::<4>(|stage| mbarrier_init(full + 8 * stage as u32, 1));
            fence_mbarrier_init();
            let mut k_tile = 0;
            while k_tile < k_tiles.min(4) {
                load(k_tile);
                k_tile += 1;
            }
        }
        sync_threads();
        let mut k_tile = 0;
        while k_tile < k_tiles {
            let stage = k_tile % 4;
            mbarrier_wait(full + 8 * stage, k_tile / 4 % 2);
            accumulator.iter_mut().for_each(FenceOperand::fence);
            warpgroup_arrive();
            let add = u32::from(k_tile > 0);
            products::<Smem4, Smem4, U128, Op, U2, 2>([a, b], stage, 0, &mut accumulator, add);
            warpgroup_commit_batch();
            warpgroup_wait::<0>();
            accumulator.iter_mut().for_each(FenceOperand::fence);
            sync_threads();
            if thread_idx_x() == 0 && k_tile + 4 < k_tiles {
                load(k_tile + 4);
            }
            k_tile += 1;
        }
        unroll::<2>(|atom| {
            store_pairs::<U32, 64>(&accumulator[atom], d, n, (row + 64 * atom as u32, column));
        });
    }
}

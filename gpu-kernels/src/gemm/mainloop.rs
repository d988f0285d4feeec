//! The main loop: a ring of four tiles, three of them on their way while one is multiplied.
//!
//! ```text
//!   step   0    1    2    3    4        fill   copies of step s + 3 start
//!   ring  [0]  [1]  [2]  [3]  [0]       wait   copies of step s are done, for this thread; barrier: for all
//! ```
//!
//! Law: after the loop `acc` holds, for this thread's places in the tile of D (`layouts::Accumulators`), the sum
//! over all k of `A[m][k]·B[n][k]`.

use super::layouts::{Element, LdmatrixA, LdmatrixB, SharedTile};
use super::load::{Load, Operand, load_tile};
use super::{STAGES, TILE_K, TILE_M, TILE_N};
use cuda_std::thread::sync_threads;
use layout_types::arch::copy_sm75::ldmatrix_x4;
use layout_types::arch::copy_sm80::{cp_async_fence, cp_async_wait};
use layout_types::prelude::*;

/// A thread's sums: `acc[m16][n8]` are the four registers of one `mma.m16n8k16`.
pub type Acc = [[[f32; 4]; 8]; 4];

const TILE_A_BYTES: u32 = TILE_M * TILE_K * 2;
const STAGE_BYTES: u32 = TILE_A_BYTES + TILE_N * TILE_K * 2;

/// (thread, m16, k16) to the byte of A's tile that the thread gives to `ldmatrix`.
type BytesA = Composition<SharedTile, LdmatrixA>;
/// (thread, n16, k16) to the byte of B's tile that the thread gives to `ldmatrix`.
type BytesB = Composition<SharedTile, LdmatrixB>;

/// Multiplies the tiles at `stage` into `acc`.
///
/// # Safety
/// Every thread of the block calls it; both tiles at `stage` are complete and stay until the next barrier.
#[inline(always)]
unsafe fn multiply<E: Element>(acc: &mut Acc, stage: u32, thread: u32) {
    unroll::<2>(|k16| {
        let mut a = [[0; 4]; 4];
        let mut b = [[0; 2]; 8];
        // SAFETY: the layouts give each lane a 16-byte aligned row inside its tile; the tiles are complete and
        // the whole warp is here, both by the caller's contract.
        unsafe {
            unroll::<4>(|i| a[i] = ldmatrix_x4(stage + BytesA::at((thread, i as u32, k16 as u32))));
            unroll::<4>(|j| {
                let b_tile = stage + TILE_A_BYTES;
                let [b0, b1, b2, b3] =
                    ldmatrix_x4(b_tile + BytesB::at((thread, j as u32, k16 as u32)));
                b[2 * j] = [b0, b1];
                b[2 * j + 1] = [b2, b3];
            });
            unroll::<4>(|i| unroll::<8>(|j| E::mma(&mut acc[i][j], &a[i], &b[j])));
        }
    });
}

/// Sums over all of K.
///
/// # Safety
/// Every thread of the block calls it with the same operands; the block has `SHARED_BYTES` of shared memory at
/// `shared`, 16-byte aligned; the matrices are readable and fit `L`.
#[inline(always)]
pub unsafe fn sum<E: Element, L: Load>(shared: u32, a: Operand, b: Operand, thread: u32) -> Acc {
    let steps = a.k.div_ceil(TILE_K);
    // SAFETY: a stage is filled only between the barrier after its last reader and the wait and barrier before
    // its next: step s + 3 goes where step s - 1 was, and the barrier of step s is behind every reader of that.
    let fill = |step: u32, stage: u32| unsafe {
        if step < steps {
            load_tile::<L>(shared + stage * STAGE_BYTES, a, step * TILE_K, thread);
            load_tile::<L>(
                shared + stage * STAGE_BYTES + TILE_A_BYTES,
                b,
                step * TILE_K,
                thread,
            );
        }
        // A group a step, empty ones too: the count of groups is then the count of steps.
        cp_async_fence();
    };
    let next = |stage: u32| if stage + 1 == STAGES { 0 } else { stage + 1 };

    unroll::<{ STAGES as usize - 1 }>(|stage| fill(stage as u32, stage as u32));
    let mut acc: Acc = [[[0.0; 4]; 8]; 4];
    let (mut read, mut write) = (0, STAGES - 1);
    for step in 0..steps {
        cp_async_wait::<{ STAGES - 2 }>();
        sync_threads();
        fill(step + STAGES - 1, write);
        // SAFETY: the wait and the barrier completed this step's tiles; the next barrier comes after the reads.
        unsafe { multiply::<E>(&mut acc, shared + read * STAGE_BYTES, thread) };
        (read, write) = (next(read), next(write));
    }
    acc
}

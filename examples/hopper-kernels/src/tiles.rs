//! The shared parts of the steps: the products of a stage, and two ways to store an accumulator.

use cuda_std::thread::thread_idx_x;
use cuda_std::warp::sync_warp;
use half::f16;
use layout_types::arch::barrier::fence_proxy_async_shared;
use layout_types::arch::convert::f16x2_from_f32;
use layout_types::arch::copy_sm90::stmatrix_x4;
use layout_types::arch::copy_sm90_bulk::{tma_store_arrive, tma_store_wait};
use layout_types::arch::copy_sm90_tma::{TensorMap, tma_store_2d};
use layout_types::arch::mov::here;
use layout_types::atom::gmma::LayoutKSw128Atom;
use layout_types::atom::mma::{MajorK, MmaAtom, Sm90_64x64x16_F32F16F16_SS, WgmmaOp};
use layout_types::atom::smem_operand::{GmmaDescriptor, Operand};
use layout_types::check::Reflect;
use layout_types::layout::LayoutFn;
use layout_types::num::Nat;
use layout_types::prelude::*;
use layout_types::typenum::U64;
use layout_types::unroll::{Unroll, unroll, unroll_type};

/// The number of elements of k in a stage: a row of 128 bytes.
pub const TILE_K: u32 = 64;
/// The number of bytes in a row of a stage.
pub const ROW_BYTES: u32 = 128;

/// Starts the products of one stage: `ATOMS` blocks of 64 rows of A from block `block` on, and all
/// of B. If `add` is 0, they replace the accumulator's previous contents.
///
/// # Safety
/// All warps of a warp group execute it, between `warpgroup_arrive` and `warpgroup_commit_batch`,
/// on a full stage. Nothing else accesses stage and `registers` until the products have ended.
#[inline(always)]
pub unsafe fn products<SmemA, SmemB, N, Op, Atoms, const ATOMS: usize>(
    [a, b]: [u32; 2],
    stage: u32,
    block: u32,
    registers: &mut [Op::Accumulator; ATOMS],
    add: u32,
) where
    SmemA: LayoutFn + Reflect,
    SmemB: LayoutFn + Reflect,
    N: Nat,
    Op: WgmmaOp<
            AOperand = GmmaDescriptor<f16, MajorK, U64>,
            BOperand = GmmaDescriptor<f16, MajorK, N>,
        >,
    Atoms: Unroll,
{
    // The operands of k block 0 in stage 0. The other operands are one addition away.
    let of_a = Operand::<SmemA, f16, MajorK, U64>::descriptor(a, (block, 0), 0);
    let of_b = Operand::<SmemB, f16, MajorK, N>::descriptor(b, (0, 0), 0);
    unroll::<4>(|k_block| {
        let k_block = k_block as u32;
        let b = of_b.advance(Operand::<SmemB, f16, MajorK, N>::offset(
            (0, k_block),
            stage,
        ));
        unroll_type::<Atoms>(|atom| {
            let at = (atom as u32, k_block);
            let a = of_a.advance(Operand::<SmemA, f16, MajorK, U64>::offset(at, stage));
            let add = if k_block == 0 { add } else { 1 };
            // SAFETY: all warps of the group are here, between the fence and the commit, the stage
            // stays full, and nothing else accesses the registers, by the function's contract. The
            // descriptors name 64 rows of the stage's A and all of its B.
            unsafe { Op::fma(&mut registers[atom], &a, &b, add) };
        });
    });
}

/// Maps (thread, value) of 64 rows and columns of an accumulator of `wgmma` to (row, column).
type Chunk = <Sm90_64x64x16_F32F16F16_SS as MmaAtom>::CLayout;

/// Stores a group's accumulator of 64 rows from `(row, column)` on. Each thread stores its pairs of
/// neighbours, 4 bytes each.
///
/// # Safety
/// All threads of the group execute it. D is 4-byte aligned and has `n` columns; `n` and `column`
/// are even. The tile lies in D, and nothing else writes it.
#[inline(always)]
pub unsafe fn store_pairs<Pairs: Unroll, const REGISTERS: usize>(
    registers: &[f32; REGISTERS],
    d: *mut f16,
    n: u32,
    (row, column): (u32, u32),
) {
    let first: u32 = Chunk::at((here(thread_idx_x()) % 128, 0u32));
    let at = u64::from(row + first % 64) * u64::from(n) + u64::from(column + first / 64);
    // SAFETY: all threads of the group are here, and nothing else writes the tile, which lies in D,
    // by the contract. The layout gives each thread its own pairs, in even columns, as n is even.
    unsafe {
        let to = d.add(at as usize);
        unroll_type::<Pairs>(|pair| {
            // A pair is 8 rows below the previous pair, or 8 columns right of the pair before that.
            let to = to.add(pair % 2 * 8 * n as usize + pair / 2 * 8);
            *to.cast::<u32>() = f16x2_from_f32(registers[2 * pair], registers[2 * pair + 1]);
        });
    }
}

/// A group's staged D: (M, N, buffers).
type SmemD = TileToShape<LayoutKSw128Atom<f16>, shape!((64, 64, 2))>;
/// Maps the rows of a `stmatrix`'s matrices, (row of a matrix, below, right, warp), to (row,
/// column) of (64, 16).
type Matrices = layout!((8,2,2,4):(1,8,512,16));

/// Stores a group's accumulator of 64 rows from `(row, column)` on, through two buffers in shared
/// memory and by TMA. Each warp stores its 16 rows, 64 columns at a time. While TMA reads a buffer,
/// the warp continues.
///
/// # Safety
/// All threads of the group execute it. `staged` names its [`STAGED_BYTES`](crate::STAGED_BYTES),
/// aligned to 1024. D's map has boxes of 16 rows and 64 columns. Nothing else writes the tile.
#[inline(always)]
pub unsafe fn store_boxes<Chunks: Unroll, const REGISTERS: usize>(
    registers: &[f32; REGISTERS],
    d: &TensorMap,
    staged: u32,
    (row, column): (u32, u32),
) {
    let thread = here(thread_idx_x()) % 128;
    let (warp, lane) = (thread / 32, thread % 32);
    let place: u32 = Matrices::at(thread);
    unroll_type::<Chunks>(|chunk| {
        let buffer = chunk as u32 % 2;
        // SAFETY: the warp's first lane waits until all buffers but the newest have been read, and
        // the warp waits for this lane. After the fence and the warp's barrier TMA sees the warp's
        // writes. By their layout the places are in the buffers.
        unsafe {
            if lane == 0 {
                tma_store_wait::<1>();
            }
            sync_warp(u32::MAX);
            unroll::<4>(|four| {
                let at: u32 = SmemD::at((place % 64, place / 64 + 16 * four as u32, buffer));
                let halves = [0, 1, 2, 3].map(|i| {
                    let first = 32 * chunk + 2 * (4 * four + i);
                    f16x2_from_f32(registers[first], registers[first + 1])
                });
                stmatrix_x4(staged + 2 * at, halves);
            });
            fence_proxy_async_shared();
            sync_warp(u32::MAX);
            if lane == 0 {
                let from = staged + (buffer * 64 + warp * 16) * ROW_BYTES;
                let to = [column + 64 * chunk as u32, row + 16 * warp];
                tma_store_2d(d, to.map(|x| x as i32), from);
                tma_store_arrive();
            }
        }
    });
}

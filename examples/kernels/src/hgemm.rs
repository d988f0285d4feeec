//! The pipelined GEMM, step by step: eight kernels, each with one idea more than the previous one.
//! `docs/hgemm.md` tells the story.
//!
//! ```text
//!   1 naive ► 2 tiles ► 3 mma ► 4 ldmatrix ► 5 swizzle ► 6 pipeline ► 7 registers ► 8 epilogue
//! ```
//!
//! Law: `D = A·Bᵀ` in f16, summed in f16: A `(m, k)`, B `(n, k)`, D `(m, n)`, row-major, on 16-byte
//! boundaries; `m` and `n` are multiples of 128, `k` of 32, from 96 on. No access is predicated,
//! unlike those of `gpu-kernels`: these kernels are about speed.

use cuda_std::kernel;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{block_idx_x, block_idx_y, sync_threads, thread_idx_x};
use half::f16;
use layout_types::algorithm::{copy, cp_async_fence, cp_async_wait, gemm};
use layout_types::arch::mma::fma_f16;
use layout_types::atom::copy::{
    AutoVectorizingCopyWithAssumedAlignment, Sm75_U32x4_LDSM_N, Sm80_CP_ASYNC_CACHEGLOBAL,
    UniversalCopy,
};
use layout_types::atom::mma::Sm80_16x8x16_F16F16F16F16_TN;
use layout_types::prelude::*;
use layout_types::tensor::Shared;
use layout_types::tiled::{
    MakeTiledCopy, MakeTiledCopyA, MakeTiledCopyB, MakeTiledCopyC, TiledMma,
};

/// A step: its kernel, the side of a block's tile of D, and a block's threads and bytes of shared
/// memory.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The name of the step's new idea.
    pub name: &'static str,
    /// The kernel's name.
    pub kernel: &'static str,
    /// The side of the square tile of D that a block computes.
    pub tile: u32,
    /// The number of threads in a block.
    pub threads: u32,
    /// The dynamic shared memory of a block, in bytes.
    pub shared_bytes: u32,
}

/// The steps in order.
pub const STEPS: [Step; 8] = [
    step("naive", "hgemm_1_naive", 16, 256, 0),
    step("tiles", "hgemm_2_tiles", 64, 256, 2 * 64 * 32 * 2),
    step("mma", "hgemm_3_mma", 128, 128, 2 * STAGE),
    step("ldmatrix", "hgemm_4_ldmatrix", 128, 128, 2 * STAGE),
    step("swizzle", "hgemm_5_swizzle", 128, 128, 2 * STAGE),
    step("pipeline", "hgemm_6_pipeline", 128, 128, 6 * STAGE),
    step("registers", "hgemm_7_registers", 128, 128, 6 * STAGE),
    step("epilogue", "hgemm_8_epilogue", 128, 128, 6 * STAGE),
];

const fn step(
    name: &'static str,
    kernel: &'static str,
    tile: u32,
    threads: u32,
    shared_bytes: u32,
) -> Step {
    Step {
        name,
        kernel,
        tile,
        threads,
        shared_bytes,
    }
}

/// The copy by which steps 3 to 7 store D, one element per access.
type Single = AutoVectorizingCopyWithAssumedAlignment<16>;

/// The number of bytes in a (128, 32) tile.
const STAGE: u32 = 128 * 32 * 2;

/// Step 1: computes one element of D per thread, with all operands from global memory.
///
/// # Safety
/// The launch has a block of 256 threads for each (16, 16) elements of D, column by column along x.
/// The matrices are as [the module](self) says.
#[kernel]
pub unsafe fn hgemm_1_naive(d: *mut f16, a: *const f16, b: *const f16, m: u32, n: u32, k: u32) {
    let thread = thread_idx_x();
    let (row, column) = (thread / 16, thread % 16);
    // SAFETY: by `# Safety` m, n and k are whole tiles of readable A and B and writable D, and each
    // tile of D has one block, of 256 threads. One thread writes each element of D.
    unsafe {
        let g_a = Tensor::global(a.cast::<u16>(), [m, k], (k.into(), Int::<1>));
        let g_b = Tensor::global(b.cast::<u16>(), [n, k], (k.into(), Int::<1>));
        let g_d = Tensor::global_mut(d.cast::<u16>(), [m, n], (n.into(), Int::<1>));
        let a_tiles = g_a.local_tile::<tile!(16, 32), _>((block_idx_y(), __));
        let b_tiles = g_b.local_tile::<tile!(16, 32), _>((block_idx_x(), __));
        let d_tile = g_d.local_tile::<tile!(16, 16), _>((block_idx_y(), block_idx_x()));
        let mut sum = 0;
        for step in 0..k / 32 {
            let (a, b) = (a_tiles.slice((__, __, step)), b_tiles.slice((__, __, step)));
            for l in 0..32 {
                sum = fma_f16(a.get((row, l)), b.get((column, l)), sum);
            }
        }
        d_tile.set((row, column), sum);
    }
}

/// A copy by 256 threads, four for each row of 32 elements, 16 bytes each.
type G2s64 = MakeTiledCopy<UniversalCopy<u128>, u16, layout!((64,4):(4,1)), layout!((1, 8))>;

/// Step 2: loads (64, 32) tiles into shared memory, where each element is read 16 times. A thread
/// has 4 × 4 sums.
///
/// # Safety
/// The launch has a block of 256 threads with 8,192 bytes of shared memory for each (64, 64) tile
/// of D, column by column along x. The matrices are as [the module](self) says.
#[kernel]
pub unsafe fn hgemm_2_tiles(d: *mut f16, a: *const f16, b: *const f16, m: u32, n: u32, k: u32) {
    let (at, thread) = ((block_idx_y(), block_idx_x()), thread_idx_x());
    let (row, column) = (thread / 16, thread % 16);
    // SAFETY: by `# Safety` m, n and k are whole tiles of readable A and B and writable D on
    // 16-byte boundaries, and each tile of D has one block, of 256 threads, with memory for a tile
    // of A and of B. Barriers separate the writers and the readers of a tile, both ways.
    unsafe {
        type Rows = layout!((64,32):(32,1));
        let g_a = Tensor::global(a.cast::<u16>(), [m, k], (k.into(), Int::<1>));
        let g_b = Tensor::global(b.cast::<u16>(), [n, k], (k.into(), Int::<1>));
        let g_d = Tensor::global_mut(d.cast::<u16>(), [m, n], (n.into(), Int::<1>));
        let s_a = Tensor::<Shared<u16>, Rows>::shared(dynamic_shared_offset());
        let s_b = Tensor::<Shared<u16>, Rows>::shared(dynamic_shared_offset() + 64 * 32 * 2);
        let a_tiles = g_a.local_tile::<tile!(64, 32), _>((at.0, __));
        let b_tiles = g_b.local_tile::<tile!(64, 32), _>((at.1, __));
        let d_tile = g_d.local_tile::<tile!(64, 64), _>(at);
        let g2s = G2s64::get_slice(thread);
        let (from_a, from_b) = (g2s.partition_s(&a_tiles), g2s.partition_s(&b_tiles));
        let (to_a, to_b) = (g2s.partition_d(&s_a), g2s.partition_d(&s_b));
        let mut sums = [[0_u16; 4]; 4];
        for step in 0..k / 32 {
            sync_threads();
            copy(G2s64::default(), &from_a.slice((__, __, __, step)), &to_a);
            copy(G2s64::default(), &from_b.slice((__, __, __, step)), &to_b);
            sync_threads();
            for l in 0..32 {
                let (mut x, mut y) = ([0; 4], [0; 4]);
                unroll::<4>(|i| x[i] = s_a.get((row + 16 * i as u32, l)));
                unroll::<4>(|j| y[j] = s_b.get((column + 16 * j as u32, l)));
                unroll::<4>(|i| unroll::<4>(|j| sums[i][j] = fma_f16(x[i], y[j], sums[i][j])));
            }
        }
        unroll::<4>(|i| {
            unroll::<4>(|j| d_tile.set((row + 16 * i as u32, column + 16 * j as u32), sums[i][j]));
        });
    }
}

/// A tiled MMA of four warps, two by two, each with two atoms side by side along n.
pub type Mma = TiledMma<Sm80_16x8x16_F16F16F16F16_TN, layout!((2, 2, 1)), tile!(32, 32, 16)>;
/// A copy by 128 threads, four for each row of 32 elements, 16 bytes each, through registers.
type Through = MakeTiledCopy<UniversalCopy<u128>, f16, layout!((32,4):(4,1)), layout!((1, 8))>;
/// The same copy without registers, asynchronously.
type Async =
    MakeTiledCopy<Sm80_CP_ASYNC_CACHEGLOBAL<u128>, f16, layout!((32,4):(4,1)), layout!((1, 8))>;
/// The copies of fragments, two elements per load.
type PairsA = MakeTiledCopyA<UniversalCopy<u32>, f16, Mma>;
type PairsB = MakeTiledCopyB<UniversalCopy<u32>, f16, Mma>;
/// The copies of fragments, four 8×8 matrices per load.
type S2rA = MakeTiledCopyA<Sm75_U32x4_LDSM_N, f16, Mma>;
type S2rB = MakeTiledCopyB<Sm75_U32x4_LDSM_N, f16, Mma>;

/// A tile row after row: eight rows of an 8×8 matrix lie on the same banks, two by two.
pub type Plain = layout!((128,32):(32,1));
layouts! {
    type Atom = composition(Swizzle<3, 3, 3>, (8,32):(32,1));
    /// A tile whose 16-byte chunks are exchanged by the number of their row: eight rows lie on all
    /// 32 banks.
    pub type Swizzled = tile_to_shape(Atom, (128,32));
    /// Three of these tiles.
    pub type Stages = tile_to_shape(Atom, (128,32,3));
    type AtomC = composition(Swizzle<2, 3, 3>, (32,32):(32,1));
    /// Two (32, 32) tiles of D.
    pub type SharedC = tile_to_shape(AtomC, (32,32,2));
}
assert_covers!(mma Mma);
assert_covers!(copy Async);
assert_bank_conflict_free!(write of Stages by Async);
assert_bank_conflict_free!(ldmatrix of Stages by Mma);
assert_bank_conflict_free!(ldmatrix of Stages by Mma, operand B);

macro_rules! one_stage {
    ($(#[$doc:meta])* $name:ident: $smem:ty, $s2r_a:ty, $s2r_b:ty) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// The launch has a block of 128 threads with 16,384 bytes of shared memory for each (128,
        /// 128) tile of D, column by column along x. The matrices are as [the module](self) says.
        #[kernel]
        pub unsafe fn $name(d: *mut f16, a: *const f16, b: *const f16, m: u32, n: u32, k: u32) {
            let (at, thread) = ((block_idx_y(), block_idx_x()), thread_idx_x());
            // SAFETY: by `# Safety` m, n and k are whole tiles of readable A and B and writable D
            // on 16-byte boundaries, and each tile of D has one block, of 4 whole warps, with
            // memory for a tile of A and of B. Barriers separate the writers and the readers of a
            // tile, both ways.
            unsafe {
                let g_a = Tensor::global(a, [m, k], (k.into(), Int::<1>));
                let g_b = Tensor::global(b, [n, k], (k.into(), Int::<1>));
                let g_d = Tensor::global_mut(d, [m, n], (n.into(), Int::<1>));
                let s_a = Tensor::<Shared<f16>, $smem>::shared(dynamic_shared_offset());
                let s_b = Tensor::<Shared<f16>, $smem>::shared(dynamic_shared_offset() + STAGE);
                let a_tiles = g_a.local_tile::<tile!(128, 32), _>((at.0, __));
                let b_tiles = g_b.local_tile::<tile!(128, 32), _>((at.1, __));
                let d_tile = g_d.local_tile::<tile!(128, 128), _>(at);
                let (mma, g2s) = (Mma::get_slice(thread), Through::get_slice(thread));
                let (s2r_a, s2r_b) = (<$s2r_a>::get_slice(thread), <$s2r_b>::get_slice(thread));
                let (from_a, from_b) = (g2s.partition_s(&a_tiles), g2s.partition_s(&b_tiles));
                let (to_a, to_b) = (g2s.partition_d(&s_a), g2s.partition_d(&s_b));
                let (r_a, r_b) = (mma.partition_fragment_a(&s_a), mma.partition_fragment_b(&s_b));
                let sums = mma.partition_fragment_c(&d_tile);
                for step in 0..k / 32 {
                    sync_threads();
                    copy(Through::default(), &from_a.slice((__, __, __, step)), &to_a);
                    copy(Through::default(), &from_b.slice((__, __, __, step)), &to_b);
                    sync_threads();
                    copy(<$s2r_a>::default(), &s2r_a.partition_s(&s_a), &s2r_a.retile_d(&r_a.view()));
                    copy(<$s2r_b>::default(), &s2r_b.partition_s(&s_b), &s2r_b.retile_d(&r_b.view()));
                    gemm(Mma::default(), &r_a.view(), &r_b.view(), &sums.view());
                }
                copy(Single::default(), &sums.view(), &mma.partition_c(&d_tile));
            }
        }
    };
}
one_stage! {
    /// Step 3: uses tensor cores: `mma.sync` instead of a multiply-add per thread, with fragments
    /// by 32-bit loads.
    hgemm_3_mma: Plain, PairsA, PairsB
}
one_stage! {
    /// Step 4: loads fragments by `ldmatrix`, with a quarter of the loads.
    hgemm_4_ldmatrix: Plain, S2rA, S2rB
}
one_stage! {
    /// Step 5: does the same with a swizzled tile, without bank conflicts.
    hgemm_5_swizzle: Swizzled, S2rA, S2rB
}

/// Step 6: has three stages: two tiles are in flight while one is multiplied.
///
/// # Safety
/// The launch has a block of 128 threads with 49,152 bytes of shared memory for each (128, 128)
/// tile of D, column by column along x. The matrices are as [the module](self) says.
#[kernel]
pub unsafe fn hgemm_6_pipeline(d: *mut f16, a: *const f16, b: *const f16, m: u32, n: u32, k: u32) {
    let (at, thread, steps) = ((block_idx_y(), block_idx_x()), thread_idx_x(), k / 32);
    // SAFETY: by `# Safety` m, n and k are whole tiles of readable A and B and writable D on
    // 16-byte boundaries, and each tile of D has one block, of 4 whole warps, with memory for three
    // stages. A stage is filled after the barrier that follows its last reader, and read after a
    // wait and a barrier that follow its fill.
    unsafe {
        let g_a = Tensor::global(a, [m, k], (k.into(), Int::<1>));
        let g_b = Tensor::global(b, [n, k], (k.into(), Int::<1>));
        let g_d = Tensor::global_mut(d, [m, n], (n.into(), Int::<1>));
        let s_a = Tensor::<Shared<f16>, Stages>::shared(dynamic_shared_offset());
        let s_b = Tensor::<Shared<f16>, Stages>::shared(dynamic_shared_offset() + 3 * STAGE);
        let a_tiles = g_a.local_tile::<tile!(128, 32), _>((at.0, __));
        let b_tiles = g_b.local_tile::<tile!(128, 32), _>((at.1, __));
        let d_tile = g_d.local_tile::<tile!(128, 128), _>(at);
        let (mma, g2s) = (Mma::get_slice(thread), Async::get_slice(thread));
        let (s2r_a, s2r_b) = (S2rA::get_slice(thread), S2rB::get_slice(thread));
        let (from_a, from_b) = (g2s.partition_s(&a_tiles), g2s.partition_s(&b_tiles));
        let (to_a, to_b) = (g2s.partition_d(&s_a), g2s.partition_d(&s_b));
        let (t_sa, t_sb) = (s2r_a.partition_s(&s_a), s2r_b.partition_s(&s_b));
        let r_a = mma.partition_fragment_a(&s_a.slice((__, __, 0u32)));
        let r_b = mma.partition_fragment_b(&s_b.slice((__, __, 0u32)));
        let sums = mma.partition_fragment_c(&d_tile);
        let fill = |step: u32, stage: u32| {
            copy(
                Async::default(),
                &from_a.slice((__, __, __, step)),
                &to_a.slice((__, __, __, stage)),
            );
            copy(
                Async::default(),
                &from_b.slice((__, __, __, step)),
                &to_b.slice((__, __, __, stage)),
            );
        };
        unroll::<2>(|stage| {
            fill(stage as u32, stage as u32);
            cp_async_fence();
        });
        for step in 0..steps {
            // Waits for all groups but the newest: then this step's tiles are complete for this
            // thread, and after the barrier for all threads.
            cp_async_wait::<1>();
            sync_threads();
            if step + 2 < steps {
                fill(step + 2, (step + 2) % 3);
            }
            // This is outside the condition, because the wait expects one group per step.
            cp_async_fence();
            let (from_a, from_b) = (
                t_sa.slice((__, __, __, step % 3)),
                t_sb.slice((__, __, __, step % 3)),
            );
            copy(S2rA::default(), &from_a, &s2r_a.retile_d(&r_a.view()));
            copy(S2rB::default(), &from_b, &s2r_b.retile_d(&r_b.view()));
            gemm(Mma::default(), &r_a.view(), &r_b.view(), &sums.view());
        }
        copy(Single::default(), &sums.view(), &mma.partition_c(&d_tile));
    }
}

/// The copy from registers to shared memory, two sums at a time.
type R2s = MakeTiledCopyC<UniversalCopy<u32>, f16, Mma>;
assert_contiguous!(write of SharedC by R2s);
assert_bank_conflict_free!(read of SharedC by Through);

macro_rules! double_buffered {
    ($(#[$doc:meta])* $name:ident, |$sums:ident, $d_tile:ident, $mma:ident, $thread:ident| $store:block) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// The launch has a block of 128 threads with 49,152 bytes of shared memory for each (128,
        /// 128) tile of D, column by column along x. The matrices are as [the module](self) says.
        #[kernel]
        pub unsafe fn $name(d: *mut f16, a: *const f16, b: *const f16, m: u32, n: u32, k: u32) {
            let (at, $thread, steps) = ((block_idx_y(), block_idx_x()), thread_idx_x(), k / 32);
            // SAFETY: by `# Safety` m, n and k are whole tiles of readable A and B and writable D
            // on 16-byte boundaries, and each tile of D has one block, of 4 whole warps, with
            // memory for three stages. A stage is filled after the barrier that follows its last
            // reader, and read after a wait and a barrier that follow its fill. The fragments that
            // are read after the last step are old (k is at least 96, so that every stage has been
            // filled) and are not multiplied.
            unsafe {
                let g_a = Tensor::global(a, [m, k], (k.into(), Int::<1>));
                let g_b = Tensor::global(b, [n, k], (k.into(), Int::<1>));
                let g_d = Tensor::global_mut(d, [m, n], (n.into(), Int::<1>));
                let s_a = Tensor::<Shared<f16>, Stages>::shared(dynamic_shared_offset());
                let s_b = Tensor::<Shared<f16>, Stages>::shared(dynamic_shared_offset() + 3 * STAGE);
                let a_tiles = g_a.local_tile::<tile!(128, 32), _>((at.0, __));
                let b_tiles = g_b.local_tile::<tile!(128, 32), _>((at.1, __));
                let $d_tile = g_d.local_tile::<tile!(128, 128), _>(at);
                let ($mma, g2s) = (Mma::get_slice($thread), Async::get_slice($thread));
                let (s2r_a, s2r_b) = (S2rA::get_slice($thread), S2rB::get_slice($thread));
                let (from_a, from_b) = (g2s.partition_s(&a_tiles), g2s.partition_s(&b_tiles));
                let (to_a, to_b) = (g2s.partition_d(&s_a), g2s.partition_d(&s_b));
                let (t_sa, t_sb) = (s2r_a.partition_s(&s_a), s2r_b.partition_s(&s_b));
                let r_a = $mma.partition_fragment_a(&s_a.slice((__, __, 0u32)));
                let r_b = $mma.partition_fragment_b(&s_b.slice((__, __, 0u32)));
                let (t_ra, t_rb) = (s2r_a.retile_d(&r_a.view()), s2r_b.retile_d(&r_b.view()));
                let $sums = $mma.partition_fragment_c(&$d_tile);
                let fill = |step: u32, stage: u32| {
                    copy(Async::default(), &from_a.slice((__, __, __, step)), &to_a.slice((__, __, __, stage)));
                    copy(Async::default(), &from_b.slice((__, __, __, step)), &to_b.slice((__, __, __, stage)));
                };
                // Reads half of a stage's k into half of the registers.
                let read = |half: u32, stage: u32| {
                    copy(S2rA::default(), &t_sa.slice((__, __, half, stage)), &t_ra.slice((__, __, half)));
                    copy(S2rB::default(), &t_sb.slice((__, __, half, stage)), &t_rb.slice((__, __, half)));
                };
                let multiply = |half: u32| {
                    let (a, b) = (r_a.slice((__, __, half)), r_b.slice((__, __, half)));
                    gemm(Mma::default(), &a, &b, &$sums.view());
                };
                unroll::<2>(|stage| {
                    fill(stage as u32, stage as u32);
                    cp_async_fence();
                });
                cp_async_wait::<1>();
                sync_threads();
                read(0, 0);
                let mut stage = 0;
                for step in 0..steps {
                    read(1, stage);
                    if step + 2 < steps {
                        fill(step + 2, if stage == 0 { 2 } else { stage - 1 });
                    }
                    cp_async_fence();
                    multiply(0);
                    cp_async_wait::<1>();
                    sync_threads();
                    stage = if stage == 2 { 0 } else { stage + 1 };
                    // Reads the next step's first half while this step's second is multiplied.
                    read(0, stage);
                    multiply(1);
                }
                $store
            }
        }
    };
}
double_buffered! {
    /// Step 7: reads fragments one half of a step ahead of their products.
    hgemm_7_registers, |sums, d_tile, mma, thread| {
        copy(Single::default(), &sums.view(), &mma.partition_c(&d_tile));
    }
}
double_buffered! {
    /// Step 8: stores D through shared memory, so that each store to global memory has 16 bytes of
    /// a row. This is the reference configuration of `gpu-kernels`.
    hgemm_8_epilogue, |sums, d_tile, _mma, thread| {
        let (r2s, s2g) = (R2s::get_slice(thread), Through::get_slice(thread));
        let s_c = Tensor::<Shared<f16>, SharedC>::shared(dynamic_shared_offset());
        let from = r2s.retile_s(&sums.view()).group_modes::<int!(1), int!(3)>();
        let (to, t_sc) = (r2s.partition_d(&s_c), s2g.partition_s(&s_c));
        let t_gd = s2g.partition_d(&d_tile).group_modes::<int!(1), int!(3)>();
        unroll::<8>(|pair| {
            // The barrier follows the readers of the stages, and of the previous pair.
            sync_threads();
            unroll::<2>(|j| {
                let tile = (2 * pair + j) as u32;
                copy(R2s::default(), &from.slice((__, tile)), &to.slice((__, 0u32, 0u32, j as u32)));
            });
            sync_threads();
            unroll::<2>(|j| {
                let tile = (2 * pair + j) as u32;
                copy(Through::default(), &t_sc.slice((__, 0u32, 0u32, j as u32)), &t_gd.slice((__, tile)));
            });
        });
    }
}

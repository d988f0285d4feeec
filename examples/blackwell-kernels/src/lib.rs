//! A product on Blackwell's tensor cores: one thread issues it, and the sums are in tensor memory.
//!
//! ```text
//!   128 threads   A, B 128 x 64 ──► shared memory, 128-byte swizzle ── fence.proxy.async, barrier
//!   one thread                     4 x tcgen05.mma (128 x 128 x 16) ── commit ──► mbarrier
//!   128 threads   wait ── tcgen05.ld of a lane each ──► a row of D
//! ```
//!
//! Law: `D = A·Bᵀ` in bf16, summed in f32: A `(m, k)`, B `(n, k)`, D `(m, n)` in f32, row-major, on
//! 16-byte boundaries; `m` and `n` are multiples of 128, `k` of 64. Block `(x, y)` has the tile of
//! rows `128 y` and columns `128 x`.
//!
//! **No card has run it.** `ptxas` assembles it for `sm_100a`, and the emulator executes it with
//! every check. It is the simplest correct kernel, not a fast one: one stage, loads by threads.

#![cfg_attr(target_arch = "nvptx64", no_std)]

use cuda_std::kernel;
use cuda_std::shared::{dynamic_shared_mem, dynamic_shared_offset};
use cuda_std::thread::{block_idx_x, block_idx_y, sync_threads, thread_idx_x};
use cuda_std::warp::sync_warp;
use half::bf16;
use layout_types::arch::barrier::{
    fence_mbarrier_init, fence_proxy_async_shared, mbarrier_init, mbarrier_wait,
};
use layout_types::arch::mma_sm100_umma::{
    tcgen05_after_thread_sync, tcgen05_before_thread_sync, umma_arrive,
};
use layout_types::atom::copy::Sm100_TMEM_LOAD_32dp32b8x as TmemLoad;
use layout_types::atom::gmma::LayoutKSw128Atom;
use layout_types::atom::mma::sm100::Sm100_MMA_F16BF16_SS;
use layout_types::atom::mma::{AtomD, MajorK, UmmaPlainOp};
use layout_types::atom::tmem::allocation::TmemAllocation;
use layout_types::atom::tmem::fragment::OneSm;
use layout_types::atom::umma::UmmaOperand;
use layout_types::prelude::*;
use layout_types::tensor::Tmem;
use layout_types::typenum::U128;

/// A tile's rows and columns of D, and its k.
pub const TILE: [u32; 3] = [128, 128, 64];
/// The number of threads in a block.
pub const THREADS: u32 = 128;
/// The bytes of dynamic shared memory: A, B, the mbarrier and the address of tensor memory.
pub const SHARED_BYTES: u32 = 2 * OPERAND_BYTES + 16;
const OPERAND_BYTES: u32 = 128 * 64 * 2;

/// The instruction, for all 128 rows and columns and for 16 of k.
type Atom = Sm100_MMA_F16BF16_SS<bf16, bf16, f32, U128, U128, MajorK, MajorK>;
/// The layout of D in tensor memory: row m is in lane m, column n in column n.
type D = AtomD<Atom>;
/// The allocated columns of tensor memory, which are D's columns.
type Columns = TmemAllocation<U128, OneSm>;
/// A tile of A, and of B: 128 rows of 128 bytes.
type Smem = TileToShape<LayoutKSw128Atom<bf16>, shape!((128, 64))>;
/// A tile of A, and of B, as the instruction's operand.
type Rows = UmmaOperand<Smem, bf16, MajorK, U128>;
/// Eight columns of a warp's 32 lanes, in the order in which a load moves them.
type EightColumns = layout!((8,32):(1,65536));

/// Computes the product.
///
/// # Safety
/// A, B and D are as the crate says, and D overlaps neither A nor B. The launch has `n / 128` by
/// `m / 128` blocks of [`THREADS`] threads and [`SHARED_BYTES`] bytes of shared memory.
#[kernel(threads = 128)]
pub unsafe fn blackwell_gemm_bf16(a: *const bf16, b: *const bf16, d: *mut f32, n: u32, k: u32) {
    let (shared, memory) = (dynamic_shared_offset(), dynamic_shared_mem::<u8>());
    let (of_b, barrier) = (shared + OPERAND_BYTES, shared + 2 * OPERAND_BYTES);
    let address = barrier + 8;
    let thread = thread_idx_x();
    let (row, column) = (128 * block_idx_y(), 128 * block_idx_x());
    // SAFETY: the parts of shared memory do not overlap. The whole warp 0 allocates and frees. Rows
    // of A and of B are read within the matrices, since `m` and `n` are multiples of 128 and `k` of
    // 64. Each thread writes its own row of the tile after the last products that read the row have
    // committed. Thread 0 issues products after the fence and the barrier. D's columns are read
    // after the wait for the last commit.
    unsafe {
        if thread == 0 {
            mbarrier_init(barrier, 1);
            fence_mbarrier_init();
        }
        sync_warp(u32::MAX);
        if thread < 32 {
            Columns::allocate(address);
        }
        sync_threads();
        let columns = Columns::at(*memory.add((address - shared) as usize).cast());
        let sums: Tensor<Tmem<f32>, D> = columns.tensor::<f32, D, 0>();
        let of_row = |matrix: *const bf16, first: u32| {
            matrix
                .add((first + thread) as usize * k as usize)
                .cast::<u128>()
        };
        let (from_a, from_b) = (of_row(a, row), of_row(b, column));
        let mut k_tile = 0;
        while k_tile < k / 64 {
            let mut chunk = 0;
            while chunk < 8 {
                let at = 2 * Smem::at::<u32, _>((thread, 8 * chunk)) as usize;
                let from = (8 * k_tile + chunk) as usize;
                *memory.add(at).cast() = *from_a.add(from);
                *memory.add(OPERAND_BYTES as usize + at).cast() = *from_b.add(from);
                chunk += 1;
            }
            fence_proxy_async_shared();
            sync_threads();
            if thread == 0 {
                tcgen05_after_thread_sync();
                let mut step = 0;
                while step < 4 {
                    let of = |base| Rows::descriptor(base, (0, step), 0);
                    let adds = u32::from(k_tile + step > 0);
                    Atom::fma(&sums, of(shared), of(of_b), adds);
                    step += 1;
                }
                umma_arrive::<OneSm>(barrier);
            }
            sync_warp(u32::MAX);
            mbarrier_wait(barrier, k_tile % 2);
            k_tile += 1;
        }
        tcgen05_after_thread_sync();
        let to = d.add((row + thread) as usize * n as usize + column as usize);
        let mut block = 0;
        while block < 128 / 8 {
            let from = sums.address() + ((thread / 32 * 32) << 16) + 8 * block;
            let values = TmemLoad::copy(&Tensor::<Tmem<f32>, EightColumns>::tmem(from)).wait();
            let to = to.add(8 * block as usize).cast::<[u32; 4]>();
            let [v0, v1, v2, v3, v4, v5, v6, v7] = values;
            *to = [v0, v1, v2, v3];
            *to.add(1) = [v4, v5, v6, v7];
            block += 1;
        }
        tcgen05_before_thread_sync();
        sync_threads();
        if thread < 32 {
            columns.relinquish();
            columns.free();
        }
    }
}

//! `D = relu(A)·B` of bf16: a GEMM whose loader of A is this crate's own.
//!
//! ```text
//!   begin_load: 16 bytes a load ──► registers      (MMAs meanwhile)      finish_load: relu ──► stage
//! ```
//!
//! Law: after `begin_load`, `finish_load` and the mainloop's wait and barrier, `stage(row, k)` is
//! `relu(A(row, k))` if row and k are in bounds, and zero otherwise. That is the law of
//! [`OperandLoader`], of the matrix `relu(A)`: the collective computes the product of this matrix.
//! Extents and rows of A and B are aligned to 16 bytes; `ReluGemm::CONFIGURATION.plan` gives the
//! launch.

use gpu_kernels::gemm::layouts::{K32, Rows32By128, RowsA, RowsB, Warps22};
use gpu_kernels::gemm::mainloop::{
    LoadedOperand, MatrixOf, Operand, OperandLoader, StagesOf, unit_mode,
};
use gpu_kernels::{gemm_config, gemm_kernel, operand};
use half::bf16;
use layout_types::algorithm::{copy, copy_if, transform_in_place};
use layout_types::atom::{copy::UniversalCopy, mma::Sm80_16x8x16_F32BF16BF16F32_TN};
use layout_types::prelude::*;
use layout_types::tensor::{Fragment, GetSlice};
use layout_types::tiled::MakeTiledCopy;

/// A k tile of A, and its three stages in shared memory.
type TileA = tile!(64, 32);
type StagesA = K32<int!(64), int!(3)>;
/// 128 threads, four per row of 32 elements, 16 bytes each: from global memory to registers, and
/// from registers to a stage.
type CopyA = MakeTiledCopy<UniversalCopy<u128>, u16, layout!((32,4):(4,1)), layout!((1, 8))>;
/// What a thread holds of a k tile, `(CPY, CPY_M, CPY_K)`: eight neighbours in each of two rows.
type HeldA = layout!(((8,1),2,1):((1,0),8,0));
assert_covers!(copy CopyA);
assert_contiguous!(write of StagesA by CopyA);
assert_bank_conflict_free!(write of StagesA by CopyA);

/// A: 64 rows, 32 deep, three stages, loaded by [`ReluLoader`].
pub struct ReluA;
impl Operand for ReluA {
    type Bits = u16;
    type Tile = TileA;
    type Stages = StagesA;
    type Copy = CopyA;
    const LOAD_BYTES: u32 = 16;
}
impl LoadedOperand for ReluA {
    type Loader = ReluLoader;
    const UNIT_MODE: Option<usize> = unit_mode::<CopyA, u16, TileA>();
}

/// Returns the bits of `max(x, 0)`: zero if the sign is set.
#[inline(always)]
fn relu(bits: u16) -> u16 {
    if bits >> 15 == 0 { bits } else { 0 }
}

/// What a thread holds to load k tiles of [`ReluA`].
pub struct ReluLoader {
    matrix: MatrixOf<ReluA>,
    stages: StagesOf<ReluA>,
    /// The tile of rows.
    rows: u32,
    thread: u32,
    /// The elements between their load and their store.
    held: Fragment<u16, HeldA>,
}
impl OperandLoader<ReluA> for ReluLoader {
    #[inline(always)]
    fn new(matrix: MatrixOf<ReluA>, stages: &StagesOf<ReluA>, at: (u32, u32), thread: u32) -> Self {
        Self {
            matrix,
            stages: *stages,
            rows: at.0,
            thread,
            held: Fragment::new(),
        }
    }
    #[inline(always)]
    unsafe fn begin_load(&mut self, k_tile: u32, _stage: u32) {
        // Zeros, which stay where the predicate is false.
        self.held = Fragment::new();
        // SAFETY: the caller keeps A readable, and `copy_if` loads only vectors that are in bounds.
        // The plan refuses an A whose address, k or rows are no multiples of 16 bytes, so a vector
        // is aligned, and in bounds with all of its elements or with none.
        unsafe {
            let matrix = self.matrix.tensor::<CopyA, TileA>();
            let g_a = matrix.local_tile::<TileA, _>((self.rows, k_tile));
            let t_ag = CopyA::get_slice(self.thread).partition_s(&g_a); // (CPY, CPY_M, CPY_K)
            copy_if(
                CopyA::default(),
                t_ag.atoms_inside(),
                &t_ag,
                &self.held.view(),
            );
        }
    }
    #[inline(always)]
    unsafe fn finish_load(&self, stage: u32) {
        transform_in_place(&self.held.view(), relu);
        let thread = CopyA::get_slice(self.thread);
        let t_as = thread.partition_d(&self.stages).slice((__, __, __, stage)); // (CPY, CPY_M, CPY_K)
        let held = thread.retile_s(&self.held.view()); // (CPY, CPY_M, CPY_K)
        // SAFETY: the caller keeps the stage free, and each thread writes its own elements of it.
        unsafe { copy(CopyA::default(), &held, &t_as) };
    }
}

type Mma = Warps22<Sm80_16x8x16_F32BF16BF16F32_TN>;

operand! {
    /// B: 96 rows, 32 deep, three stages, by cp.async.
    PlainB: u16, tile tile!(96, 32), stages K32<int!(96), int!(3)>, CpAsyncRows 16 by Rows32By128;
}
gemm_config! {
    /// The configuration.
    ReluGemm {
        kernel: "gemm_bf16_f32_tn_64x96x32_s3_relu_a",
        input: Bf16 bf16, accumulator: F32 f32, output: bf16, majors: Tn,
        mma: Mma,
        tile: (64, 96, 32), warps: (2, 2), stages: 3, k_blocks: 2,
        a: ReluA, read by RowsA<Mma>,
        b: PlainB, read by RowsB<Mma>,
        registers: 48,
        epilogue: Chunk32x32 6 of 1, 6 of 1
    }
}
gemm_kernel! { gemm_bf16_f32_tn_64x96x32_s3_relu_a: ReluGemm }

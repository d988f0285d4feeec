//! The configurations: which layouts, copies and instructions each kernel is made of.
//!
//! ```text
//!   K-major     Sw<3,3,3> o (8,32):(32,1)     rows of k         ldmatrix
//!   MN-major    Sw<3,3,3> o (64,8):(1,64)     columns of m, n   ldmatrix.trans
//! ```
//!
//! Law: those of [`super::operand`] and [`super::config`], asserted at each entry.

use super::abi::{Parameters, flags};
use super::config::{GemmConfig, Outputs, StagesOf, gemm_config};
use super::operand::{Matrix, Operand, TilesOf, operand};
use super::problem::{Configuration, InputType, Majors, SumType};
use super::words::{EightOf, Narrow, RoundPairs, Sum, gelu, opaque};
use cuda_std::thread::sync_threads;
use half::{bf16, f16};
use layout_types::algorithm::{
    clear, copy, copy_if, cp_async_wait, gemm, transform, transform_with,
};
use layout_types::atom::copy::{
    AutoVectorizingCopy, Sm75_U32x4_LDSM_N, Sm80_CP_ASYNC_CACHEGLOBAL_ZFILL, UniversalCopy,
};
use layout_types::atom::mma::Sm80_16x8x16_F16F16F16F16_TN;
use layout_types::prelude::*;
use layout_types::tensor::{Fragment, Global, PartitionLayout, ReadOnly, Shared, ThrCopy};
use layout_types::tiled::{
    CopyPartitionOf, Destination, MakeTiledCopy, MakeTiledCopyA, MakeTiledCopyB, MakeTiledCopyC,
    OperandA, OperandB, OperandC, PartitionFragmentOf, Source, TiledMma, TiledMmaTraits,
};
use typenum::Unsigned;

type Bits<O> = <O as Operand>::Bits;
/// One stage of an operand.
type Stage<O> = Slice<<O as Operand>::Stages, coord!(_, _, 0)>;
/// The registers of a thread's sums of a tile.
type SumsOf<Mma, Tile> = PartitionFragmentOf<Mma, OperandC, Tile>;
/// A thread's saved sums: vectors of four registers, a vector of each thread side by side.
type PartOf<Registers, WarpsM, WarpsN> =
    Layout<shape!((4, Quarter<Registers>)), shape!((1, Prod<int!(128), Prod<WarpsM, WarpsN>>))>;
type VectorsOf<Registers> = layout!((4, Quarter<Registers>));
type Quarter<N> = <N as core::ops::Shr<int!(2)>>::Output;
type Prod<A, B> = <A as core::ops::Mul<B>>::Output;

/// Rows of 32 elements of 16 bits.
type K32<Rows, Stages> =
    TileToShape<Composition<Swizzle<3, 3, 3>, layout!((8,32):(32,1))>, shape!((Rows, 32, Stages))>;
/// 128 threads, four a row of 32 elements of 16 bits, 16 bytes each.
type Rows32By128 = MakeTiledCopy<
    Sm80_CP_ASYNC_CACHEGLOBAL_ZFILL<u128>,
    u16,
    layout!((32,4):(4,1)),
    layout!((1, 8)),
>;

operand! {
    /// 128 rows, 32 deep, three stages, by 128 threads.
    K128x32x3: u16, tile tile!(128, 32), copies 4, stages K32<int!(128), int!(3)>, asynchronous 16 by Rows32By128;
}

type MmaF16F16 = TiledMma<Sm80_16x8x16_F16F16F16F16_TN, layout!((2, 2, 1)), tile!(32, 32, 16)>;

gemm_config! {
    /// The configuration of the walk-throughs.
    Reference = "gemm_f16_f16_tn_128x128x32_s3" {
        input: F16 f16,
        sums: F16 f16,
        output: f16, by pairs,
        majors: Tn,
        mma: MmaF16F16,
        tile: (128, 128, 32), warps: (2, 2),
        stages: 3, blocks: 2,
        a: K128x32x3, read by MakeTiledCopyA<Sm75_U32x4_LDSM_N, u16, MmaF16F16>,
        b: K128x32x3, read by MakeTiledCopyB<Sm75_U32x4_LDSM_N, u16, MmaF16F16>,
        registers: 64,
        epilogue: chunk_32x32 2 of 8, 8 of 2
    }
}
const _: () = {
    assert_bank_conflict_free!(ldmatrix of K32<int!(128), int!(3)> by MmaF16F16);
    assert_bank_conflict_free!(ldmatrix of K32<int!(128), int!(3)> by MmaF16F16, operand B);
};

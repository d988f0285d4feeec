//! The configurations: the layouts, tiled copies and tiled MMAs of each kernel.
//!
//! ```text
//!   K-major     Sw<3,3,3> o (8,32):(32,1)     rows of k         ldmatrix
//!   MN-major    Sw<3,3,3> o (64,8):(1,64)     columns of m, n   ldmatrix.trans
//! ```
//!
//! Law: those of [`super::mainloop::operand`] and [`super::config`], asserted at each entry.

// What all configurations are made of is not all in use where only some are built, and the host's library and the GPU's use
// different parts of it.
#![allow(dead_code, unused_imports, unused_macros)]

#[cfg(feature = "gemm-bf16")]
mod bf16;
#[cfg(feature = "gemm-f16")]
mod f16;
mod reference;
#[cfg(feature = "gemm-s8")]
mod s8;
#[cfg(feature = "gemm-tf32")]
mod tf32;

#[cfg(feature = "gemm-bf16")]
pub use bf16::*;
#[cfg(feature = "gemm-f16")]
pub use f16::*;
pub use reference::Reference;
#[cfg(feature = "gemm-s8")]
pub use s8::*;
#[cfg(feature = "gemm-tf32")]
pub use tf32::*;

use super::config::{GemmConfig, StagesOf};
use super::epilogue::element::{
    EightOf, ElementAccumulator, ElementD, RoundPairs, gelu, tf32_from_f32,
};
use super::intrinsics::{opaque, thread_here};
use super::mainloop::GlobalMatrix;
use super::mainloop::operand::{Operand, TilesAlongK, operand};
use super::params::EpiloguePointers;
use cuda_std::thread::sync_threads;
use kernel_abi::gemm::{AccumulatorType, Configuration, GemmParams, InputType, Majors, flags};
use layout_types::algorithm::{
    clear, copy, copy_if, cp_async_wait, gemm, transform, transform_with,
};
use layout_types::arch::mov::here;
#[cfg(target_feature = "compute_90")]
use layout_types::atom::copy::Sm90_U32x4_STSM_N;
use layout_types::atom::copy::{
    AutoVectorizingCopy, Sm75_U16x8_LDSM_T, Sm75_U32x4_LDSM_N, Sm80_CP_ASYNC_CACHEALWAYS_ZFILL,
    Sm80_CP_ASYNC_CACHEGLOBAL_ZFILL, UniversalCopy,
};
use layout_types::atom::element::TFloat32;
use layout_types::atom::mma::{
    Sm80_16x8x8_F32TF32TF32F32_TN, Sm80_16x8x16_F16F16F16F16_TN, Sm80_16x8x16_F32BF16BF16F32_TN,
    Sm80_16x8x16_F32F16F16F32_TN, Sm80_16x8x32_S32S8S8S32_TN,
};
use layout_types::prelude::*;
use layout_types::tensor::{
    Fragment, Global, PartitionLayout, ReadOnly, Shared, ThrCopy, make_fragment_like,
};
use layout_types::tiled::{
    CopyPartitionOf, Destination, MakeTiledCopy, MakeTiledCopyA, MakeTiledCopyB, MakeTiledCopyC,
    OperandA, OperandB, OperandC, PartitionFragmentOf, Source, TiledMma, TiledMmaTraits,
};
use typenum::Unsigned;

type Bits<O> = <O as Operand>::Bits;
/// One stage of an operand.
type Stage<O> = Slice<<O as Operand>::Stages, coord!(_, _, 0)>;
/// A thread's accumulator of a tile.
type AccumulatorOf<Mma, Tile> = PartitionFragmentOf<Mma, OperandC, Tile>;
/// A thread's part of a saved partial tile, `(register, vector, group)`: a vector of every thread stands side by side.
type PartialTileOf<Registers, WarpsM, WarpsN> = Layout<
    shape!((4, 4, GroupCount<Registers>)),
    shape!((
        1,
        Prod<int!(128), Prod<WarpsM, WarpsN>>,
        Prod<int!(512), Prod<WarpsM, WarpsN>>
    )),
>;
type GroupsOf<Registers> = layout!((4, 4, GroupCount<Registers>));
type GroupCount<Registers> = <Registers as core::ops::Shr<int!(4)>>::Output;
type Prod<A, B> = <A as core::ops::Mul<B>>::Output;

/// Rows of 32 elements of 16 bits.
type K32<Rows, Stages> =
    TileToShape<Composition<Swizzle<3, 3, 3>, layout!((8,32):(32,1))>, shape!((Rows, 32, Stages))>;
/// Rows of 64 elements of 16 bits: each is all banks.
type K64<Rows, Stages> =
    TileToShape<Composition<Swizzle<3, 3, 3>, layout!((8,64):(64,1))>, shape!((Rows, 64, Stages))>;

/// 16 bytes to shared memory, or zeros.
type Async16 = Sm80_CP_ASYNC_CACHEGLOBAL_ZFILL<u128>;
/// 128 threads, four a row of 32 elements of 16 bits, 16 bytes each.
type Rows32By128 = MakeTiledCopy<Async16, u16, layout!((32,4):(4,1)), layout!((1, 8))>;
/// 128 threads, eight a row of 64 elements.
type Rows64By128 = MakeTiledCopy<Async16, u16, layout!((16,8):(8,1)), layout!((1, 8))>;
/// 256 threads, eight a row of 64 elements.
type Rows64By256 = MakeTiledCopy<Async16, u16, layout!((32,8):(8,1)), layout!((1, 8))>;

/// Columns of 64 elements of 16 bits, side by side along m or n.
type Mn64<Rows, Stages> =
    TileToShape<Composition<Swizzle<3, 3, 3>, layout!((64,8):(1,64))>, shape!((Rows, 64, Stages))>;
/// 128 threads, eight a column of 64 elements.
type Columns64By128 = MakeTiledCopy<Async16, u16, layout!((8,16):(1,8)), layout!((8, 1))>;
/// Stores the rounded accumulator to shared memory: by stmatrix where the kernels are built for sm_90, else pairs of elements.
#[cfg(target_feature = "compute_90")]
type StorePairs = Sm90_U32x4_STSM_N;
#[cfg(not(target_feature = "compute_90"))]
type StorePairs = UniversalCopy<u32>;
/// Loads element by element; two neighbours of a thread are stored to shared memory together.
type ElementWiseU16<Op> =
    MakeTiledCopy<UniversalCopy<Op>, u16, layout!((8,16):(16,1)), layout!((1, 2))>;

/// Chunks of (32, 32) elements of 16 bits on their way to D.
pub type Chunks32x32<Pipe> =
    TileToShape<Composition<Swizzle<2, 3, 3>, layout!((32,32):(32,1))>, shape!((32, 32, Pipe))>;
/// Chunks of (32, 64).
type Chunks32x64<Pipe> =
    TileToShape<Composition<Swizzle<3, 3, 3>, layout!((32,64):(64,1))>, shape!((32, 64, Pipe))>;

operand! {
    /// 128 rows, 32 deep, three stages, by 128 threads.
    K128x32x3: u16, tile tile!(128, 32), stages K32<int!(128), int!(3)>, cp_async_mask 16 by Rows32By128;
}
#[cfg(any(feature = "gemm-f16", feature = "gemm-bf16"))]
operand! {
    /// 128 rows, 64 deep, four stages, by 256 threads.
    K128x64x4By256: u16, tile tile!(128, 64), stages K64<int!(128), int!(4)>, cp_async_rows 16 by Rows64By256;
    /// 256 rows, 64 deep, four stages, by 256 threads.
    K256x64x4By256: u16, tile tile!(256, 64), stages K64<int!(256), int!(4)>, cp_async_rows 16 by Rows64By256;
    /// 128 rows, 64 deep, three stages, by 256 threads.
    K128x64x3By256: u16, tile tile!(128, 64), stages K64<int!(128), int!(3)>, cp_async_rows_recompute 16 by Rows64By256;
    /// 256 rows, 64 deep, three stages, by 256 threads.
    K256x64x3By256: u16, tile tile!(256, 64), stages K64<int!(256), int!(3)>, cp_async_rows_recompute 16 by Rows64By256;
    /// 64 rows, 64 deep, four stages, by 128 threads.
    K64x64x4: u16, tile tile!(64, 64), stages K64<int!(64), int!(4)>, cp_async_rows 16 by Rows64By128;
    /// 128 rows, 64 deep, three stages, by 128 threads.
    K128x64x3: u16, tile tile!(128, 64), stages K64<int!(128), int!(3)>, cp_async_rows 16 by Rows64By128;
    /// 128 columns of m or n, 64 deep, three stages, by 128 threads.
    Mn128x64x3: u16, tile tile!(128, 64), stages Mn64<int!(128), int!(3)>, cp_async 16 by Columns64By128;
    /// 128 rows, 32 deep, three stages, element by element.
    Any128x32x3: u16, tile tile!(128, 32), stages K32<int!(128), int!(3)>,
        registers 2 by ElementWiseU16<u16>, through ElementWiseU16<u32>, fragment layout!(((1,2),16,1):((0,1),2,0));
    /// 64 rows, 32 deep, three stages, element by element.
    Any64x32x3: u16, tile tile!(64, 32), stages K32<int!(64), int!(3)>,
        registers 2 by ElementWiseU16<u16>, through ElementWiseU16<u32>, fragment layout!(((1,2),8,1):((0,1),2,0));
}

/// Four warps, two by two.
type Warps22<Atom> = TiledMma<Atom, layout!((2, 2, 1)), tile!(32, 32, 16)>;
/// Eight warps, two by four.
type Warps24<Atom> = TiledMma<Atom, layout!((2, 4, 1)), tile!(32, 64, 16)>;
type F16F16 = Sm80_16x8x16_F16F16F16F16_TN;
type F16F32 = Sm80_16x8x16_F32F16F16F32_TN;
type Bf16F32 = Sm80_16x8x16_F32BF16BF16F32_TN;
/// Fragments of A and of B, from rows of k.
type RowsA<Mma, Bits = u16> = MakeTiledCopyA<Sm75_U32x4_LDSM_N, Bits, Mma>;
type RowsB<Mma, Bits = u16> = MakeTiledCopyB<Sm75_U32x4_LDSM_N, Bits, Mma>;
/// The same from columns of m and n.
type ColumnsA<Mma> = MakeTiledCopyA<Sm75_U16x8_LDSM_T, u16, Mma>;
type ColumnsB<Mma> = MakeTiledCopyB<Sm75_U16x8_LDSM_T, u16, Mma>;

/// The stages' ldmatrix accesses have no bank conflicts, with either arrangement of warps.
#[cfg(not(target_arch = "nvptx64"))]
const _: () = {
    assert_bank_conflict_free!(ldmatrix of K32<int!(128), int!(3)> by Warps22<F16F16>);
    assert_bank_conflict_free!(ldmatrix of K32<int!(128), int!(3)> by Warps22<F16F16>, operand B);
};
#[cfg(all(
    any(feature = "gemm-f16", feature = "gemm-bf16"),
    not(target_arch = "nvptx64")
))]
const _: () = {
    assert_bank_conflict_free!(ldmatrix of K64<int!(64), int!(4)> by Warps22<F16F32>);
    assert_bank_conflict_free!(ldmatrix of K64<int!(64), int!(4)> by Warps22<F16F32>, operand B);
    assert_bank_conflict_free!(ldmatrix of K64<int!(128), int!(4)> by Warps24<F16F32>);
    assert_bank_conflict_free!(ldmatrix of K64<int!(256), int!(4)> by Warps24<F16F32>, operand B);
    assert_bank_conflict_free!(ldmatrix.trans of Mn64<int!(128), int!(3)> by Warps22<Bf16F32>);
    assert_bank_conflict_free!(ldmatrix.trans of Mn64<int!(128), int!(3)> by Warps22<Bf16F32>, operand B);
};

//! The configuration of the GEMM: who holds what, as types. No kernel below computes an index.
//!
//! ```text
//!   TileK (128,32) ─ G2s ──────► SharedTiles Sw<2,3,3> o (128,32,4)        cp.async, 16 bytes a thread
//!   SharedTiles    ─ S2rA, S2rB ─► FragmentA, FragmentB                    ldmatrix.x4
//!   fragments      ─ Mma ──────► FragmentC ─ R2g ──► TileMn (128,128)      mma.sync.m16n8k16, then pairs
//! ```
//!
//! Law: each thread-value layout covers its tile exactly once, every vector is contiguous and aligned through the swizzle, and
//! shared memory is accessed without bank conflicts: asserted below, where the types are made.

use half::{bf16, f16};
use layout_types::algorithm::GemmBy;
use layout_types::atom::MmaAtom;
use layout_types::atom::copy::{Sm75_U32x4_LDSM_N, Sm80_CP_ASYNC_CACHEGLOBAL_ZFILL, UniversalCopy};
use layout_types::atom::mma::{
    MmaOp, Sm80_16x8x16_F32BF16BF16F32_TN, Sm80_16x8x16_F32F16F16F32_TN,
};
use layout_types::prelude::*;
use layout_types::tensor::{Fragment, Global, Plain, ReadOnly, ReadWrite, Shared};
use layout_types::tiled::{
    MakeTiledCopy, MakeTiledCopyA, MakeTiledCopyB, MakeTiledCopyC, OperandA, OperandB, OperandC,
    PartitionFragmentOf, TiledMma, TiledMmaTraits,
};
use typenum::{U16, Unsigned};

/// The tiler of A and B: rows, and steps of k.
pub type TileK = tile!(128, 32);
/// The tiler of D.
pub type TileMn = tile!(128, 128);

layouts! {
    /// Eight rows of a tile: the four 16-byte chunks of a row are exchanged by its number, so that the eight rows of an
    /// `ldmatrix` matrix lie on all 32 banks.
    pub type SharedAtom = composition(Swizzle<2, 3, 3>, (8,32):(32,1));
    /// The tiles of A or of B, four stages.
    pub type SharedTiles = tile_to_shape(SharedAtom, (128,32,4));
}

/// Four warps, two by two, with two 16-wide columns of atoms each along N.
pub type Tiled<Atom> = TiledMma<Atom, layout!((2, 2, 1)), tile!(32, 32, 16)>;
/// The tiled MMA of f16; that of bf16 differs in the instruction only, not in a layout.
pub type Mma = Tiled<Sm80_16x8x16_F32F16F16F32_TN>;

/// Global to shared: four threads a row, 16 bytes each; zeros where the matrix ends.
pub type G2s = MakeTiledCopy<
    Sm80_CP_ASYNC_CACHEGLOBAL_ZFILL<u128>,
    u16,
    layout!((32,4):(4,1)),
    layout!((1, 8)),
>;
/// Global to registers, element by element, the same elements for the same threads.
pub type G2r = MakeTiledCopy<UniversalCopy<u16>, u16, layout!((32,4):(4,1)), layout!((1, 8))>;
/// Registers to shared, what [`G2r`] brought.
pub type R2s = MakeTiledCopy<UniversalCopy<u128>, u16, layout!((32,4):(4,1)), layout!((1, 8))>;
/// Shared to fragments of A.
pub type S2rA = MakeTiledCopyA<Sm75_U32x4_LDSM_N, u16, Mma>;
/// Shared to fragments of B.
pub type S2rB = MakeTiledCopyB<Sm75_U32x4_LDSM_N, u16, Mma>;
/// Sums to global memory, `Op` at a time, in elements of type `T`.
pub type R2g<Op, T> = MakeTiledCopyC<UniversalCopy<Op>, T, Mma>;

/// One stage of [`SharedTiles`].
type Stage = Slice<SharedTiles, coord!(_, _, 0)>;
/// The registers of a thread's part of A's tile.
pub type FragmentA = PartitionFragmentOf<Mma, OperandA, Stage>;
/// The registers of a thread's part of B's tile.
pub type FragmentB = PartitionFragmentOf<Mma, OperandB, Stage>;
/// The registers of a thread's part of D's tile.
pub type FragmentC = PartitionFragmentOf<Mma, OperandC, layout!((128,128):(1@0,1@1))>;

/// A thread's sums.
pub type Sums = Fragment<f32, FragmentC, OperandC>;
/// A block's rows of A or B: all tiles along k.
pub type Tiles = Tensor<Global<u16, ReadOnly, 2>, TilesLayout>;
/// `(128,32,ceil_div(ext1,32))`.
pub type TilesLayout =
    <RaggedIdentity<int!(2)> as layout_types::tensor::LocalTile<TileK, (u32, Underscore)>>::Output;
/// The block's tile of D.
pub type TileD<T> = Tensor<Global<T, ReadWrite, 2>, layout!((128,128):(1@0,1@1))>;
/// All stages of A or B in shared memory.
pub type Stages = Tensor<Shared<u16>, SharedTiles>;

/// A type of input elements: the MMA that multiplies it.
pub trait Element: Plain + layout_types::atom::Element<Bits = U16> {
    /// The tiled MMA, of [`Mma`]'s layouts.
    type Mma: TiledMmaTraits<Atom: MmaOp + MmaAtom<ValTypeA = Self, ValTypeB = Self, ValTypeC = f32>>
        + GemmBy<Step<FragmentA>, Step<FragmentB>, FragmentC>;
}
/// One step of a fragment along k.
pub type Step<Fragment> = Slice<Fragment, (Underscore, Underscore, u32)>;

impl Element for f16 {
    type Mma = Mma;
}
impl Element for bf16 {
    type Mma = Tiled<Sm80_16x8x16_F32BF16BF16F32_TN>;
}

assert_covers!(copy G2s);
assert_covers!(mma Mma);
assert_contiguous!(read of layout!((128,32):(1@0,1@1)) by G2s);
assert_contiguous!(write of SharedTiles by G2s);
assert_contiguous!(read of SharedTiles by S2rA);
assert_contiguous!(read of SharedTiles by S2rB);
assert_contiguous!(write of layout!((128,128):(1@0,1@1)) by R2g<u32, u16>);
assert_bank_conflict_free!(write of SharedTiles by G2s);
assert_bank_conflict_free!(ldmatrix of SharedTiles by Mma);
assert_bank_conflict_free!(ldmatrix of SharedTiles by Mma, operand B);
assert_supports!(int!(80), Sm80_16x8x16_F32F16F16F32_TN);
const _: () = {
    assert!(<Mma as TiledMmaTraits>::THREADS == super::THREADS as usize);
    assert!(<Mma as TiledMmaTraits>::TileK::USIZE == 16);
    assert!(2 * Stages::BYTES == super::SHARED_BYTES as usize);
    assert!(SharedTiles::SIZE == (super::STAGES * super::TILE_M * super::TILE_K) as usize);
};

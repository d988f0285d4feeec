//! The whole configuration of a multistage half-precision GEMM, as a kernel's author writes it,
//! with every assertion that there is.
#![allow(dead_code)]

use half::f16;
use layout_types::atom::copy::{Sm75_U32x4_LDSM_N, Sm80_CP_ASYNC_CACHEGLOBAL, UniversalCopy};
use layout_types::atom::mma::Sm80_16x8x16_F16F16F16F16_TN;
use layout_types::prelude::*;
use layout_types::tiled::*;

layouts! {
    type SmemAtom = composition(Swizzle<3, 3, 3>, (8,32):(32,1));
    type Smem = tile_to_shape(SmemAtom, (128,32,3));
    type SmemAtomC = composition(Swizzle<2, 3, 3>, (32,32):(32,1));
    type SmemC = tile_to_shape(SmemAtomC, (32,32,2));
}
type Mma = TiledMma<Sm80_16x8x16_F16F16F16F16_TN, layout!((2, 2, 1)), tile!(32, 32, 16)>;
type G2s =
    MakeTiledCopy<Sm80_CP_ASYNC_CACHEGLOBAL<u128>, f16, layout!((32,4):(4,1)), layout!((1, 8))>;
type S2rA = MakeTiledCopyA<Sm75_U32x4_LDSM_N, f16, Mma>;
type S2rB = MakeTiledCopyB<Sm75_U32x4_LDSM_N, f16, Mma>;
type R2s = MakeTiledCopyC<UniversalCopy<u32>, f16, Mma>;
type S2g = MakeTiledCopy<UniversalCopy<u128>, f16, layout!((32,4):(4,1)), layout!((1, 8))>;

// Global memory: the strides are run-time values, and the tiles are those of the CTA.
type Global = layout!((128,32):(1@0,1@1));
type GlobalD = layout!((128,128):(1@0,1@1));
type Rows = layout!((128,32):(32,1));
type RowsD = layout!((128,128):(128,1));
type FrgA = PartitionFragmentOf<Mma, OperandA, Rows>;
type FrgB = PartitionFragmentOf<Mma, OperandB, Rows>;
type FrgD = PartitionFragmentOf<Mma, OperandC, RowsD>;

assert_supports!(
    80,
    Sm80_16x8x16_F16F16F16F16_TN,
    Sm75_U32x4_LDSM_N,
    Sm80_CP_ASYNC_CACHEGLOBAL<u128>
);
assert_divides!(Smem, (32, 16));
assert_covers!(copy G2s);
assert_covers!(copy S2g);
assert_covers!(mma Mma);
assert_contiguous!(read of Global by G2s);
assert_contiguous!(write of Smem by G2s);
assert_contiguous!(write of SmemC by R2s);
assert_contiguous!(read of SmemC by S2g);
assert_contiguous!(write of GlobalD by S2g);
assert_bank_conflict_free!(ldmatrix of Smem by Mma);
assert_bank_conflict_free!(ldmatrix of Smem by Mma, operand B);
assert_bank_conflict_free!(write of Smem by G2s);
assert_bank_conflict_free!(write of SmemC by R2s);
assert_bank_conflict_free!(read of SmemC by S2g);
assert_layout_eq!(FrgA, ((2,2,2),4,2):((1,2,4),16,8));
assert_layout_eq!(FrgD, ((2,2),4,8):((1,2),4,16));
assert_layout_eq!(RetileOf<S2rA, FrgA>, ((8,1),4,2):((1,0),16,8));
assert_layout_eq!(RetileOf<S2rB, FrgB>, (((4,2),1),4,2):(((1,8),0),16,4));
assert_layout_eq!(RetileOf<R2s, FrgD>, ((2,(2,2)),4,4):((1,(2,16)),4,32));
const _: () = {
    assert!(CopyPartitionOf::<S2rA, Source, Smem>::SIZE == 192);
    assert!(CopyPartitionOf::<S2rB, Source, Smem>::SIZE == 192);
    assert!(PartitionOf::<Mma, OperandC, GlobalD>::SIZE == 128);
    assert!(Group::<CopyPartitionOf<S2g, Destination, GlobalD>, int!(1), int!(3)>::SIZE == 128);
};

//! Checks bank conflicts of tiled copies: compares the check's result for a partition with the
//! words that each lane touches.

use half::f16;
use layout_types::atom::copy::*;
use layout_types::atom::mma::*;
use layout_types::check::{Parts, Reflect, conflict_free_parts};
use layout_types::prelude::*;
use layout_types::tiled::*;
use std::collections::{BTreeMap, BTreeSet};
use typenum::Unsigned;

type Mma = TiledMma<Sm80_16x8x16_F16F16F16F16_TN, layout!((2, 2, 1)), tile!(32, 32, 16)>;
type Behind<const B: usize, L> = Composition<Swizzle<B, 3, 3>, L>;
type Plain = layout!((128,32):(32,1));
type SmemA = TileToShape<Behind<2, layout!((8,32):(32,1))>, shape!((128, 32, 3))>;
type SmemC = TileToShape<Behind<2, layout!((32,32):(32,1))>, shape!((32, 32, 2))>;
type ByRows<Op> = MakeTiledCopy<Op, f16, layout!((32,4):(4,1)), layout!((1, 8))>;
type Transposed = TileToShape<Behind<3, layout!((64,8):(1,64))>, shape!((64, 32))>;
trait Config {
    type Mma;
    type Smem;
}
struct Hgemm;
impl Config for Hgemm {
    type Mma = Mma;
    type Smem = SmemA;
}

assert_bank_conflict_free!(ldmatrix of SmemA by Mma);
assert_bank_conflict_free!(ldmatrix.x2 of SmemA by Mma, operand A);
assert_bank_conflict_free!(ldmatrix of <Hgemm as Config>::Smem by <Hgemm as Config>::Mma, operand B);
assert_bank_conflict_free!(ldmatrix.trans of Transposed by Mma);
assert_bank_conflict_free!(ldmatrix.x2.trans of Transposed by Mma, operand B);
assert_bank_conflict_free!(stmatrix of SmemC by Mma);
assert_bank_conflict_free!(write of SmemA by ByRows<Sm80_CP_ASYNC_CACHEGLOBAL<u128>>);
assert_bank_conflict_free!(read of SmemC by ByRows<UniversalCopy<u128>>);
assert_bank_conflict_free!(write of SmemC by MakeTiledCopyC<UniversalCopy<u32>, f16, Mma>);

/// Returns the passes of the worst phase.
fn passes<C, Side, L>() -> usize
where
    C: CopiesVectors<Side, L>,
    L: LayoutFn,
{
    let bytes = C::Vector::USIZE * size_of::<C::Element>();
    let (lanes, bits) = (
        if bytes > 4 { 128 / bytes } else { 32 },
        8 * size_of::<C::Element>(),
    );
    let mut most = 0;
    for value in (0..CopyPartitionOf::<C, Side, L>::SIZE).step_by(C::Vector::USIZE) {
        for from in (0..C::THREADS).step_by(lanes) {
            let mut banks: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
            for thread in from..(from + lanes).min(C::THREADS) {
                let start = thread_offset::<CopyThreadOf<C, Side, L>, usize>(thread);
                for i in 0..C::Vector::USIZE {
                    let offset = L::swizzled(
                        start + thread_offset::<CopyPartitionOf<C, Side, L>, usize>(value + i),
                    );
                    let word = offset * bits / 32;
                    banks.entry(word % 32).or_default().insert(word);
                }
            }
            most = most.max(banks.values().map(BTreeSet::len).max().unwrap());
        }
    }
    most
}

/// Returns the check's result: 1, or the number of passes in its sentence.
fn said<C, Side, L>() -> usize
where
    C: CopiesVectors<Side, L>,
    L: Reflect,
    CopyThreadOf<C, Side, L>: Reflect,
    CopyPartitionOf<C, Side, L>: Reflect,
{
    match conflict_free_parts("access", &Parts::of::<C, Side, L>()) {
        Ok(()) => 1,
        Err(text) => {
            let text = text.as_str();
            let mut parts = text.split("; ");
            let passes = parts.find_map(|part| part.strip_suffix(" passes for the worst phase"));
            passes.unwrap().parse().unwrap()
        }
    }
}

macro_rules! compare {
    ($($copy:ty, $side:ident, $layout:ty, $passes:literal;)*) => {$({
        let counted = passes::<$copy, $side, $layout>();
        assert_eq!(counted, $passes, concat!(stringify!($copy), " ", stringify!($layout)));
        assert_eq!(said::<$copy, $side, $layout>(), counted, concat!(stringify!($copy), " ", stringify!($layout)));
    })*};
}

type LdmA<Op> = MakeTiledCopyA<Op, f16, Mma>;
type LdmB<Op> = MakeTiledCopyB<Op, f16, Mma>;
type StmC<Op> = MakeTiledCopyC<Op, f16, Mma>;

#[test]
fn the_check_counts_what_the_lanes_touch() {
    compare! {
        LdmA<Sm75_U32x4_LDSM_N>, Source, SmemA, 1;
        LdmA<Sm75_U32x4_LDSM_N>, Source, Plain, 4;
        LdmA<Sm75_U32x1_LDSM_N>, Source, Plain, 4;
        LdmB<Sm75_U32x2_LDSM_N>, Source, Plain, 4;
        LdmB<Sm75_U32x4_LDSM_N>, Source, Behind<1, Plain>, 2;
        LdmA<Sm75_U32x4_LDSM_N>, Source, layout!((128,32):(40,1)), 1;
        LdmA<Sm75_U16x8_LDSM_T>, Source, Transposed, 1;
        LdmA<Sm75_U16x8_LDSM_T>, Source, layout!((64,32):(1,64)), 8;
        StmC<Sm90_U32x4_STSM_N>, Destination, SmemC, 1;
        StmC<Sm90_U32x2_STSM_N>, Destination, layout!((32,64):(64,1)), 8;
        StmC<UniversalCopy<u32>>, Destination, layout!((32,32):(32,1)), 4;
        StmC<UniversalCopy<u16>>, Destination, layout!((32,32):(32,1)), 4;
        StmC<UniversalCopy<u32>>, Destination, SmemC, 1;
        ByRows<UniversalCopy<u128>>, Source, SmemC, 1;
        ByRows<UniversalCopy<u128>>, Source, layout!((32,32):(32,1)), 1;
        ByRows<UniversalCopy<u64>>, Source, layout!((32,32):(32,1)), 2;
        MakeTiledCopy<UniversalCopy<u128>, f16, layout!((32,4)), layout!((1,8))>, Destination, Plain, 4;
        MakeTiledCopy<UniversalCopy<u32>, f32, layout!((32,4)), layout!((1,1))>, Destination, layout!((32,32):(32,1)), 32;
    }
}

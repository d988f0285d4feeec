//! The fragments that a thread holds in registers, and their conversion between the two products.
//!
//! ```text
//!   scores         f32, C of Mma      ((2,2),MMA_M,N/8)         two neighbouring columns, two rows, blocks of eight columns
//!   probabilities  16 bits, A of Mma  ((2,2,2),MMA_M,N/16)      retile: two neighbouring blocks of columns are one k block
//!   output         f32, C of Mma      ((2,2),MMA_M,D/8)
//! ```
//!
//! Law: each trait is implemented for all tiles, fragments and tiled MMAs that fit each other. It
//! is the one bound that a kernel generic over them needs.

use super::softmax::Row;
use super::value::AttentionValue;
use layout_types::algebra::cast::RecastTo;
use layout_types::algebra::compose::Compose;
use layout_types::algorithm::{SameCount, Walk, transform};
use layout_types::coord::Coord;
use layout_types::layout::{LayoutFn, Size};
use layout_types::num::NatCmp;
use layout_types::ragged::{SliceTensorBy, TensorLayout};
use layout_types::tensor::{__, Fragment, FragmentLayout};
use layout_types::tiled::{OperandA, OperandC};
use layout_types::tree::Underscore;
use layout_types::typenum::{U16, U32, U64};

/// The coordinate of a whole row of an atom.
type OfRow = ((Underscore, u32), u32, Underscore);
/// The coordinate of a pair of neighbouring columns: its row of an atom, and its block of eight
/// columns.
type OfPair = ((u32, u32), u32, u32);
/// A layout of f32 recast as a layout of pairs.
type Pairs<L> = <L as RecastTo<U32, U64>>::Output;
type Retiled<L, R> = Pairs<<L as Compose<R>>::Output>;
type PairsOfA<L> = <L as RecastTo<U16, U32>>::Output;

/// The layout of an accumulator, `((2,2),MMA_M,MMA_N)`.
pub trait AccumulatorAtoms: FragmentLayout {
    /// The layout of a thread's columns of a row.
    type Row: Walk;
    /// Returns a thread's two rows of atom `m`.
    fn rows(of: &Fragment<f32, Self, OperandC>, m: usize) -> [Row<'_, Self::Row>; 2];
    /// Returns the thread's pair of neighbouring columns in row `row` of atom `m` and block `block`
    /// of eight columns.
    fn pair(of: &Fragment<f32, Self, OperandC>, m: usize, row: u32, block: u32) -> u64;
}
impl<L> AccumulatorAtoms for L
where
    L: FragmentLayout + SliceTensorBy<OfRow, Output: Walk> + RecastTo<U32, U64>,
    OfRow: Coord<<<L as TensorLayout>::Offsets as LayoutFn>::Modes, u32>,
    OfPair: Coord<<Pairs<L> as LayoutFn>::Modes, u32>,
{
    type Row = <L as SliceTensorBy<OfRow>>::Output;
    #[inline(always)]
    fn rows(of: &Fragment<f32, L, OperandC>, m: usize) -> [Row<'_, Self::Row>; 2] {
        [
            of.slice(((__, 0), m as u32, __)), // (2,MMA_N)
            of.slice(((__, 1), m as u32, __)), // (2,MMA_N)
        ]
    }
    #[inline(always)]
    fn pair(of: &Fragment<f32, L, OperandC>, m: usize, row: u32, block: u32) -> u64 {
        of.view().recast::<u64>().get(((0, row), m as u32, block))
    }
}

/// States that accumulators of the layout `Self`, retiled by `Retile`, are operand A with the
/// layout `A`.
pub trait RetileToA<Retile, A: FragmentLayout>: FragmentLayout {
    /// Rounds the probabilities, which are in the scores' fragment of C, to operand A. Each thread
    /// keeps its values.
    fn round<T: AttentionValue>(
        scores: &Fragment<f32, Self, OperandC>,
        probabilities: &Fragment<T, A, OperandA>,
    );
}
impl<L, Retile, A> RetileToA<Retile, A> for L
where
    L: FragmentLayout + Compose<Retile, Output: RecastTo<U32, U64, Output: Walk> + LayoutFn>,
    A: FragmentLayout + RecastTo<U16, U32, Output: Walk>,
    <Size<Retiled<L, Retile>> as NatCmp>::Equals<Size<PairsOfA<A>>>:
        SameCount<Size<Retiled<L, Retile>>, Size<PairsOfA<A>>>,
{
    #[inline(always)]
    fn round<T: AttentionValue>(
        scores: &Fragment<f32, L, OperandC>,
        probabilities: &Fragment<T, A, OperandA>,
    ) {
        transform(
            &scores.view().compose::<Retile>().recast::<u64>(), // ((1,2,2),MMA_M,N/16)
            &probabilities.view().recast::<u32>(),              // ((1,2,2),MMA_M,N/16)
            T::round,
        );
    }
}

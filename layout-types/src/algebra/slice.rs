//! Slices at static coordinates, with the offset of their first element.
//!
//! ```text
//!   Sw<3,0,3> o 0 o (8,8):(8,1) at (2,_)     ((2,2,2)):((1,-2,4)) from offset 18
//! ```
//!
//! Law: `SliceAndOffset(i) + SliceOffset == L(C with its _ replaced by i)`. If a slice crosses only
//! bits that the swizzle reads, or only bits that the swizzle changes, or neither, and no sum
//! carries into these bits, the slice is an affine layout again. Otherwise the swizzle remains,
//! with the part of the fixed modes' offset that does not commute with the swizzle (CuTe:
//! `slice_and_offset` in `cute/swizzle_layout.hpp`, which does not check carries).
//! `dynamic::rules::part` is the same rule on values.

use super::carries::{all_rise, bits_of, no_carry};
use super::compose_list::{Digits, Start, add_at, digits_onto};
use super::decide::FullCompose;
use super::message::Refusal;
use super::outcome::{Done, ModePath, Refused, Undecided};
use super::points::{Sum, SumOf};
use super::swizzle::{ComposedLayout, Sw};
use super::swizzle_types::{ShiftStride, SwizzleType};
use crate::coord::Pattern;
use crate::decimal::Decimal;
use crate::layout::{Layout, LayoutFn, StaticLayout, Unzip};
use crate::num::{
    Bool, Difference, False, Log2, Nat, NatBits, NatCmp, NatSub, One, Pred, SignedDifference,
    StrideLeaf, True, Two, Zero,
};
use crate::tree::{Cons, M as Mode, ModeList, ModeTree, Nil, Underscore, phantom};

/// The modes of `L` at which the static coordinate `C` has `_`. The sum of an offset of these modes
/// and [`SliceOffset`] is the offset in `L`.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::typenum::Unsigned;
/// type L = Composition<Swizzle<3, 0, 3>, layout!((8,8):(8,1))>;
/// assert_eq!(SliceAndOffset::<L, coord!(2, _)>::default().to_string(), "((2,2,2)):((1,-2,4))");
/// assert_eq!(SliceOffset::<L, coord!(2, _)>::U64, 18);
///
/// type Tile = Composition<Swizzle<1, 3, 3>, layout!((8,48):(48,1))>;
/// type Row = SliceAndOffset<Tile, coord!(1, _)>;
/// assert_eq!(Row::default().to_string(), "Sw<1,3,3> o 48 o (48):(1)"); // 48 + 16 carries into the bit that is read
/// assert_eq!(Row::at((20u32,)), Tile::at((1u32, 20)));
/// ```
#[doc(alias = "slice_and_offset")]
pub type SliceAndOffset<L, C> = <L as SliceAt<C>>::Layout;
/// The offset of the first element of [`SliceAndOffset`].
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(Show::<SliceOffset<layout!((4,8):(8,1)), coord!(2, _)>>::default().to_string(), "16");
/// ```
pub type SliceOffset<L, C> = <L as SliceAt<C>>::Offset;

/// Layouts that can be sliced at the static coordinate `C`.
#[diagnostic::on_unimplemented(
    message = "slice_and_offset is not admissible for these operands",
    label = "no such slice"
)]
#[doc(hidden)]
pub trait SliceAt<C> {
    /// [`SliceAndOffset`].
    type Layout: LayoutFn;
    /// [`SliceOffset`].
    type Offset: Nat;
}
impl<S, D, C> SliceAt<C> for Layout<S, D>
where
    Layout<S, D>: StaticLayout,
    C: Pattern<ModesOf<S, D>> + StaticCoord<ModesOf<S, D>>,
    <StartIn<C, ModesOf<S, D>, Zero> as Sum>::IsNatural: SliceStart<(C, S, D)>,
{
    type Layout = Unzip<C::Sliced>;
    type Offset = StartOf<C, ModesOf<S, D>, Zero>;
}
type ModesOf<S, D> = <Layout<S, D> as LayoutFn>::Modes;

/// Requires that the first offset of the slice `Of` is a number and not negative.
#[doc(hidden)]
pub trait SliceStart<Of> {}
impl<Of> SliceStart<Of> for True {}
impl<C: Decimal, S: Decimal, D: Decimal> SliceStart<(C, S, D)> for False where
    Refusal: StartsAtNumber<C::Text, S::Text, D::Text>
{
}
impl<C, B, M, S, O, LS, LD> SliceStart<(C, B, M, S, O, LS, LD)> for False
where
    C: Decimal,
    B: Decimal,
    M: Decimal,
    S: Decimal,
    O: Decimal,
    LS: Decimal,
    LD: Decimal,
    Refusal: StartsAtOffset<C::Text, B::Text, M::Text, S::Text, O::Text, LS::Text, LD::Text>,
{
}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "slice_and_offset {C}, {S}:{D} is not admissible: the first element has a negative offset, or a coordinate for one",
    label = "`SliceOffset` is a number; `Slice` has the modes alone"
)]
#[doc(hidden)]
pub trait StartsAtNumber<C, S, D> {}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "slice_and_offset {C}, Sw<{B},{M},{S}> o {O} o {LS}:{LD} is not admissible: the first element has a negative offset before the swizzle, or a coordinate for one",
    label = "`SliceOffset` is a number; `Slice` has the modes alone"
)]
#[doc(hidden)]
pub trait StartsAtOffset<C, B, M, S, O, LS, LD> {}

/// A coordinate of static numbers and `_` into the tree `T`.
#[doc(hidden)]
pub trait StaticCoord<T> {
    /// The sum of `S` and the coordinate's offset, where `_` counts as 0.
    type AddTo<S: Sum>: Sum;
    /// Whether every leaf is `_`.
    type Open: Bool;
}
impl<T: ModeTree, N: Nat> StaticCoord<T> for N {
    type AddTo<S: Sum> = add_at<digits_onto<T, Start>, N, S>;
    type Open = False;
}
impl<T: ModeTree> StaticCoord<T> for Underscore {
    type AddTo<S: Sum> = S;
    type Open = True;
}
impl StaticCoord<Nil> for Nil {
    type AddTo<S: Sum> = S;
    type Open = True;
}
impl<CH, CT, TH, TT> StaticCoord<Cons<TH, TT>> for Cons<CH, CT>
where
    CH: StaticCoord<TH>,
    CT: StaticCoord<TT>,
{
    type AddTo<S: Sum> = CT::AddTo<CH::AddTo<S>>;
    type Open = <CH::Open as Bool>::And<CT::Open>;
}

type Exp<N> = <N as Log2>::Exp2;
type Plus<A, B> = <A as Nat>::Plus<B>;
type Minus<A, B> = <<A as NatSub>::Sub<B> as Difference>::OrZero;
type Size2<S> = <S as StrideLeaf>::Magnitude;
type List5<A, B, C, D, E> = Cons<A, Cons<B, Cons<C, Cons<D, Cons<E, Nil>>>>>;
/// The layout that crosses each bit of an offset as one step. `Low` and `High` are the steps of the
/// two fields.
type BitSteps<B, M, S, Low, High> = List5<
    Mode<Exp<M>, One>,
    Low,
    Mode<Exp<Minus<Size2<S>, B>>, Exp<Plus<M, B>>>,
    High,
    Mode<One, Exp<Plus<Plus<M, B>, Size2<S>>>>,
>;
/// The first offset of a slice, before the swizzle.
type StartIn<C, T, O> = <C as StaticCoord<T>>::AddTo<SumOf<O, Zero>>;
type StartOf<C, T, O> = <StartIn<C, T, O> as Sum>::OrZero;
type Field<X, Mask> =
    <<X as NatBits>::And<Mask> as Nat>::Over<Exp<<Mask as NatBits>::TrailingZeros>>;
type Lowest<Mask> = Exp<<Mask as NatBits>::TrailingZeros>;

impl<B, M, S, O, S0, D0, C> SliceAt<C> for ComposedLayout<Sw<B, M, S>, O, Layout<S0, D0>>
where
    B: Nat,
    M: Nat,
    S: StrideLeaf,
    O: Nat,
    Layout<S0, D0>: StaticLayout,
    C: Pattern<ModesOf<S0, D0>> + StaticCoord<ModesOf<S0, D0>>,
    <StartIn<C, ModesOf<S0, D0>, O> as Sum>::IsNatural: SliceStart<(C, B, M, S, O, S0, D0)>,
    SlicedSwizzle<B, M, S, O, ModesOf<S0, D0>, C>: SliceResult,
{
    type Layout = <SlicedSwizzle<B, M, S, O, ModesOf<S0, D0>, C> as SliceResult>::Layout;
    type Offset = <SlicedSwizzle<B, M, S, O, ModesOf<S0, D0>, C> as SliceResult>::Offset;
}
/// The slice of a swizzled tree at a coordinate.
pub type SlicedSwizzle<B, M, S, O, T, C> = <<C as StaticCoord<T>>::Open as StepBranch>::Open<
    B,
    M,
    S,
    O,
    StartOf<C, T, O>,
    <C as Pattern<T>>::Sliced,
>;

phantom! {
    /// The slice `L` with its first element at `Offset`.
    Sliced<L, Offset>
}
/// Reads a [`Sliced`].
#[diagnostic::on_unimplemented(
    message = "slice_and_offset is not admissible for these operands",
    label = "no such slice"
)]
#[doc(hidden)]
pub trait SliceResult {
    /// The slice.
    type Layout: LayoutFn;
    /// The slice's offset.
    type Offset: Nat;
}
impl<L: LayoutFn, O: Nat> SliceResult for Sliced<L, O> {
    type Layout = L;
    type Offset = O;
}

/// The powers of two at which the lower field and (`UpperStart`) the upper field begin.
type LowEnd<M> = Exp<M>;
type UpperStart<M, S> = Exp<Plus<M, Size2<S>>>;
type Fields<F> = Plus<<F as SwizzleType>::Y, <F as SwizzleType>::Z>;
/// Whether the swizzle moves each bit of the offsets of `T` from `X` on independently of the other
/// bits. Then no sum carries into a field or adds to a bit of a field, and no bit that is read is
/// exchanged with another bit that varies.
type Linear<B, M, S, X, T> = <<B as NatCmp>::IsZero as Bool>::Or<
    <<<all_rise<T> as Bool>::And<no_carry<T, X, LowEnd<M>>> as Bool>::And<
        no_carry<T, X, UpperStart<M, S>>,
    > as Bool>::And<
        <<<<X as NatBits>::And<bits_of<T>> as NatBits>::And<Fields<Sw<B, M, S>>> as NatCmp>::IsZero as Bool>::And<
            Uncrossed<B, M, S, bits_of<T>>,
        >,
    >,
>;
/// Whether no bit of `A` that is read is exchanged with another bit of `A`.
type Uncrossed<B, M, S, A> = <<Field<A, <Sw<B, M, S> as SwizzleType>::Y> as NatBits>::And<
    Field<A, <Sw<B, M, S> as SwizzleType>::Z>,
> as NatCmp>::IsZero;
/// The part of `X` that is added after the swizzle. It consists of multiples of the swizzle's
/// period, and of the bits below and between the fields if no sum carries out of them. It is 0 if a
/// stride is negative.
type Outside<B, M, S, X, T> = <all_rise<T> as Bool>::PickNat<
    Plus<
        Minus<X, <X as NatBits>::And<Pred<Exp<Plus<Plus<M, Size2<S>>, B>>>>>,
        Plus<
            <no_carry<T, X, LowEnd<M>> as Bool>::PickNat<
                <X as NatBits>::And<Pred<LowEnd<M>>>,
                Zero,
            >,
            <no_carry<T, X, UpperStart<M, S>> as Bool>::PickNat<
                <X as NatBits>::And<Minus<UpperStart<M, S>, Exp<Plus<M, B>>>>,
                Zero,
            >,
        >,
    >,
    Zero,
>;
/// The slice `T` from `X` on with an unchanged swizzle. The part of `X` that does not commute with
/// the swizzle is added between slice and swizzle.
type Behind<B, M, S, X, T> = Sliced<
    ComposedLayout<Sw<B, M, S>, Minus<X, Outside<B, M, S, X, T>>, Unzip<T>>,
    Outside<B, M, S, X, T>,
>;

/// Continues after the composition of the bits' steps with a slice.
#[doc(hidden)]
pub trait SliceNext {
    /// The layout of the composition, from the swizzled offset `X` on. If the composition is
    /// refused, the slice keeps the swizzle.
    type From<B: Nat, M: Nat, S: StrideLeaf, X: Nat, T: ModeTree>;
}
impl<A: ModeTree, D: Digits> SliceNext for Done<A, D> {
    type From<B: Nat, M: Nat, S: StrideLeaf, X: Nat, T: ModeTree> =
        Sliced<Unzip<A>, <Sw<B, M, S> as SwizzleType>::Apply<X>>;
}
impl<Why, S0: Nat, D0: StrideLeaf, P: ModePath> SliceNext for Refused<Why, S0, D0, P> {
    type From<B: Nat, M: Nat, S: StrideLeaf, X: Nat, T: ModeTree> = Behind<B, M, S, X, T>;
}
impl SliceNext for Undecided {
    type From<B: Nat, M: Nat, S: StrideLeaf, X: Nat, T: ModeTree> = Behind<B, M, S, X, T>;
}

/// The steps of the bits that change. A step is negative if the bit with which its bit is exchanged
/// is set.
type Changed<B, F, X> = <B as BitModes>::Steps<
    Lowest<<F as SwizzleType>::Z>,
    <Lowest<<F as SwizzleType>::Z> as StrideLeaf>::Negate,
    Field<X, <F as SwizzleType>::Y>,
>;
/// The steps of the bits that are read, which also step the changed bit.
type Read<B, F, X> = <B as BitModes>::Steps<
    Plus<Lowest<<F as SwizzleType>::Y>, Lowest<<F as SwizzleType>::Z>>,
    SignedDifference<Lowest<<F as SwizzleType>::Y>, Lowest<<F as SwizzleType>::Z>>,
    Field<X, <F as SwizzleType>::Z>,
>;
type LowSteps<B, M, S, X> = <<S as ShiftStride>::ReadsHigh as StepBranch>::Pick<
    Changed<B, Sw<B, M, S>, X>,
    Read<B, Sw<B, M, S>, X>,
>;
type HighSteps<B, M, S, X> = <<S as ShiftStride>::ReadsHigh as StepBranch>::Pick<
    Read<B, Sw<B, M, S>, X>,
    Changed<B, Sw<B, M, S>, X>,
>;
/// The affine layout of the bits at the offset `X`.
type StepsAt<B, M, S, X> = BitSteps<B, M, S, LowSteps<B, M, S, X>, HighSteps<B, M, S, X>>;
/// A number of bits.
#[doc(hidden)]
pub trait BitModes {
    /// A mode of size 2 for each bit, with the stride `Set` if the bit is set in `Bits`, and
    /// `Clear` otherwise. The stride doubles from bit to bit.
    type Steps<Clear: StrideLeaf, Set: StrideLeaf, Bits: Nat>: ModeList;
}
impl BitModes for typenum::UTerm {
    type Steps<Clear: StrideLeaf, Set: StrideLeaf, Bits: Nat> = Nil;
}
macro_rules! bit_modes {
    ($b:ty) => {
        impl<U: Nat> BitModes for typenum::UInt<U, $b> {
            type Steps<Clear: StrideLeaf, Set: StrideLeaf, Bits: Nat> = Cons<
                Mode<Two, <Bits::IsOdd as Bool>::PickStride<Set, Clear>>,
                <Pred<Self> as BitModes>::Steps<Clear::Scale<Two>, Set::Scale<Two>, Bits::Half>,
            >;
        }
    };
}
bit_modes!(typenum::B0);
bit_modes!(typenum::B1);

/// Selects the form of a slice by a truth value.
#[doc(hidden)]
pub trait StepBranch {
    /// `A` if true, otherwise `B`.
    type Pick<A: ModeList, B: ModeList>: ModeList;
    /// If true, the slice `T` has `_` everywhere, and the swizzle does not change.
    type Open<B: Nat, M: Nat, S: StrideLeaf, O: Nat, X: Nat, T: ModeTree>;
    /// If true, the swizzle moves each bit by itself, which strides can express. If false, the
    /// swizzle remains.
    type Form<B: Nat, M: Nat, S: StrideLeaf, X: Nat, T: ModeTree>;
    /// If true, no bit is exchanged.
    type Trivial<B: Nat, M: Nat, S: StrideLeaf, X: Nat, T: ModeTree>;
}
impl StepBranch for True {
    type Pick<A: ModeList, B: ModeList> = A;
    type Open<B: Nat, M: Nat, S: StrideLeaf, O: Nat, X: Nat, T: ModeTree> =
        Sliced<ComposedLayout<Sw<B, M, S>, O, Unzip<T>>, Zero>;
    type Form<B: Nat, M: Nat, S: StrideLeaf, X: Nat, T: ModeTree> =
        <B::IsZero as StepBranch>::Trivial<B, M, S, X, T>;
    type Trivial<B: Nat, M: Nat, S: StrideLeaf, X: Nat, T: ModeTree> = Sliced<Unzip<T>, X>;
}
impl StepBranch for False {
    type Pick<A: ModeList, B: ModeList> = B;
    type Open<B: Nat, M: Nat, S: StrideLeaf, O: Nat, X: Nat, T: ModeTree> =
        <Linear<B, M, S, X, T> as StepBranch>::Form<B, M, S, X, T>;
    type Form<B: Nat, M: Nat, S: StrideLeaf, X: Nat, T: ModeTree> = Behind<B, M, S, X, T>;
    type Trivial<B: Nat, M: Nat, S: StrideLeaf, X: Nat, T: ModeTree> =
        <FullCompose<StepsAt<B, M, S, X>, T> as SliceNext>::From<B, M, S, X, T>;
}

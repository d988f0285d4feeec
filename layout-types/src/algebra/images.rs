//! The offsets that a layout reaches: each once, all of them, or none of another layout's.
//!
//! ```text
//!   (3,2):(2,3)     0 2 4 3 5 7     injective, not compact
//!   (4,2):(2,1)     0 2 4 6 1 3 5 7 compact: bijective onto 0..8
//!   2:1 and 4:2     0 1 and 0 2 4 6 disjoint: 0 alone is in both
//! ```
//!
//! Law: [`IsInjective`] is true exactly where no two coordinates have one offset, [`IsCompact`] exactly where the offsets are
//! `0..size`, each once, [`IsDisjoint`] exactly where two layouts share no offset but 0, which is what a layout and its
//! complement are to each other (CuTe: postconditions of `complement` in `cute/layout.hpp`). They hold through swizzles.
//!
//! Two coordinates have one offset where a difference vector `e`, `|e_k| < shape_k`, not 0, has `sum e_k stride_k == 0`. With the
//! strides in falling order the coordinates left reach too little for all but a few `e_k`, mostly for none: so the search is
//! short, and exact for every layout.

use super::points::{NatPoints, Statement};
use super::settle::SettleStride;
use super::swizzle::{ComposedLayout, Sw};
use super::swizzle_types::{ShiftStride, SwizzleType};
use crate::decimal::Decimal;
use crate::layout::{Layout, LayoutFn, StaticLayout};
use crate::num::{
    Bool, Difference, False, Log2, Nat, NatAdd, NatBits, NatCmp, NatDiv, NatSub, One, Pred,
    QuotRem, StrideLeaf, True, Two, Zero,
};
use crate::tree::{Cons, M, ModeList, ModeTree, Nil, phantom};
use typenum::U1024;

/// Has no offset two coordinates? [`True`] or [`False`].
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::num::Bool;
/// assert!(<IsInjective<layout!((3,2):(2,3))>>::VALUE);
/// assert!(!<IsInjective<layout!((4,2):(1,3))>>::VALUE);
/// ```
pub type IsInjective<L> = <L as HasImage>::Injective;
/// Are the offsets `0..size`, each once? [`True`] or [`False`].
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::num::Bool;
/// assert!(<IsCompact<layout!((4,2):(2,1))>>::VALUE);
/// assert!(!<IsCompact<layout!((4,2):(1,5))>>::VALUE);
/// assert!(<IsCompact<Composition<Swizzle<2, 3, 3>, layout!((8,32):(32,1))>>>::VALUE);
/// ```
pub type IsCompact<L> = <L as HasImage>::Compact;
/// Is 0 the only offset that both layouts can have? [`True`] or [`False`].
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::num::Bool;
/// type A = layout!((2,2):(1,8));
/// assert!(<IsDisjoint<A, Complement<A, int!(64)>>>::VALUE);
/// assert!(!<IsDisjoint<A, layout!(4:4)>>::VALUE); // 8 is in both
/// ```
pub type IsDisjoint<A, B> = <A as ComparesImage<B>>::Disjoint;

/// A layout whose offsets are integers, plain or behind one swizzle.
#[diagnostic::on_unimplemented(
    message = "not a layout whose offsets can be counted",
    label = "this is no static layout, or one behind more than one swizzle"
)]
pub trait HasImage: LayoutFn {
    /// [`IsInjective`].
    type Injective: Bool;
    /// [`IsCompact`].
    type Compact: Bool;
    /// What is applied to the offsets of the modes, plus [`HasImage::Base`].
    type Map: SwizzleType;
    /// What is added to the offsets of the modes.
    type Base: Nat;
}
type SpansOf<T> = <T as ImageTree>::SpansOnto<NoSpan>;
impl<S0, D0> HasImage for Layout<S0, D0>
where
    Self: StaticLayout,
    <<Self as LayoutFn>::Modes as super::settle::SettleTree>::HasBasis: OffsetsAreIntegers<S0, D0>,
{
    type Injective = <SpansOf<Self::Modes> as Spans>::Injective;
    type Compact = <<<Self::Modes as ImageTree>::ReachBelow as NatCmp>::IsZero as Bool>::And<
        <SpansOf<Self::Modes> as Spans>::Compact,
    >;
    type Map = Sw<Zero, Zero, Zero>;
    type Base = Zero;
}
impl<B: Nat, N: Nat, S: StrideLeaf, O: Nat, S0, D0> HasImage
    for ComposedLayout<Sw<B, N, S>, O, Layout<S0, D0>>
where
    Layout<S0, D0>: StaticLayout + HasImage,
{
    // A swizzle is a bijection.
    type Injective = <Layout<S0, D0> as HasImage>::Injective;
    type Compact =
        <<<<Layout<S0, D0> as LayoutFn>::Modes as ImageTree>::ReachBelow as NatCmp>::Equals<O> as Bool>::And<
            <<SpansOf<<Layout<S0, D0> as LayoutFn>::Modes> as Spans>::Compact as Bool>::And<
                Onto<B, N, S, <SpansOf<<Layout<S0, D0> as LayoutFn>::Modes> as Spans>::Total>,
            >,
        >;
    type Map = Sw<B, N, S>;
    type Base = O;
}

type Exact<A, B> = <<A as NatDiv>::DivRem<B> as QuotRem>::Exact;
type Rem<A, B> = <<A as NatDiv>::DivRem<B> as QuotRem>::Rem;
type OrZero<A, B> = <<A as NatSub>::Sub<B> as Difference>::OrZero;
/// Does the swizzle map `0..N` onto itself? It maps each of its blocks onto itself, so what remains behind the last whole one
/// decides. Where higher bits are read, that remainder is moved as a whole; where lower ones are, its offsets must have none.
type Onto<B, M, S, N> = <<B as NatCmp>::IsZero as Bool>::Or<
    <<<S as ShiftStride>::ReadsHigh as Bool>::And<OntoReadingHigh<B, M, S, N>> as Bool>::Or<
        <<<S as ShiftStride>::ReadsHigh as Bool>::Not as Bool>::And<
            <<M as Log2>::Exp2 as NatCmp>::AtLeast<Rem<N, LowBlock<B, M, S>>>,
        >,
    >,
>;
type LowBlock<B, M, S> =
    <<<M as Nat>::Plus<B> as Nat>::Plus<<S as StrideLeaf>::Magnitude> as Log2>::Exp2;
type HighBlock<B, M> = <<M as Nat>::Plus<B> as Log2>::Exp2;
type OntoReadingHigh<B, M, S, N> = <<Moved<B, M, S, N> as NatCmp>::IsZero as Bool>::Or<
    Exact<
        Rem<N, HighBlock<B, M>>,
        <Two as Nat>::Times<<<Moved<B, M, S, N> as Log2>::Exponent as Log2>::Exp2>,
    >,
>;
/// The bits by which the swizzle moves the remainder behind the last whole block.
type Moved<B, M, S, N> =
    <Whole<B, M, N> as NatBits>::Xor<<Sw<B, M, S> as SwizzleType>::Apply<Whole<B, M, N>>>;
type Whole<B, M, N> = OrZero<N, Rem<N, HighBlock<B, M>>>;

/// The images of two layouts can be compared.
#[diagnostic::on_unimplemented(
    message = "whether these layouts share an offset is not decided",
    label = "both must be static layouts, plain or behind one swizzle"
)]
pub trait ComparesImage<B> {
    /// [`IsDisjoint`].
    type Disjoint: Bool;
}
/// The used modes of a layout.
type Used<L> = SpansOf<<<L as LayoutFn>::Modes as super::flatten::FlattenTree>::Nonzero>;
type Negative<L> = <<<L as LayoutFn>::Modes as ImageTree>::ReachBelow as NatCmp>::IsZero;
/// Are both behind the same swizzle, with nothing added?
type SameMap<A, B> = <<SameBase<A, B> as Bool>::And<
    <<<A as HasImage>::Map as SwizzleType>::Y as NatCmp>::Equals<
        <<B as HasImage>::Map as SwizzleType>::Y,
    >,
> as Bool>::And<
    <<<A as HasImage>::Map as SwizzleType>::Z as NatCmp>::Equals<
        <<B as HasImage>::Map as SwizzleType>::Z,
    >,
>;
type SameBase<A, B> =
    <<<A as HasImage>::Base as Nat>::Plus<<B as HasImage>::Base> as NatCmp>::IsZero;
/// The modes of both layouts together.
type Together<A, B> =
    <<<A as LayoutFn>::Modes as super::flatten::FlattenTree>::Nonzero as ImageTree>::SpansOnto<
        Used<B>,
    >;
impl<A, B> ComparesImage<B> for A
where
    A: HasImage,
    B: HasImage,
    <Negative<A> as Bool>::And<Negative<B>>: NoneNegative,
    <SameMap<A, B> as Bool>::And<<Together<A, B> as Spans>::Injective>: Compared<A, B>,
{
    type Disjoint = <<SameMap<A, B> as Bool>::And<<Together<A, B> as Spans>::Injective> as Compared<A, B>>::Disjoint;
}
/// True: two layouts are injective together, so they are disjoint. Otherwise the smaller one is looked at offset by offset.
pub trait Compared<A, B> {
    /// [`IsDisjoint`].
    type Disjoint: Bool;
}
impl<A, B> Compared<A, B> for True {
    type Disjoint = True;
}
impl<A: HasImage, B: HasImage> Compared<A, B> for False
where
    <<Used<A> as Spans>::Total as NatCmp>::AtLeast<<Used<B> as Spans>::Total>: Smaller<A, B>,
{
    type Disjoint =
        <<<Used<A> as Spans>::Total as NatCmp>::AtLeast<<Used<B> as Spans>::Total> as Smaller<
            A,
            B,
        >>::Disjoint;
}
/// True: `A` is at least as large as `B`.
pub trait Smaller<A, B> {
    /// [`IsDisjoint`].
    type Disjoint: Bool;
}
macro_rules! smaller {
    ($which:ty, $one:ident, $other:ident) => {
        impl<A: HasImage, B: HasImage> Smaller<A, B> for $which
        where
            <U1024 as NatCmp>::AtLeast<<Used<$one> as Spans>::Total>: FewOffsets,
        {
            type Disjoint = <Used<$one> as Spans>::AllOffsets<
                $one::Base,
                Outside<$one::Map, $other::Map, $other::Base, Used<$other>>,
            >;
        }
    };
}
smaller!(True, B, A);
smaller!(False, A, B);
phantom! {
    /// The offset, mapped by `F`, is 0 or none that `G` makes of `Base` plus the offsets of `L`.
    Outside<F, G, Base, L>
}
impl<F: SwizzleType, G: SwizzleType, Base: Nat, L: Spans> Statement for Outside<F, G, Base, L> {
    type At<V: Nat> = <<F::Apply<V> as NatCmp>::IsZero as Bool>::Or<
        <<<G::Apply<F::Apply<V>> as NatCmp>::AtLeast<Base> as Bool>::And<
            L::Contains<OrZero<G::Apply<F::Apply<V>>, Base>>,
        > as Bool>::Not,
    >;
}

/// Trees as spans.
pub trait ImageTree {
    /// The modes of more than one element, by falling stride, among those of `L`.
    type SpansOnto<L: Spans>: Spans;
    /// How far below 0 the offsets reach.
    type ReachBelow: Nat;
}
impl<S: Nat, D: StrideLeaf> ImageTree for M<S, D> {
    type SpansOnto<L: Spans> = <S::IsOne as ImageBranch>::Unless<S, D::Magnitude, L>;
    type ReachBelow =
        <<<D as SettleStride>::NeverUp as Bool>::And<<D::Null as Bool>::Not> as Bool>::PickNat<
            <Pred<S> as Nat>::Times<D::Magnitude>,
            Zero,
        >;
}
impl ImageTree for Nil {
    type SpansOnto<L: Spans> = L;
    type ReachBelow = Zero;
}
impl<H: ModeTree, T: ModeList> ImageTree for Cons<H, T> {
    type SpansOnto<L: Spans> = H::SpansOnto<T::SpansOnto<L>>;
    type ReachBelow = <H::ReachBelow as Nat>::Plus<T::ReachBelow>;
}

phantom! {
    /// `S` offsets, `D` apart, and the spans `R` of no greater stride.
    Span<S, D, R>
}
/// No more spans.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSpan;
/// Modes by falling stride.
pub trait Spans {
    /// The greatest offset.
    type Reach: Nat;
    /// The number of coordinates.
    type Total: Nat;
    /// With the mode `S:D`.
    type Insert<S: Nat, D: Nat>: Spans;
    /// Has no offset two coordinates?
    type Injective: Bool;
    /// Are the offsets `0..Total`, each once?
    type Compact: Bool;
    /// Is `V` the difference of two offsets?
    type Differs<V: Nat>: Bool;
    /// Is `V` an offset?
    type Contains<V: Nat>: Bool;
    /// Does `P` hold for `V` plus each offset?
    type AllOffsets<V: Nat, P: Statement>: Bool;
}
impl Spans for NoSpan {
    type Reach = Zero;
    type Total = One;
    type Insert<S: Nat, D: Nat> = Span<S, D, NoSpan>;
    type Injective = True;
    type Compact = True;
    type Differs<V: Nat> = V::IsZero;
    type Contains<V: Nat> = V::IsZero;
    type AllOffsets<V: Nat, P: Statement> = P::At<V>;
}
type Least<A, B> = <A as NatCmp>::Min<B>;
/// The steps of `D` that bring at least `V` down to what `R` reaches.
type From<V, D, R> = <OrZero<V, <R as Spans>::Reach> as Nat>::CeilDiv<D>;
/// One more than the last step that counts, less the first.
type Count<Last, First> = OrZero<<Last as NatAdd>::Succ, First>;
type DiffersUp<S, D, R, V> = <<Count<
    Least<Pred<S>, <<V as Nat>::Plus<<R as Spans>::Reach> as Nat>::Over<D>>,
    From<V, D, R>,
> as NatPoints>::AllFrom<From<V, D, R>, NoStep<R, D, V>> as Bool>::Not;
type DiffersDown<S, D, R, V> =
    <<Least<Pred<S>, <OrZero<<R as Spans>::Reach, V> as Nat>::Over<D>> as NatPoints>::AllFrom<
        One,
        NoStepBack<R, D, V>,
    > as Bool>::Not;
impl<S: Nat, D: Nat, R: Spans> Spans for Span<S, D, R> {
    type Reach = <<Pred<S> as Nat>::Times<D> as Nat>::Plus<R::Reach>;
    type Total = S::Times<R::Total>;
    type Insert<S1: Nat, D1: Nat> = <D1::AtLeast<D> as ImageBranch>::Insert<S1, D1, S, D, R>;
    type Injective =
        <<R::Injective as Bool>::And<<D::IsZero as Bool>::Not> as ImageBranch>::Injective<S, D, R>;
    type Compact = <R::Compact as Bool>::And<D::Equals<R::Total>>;
    type Differs<V: Nat> = <DiffersUp<S, D, R, V> as Bool>::Or<DiffersDown<S, D, R, V>>;
    type Contains<V: Nat> =
        <<Count<Least<Pred<S>, V::Over<D>>, From<V, D, R>> as NatPoints>::AllFrom<
            From<V, D, R>,
            NoOffset<R, D, V>,
        > as Bool>::Not;
    type AllOffsets<V: Nat, P: Statement> = S::AllFrom<Zero, Offsets<R, D, V, P>>;
}
phantom! {
    /// After some steps up `R` does not make up the difference that is left.
    NoStep<R, D, V>
}
impl<R: Spans, D: Nat, V: Nat> Statement for NoStep<R, D, V> {
    type At<K: Nat> =
        <R::Differs<<OrZero<V, D::Times<K>> as Nat>::Plus<OrZero<D::Times<K>, V>>> as Bool>::Not;
}
phantom! {
    /// The same after some steps down.
    NoStepBack<R, D, V>
}
impl<R: Spans, D: Nat, V: Nat> Statement for NoStepBack<R, D, V> {
    type At<K: Nat> = <R::Differs<V::Plus<D::Times<K>>> as Bool>::Not;
}
phantom! {
    /// After some steps `R` does not have the offset that is left.
    NoOffset<R, D, V>
}
impl<R: Spans, D: Nat, V: Nat> Statement for NoOffset<R, D, V> {
    type At<K: Nat> = <R::Contains<OrZero<V, D::Times<K>>> as Bool>::Not;
}
phantom! {
    /// `P` holds for `V`, plus steps of `D`, plus the offsets of `R`.
    Offsets<R, D, V, P>
}
impl<R: Spans, D: Nat, V: Nat, P: Statement> Statement for Offsets<R, D, V, P> {
    type At<K: Nat> = R::AllOffsets<V::Plus<D::Times<K>>, P>;
}

/// What images do on a truth value.
pub trait ImageBranch {
    /// `L` where true, with the mode `S:D` otherwise.
    type Unless<S: Nat, D: Nat, L: Spans>: Spans;
    /// `S1:D1` before `S:D` where true, behind it otherwise.
    type Insert<S1: Nat, D1: Nat, S: Nat, D: Nat, R: Spans>: Spans;
    /// Where true, is `S:D` injective together with `R`?
    type Injective<S: Nat, D: Nat, R: Spans>: Bool;
}
impl ImageBranch for True {
    type Unless<S: Nat, D: Nat, L: Spans> = L;
    type Insert<S1: Nat, D1: Nat, S: Nat, D: Nat, R: Spans> = Span<S1, D1, Span<S, D, R>>;
    type Injective<S: Nat, D: Nat, R: Spans> =
        <Least<Pred<S>, <R::Reach as Nat>::Over<D>> as NatPoints>::AllFrom<One, NoStep<R, D, Zero>>;
}
impl ImageBranch for False {
    type Unless<S: Nat, D: Nat, L: Spans> = L::Insert<S, D>;
    type Insert<S1: Nat, D1: Nat, S: Nat, D: Nat, R: Spans> = Span<S, D, R::Insert<S1, D1>>;
    type Injective<S: Nat, D: Nat, R: Spans> = False;
}

macro_rules! bounds {
    ($($(#[$doc:meta])* $bound:ident = $alias:ident, $gate:ident, $holds:ident, $message:literal, $label:literal;)*) => {$(
        $(#[$doc])*
        pub trait $bound: HasImage {}
        impl<L: HasImage> $bound for L where $alias<L>: $gate<L> {}
        /// Holds for true.
        pub trait $gate<L> {}
        impl<L> $gate<L> for True {}
        impl<L: LayoutFn> $gate<L> for False
        where
            crate::ShapeOf<L>: Decimal,
            crate::StrideOf<L>: Decimal,
            super::message::Refusal:
                $holds<<crate::ShapeOf<L> as Decimal>::Text, <crate::StrideOf<L> as Decimal>::Text>,
        {
        }
        /// Holds for nothing: its message is the refusal.
        #[diagnostic::on_unimplemented(message = $message, label = $label)]
        pub trait $holds<S, D> {}
    )*};
}
bounds! {
    /// No two coordinates have one offset: [`IsInjective`] as a bound.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// fn store_to<L: Injective>() {}
    /// store_to::<layout!((4,2):(1,5))>();
    /// ```
    ///
    /// ```compile_fail
    /// use layout_types::prelude::*;
    /// fn store_to<L: Injective>() {}
    /// store_to::<layout!((4,2):(1,3))>(); // (3,0) and (0,1) are both at 3
    /// ```
    Injective = IsInjective, NoOffsetTwice, OneCoordinateEach,
        "{S}:{D} is not injective: two coordinates have one offset",
        "every coordinate must have an offset of its own";
    /// The offsets are `0..size`, each once: [`IsCompact`] as a bound.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// fn owns<L: Compact>() {}
    /// owns::<layout!((4,2):(2,1))>();
    /// ```
    ///
    /// ```compile_fail
    /// use layout_types::prelude::*;
    /// fn owns<L: Compact>() {}
    /// owns::<layout!((4,2):(1,5))>(); // nothing is at 4
    /// ```
    Compact = IsCompact, NoOffsetLeft, FillsItsSize,
        "{S}:{D} is not compact: its offsets are not the numbers below its size, each once",
        "the layout must be a bijection onto the numbers below its size";
}
/// The layouts share no offset but 0: [`IsDisjoint`] as a bound.
///
/// ```
/// use layout_types::prelude::*;
/// fn tile_and_rest<A: DisjointFrom<B>, B>() {}
/// tile_and_rest::<layout!(4:2), layout!((2,2):(1,8))>();
/// ```
///
/// ```compile_fail
/// use layout_types::prelude::*;
/// fn tile_and_rest<A: DisjointFrom<B>, B>() {}
/// tile_and_rest::<layout!(4:2), layout!((2,2):(1,4))>(); // 4 is in both
/// ```
pub trait DisjointFrom<B> {}
impl<A: ComparesImage<B>, B> DisjointFrom<B> for A where IsDisjoint<A, B>: NothingShared<A, B> {}
/// Holds for true.
pub trait NothingShared<A, B> {}
impl<A, B> NothingShared<A, B> for True {}
impl<A: LayoutFn, B: LayoutFn> NothingShared<A, B> for False
where
    crate::ShapeOf<A>: Decimal,
    crate::StrideOf<A>: Decimal,
    crate::ShapeOf<B>: Decimal,
    crate::StrideOf<B>: Decimal,
    super::message::Refusal: SharesZeroOnly<
            <crate::ShapeOf<A> as Decimal>::Text,
            <crate::StrideOf<A> as Decimal>::Text,
            <crate::ShapeOf<B> as Decimal>::Text,
            <crate::StrideOf<B> as Decimal>::Text,
        >,
{
}
/// Holds for nothing: its message is the refusal.
#[diagnostic::on_unimplemented(
    message = "{AS}:{AD} and {BS}:{BD} are not disjoint: they share an offset other than 0",
    label = "the layouts may share offset 0 only"
)]
pub trait SharesZeroOnly<AS, AD, BS, BD> {}

/// Holds for false: no stride is a scaled basis.
pub trait OffsetsAreIntegers<S, D> {}
impl<S, D> OffsetsAreIntegers<S, D> for False {}
impl<S: Decimal, D: Decimal> OffsetsAreIntegers<S, D> for True where
    super::message::Refusal: CountsOffsets<S::Text, D::Text>
{
}
/// Holds for nothing: its message is the refusal.
#[diagnostic::on_unimplemented(
    message = "{S}:{D} has coordinates, not offsets: a stride is a scaled basis, where an integer is needed",
    label = "offsets are counted, not coordinates"
)]
pub trait CountsOffsets<S, D> {}
/// Holds for true.
#[diagnostic::on_unimplemented(
    message = "whether these layouts share an offset is not decided: a stride is negative",
    label = "only layouts without negative strides are compared"
)]
pub trait NoneNegative {}
impl NoneNegative for True {}
/// Holds for true.
#[diagnostic::on_unimplemented(
    message = "whether these layouts share an offset is not decided: only comparing every offset could tell, and there are more than 1024",
    label = "too many offsets to compare"
)]
pub trait FewOffsets {}
impl FewOffsets for True {}

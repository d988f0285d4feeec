//! Properties of the offsets that a layout reaches: whether each is reached only once, whether all
//! are reached, and whether another layout reaches one of them.
//!
//! ```text
//!   (3,2):(2,3)     0 2 4 3 5 7     injective, not compact
//!   (4,2):(2,1)     0 2 4 6 1 3 5 7 compact: bijective onto 0..8
//!   2:1 and 4:2     0 1 and 0 2 4 6 disjoint: only 0 is in both
//! ```
//!
//! Law: [`IsInjective`] is true if and only if no two coordinates have the same offset.
//! [`IsCompact`] is true if and only if the offsets are `0..size`, each once. [`IsDisjoint`] is
//! true if and only if two layouts have no common offset except 0, as a layout and its complement
//! (CuTe: postconditions of `complement` in `cute/layout.hpp`). All three also apply to swizzled
//! layouts.

use super::nesting::{modes_leave, strides_leave};
use super::points::Statement;
use super::room::{Room, Units16};
use super::spans::{
    CompactModes, ImageBranch, ImageTree, InjectiveModes, ManyModes, OrZero, Spans, SpansOf,
    Undecided, Verdict,
};
use super::swizzle::{ComposedLayout, Sw};
use super::swizzle_types::{ShiftStride, SwizzleType};
use crate::decimal::Decimal;
use crate::layout::{Layout, LayoutFn, StaticLayout};
use crate::num::{
    Bool, False, Log2, Nat, NatBits, NatCmp, NatDiv, QuotRem, StrideLeaf, True, Two, Zero,
};
use crate::tree::phantom;
use typenum::U16;

/// Whether no two coordinates have the same offset: [`True`] or [`False`].
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::num::Bool;
/// assert!(<IsInjective<layout!((3,2):(2,3))>>::VALUE);
/// assert!(!<IsInjective<layout!((4,2):(1,3))>>::VALUE);
/// ```
///
/// Arithmetic on the strides decides this. Layouts that only a longer search could decide are
/// refused: those with more than 64 differences of coordinates to compare; with more than two modes
/// that do not nest and have strides above 2^24; or with more than 16 modes that do not nest as
/// they are written.
pub type IsInjective<L> = <L as DecidesInjective>::Injective;
/// Whether the offsets are `0..size`, each once: [`True`] or [`False`].
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::num::Bool;
/// assert!(<IsCompact<layout!((4,2):(2,1))>>::VALUE);
/// assert!(!<IsCompact<layout!((4,2):(1,5))>>::VALUE);
/// assert!(<IsCompact<Composition<Swizzle<2, 3, 3>, layout!((8,32):(32,1))>>>::VALUE);
/// ```
pub type IsCompact<L> = <L as HasImage>::Compact;
/// Whether 0 is the only offset that both layouts can have: [`True`] or [`False`].
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::num::Bool;
/// type A = layout!((2,2):(1,8));
/// assert!(<IsDisjoint<A, Complement<A, int!(64)>>>::VALUE);
/// assert!(!<IsDisjoint<A, layout!(4:4)>>::VALUE); // 8 is in both
/// ```
pub type IsDisjoint<A, B> = <A as ComparesImage<B>>::Disjoint;

/// A layout whose offsets are integers, plain or with one swizzle.
#[diagnostic::on_unimplemented(
    message = "not a layout whose offsets can be counted",
    label = "this is no static layout, or one behind more than one swizzle"
)]
#[doc(hidden)]
pub trait HasImage: LayoutFn {
    /// [`IsCompact`].
    type Compact: Bool;
    /// The map that is applied to the sum of the modes' offsets and [`HasImage::Base`].
    type Map: SwizzleType;
    /// The number that is added to the offsets of the modes.
    type Base: Nat;
}
/// Layouts for which injectivity is decided.
#[doc(hidden)]
pub trait DecidesInjective: HasImage {
    /// [`IsInjective`].
    type Injective: Bool;
}
impl<L: HasImage> DecidesInjective for L
where
    InjectiveModes<L::Modes>: Decided<L>,
{
    // A swizzle is a bijection.
    type Injective = <InjectiveModes<L::Modes> as Decided<L>>::Verdict;
}
/// A truth value that was decided.
#[doc(hidden)]
pub trait Decided<L> {
    /// The truth value.
    type Verdict: Bool;
}
impl<L> Decided<L> for True {
    type Verdict = True;
}
impl<L> Decided<L> for False {
    type Verdict = False;
}
impl<L: LayoutFn> Decided<L> for Undecided
where
    crate::ShapeOf<L>: Decimal,
    crate::StrideOf<L>: Decimal,
    super::message::Refusal:
        FewDifferences<<crate::ShapeOf<L> as Decimal>::Text, <crate::StrideOf<L> as Decimal>::Text>,
{
    type Verdict = False;
}
impl<L> Decided<L> for ManyModes
where
    super::message::Refusal: FewModes<L>,
{
    type Verdict = False;
}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "whether a layout of more than _16 modes is injective is told only where each stride is greater than what the modes before it reach, or those behind it",
    label = "coalesce the layout, or write its modes by rising or falling stride"
)]
#[doc(hidden)]
pub trait FewModes<L> {}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "whether {S}:{D} is injective is not decided: only comparing offsets could tell, and there are more than _64 differences to look at or strides above _16777216",
    label = "no two coordinates have one offset where each stride is greater than what the smaller ones reach"
)]
#[doc(hidden)]
pub trait FewDifferences<S, D> {}
impl<S0, D0> HasImage for Layout<S0, D0>
where
    Self: StaticLayout,
    super::decide::has_basis<<Self as LayoutFn>::Modes>: OffsetsAreIntegers<S0, D0>,
{
    type Compact = <<<Self::Modes as ImageTree>::ReachBelow as NatCmp>::IsZero as Bool>::And<
        CompactModes<Self::Modes>,
    >;
    type Map = Sw<Zero, Zero, Zero>;
    type Base = Zero;
}
impl<B: Nat, N: Nat, S: StrideLeaf, O: Nat, S0, D0> HasImage
    for ComposedLayout<Sw<B, N, S>, O, Layout<S0, D0>>
where
    Layout<S0, D0>: StaticLayout + HasImage,
{
    type Compact =
        <<<<Layout<S0, D0> as LayoutFn>::Modes as ImageTree>::ReachBelow as NatCmp>::Equals<O> as Bool>::And<
            <CompactModes<<Layout<S0, D0> as LayoutFn>::Modes> as Bool>::And<
                Onto<B, N, S, <SpansOf<<Layout<S0, D0> as LayoutFn>::Modes> as Spans>::Total>,
            >,
        >;
    type Map = Sw<B, N, S>;
    type Base = O;
}

type Exact<A, B> = <<A as NatDiv>::DivRem<B> as QuotRem>::Exact;
type Rem<A, B> = <<A as NatDiv>::DivRem<B> as QuotRem>::Rem;
/// Whether the swizzle maps `0..N` onto itself. It maps each of its blocks onto itself, so the
/// remainder after the last whole block decides. If higher bits are read, the remainder moves as
/// one piece; if lower bits are read, no offset of the remainder may have these bits.
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
/// The bits by which the swizzle moves the remainder after the last whole block.
type Moved<B, M, S, N> =
    <Whole<B, M, N> as NatBits>::Xor<<Sw<B, M, S> as SwizzleType>::Apply<Whole<B, M, N>>>;
type Whole<B, M, N> = OrZero<N, Rem<N, HighBlock<B, M>>>;

/// Layouts whose images can be compared.
#[diagnostic::on_unimplemented(
    message = "whether these layouts share an offset is not decided",
    label = "both must be static layouts, plain or behind one swizzle"
)]
#[doc(hidden)]
pub trait ComparesImage<B> {
    /// [`IsDisjoint`].
    type Disjoint: Bool;
}
/// The used modes of a layout.
type Used<L> = SpansOf<Nonzero<L>>;
type Negative<L> = <<<L as LayoutFn>::Modes as ImageTree>::ReachBelow as NatCmp>::IsZero;
/// Whether both have the same swizzle, with nothing added.
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
type Nonzero<L> = super::flatten::nonzero<<L as LayoutFn>::Modes>;
/// The units of [`Room`] that remain after one unit for each mode of both layouts.
type ModesOfBoth<A, B> = modes_leave<Nonzero<B>, modes_leave<Nonzero<A>, Units16>>;
/// Whether both layouts have few enough modes, with few enough bits, to be searched.
type Searchable<A, B> =
    <strides_leave<Nonzero<B>, strides_leave<Nonzero<A>, ModesOfBoth<A, B>>> as Room>::IsLeft;
impl<A, B> ComparesImage<B> for A
where
    A: HasImage,
    B: HasImage,
    <Negative<A> as Bool>::And<Negative<B>>: NoneNegative,
    InjectiveTogether<A, B>: Compared<A, B>,
{
    type Disjoint = <InjectiveTogether<A, B> as Compared<A, B>>::Disjoint;
}
/// Whether the layouts, which have the same map, are injective together. An undecided answer counts
/// as no.
type InjectiveTogether<A, B> = <SameMap<A, B> as Bool>::And<
    <<<ModesOfBoth<A, B> as Room>::IsLeft as ImageBranch>::SortsBoth<Nonzero<A>, Nonzero<B>> as Verdict>::IsTrue,
>;
/// If true, the two layouts are injective together, so they are disjoint. Otherwise the smaller
/// layout is compared offset by offset.
#[doc(hidden)]
pub trait Compared<A, B> {
    /// [`IsDisjoint`].
    type Disjoint: Bool;
}
impl<A, B> Compared<A, B> for True {
    type Disjoint = True;
}
impl<A: HasImage, B: HasImage> Compared<A, B> for False
where
    <Searchable<A, B> as ImageBranch>::AtLeast<Nonzero<A>, Nonzero<B>>: Smaller<A, B>,
{
    type Disjoint = <<Searchable<A, B> as ImageBranch>::AtLeast<Nonzero<A>, Nonzero<B>> as Smaller<
        A,
        B,
    >>::Disjoint;
}
/// Implemented so that [`Undecided`] is refused: the layouts are not searched.
impl<A: HasImage, B: HasImage> Smaller<A, B> for Undecided
where
    Undecided: SearchedOffsets<A, B>,
{
    type Disjoint = False;
}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "whether these layouts share an offset is not decided: only comparing every offset could tell, and they have more than _16 modes or strides above _16777216",
    label = "too many modes or too large strides to compare"
)]
#[doc(hidden)]
pub trait SearchedOffsets<A, B> {}
/// If true, `A` is at least as large as `B`.
#[doc(hidden)]
pub trait Smaller<A, B> {
    /// [`IsDisjoint`].
    type Disjoint: Bool;
}
/// The largest product of the number of compared offsets and the steps for each offset.
type MaxOffsets = typenum::U512;
type FewEnough<L, Of> = <<U16 as NatCmp>::AtLeast<<Of as Spans>::WidthLog> as Bool>::And<
    <MaxOffsets as NatCmp>::AtLeast<<<L as Spans>::Total as Nat>::Times<<Of as Spans>::Ways>>,
>;
macro_rules! smaller {
    ($which:ty, $one:ident, $other:ident) => {
        impl<A: HasImage, B: HasImage> Smaller<A, B> for $which
        where
            <FewEnough<Used<$one>, Used<$other>> as ImageBranch>::Offsets<
                Used<$one>,
                $one::Base,
                Outside<$one::Map, $other::Map, $other::Base, Used<$other>>,
            >: FewOffsets,
        {
            type Disjoint = <<FewEnough<Used<$one>, Used<$other>> as ImageBranch>::Offsets<
                Used<$one>,
                $one::Base,
                Outside<$one::Map, $other::Map, $other::Base, Used<$other>>,
            > as FewOffsets>::Verdict;
        }
    };
}
smaller!(True, B, A);
smaller!(False, A, B);
phantom! {
    /// The statement that the offset, mapped by `F`, is 0 or is not an image under `G` of `Base`
    /// plus an offset of `L`.
    Outside<F, G, Base, L>
}
impl<F: SwizzleType, G: SwizzleType, Base: Nat, L: Spans> Statement for Outside<F, G, Base, L> {
    type At<V: Nat> = <<F::Apply<V> as NatCmp>::IsZero as Bool>::Or<
        <<<G::Apply<F::Apply<V>> as NatCmp>::AtLeast<Base> as Bool>::And<
            L::Contains<OrZero<G::Apply<F::Apply<V>>, Base>>,
        > as Bool>::Not,
    >;
}

macro_rules! bounds {
    ($($(#[$doc:meta])* $bound:ident of $has:ident = $alias:ident, $gate:ident, $holds:ident, $message:literal, $label:literal;)*) => {$(
        $(#[$doc])*
        #[doc(hidden)]
        pub trait $bound: HasImage {}
        impl<L: $has> $bound for L where $alias<L>: $gate<L> {}
        /// Implemented for `True`.
        #[doc(hidden)]
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
        /// Never implemented; carries the diagnostic.
        #[diagnostic::on_unimplemented(message = $message, label = $label)]
        #[doc(hidden)]
        pub trait $holds<S, D> {}
    )*};
}
bounds! {
    /// Requires that no two coordinates have the same offset: [`IsInjective`] as a bound.
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
    Injective of DecidesInjective = IsInjective, NoOffsetTwice, OneCoordinateEach,
        "{S}:{D} is not injective: two coordinates have one offset",
        "every coordinate must have an offset of its own";
    /// Requires that the offsets are `0..size`, each once: [`IsCompact`] as a bound.
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
    Compact of HasImage = IsCompact, NoOffsetLeft, FillsItsSize,
        "{S}:{D} is not compact: its offsets are not the numbers below its size, each once",
        "the layout must be a bijection onto the numbers below its size";
}
/// Requires that the layouts have no common offset except 0: [`IsDisjoint`] as a bound.
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
/// Implemented for `True`.
#[doc(hidden)]
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
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "{AS}:{AD} and {BS}:{BD} are not disjoint: they share an offset other than 0",
    label = "the layouts may share offset 0 only"
)]
#[doc(hidden)]
pub trait SharesZeroOnly<AS, AD, BS, BD> {}

/// Implemented for `False`: no stride is a scaled basis element.
#[doc(hidden)]
pub trait OffsetsAreIntegers<S, D> {}
impl<S, D> OffsetsAreIntegers<S, D> for False {}
impl<S: Decimal, D: Decimal> OffsetsAreIntegers<S, D> for True where
    super::message::Refusal: CountsOffsets<S::Text, D::Text>
{
}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "{S}:{D} has coordinates, not offsets: a stride is a scaled basis, where an integer is needed",
    label = "offsets are counted, not coordinates"
)]
#[doc(hidden)]
pub trait CountsOffsets<S, D> {}
/// Implemented for `True`.
#[diagnostic::on_unimplemented(
    message = "whether these layouts share an offset is not decided: a stride is negative",
    label = "only layouts without negative strides are compared"
)]
#[doc(hidden)]
pub trait NoneNegative {}
impl NoneNegative for True {}
/// A truth value, which means that few enough offsets were compared.
#[diagnostic::on_unimplemented(
    message = "whether these layouts share an offset is not decided: only comparing every offset could tell, and there are more than 512",
    label = "too many offsets to compare"
)]
#[doc(hidden)]
pub trait FewOffsets {
    /// The truth value.
    type Verdict: Bool;
}
impl FewOffsets for True {
    type Verdict = True;
}
impl FewOffsets for False {
    type Verdict = False;
}

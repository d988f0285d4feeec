//! Sorts modes by falling stride, and decides whether two coordinates have the same offset.
//!
//! ```text
//!   (4096,4096):(3,5)      5 steps of 3 are 3 steps of 5:  (820,1366):(15,15), two modes of one stride
//!   (4,3,2):(5,3,2)        5 - 3 - 2 = 0: found by a search of few steps
//! ```
//!
//! Two coordinates have the same offset if there is a nonzero difference vector `e`,
//! `|e_k| < shape_k`, with `sum e_k stride_k == 0`. With the strides in falling order, the
//! remaining coordinates reach too little for all but a few values of `e_k`, usually for all.
//! Greatest common divisors ([`InjectiveSpans`]) or a search decide the remaining cases; a case
//! with a long search is not decided.
//!
//! Law: [`InjectiveSpans`] is true if and only if there is no such vector. Otherwise it is false,
//! or [`Undecided`].

use super::decide::is_falling;
use super::nesting::{modes_leave, nests_as_written};
use super::points::{NatPoints, Statement};
use super::room::{Room, Units4, Units8, Units16, Units17, Width};
use crate::num::{
    Bool, Difference, False, Log2, Nat, NatAdd, NatCmp, NatDiv, NatSub, One, Pred, StrideLeaf,
    True, Two, Zero,
};
use crate::tree::{Cons, M, ModeList, ModeTree, Nil, phantom};
use typenum::{U16, U64};

/// The difference, or 0 if it underflows.
pub(super) type OrZero<A, B> = <<A as NatSub>::Sub<B> as Difference>::OrZero;

/// The modes of more than one element of the tree `T`, by falling stride.
pub type SpansOf<T> = <<T as ImageTree>::SpansOnto<NoPile> as Piles>::Merged<NoSpan>;

/// Trees whose modes are converted to spans.
#[doc(hidden)]
pub trait ImageTree {
    /// The modes of more than one element, added to those of `P`.
    type SpansOnto<P: Piles>: Piles;
    /// The distance that the offsets reach below 0.
    type ReachBelow: Nat;
}
impl<S: Nat, D: StrideLeaf> ImageTree for M<S, D> {
    type SpansOnto<P: Piles> = <S::IsOne as ImageBranch>::Unless<S, D::Magnitude, P>;
    type ReachBelow = <<is_falling<D> as Bool>::And<<D::Null as Bool>::Not> as Bool>::PickNat<
        <Pred<S> as Nat>::Times<D::Magnitude>,
        Zero,
    >;
}
impl ImageTree for Nil {
    type SpansOnto<P: Piles> = P;
    type ReachBelow = Zero;
}
impl<H: ModeTree, T: ModeList> ImageTree for Cons<H, T> {
    type SpansOnto<P: Piles> = H::SpansOnto<T::SpansOnto<P>>;
    type ReachBelow = <H::ReachBelow as Nat>::Plus<T::ReachBelow>;
}

phantom! {
    /// A span: `S` offsets, `D` apart. The spans `R` follow, whose strides are not greater.
    Span<S, D, R>
}
/// The end of the list: no more spans.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSpan;
/// Modes by falling stride.
#[doc(hidden)]
pub trait Spans {
    /// The greatest offset.
    type Reach: Nat;
    /// The number of coordinates.
    type Total: Nat;
    /// The spans with the mode `S:D` inserted.
    type Insert<S: Nat, D: Nat>: Spans;
    /// The spans merged with the modes of `L`.
    type Merge<L: Spans>: Spans;
    /// The spans merged with the modes of `Span<S, D, R>`.
    type MergeSpan<S: Nat, D: Nat, R: Spans>: Spans;
    /// Whether no two coordinates have the same offset, by a search of [`Spans::Work`] differences.
    type Injective: Bool;
    /// Whether each stride is greater than the reach of the smaller modes.
    type Nested: Bool;
    /// The units of [`Room`] that remain of `R` after one unit for each mode whose stride is not
    /// greater than the reach of the smaller modes.
    type Overlapping<R: Room>: Room;
    /// The units of [`Room`] that remain of `R` after one unit for each mode. No unit remains if a
    /// stride is above 2^24.
    type Searched<R: Room>: Room;
    /// Whether the strides are different from each other and from 0.
    type Distinct: Bool;
    /// The greatest common divisor of the strides.
    type Gcd: Nat;
    /// The modes reduced to the steps that steps of the other modes can compensate. `Before` is the
    /// greatest common divisor of the strides of further modes.
    type Reduced<Before: Nat>: Spans;
    /// Whether a stride is `D`, given that the modes in front have greater strides.
    type BeginsWith<D: Nat>: Bool;
    /// The number of steps that are tried for one difference.
    type Width: Nat;
    /// The number of steps that are tried for one offset.
    type Ways: Nat;
    /// The exponent of a power of two that is not below [`Spans::Width`].
    type WidthLog: Nat;
    /// The number of differences that are tried.
    type Work: Nat;
    /// The number of modes.
    type Len: Nat;
    /// Whether the offsets are `0..Total`, each once.
    type Compact: Bool;
    /// Whether `V` is the difference of two offsets.
    type Differs<V: Nat>: Bool;
    /// Whether `V` is an offset.
    type Contains<V: Nat>: Bool;
    /// Whether `P` holds for `V` plus each offset.
    type AllOffsets<V: Nat, P: Statement>: Bool;
}
impl Spans for NoSpan {
    type Reach = Zero;
    type Total = One;
    type Insert<S: Nat, D: Nat> = Span<S, D, NoSpan>;
    type Merge<L: Spans> = L;
    type MergeSpan<S: Nat, D: Nat, R: Spans> = Span<S, D, R>;
    type Injective = True;
    type Nested = True;
    type Overlapping<R1: Room> = R1;
    type Searched<R1: Room> = R1;
    type Distinct = True;
    type Gcd = Zero;
    type Reduced<Before: Nat> = NoSpan;
    type BeginsWith<D: Nat> = False;
    type Width = One;
    type Ways = One;
    type WidthLog = Zero;
    type Work = Zero;
    type Len = Zero;
    type Compact = True;
    type Differs<V: Nat> = V::IsZero;
    type Contains<V: Nat> = V::IsZero;
    type AllOffsets<V: Nat, P: Statement> = P::At<V>;
}

/// Lists that wait to be merged. Each list has twice as many modes as the one before, or is
/// missing: the lists are the bits of a counter of modes.
///
/// So with 32 modes, a mode is compared five times and not with each of the other modes.
#[doc(hidden)]
pub trait Piles {
    /// The piles with one more list, which is as long as the first list.
    type Push<L: Spans>: Piles;
    /// All lists and `L` merged into one list.
    type Merged<L: Spans>: Spans;
}
/// No lists.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoPile;
phantom! {
    /// The list `L`, followed by longer lists.
    Pile<L, P>
}
phantom! {
    /// No list of this length, followed by longer lists.
    Missing<P>
}
impl Piles for NoPile {
    type Push<L: Spans> = Pile<L, NoPile>;
    type Merged<L: Spans> = L;
}
impl<A: Spans, P: Piles> Piles for Pile<A, P> {
    type Push<L: Spans> = Missing<P::Push<L::Merge<A>>>;
    type Merged<L: Spans> = P::Merged<L::Merge<A>>;
}
impl<P: Piles> Piles for Missing<P> {
    type Push<L: Spans> = Pile<L, P>;
    type Merged<L: Spans> = P::Merged<L>;
}

type Least<A, B> = <A as NatCmp>::Min<B>;
/// The least number of steps of `D` that bring `V` down to at most the reach of `R`.
type From<V, D, R> = <OrZero<V, <R as Spans>::Reach> as Nat>::CeilDiv<D>;
/// The number of steps from `First` to `Last`, both included, or 0 if `Last` is smaller.
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
    type Insert<S1: Nat, D1: Nat> = Self::MergeSpan<S1, D1, NoSpan>;
    type Merge<L: Spans> = L::MergeSpan<S, D, R>;
    type MergeSpan<S1: Nat, D1: Nat, R1: Spans> =
        <D1::AtLeast<D> as ImageBranch>::Merge<S1, D1, R1, S, D, R>;
    type Injective =
        <<R::Injective as Bool>::And<<D::IsZero as Bool>::Not> as ImageBranch>::Injective<S, D, R>;
    type Nested = <R::Nested as Bool>::And<<<R::Reach as NatCmp>::AtLeast<D> as Bool>::Not>;
    type Searched<R1: Room> = <D::Width as Width>::Stride<<R::Searched<R1> as Room>::Less1>;
    type Overlapping<R1: Room> =
        <<R::Reach as NatCmp>::AtLeast<D> as ImageBranch>::Overlaps<R::Overlapping<R1>>;
    type Distinct = <<R::Distinct as Bool>::And<<D::IsZero as Bool>::Not> as Bool>::And<
        <R::BeginsWith<D> as Bool>::Not,
    >;
    type Gcd = Gcd<D, R::Gcd>;
    type Reduced<Before: Nat> =
        <<Gcd<Before, R::Gcd> as NatCmp>::IsZero as ImageBranch>::Alone<S, D, R, Before>;
    type BeginsWith<D1: Nat> = D::Equals<D1>;
    type Width = <<<Steps<S, D, R> as Nat>::Twice as NatAdd>::Succ as Nat>::Times<R::Width>;
    type WidthLog =
        <<<<Steps<S, D, R> as Nat>::Twice as NatAdd>::Succ as Log2>::CeilExponent as Nat>::Plus<
            R::WidthLog,
        >;
    type Work = <<Steps<S, D, R> as Nat>::Times<R::Width> as Nat>::Plus<R::Work>;
    type Ways = <<Steps<S, D, R> as NatAdd>::Succ as Nat>::Times<R::Ways>;
    type Len = <R::Len as NatAdd>::Succ;
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
    /// The statement that, after some steps up, `R` does not compensate the remaining difference.
    NoStep<R, D, V>
}
impl<R: Spans, D: Nat, V: Nat> Statement for NoStep<R, D, V> {
    type At<K: Nat> =
        <R::Differs<<OrZero<V, D::Times<K>> as Nat>::Plus<OrZero<D::Times<K>, V>>> as Bool>::Not;
}
phantom! {
    /// The statement that, after some steps down, `R` does not compensate the remaining difference.
    NoStepBack<R, D, V>
}
impl<R: Spans, D: Nat, V: Nat> Statement for NoStepBack<R, D, V> {
    type At<K: Nat> = <R::Differs<V::Plus<D::Times<K>>> as Bool>::Not;
}
phantom! {
    /// The statement that, after some steps, the remaining offset is not an offset of `R`.
    NoOffset<R, D, V>
}
impl<R: Spans, D: Nat, V: Nat> Statement for NoOffset<R, D, V> {
    type At<K: Nat> = <R::Contains<OrZero<V, D::Times<K>>> as Bool>::Not;
}
phantom! {
    /// The statement that `P` holds for `V`, plus steps of `D`, plus the offsets of `R`.
    Offsets<R, D, V, P>
}
impl<R: Spans, D: Nat, V: Nat, P: Statement> Statement for Offsets<R, D, V, P> {
    type At<K: Nat> = R::AllOffsets<V::Plus<D::Times<K>>, P>;
}

type Gcd<A, B> = <A as NatDiv>::GcdOf<B>;
/// The number of steps of `S:D` that `R` could compensate.
type Steps<S, D, R> = Least<Pred<S>, <<R as Spans>::Reach as Nat>::Over<D>>;
/// The least number of steps of the stride `D` that are together a multiple of `Of`. The steps of
/// the other modes are multiples of `Of`.
type EachStep<D, Of> = <Of as Nat>::Over<Gcd<Of, D>>;
/// Whether the layout of these modes is injective: [`True`], [`False`] or [`Undecided`].
///
/// If the strides do not nest, a step of a mode that the steps of the other modes cannot compensate
/// does not occur in a difference whose offset is 0. So only multiples of the other strides'
/// greatest common divisor count, and a mode too short for such a multiple is removed. This decides
/// a layout of two modes: either one mode is removed, or both have the same stride afterwards. For
/// 3 to 8 modes it reduces the work. Then a layout with more coordinates than offsets is not
/// injective, and a short search decides the rest.
pub type InjectiveSpans<L> = <<L as Spans>::Nested as ImageBranch>::Nests<L>;
/// The value of [`InjectiveSpans`] for the modes of the tree `T`, or [`ManyModes`]: more than 16
/// modes are not sorted.
///
/// Even for more modes, a layout with more coordinates than offsets is not injective, and a layout
/// whose modes nest as they are written is injective.
pub type InjectiveModes<T> = <<modes_leave<T, Units16> as Room>::IsLeft as ImageBranch>::Sorts<T>;
/// The value of [`Spans::Compact`] for the modes of the tree `T`. The modes are sorted only if the
/// greatest offset is one less than the size.
pub type CompactModes<T> = <<<<T as ModeTree>::Reach as NatAdd>::Succ as NatCmp>::Equals<
    <T as ModeTree>::Size,
> as ImageBranch>::Compact<T>;
/// The verdict that there are too many modes to sort them.
#[derive(Clone, Copy, Debug, Default)]
pub struct ManyModes;
impl Verdict for ManyModes {
    type IsTrue = False;
}
/// The verdict that only a long search could decide.
#[derive(Clone, Copy, Debug, Default)]
pub struct Undecided;
/// A truth value, or one of the verdicts without a decision.
#[doc(hidden)]
pub trait Verdict {
    /// Whether the verdict is [`True`].
    type IsTrue: Bool;
}
impl Verdict for True {
    type IsTrue = True;
}
impl Verdict for False {
    type IsTrue = False;
}
impl Verdict for Undecided {
    type IsTrue = False;
}

/// The units for the modes of a search. Each mode that overlaps smaller modes has at least one step
/// to try, so `k` such modes take at least `(3^k - 1) / 2` differences: five modes take more than
/// 64.
type SearchedModes = Units4;
type ReducedTwice<L> = <<L as Spans>::Reduced<Zero> as Spans>::Reduced<Zero>;

/// Selects the next step of a decision by a truth value. Each type says what the value `True`
/// means.
#[doc(hidden)]
pub trait ImageBranch {
    /// True: there are more coordinates than offsets.
    type Crowded: Verdict;
    /// True: two coordinates may have one offset.
    type MoreThan<T: ModeTree>: Verdict;
    /// True: the modes may be compact.
    type Compact<T: ModeTree>: Bool;
    /// True: there are few enough modes to be sorted.
    type Sorts<T: ModeTree>: Verdict;
    /// True: the modes nest as they are written.
    type AsWritten<T: ModeTree>: Verdict;
    /// True: the trees have few enough modes to be sorted.
    type SortsBoth<A: ModeTree, B: ModeTree>: Verdict;
    /// True: `A` has at least as many elements as `B`. The verdict is [`Undecided`] if false.
    type AtLeast<A: ModeTree, B: ModeTree>: Verdict;
    /// True: the modes nest, so they are injective.
    type Nests<L: Spans>: Verdict;
    /// True: the modes nest once they are reduced.
    type NestsReduced<L: Spans>: Verdict;
    /// True: the strides are different.
    type Differ<L: Spans>: Verdict;
    /// True: there are no more coordinates than offsets.
    type HasPlaces<L: Spans>: Verdict;
    /// The units of [`Room`] that remain of `R`, one unit less if true.
    type Overlaps<R: Room>: Room;
    /// True: few enough modes overlap for a search.
    type FewOverlap<L: Spans>: Verdict;
    /// True: the search is short enough for its length to be counted.
    type Narrow<L: Spans>: Verdict;
    /// True: the search is short.
    type Search<L: Spans>: Verdict;
    /// True: there are few enough modes to be reduced.
    type Reduces<L: Spans>: Verdict;
    /// True: there are few enough offsets for [`Spans::AllOffsets`].
    type Offsets<L: Spans, V: Nat, P: Statement>: Verdict;
    /// True: `S:D` is the only mode. Otherwise the mode is reduced, followed by `R`.
    type Alone<S: Nat, D: Nat, R: Spans, Before: Nat>: Spans;
    /// True: the mode is reduced to size 1, and dropped.
    type Drop<S: Nat, D: Nat, Each: Nat, R: Spans, Before: Nat>: Spans;
    /// `P` if true, otherwise `P` with the mode `S:D`.
    type Unless<S: Nat, D: Nat, P: Piles>: Piles;
    /// The modes of both lists, with `S1:D1` in front if true, and `S:D` in front otherwise.
    type Merge<S1: Nat, D1: Nat, R1: Spans, S: Nat, D: Nat, R: Spans>: Spans;
    /// If true, whether `S:D` is injective together with `R`.
    type Injective<S: Nat, D: Nat, R: Spans>: Bool;
}
impl ImageBranch for True {
    type Compact<T: ModeTree> = <SpansOf<T> as Spans>::Compact;
    type Crowded = False;
    type MoreThan<T: ModeTree> = <<T::Size as NatCmp>::AtLeast<
        <<T::Reach as NatAdd>::Succ as NatAdd>::Succ,
    > as ImageBranch>::Crowded;
    type SortsBoth<A: ModeTree, B: ModeTree> =
        InjectiveSpans<<SpansOf<A> as Spans>::Merge<SpansOf<B>>>;
    type Sorts<T: ModeTree> = InjectiveSpans<SpansOf<T>>;
    type AsWritten<T: ModeTree> = True;
    type AtLeast<A: ModeTree, B: ModeTree> =
        <<SpansOf<A> as Spans>::Total as NatCmp>::AtLeast<<SpansOf<B> as Spans>::Total>;
    type Nests<L: Spans> = True;
    type NestsReduced<L: Spans> = True;
    type Differ<L: Spans> =
        <<<L::Reach as NatAdd>::Succ as NatCmp>::AtLeast<L::Total> as ImageBranch>::HasPlaces<L>;
    type HasPlaces<L: Spans> = <<<L::Overlapping<SearchedModes> as Room>::IsLeft as Bool>::And<
        <L::Searched<Units17> as Room>::IsLeft,
    > as ImageBranch>::FewOverlap<L>;
    type Overlaps<R: Room> = R::Less1;
    type FewOverlap<L: Spans> = <<U16 as NatCmp>::AtLeast<L::WidthLog> as ImageBranch>::Narrow<L>;
    type Narrow<L: Spans> = <<U64 as NatCmp>::AtLeast<L::Work> as ImageBranch>::Search<L>;
    type Reduces<L: Spans> =
        <<ReducedTwice<L> as Spans>::Nested as ImageBranch>::NestsReduced<ReducedTwice<L>>;
    type Offsets<L: Spans, V: Nat, P: Statement> = L::AllOffsets<V, P>;
    type Search<L: Spans> = L::Injective;
    type Alone<S: Nat, D: Nat, R: Spans, Before: Nat> = Span<S, D, R>;
    type Drop<S: Nat, D: Nat, Each: Nat, R: Spans, Before: Nat> = R::Reduced<Before>;
    type Unless<S: Nat, D: Nat, P: Piles> = P;
    type Merge<S1: Nat, D1: Nat, R1: Spans, S: Nat, D: Nat, R: Spans> =
        Span<S1, D1, R1::MergeSpan<S, D, R>>;
    type Injective<S: Nat, D: Nat, R: Spans> =
        <Least<Pred<S>, <R::Reach as Nat>::Over<D>> as NatPoints>::AllFrom<One, NoStep<R, D, Zero>>;
}
impl ImageBranch for False {
    type Compact<T: ModeTree> = False;
    type Crowded = ManyModes;
    type MoreThan<T: ModeTree> = ManyModes;
    type AtLeast<A: ModeTree, B: ModeTree> = Undecided;
    type SortsBoth<A: ModeTree, B: ModeTree> = Undecided;
    type Sorts<T: ModeTree> = <nests_as_written<T> as ImageBranch>::AsWritten<T>;
    type AsWritten<T: ModeTree> =
        <<T::StridesLeave<Units16> as Room>::IsLeft as ImageBranch>::MoreThan<T>;
    type Nests<L: Spans> = <<<L::Searched<Units8> as Room>::IsLeft as Bool>::Or<
        <Two as NatCmp>::AtLeast<L::Len>,
    > as ImageBranch>::Reduces<L>;
    type Reduces<L: Spans> = <L::Distinct as ImageBranch>::Differ<L>;
    type Overlaps<R: Room> = R;
    type FewOverlap<L: Spans> = Undecided;
    type Narrow<L: Spans> = Undecided;
    type Offsets<L: Spans, V: Nat, P: Statement> = Undecided;
    type NestsReduced<L: Spans> = <L::Distinct as ImageBranch>::Differ<L>;
    type Differ<L: Spans> = False;
    type HasPlaces<L: Spans> = False;
    type Search<L: Spans> = Undecided;
    type Alone<S: Nat, D: Nat, R: Spans, Before: Nat> =
        <<S::CeilDiv<EachStep<D, Gcd<Before, R::Gcd>>> as NatCmp>::IsOne as ImageBranch>::Drop<
            S,
            D,
            EachStep<D, Gcd<Before, R::Gcd>>,
            R,
            Before,
        >;
    type Drop<S: Nat, D: Nat, Each: Nat, R: Spans, Before: Nat> =
        <R::Reduced<Gcd<Before, D::Times<Each>>> as Spans>::Insert<
            S::CeilDiv<Each>,
            D::Times<Each>,
        >;
    type Unless<S: Nat, D: Nat, P: Piles> = P::Push<Span<S, D, NoSpan>>;
    type Merge<S1: Nat, D1: Nat, R1: Spans, S: Nat, D: Nat, R: Spans> =
        Span<S, D, R::MergeSpan<S1, D1, R1>>;
    type Injective<S: Nat, D: Nat, R: Spans> = False;
}

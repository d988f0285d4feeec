//! Swizzles at type level: their effect on a static offset, their move through a layout, and their
//! form in other units.
//!
//! ```text
//!   L o Sw  =  s o L      where s takes its masks from L(y) and L(z):   (8,8):(8,1) o Sw<2,0,-3>  =  Sw<2,0,3> o (8,8):(8,1)
//! ```
//!
//! Law: `s(L(i)) == L(Sw(i))` for every `i` of `L`. CuTe does not check this law; this module
//! checks it for each bit of `i` if `L` is linear over bits, and otherwise point by point. If a
//! layout is applied before `L` and its offsets lie past the end of `L`, these offsets are checked
//! too. `swizzle_inverse` has the inverses (CuTe: `cute/swizzle_layout.hpp`).

use super::carries::all_rise;
use super::cast::{DowncastBy, ExactUpcastBy, RecastTo, UpcastBy};
use super::compose::{Compose, OnRightOf};
use super::compose_list::{Start, add_at, digits_onto};
use super::message::Refusal;
use super::outcome::names;
use super::points::{BitLinear, LinearPastEnd, NatPoints, Statement, Sum, SumOf};
use super::swizzle::{ComposedLayout, ShiftFits, Sw, SwizzleBranch};
use crate::decimal::Decimal;
use crate::layout::{Layout, LayoutFn, StaticLayout};
use crate::num::{
    Bool, Difference, E, False, Log2, Nat, NatAdd, NatBits, NatCmp, NatDiv, NatSub, One, QuotRem,
    SignedDifference, StrideLeaf, True, Zero,
};
use crate::tree::{ModeTree, phantom};
use typenum::{B0, B1, NInt, NonZero, U1024, UInt, UTerm};

type OrZero<A, B> = <<A as NatSub>::Sub<B> as Difference>::OrZero;

/// A shift of either sign as two powers of two.
#[doc(hidden)]
pub trait ShiftStride {
    /// 2 to the shift if the shift is positive, otherwise 1.
    type Up: Nat;
    /// 2 to the negated shift if the shift is negative, otherwise 1.
    type Down: Nat;
    /// Whether the shift is positive, so that the higher bits are read.
    type ReadsHigh: Bool;
}
impl ShiftStride for UTerm {
    type Up = One;
    type Down = One;
    type ReadsHigh = True;
}
impl<U: Nat> ShiftStride for UInt<U, B0> {
    type Up = <Self as Log2>::Exp2;
    type Down = One;
    type ReadsHigh = True;
}
impl<U: Nat> ShiftStride for UInt<U, B1> {
    type Up = <Self as Log2>::Exp2;
    type Down = One;
    type ReadsHigh = True;
}
impl<N: Nat + NonZero> ShiftStride for NInt<N> {
    type Up = One;
    type Down = N::Exp2;
    type ReadsHigh = False;
}
impl<I: Nat, V: StrideLeaf> ShiftStride for E<I, V> {
    type Up = One;
    type Down = One;
    type ReadsHigh = True;
}

/// A swizzle at type level.
#[doc(hidden)]
pub trait SwizzleType {
    /// The bits that are read.
    type Y: Nat;
    /// The bits that change.
    type Z: Nat;
    /// The image of an offset.
    type Apply<X: Nat>: Nat;
}
type Run<B, M> = <OrZero<<B as Log2>::Exp2, One> as Nat>::Times<<M as Log2>::Exp2>;
impl<B: Nat, M: Nat, S: StrideLeaf> SwizzleType for Sw<B, M, S> {
    type Y = <Run<B, M> as Nat>::Times<S::Up>;
    type Z = <Run<B, M> as Nat>::Times<S::Down>;
    type Apply<X: Nat> = X::Xor<<<X::And<Self::Y> as Nat>::Over<S::Up> as Nat>::Times<S::Down>>;
}

/// The swizzle that reads the bits `Y` and changes the bits `Z`.
pub type FromMasks<Y, Z> = Sw<
    <Y as NatBits>::Ones,
    <<Y as NatBits>::TrailingZeros as NatCmp>::Min<<Z as NatBits>::TrailingZeros>,
    SignedDifference<<Y as NatBits>::TrailingZeros, <Z as NatBits>::TrailingZeros>,
>;
/// The offset of a tree at a number.
pub type OffsetOf<T, I> = <add_at<digits_onto<T, Start>, I, SumOf<Zero, Zero>> as Sum>::OrZero;
/// The swizzle `s` with `s o T == T o F`, if there is one.
pub type Moved<T, F> =
    FromMasks<OffsetOf<T, <F as SwizzleType>::Y>, OffsetOf<T, <F as SwizzleType>::Z>>;

phantom! {
    /// The statement `S(T(i)) == T(F(i))`.
    SameSwizzle<T, F, S>
}
impl<T: ModeTree, F: SwizzleType, S: SwizzleType> Statement for SameSwizzle<T, F, S> {
    type At<I: Nat> = <S::Apply<OffsetOf<T, I>> as NatCmp>::Equals<OffsetOf<T, F::Apply<I>>>;
}
/// Whether [`Moved`] has the required effect at each index of `T`.
pub type Moves<T, F> = MovesAt<T, F, <T as ModeTree>::Size, SameSwizzle<T, F, Moved<T, F>>>;
/// Whether [`Moved`] has the required effect, given that `P` must hold for all numbers below `N`.
pub type MovesAt<T, F, N, P> = <<<<Moved<T, F> as SwizzleType>::Y as NatCmp>::Equals<
    OffsetOf<T, <F as SwizzleType>::Y>,
> as Bool>::And<
    <<Moved<T, F> as SwizzleType>::Z as NatCmp>::Equals<OffsetOf<T, <F as SwizzleType>::Z>>,
> as MovedBranch>::Points<T, F, N, P>;
/// Whether [`Moved`] has the required effect at each index of `T`, and at each offset of `R`, which
/// may be past the end of `T`.
pub type MovesFor<T, F, R> = <<<all_rise<R> as Bool>::And<
    <<T as ModeTree>::Size as NatCmp>::AtLeast<<<R as ModeTree>::Reach as NatAdd>::Succ>,
> as Bool>::Or<LinearPastEnd<T>> as MovedBranch>::Within<T, F, R>;
phantom! {
    /// The statement `S(T(j)) == T(F(j))` at the offset `j` that the tree `R` has at an index.
    SameOnRight<T, F, R>
}
impl<T: ModeTree, F: SwizzleType, R: ModeTree> Statement for SameOnRight<T, F, R> {
    type At<I: Nat> = <SameSwizzle<T, F, Moved<T, F>> as Statement>::At<OffsetOf<R, I>>;
}
/// The verdict that there are too many points to compare.
#[derive(Clone, Copy, Debug, Default)]
pub struct ManyPoints;
/// The verdict whether a swizzle can be moved: true, false, or too many points to compare.
#[doc(hidden)]
pub trait MoveVerdict {
    /// `V` if the verdict is true.
    type AndThen<V>;
}
impl MoveVerdict for True {
    type AndThen<V> = V;
}
impl MoveVerdict for False {
    type AndThen<V> = False;
}
impl MoveVerdict for ManyPoints {
    type AndThen<V> = ManyPoints;
}
/// Whether `T` is linear over all bits that `F` reads and changes: these are bits of `T`'s indices,
/// or `T` is also linear past its end.
type LinearFor<T, F> = <BitLinear<T> as Bool>::And<
    <<<T as ModeTree>::Size as NatCmp>::AtLeast<EndOf<F>> as Bool>::Or<LinearPastEnd<T>>,
>;
/// One more than a number whose set bits include all bits that a swizzle reads and changes.
type EndOf<F> = <<<F as SwizzleType>::Y as Nat>::Plus<<F as SwizzleType>::Z> as NatAdd>::Succ;
/// A power of two past the indices of `T` and the bits of `F`.
type BitsEnd<T, F> =
    <<<EndOf<F> as Log2>::CeilExponent as Log2>::Exp2 as NatCmp>::Max<<T as ModeTree>::Size>;
/// Selects the next step of moving a swizzle by a truth value.
#[doc(hidden)]
pub trait MovedBranch: MoveVerdict {
    /// If true, the images of the masks are masks, and all points have to agree.
    type Points<T: ModeTree, F: SwizzleType, N: Nat, P: Statement>: MoveVerdict;
    /// If true, both functions are linear over bits, so they agree if they agree on each bit.
    type Linear<T: ModeTree, F: SwizzleType, N: Nat, P: Statement>: MoveVerdict;
    /// If true, there are few enough points to compare.
    type Few<N: Nat, P: Statement>: MoveVerdict;
    /// If true, no offset moves, and nothing has to be checked; if false, [`MovesAt`] decides.
    type Unmoved<T: ModeTree, F: SwizzleType, N: Nat, P: Statement>: MoveVerdict;
    /// If true, the offsets of `R` are indices of `T`, or `T` is linear over bits past its end, so
    /// that [`Moves`] decides for these offsets. If false, the offsets are compared too.
    type Within<T: ModeTree, F: SwizzleType, R: ModeTree>;
    /// If true, the offsets of `R` are not negative.
    type Past<T: ModeTree, F: SwizzleType, R: ModeTree>;
}
impl MovedBranch for True {
    type Points<T: ModeTree, F: SwizzleType, N: Nat, P: Statement> =
        <LinearFor<T, F> as MovedBranch>::Linear<T, F, N, P>;
    type Linear<T: ModeTree, F: SwizzleType, N: Nat, P: Statement> =
        <BitsEnd<T, F> as NatPoints>::AllBits<One, SameSwizzle<T, F, Moved<T, F>>>;
    type Few<N: Nat, P: Statement> = N::AllFrom<Zero, P>;
    type Unmoved<T: ModeTree, F: SwizzleType, N: Nat, P: Statement> = True;
    type Within<T: ModeTree, F: SwizzleType, R: ModeTree> = Moves<T, F>;
    type Past<T: ModeTree, F: SwizzleType, R: ModeTree> =
        <<U1024 as NatCmp>::AtLeast<R::Size> as MovedBranch>::Few<R::Size, SameOnRight<T, F, R>>;
}
impl MovedBranch for False {
    type Points<T: ModeTree, F: SwizzleType, N: Nat, P: Statement> = False;
    type Linear<T: ModeTree, F: SwizzleType, N: Nat, P: Statement> =
        <<U1024 as NatCmp>::AtLeast<N> as MovedBranch>::Few<N, P>;
    type Few<N: Nat, P: Statement> = ManyPoints;
    type Unmoved<T: ModeTree, F: SwizzleType, N: Nat, P: Statement> = MovesAt<T, F, N, P>;
    type Within<T: ModeTree, F: SwizzleType, R: ModeTree> =
        <Moves<T, F> as MoveVerdict>::AndThen<<all_rise<R> as MovedBranch>::Past<T, F, R>>;
    type Past<T: ModeTree, F: SwizzleType, R: ModeTree> = False;
}

/// Implemented if the swizzle can be moved after the layout in the operation `Of`.
#[doc(hidden)]
pub trait SwizzleMoves<Of> {}
impl<Of> SwizzleMoves<Of> for True {}
macro_rules! no_move {
    ($verdict:ident, [$($p:ident),*], $refusal:ident, $message:literal) => {
        impl<$($p: Decimal),*> SwizzleMoves<($($p,)*)> for $verdict where
            Refusal: $refusal<$($p::Text),*>
        {
        }
        no_move! { @trait [$($p),*], $refusal, $message }
    };
    ($verdict:ident, $name:ident [$($p:ident),*], $refusal:ident, $message:literal) => {
        impl<$name, $($p: Decimal),*> SwizzleMoves<($name, $($p,)*)> for $verdict where
            Refusal: $refusal<$name, $($p::Text),*>
        {
        }
        no_move! { @trait [$name, $($p),*], $refusal, $message }
    };
    (@trait [$($p:ident),*], $refusal:ident, $message:literal) => {
        /// Never implemented; carries the diagnostic.
        #[diagnostic::on_unimplemented(
            message = $message,
            label = "the swizzle cannot be moved through this layout"
        )]
        #[doc(hidden)]
        pub trait $refusal<$($p),*> {}
    };
}
no_move!(
    False,
    [B, M, S, LS, LD],
    SwizzleBehind,
    "composition {LS}:{LD} o Sw<{B},{M},{S}> is not admissible: no swizzle behind the layout is the same function"
);
no_move!(
    ManyPoints,
    [B, M, S, LS, LD],
    SwizzleUndecided,
    "composition {LS}:{LD} o Sw<{B},{M},{S}> is not admissible: whether a swizzle behind the layout is the same function could only be told by comparing every element, and there are more than _1024"
);
no_move!(
    False,
    [B, M, S, LS, LD, RS, RD],
    SwizzleBetween,
    "composition {LS}:{LD} o Sw<{B},{M},{S}> o _0 o {RS}:{RD} is not admissible: no swizzle behind the left layout is the same function"
);
no_move!(
    ManyPoints,
    [B, M, S, LS, LD, RS, RD],
    SwizzleBetweenUndecided,
    "composition {LS}:{LD} o Sw<{B},{M},{S}> o _0 o {RS}:{RD} is not admissible: whether a swizzle behind the left layout is the same function could only be told by comparing every element, and there are more than _1024"
);
no_move!(
    False, Name [B, M, S, LS, LD],
    SwizzleInverse,
    "{Name} Sw<{B},{M},{S}> o _0 o {LS}:{LD} is not admissible: no swizzle behind the layout's inverse is the same function"
);
no_move!(
    ManyPoints, Name [B, M, S, LS, LD],
    SwizzleInverseUndecided,
    "{Name} Sw<{B},{M},{S}> o _0 o {LS}:{LD} is not admissible: whether a swizzle behind the layout's inverse is the same function could only be told by comparing every element, and there are more than _1024"
);

// Both operands are written out: bounds on arbitrary inner layouts would recur without end when the
// compiler searches for suggestions.
impl<S0, D0, B: Nat, M: Nat, S: StrideLeaf, S1, D1> OnRightOf<Layout<S0, D0>>
    for ComposedLayout<Sw<B, M, S>, Zero, Layout<S1, D1>>
where
    Layout<S0, D0>: StaticLayout + Compose<Layout<S1, D1>, Output: LayoutFn>,
    Layout<S1, D1>: StaticLayout,
    MovesFor<<Layout<S0, D0> as LayoutFn>::Modes, Sw<B, M, S>, <Layout<S1, D1> as LayoutFn>::Modes>:
        SwizzleMoves<(B, M, S, S0, D0, S1, D1)>,
{
    type Composed = <<OffsetOf<<Layout<S0, D0> as LayoutFn>::Modes, <Sw<B, M, S> as SwizzleType>::Y> as NatCmp>::IsZero
        as SwizzleBranch>::Swizzled<
        Moved<<Layout<S0, D0> as LayoutFn>::Modes, Sw<B, M, S>>,
        <Layout<S0, D0> as Compose<Layout<S1, D1>>>::Output,
    >;
}
/// Composes a layout after a swizzle: the result has the swizzle that has the same effect after the
/// layout.
impl<S0, D0, B: Nat, M: Nat, S: StrideLeaf> OnRightOf<Layout<S0, D0>> for Sw<B, M, S>
where
    Layout<S0, D0>: StaticLayout,
    <S::Magnitude as NatCmp>::AtLeast<B>: ShiftFits<B, M, S>,
    Moves<<Layout<S0, D0> as LayoutFn>::Modes, Sw<B, M, S>>: SwizzleMoves<(B, M, S, S0, D0)>,
{
    type Composed = <<OffsetOf<<Layout<S0, D0> as LayoutFn>::Modes, <Sw<B, M, S> as SwizzleType>::Y> as NatCmp>::IsZero
        as SwizzleBranch>::Swizzled<
        Moved<<Layout<S0, D0> as LayoutFn>::Modes, Sw<B, M, S>>,
        Layout<S0, D0>,
    >;
}
impl<F, O, S0, D0, G, P, S1, D1> OnRightOf<ComposedLayout<F, O, Layout<S0, D0>>>
    for ComposedLayout<G, P, Layout<S1, D1>>
where
    F: super::swizzle::OffsetMap,
    O: Nat,
    Layout<S0, D0>: Compose<ComposedLayout<G, P, Layout<S1, D1>>, Output: LayoutFn>,
{
    type Composed = ComposedLayout<
        F,
        O,
        <Layout<S0, D0> as Compose<ComposedLayout<G, P, Layout<S1, D1>>>>::Output,
    >;
}

/// Defines the condition of a change of units: a truth value that must hold, with its own refusal.
macro_rules! units {
    ($(#[$m:meta])* $gate:ident, $refusal:ident, $message:literal, $label:literal) => {
        $(#[$m])*
        #[doc(hidden)]
        pub trait $gate<Name, B, M, S, O, LS, LD, N> {}
        impl<Name, B, M, S, O, LS, LD, N> $gate<Name, B, M, S, O, LS, LD, N> for True {}
        impl<Name, B, M, S, O, LS, LD, N> $gate<Name, B, M, S, O, LS, LD, N> for False
        where
            B: Decimal,
            M: Decimal,
            S: Decimal,
            O: Decimal,
            LS: Decimal,
            LD: Decimal,
            N: Decimal,
            Refusal: $refusal<Name, B::Text, M::Text, S::Text, O::Text, LS::Text, LD::Text, N::Text>,
        {
        }
        /// Never implemented; carries the diagnostic.
        #[diagnostic::on_unimplemented(message = $message, label = $label)]
        #[doc(hidden)]
        pub trait $refusal<Name, B, M, S, O, LS, LD, N> {}
    };
}
units! {
    /// Requires that the factor is a power of two.
    PowerFactor, IsPowerOfTwo,
    "{Name} Sw<{B},{M},{S}> o {O} o {LS}:{LD} by {N} is not admissible: {N} is no power of two, and a swizzle counts in powers of two",
    "{N} is no power of two"
}
units! {
    /// Requires that the factor divides the offset.
    OffsetFactor, DividesOffset,
    "{Name} Sw<{B},{M},{S}> o {O} o {LS}:{LD} by {N} is not admissible: {N} does not divide the offset {O}",
    "{N} does not divide the offset"
}
units! {
    /// Requires that the elements of a unit stay together.
    WholeFactor, KeepsUnits,
    "{Name} Sw<{B},{M},{S}> o {O} o {LS}:{LD} by {N} is not admissible: the swizzle parts the elements of a unit of {N}",
    "the swizzle changes bits above a unit by bits inside it"
}
type DividesO<O, N> = <<O as NatDiv>::DivRem<N> as QuotRem>::Exact;
/// Whether the elements of a unit of `N` stay together. They are separated if bits inside a unit
/// change bits above the unit.
type Whole<B, M, S, N> = <<<M as NatCmp>::AtLeast<<N as Log2>::Exponent> as Bool>::Or<
    <S as ShiftStride>::ReadsHigh,
> as Bool>::Or<
    <<B as NatCmp>::IsZero as Bool>::Or<
        <<N as Log2>::Exponent as NatCmp>::AtLeast<
            <<<M as Nat>::Plus<B> as NatCmp>::Min<<N as Log2>::Exponent> as Nat>::Plus<
                <S as StrideLeaf>::Magnitude,
            >,
        >,
    >,
>;
/// The swizzle of offsets in units of `N` elements.
pub type UpSw<B, M, S, N> =
    Sw<OrZero<B, OrZero<<N as Log2>::Exponent, M>>, OrZero<M, <N as Log2>::Exponent>, S>;
/// The swizzle of offsets after each element was split into `N` elements.
pub type DownSw<B, M, S, N> = Sw<B, <M as Nat>::Plus<<N as Log2>::Exponent>, S>;

macro_rules! cast {
    ($trait:ident, $name:ident, $sw:ident, $offset:ident $(, $gate:ident, $holds:ty)*) => {
        impl<B: Nat, M: Nat, S: StrideLeaf, O: Nat, S0, D0, N: Nat> $trait<N>
            for ComposedLayout<Sw<B, M, S>, O, Layout<S0, D0>>
        where
            Layout<S0, D0>: $trait<N>,
            N::IsPower: PowerFactor<names::$name, B, M, S, O, S0, D0, N>,
            $($holds: $gate<names::$name, B, M, S, O, S0, D0, N>,)*
        {
            type Output = ComposedLayout<
                $sw<B, M, S, N>,
                <O as Nat>::$offset<N>,
                <Layout<S0, D0> as $trait<N>>::Output,
            >;
        }
    };
}
cast!(UpcastBy, upcast, UpSw, Over, OffsetFactor, DividesO<O, N>, WholeFactor, Whole<B, M, S, N>);
cast!(ExactUpcastBy, exact_upcast, UpSw, Over, OffsetFactor, DividesO<O, N>, WholeFactor, Whole<B, M, S, N>);
cast!(DowncastBy, downcast, DownSw, Times);

type Ratio<A, B> = <A as Nat>::Over<<A as NatDiv>::GcdOf<B>>;
impl<B: Nat, M: Nat, S: StrideLeaf, O: Nat, S0, D0, Old: Nat, New: Nat> RecastTo<Old, New>
    for ComposedLayout<Sw<B, M, S>, O, Layout<S0, D0>>
where
    Layout<S0, D0>: RecastTo<Old, New>,
    <Ratio<New, Old> as Log2>::IsPower:
        PowerFactor<names::recast, B, M, S, O, S0, D0, Ratio<New, Old>>,
    <Ratio<Old, New> as Log2>::IsPower:
        PowerFactor<names::recast, B, M, S, O, S0, D0, Ratio<Old, New>>,
    DividesO<O, Ratio<New, Old>>: OffsetFactor<names::recast, B, M, S, O, S0, D0, Ratio<New, Old>>,
    Whole<B, M, S, Ratio<New, Old>>:
        WholeFactor<names::recast, B, M, S, O, S0, D0, Ratio<New, Old>>,
{
    type Output = ComposedLayout<
        Sw<
            OrZero<B, OrZero<<Ratio<New, Old> as Log2>::Exponent, M>>,
            <OrZero<M, <Ratio<New, Old> as Log2>::Exponent> as Nat>::Plus<
                <Ratio<Old, New> as Log2>::Exponent,
            >,
            S,
        >,
        <<O as Nat>::Over<Ratio<New, Old>> as Nat>::Times<Ratio<Old, New>>,
        <Layout<S0, D0> as RecastTo<Old, New>>::Output,
    >;
}

/// The composition `F o G` of two swizzles as one swizzle. Both must have the same shift, and
/// neither may change bits that the other reads.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(MergeSwizzles::<Swizzle<1, 1, 3>, Swizzle<1, 0, 3>>::default().to_string(), "Sw<2,0,3>");
/// ```
pub type MergeSwizzles<F, G> = <F as MergeWith<G>>::Output;
/// Swizzles `Self` that form one swizzle together with `G`.
#[diagnostic::on_unimplemented(
    message = "these swizzles do not merge",
    label = "only swizzles of one shift merge, neither of which changes bits that the other reads, and together they exchange one run of bits"
)]
#[doc(hidden)]
pub trait MergeWith<G> {
    /// [`MergeSwizzles`].
    type Output: super::swizzle::OffsetMap;
}
impl<B1: Nat, M1: Nat, B2: Nat, M2: Nat, S: StrideLeaf> MergeWith<Sw<B2, M2, S>> for Sw<B1, M1, S>
where
    MergesTo<Sw<B1, M1, S>, Sw<B2, M2, S>>: SwizzlesMerge,
{
    type Output = Merged<Sw<B1, M1, S>, Sw<B2, M2, S>>;
}
type XorY<F, G> = <<F as SwizzleType>::Y as NatBits>::Xor<<G as SwizzleType>::Y>;
type XorZ<F, G> = <<F as SwizzleType>::Z as NatBits>::Xor<<G as SwizzleType>::Z>;
type Merged<F, G> = FromMasks<XorY<F, G>, XorZ<F, G>>;
type MergesTo<F, G> = <<<<<F as SwizzleType>::Y as NatBits>::And<<G as SwizzleType>::Z> as NatCmp>::IsZero as Bool>::And<
    <<Merged<F, G> as SwizzleType>::Y as NatCmp>::Equals<XorY<F, G>>,
> as Bool>::And<<<Merged<F, G> as SwizzleType>::Z as NatCmp>::Equals<XorZ<F, G>>>;
/// Implemented for [`True`].
#[diagnostic::on_unimplemented(
    message = "these swizzles do not merge: one changes bits that the other reads, or together they exchange no run of bits",
    label = "not one swizzle"
)]
#[doc(hidden)]
pub trait SwizzlesMerge {}
impl SwizzlesMerge for True {}

//! The left operand of a composition, and the composition with one mode of the right operand.
//!
//! ```text
//!   A = (4,6):(6,1)     End<1> behind Digit<4, cap 3, 6>       the last shape does not matter: the last mode extends
//!   A o 8:2             4 / 2 = 2 of stride 2*6, then 8 / 2 = 4 of stride 1        (2,4):(12,1)
//! ```
//!
//! Law: with the left side coalesced, the offsets `d * i` of a mode `s:d` have digits in the left shape's mixed radix
//! that are themselves a layout exactly when `d` and then `s` divide along it. Per digit the greatest values over
//! all modes of the right side must sum to less than the digit's shape, or a carry would reach the next digit; what is
//! left of that budget travels along as `Cap`.

use super::composition::{CarryRule, ComposedLeaf, Failed, ShapeRule, StepRule, StrideRule};
use super::outcome::Done;
use crate::num::{
    Difference, DivRem, False, Nat, NatCmp, NatSub, One, QuotRem, StrideLeaf, True, Underflow, Zero,
};
use crate::tree::{Cons, M, ModeList, ModeTree, Nil, phantom};
use typenum::{B0, B1, UInt, UTerm};

phantom! {
    /// The last digit, which is unbounded: its stride.
    End<D>
}
phantom! {
    /// A digit: its shape, what is left of its budget, its stride, and the digits above it.
    Digit<C, Cap, D, Rest>
}
/// No digit yet.
#[derive(Clone, Copy, Debug, Default)]
pub struct Start;

/// A coalesced left operand, lowest digit first.
pub trait Digits: Copy + Default + 'static {
    /// The mode `S:D` below the digits; a mode of size 1 counts only as the last.
    type Push<S: Nat, D: StrideLeaf>: Digits;
    /// As [`Digits::Push`], for a mode known to be not of size 1.
    type PushProper<S: Nat, D: StrideLeaf>: Digits;
    /// The last stride.
    type Last: StrideLeaf;
    /// Composition with `S:D`, `D` positive.
    type Strided<S: Nat, D: Nat>: ComposedLeaf;
    /// Composition with `S:1`, `S` at least 2.
    type Run<S: Nat>: ComposedLeaf;
}

impl Digits for Start {
    type Push<S: Nat, D: StrideLeaf> = End<D>;
    type PushProper<S: Nat, D: StrideLeaf> = End<D>;
    type Last = Zero;
    type Strided<S: Nat, D: Nat> = Composed1<S, Zero, Self>;
    type Run<S: Nat> = Composed1<S, Zero, Self>;
}

impl<D2: StrideLeaf> Digits for End<D2> {
    type Push<S: Nat, D: StrideLeaf> = <S::IsOne as ComposeBranch>::UnlessUnit<S, D, Self>;
    type PushProper<S: Nat, D: StrideLeaf> =
        <<D::Scale<S> as StrideLeaf>::Same<D2> as ComposeBranch>::MergeEnd<S, D, D2>;
    type Last = D2;
    type Strided<S: Nat, D: Nat> = Composed1<S, D2::Scale<D>, Self>;
    type Run<S: Nat> = Composed1<S, D2, Self>;
}

impl<C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits> Digits for Digit<C, Cap, D2, Rest> {
    type Push<S: Nat, D: StrideLeaf> = <S::IsOne as ComposeBranch>::UnlessUnit<S, D, Self>;
    type PushProper<S: Nat, D: StrideLeaf> =
        <<D::Scale<S> as StrideLeaf>::Same<D2> as ComposeBranch>::Merge<S, D, C, D2, Rest>;
    type Last = Rest::Last;
    // The stride passes this digit where C divides it.
    type Strided<S: Nat, D: Nat> = <<D::DivRem<C> as QuotRem>::Exact as ComposeBranch>::Pass<
        S,
        D,
        <D::DivRem<C> as QuotRem>::Quot,
        C,
        Cap,
        D2,
        Rest,
    >;
    type Run<S: Nat> = <S::DivRem<C> as ComposeDivision>::Run<S, C, Cap, D2, Rest>;
}

/// A leaf's composition of one mode.
pub type Composed1<S, D, X> = ComposedParts<Cons<M<S, D>, Nil>, X>;

phantom! {
    /// The modes `P` that a mode of the right operand became, and the left operand with the budget that is left.
    ComposedParts<P, X>
}

impl<P: ModeList, X: Digits> ComposedLeaf for ComposedParts<P, X> {
    type Above<C: Nat, Cap: Nat, D: StrideLeaf> = ComposedParts<P, Digit<C, Cap, D, X>>;
    type Before<S: Nat, PD: StrideLeaf, C: Nat, Cap: Nat, D: StrideLeaf> =
        ComposedParts<Cons<M<S, PD>, P>, Digit<C, Cap, D, X>>;
    type Finish<S: Nat, D: StrideLeaf> = Done<P::Simplest, X>;
    type FinishNegated<S: Nat, D: StrideLeaf> = Done<<P::Simplest as ModeTree>::Negated, X>;
}

/// `S - 1`, for `S` at least 1.
type Less1<S> = <<S as NatSub>::Sub<One> as Difference>::OrZero;
/// What is left of `Cap` behind `S` steps of `D`.
type Left<Cap, S, D> = <Cap as NatSub>::Sub<<Less1<S> as Nat>::Times<D>>;

/// What composition does on a truth value.
pub trait ComposeBranch {
    /// `X` where true, the mode pushed otherwise.
    type UnlessUnit<S: Nat, D: StrideLeaf, X: Digits>: Digits;
    /// `S:D` below the last digit, merged where true.
    type MergeEnd<S: Nat, D: StrideLeaf, D2: StrideLeaf>: Digits;
    /// `S:D` below another digit, merged where true.
    type Merge<S: Nat, D: StrideLeaf, S2: Nat, D2: StrideLeaf, T: Digits>: Digits;
    /// True: `D = Q * C`, so the digit is constant; false: the stride ends within the digit or is refused.
    type Pass<S: Nat, D: Nat, Q: Nat, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits>: ComposedLeaf;
    /// True: `D < C`; false: the stride is refused.
    type Within<S: Nat, D: Nat, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits>: ComposedLeaf;
    /// True: `S = 1`, which becomes `1:last`.
    type Unit<S: Nat, D: Nat, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits>: ComposedLeaf;
    /// True: all `S` steps of `D` stay in the digit; false: they go on behind it. `NR` is `C / D`.
    type Fits<S: Nat, D: Nat, NR: ComposeDivision, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits>: ComposedLeaf;
    /// True: `C = N * D`; false: refused, for `D` steps over the digit's end.
    type FillExact<S: Nat, D: Nat, N: Nat, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits>: ComposedLeaf;
    /// True: `S = K * N`; false: refused.
    type FilledExact<S: Nat, D: Nat, N: Nat, K: Nat, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits>: ComposedLeaf;
    /// True: `S = K * C`; false: `S` ends within the digit or is refused.
    type RunExact<S: Nat, K: Nat, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits>: ComposedLeaf;
    /// True: the run ends with this digit, `S <= C`; false: it goes on, `S = K * C`.
    type RunEnds<S: Nat, K: Nat, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits>: ComposedLeaf;
    /// True: `S < C`, the run ends within the digit; false: refused.
    type RunWithin<S: Nat, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits>: ComposedLeaf;
}

impl ComposeBranch for True {
    type UnlessUnit<S: Nat, D: StrideLeaf, X: Digits> = X;
    type MergeEnd<S: Nat, D: StrideLeaf, D2: StrideLeaf> = End<D>;
    type Merge<S: Nat, D: StrideLeaf, S2: Nat, D2: StrideLeaf, T: Digits> =
        Digit<S::Times<S2>, Less1<S::Times<S2>>, D, T>;
    type Pass<S: Nat, D: Nat, Q: Nat, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits> =
        <Rest::Strided<S, Q> as ComposedLeaf>::Above<C, Cap, D2>;
    type Within<S: Nat, D: Nat, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits> =
        <S::IsOne as ComposeBranch>::Unit<S, D, C, Cap, D2, Rest>;
    type Unit<S: Nat, D: Nat, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits> =
        Composed1<S, Rest::Last, Digit<C, Cap, D2, Rest>>;
    type Fits<S: Nat, D: Nat, NR: ComposeDivision, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits> =
        <Left<Cap, S, D> as Budget>::Last<S, D2::Scale<D>, C, D2, Rest>;
    type FillExact<S: Nat, D: Nat, N: Nat, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits> =
        <S::DivRem<N> as ComposeDivision>::Filled<S, D, N, C, Cap, D2, Rest>;
    type FilledExact<
        S: Nat,
        D: Nat,
        N: Nat,
        K: Nat,
        C: Nat,
        Cap: Nat,
        D2: StrideLeaf,
        Rest: Digits,
    > = <Left<Cap, N, D> as Budget>::Spend<Rest::Run<K>, N, D2::Scale<D>, C, D2>;
    type RunExact<S: Nat, K: Nat, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits> =
        <K::IsOne as ComposeBranch>::RunEnds<S, K, C, Cap, D2, Rest>;
    type RunEnds<S: Nat, K: Nat, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits> =
        <Cap::Sub<Less1<S>> as Budget>::Last<S, D2, C, D2, Rest>;
    type RunWithin<S: Nat, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits> =
        <Cap::Sub<Less1<S>> as Budget>::Last<S, D2, C, D2, Rest>;
}

impl ComposeBranch for False {
    type UnlessUnit<S: Nat, D: StrideLeaf, X: Digits> = X::PushProper<S, D>;
    type MergeEnd<S: Nat, D: StrideLeaf, D2: StrideLeaf> = Digit<S, Less1<S>, D, End<D2>>;
    type Merge<S: Nat, D: StrideLeaf, S2: Nat, D2: StrideLeaf, T: Digits> =
        Digit<S, Less1<S>, D, Digit<S2, Less1<S2>, D2, T>>;
    type Pass<S: Nat, D: Nat, Q: Nat, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits> =
        <Q::IsZero as ComposeBranch>::Within<S, D, C, Cap, D2, Rest>;
    type Within<S: Nat, D: Nat, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits> =
        Failed<StrideRule<D, C>>;
    type Unit<S: Nat, D: Nat, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits> =
        <<<C::DivRem<D> as QuotRem>::Ceil as NatCmp>::AtLeast<S> as ComposeBranch>::Fits<
            S,
            D,
            C::DivRem<D>,
            C,
            Cap,
            D2,
            Rest,
        >;
    type Fits<S: Nat, D: Nat, NR: ComposeDivision, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits> =
        NR::Fill<S, D, C, Cap, D2, Rest>;
    type FillExact<S: Nat, D: Nat, N: Nat, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits> =
        Failed<StepRule<S, D, C>>;
    type FilledExact<
        S: Nat,
        D: Nat,
        N: Nat,
        K: Nat,
        C: Nat,
        Cap: Nat,
        D2: StrideLeaf,
        Rest: Digits,
    > = Failed<ShapeRule<S, N>>;
    type RunExact<S: Nat, K: Nat, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits> =
        <K::IsZero as ComposeBranch>::RunWithin<S, C, Cap, D2, Rest>;
    type RunEnds<S: Nat, K: Nat, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits> =
        <Cap::Sub<Less1<C>> as Budget>::Spend<Rest::Run<K>, C, D2, C, D2>;
    type RunWithin<S: Nat, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits> =
        Failed<ShapeRule<S, C>>;
}

/// What composition does on a quotient and a remainder.
pub trait ComposeDivision {
    /// `Self = S / C`: a run of `S` from a digit of shape `C` on.
    type Run<S: Nat, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits>: ComposedLeaf;
    /// `Self = C / D`: more steps of `D` than the digit of shape `C` holds.
    type Fill<S: Nat, D: Nat, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits>: ComposedLeaf;
    /// `Self = S / N`: `N` steps of `D` fill the digit.
    type Filled<S: Nat, D: Nat, N: Nat, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits>: ComposedLeaf;
}

impl<Q: Nat, R: Nat> ComposeDivision for DivRem<Q, R> {
    type Run<S: Nat, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits> =
        <R::IsZero as ComposeBranch>::RunExact<S, Q, C, Cap, D2, Rest>;
    type Fill<S: Nat, D: Nat, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits> =
        <R::IsZero as ComposeBranch>::FillExact<S, D, Q, C, Cap, D2, Rest>;
    type Filled<S: Nat, D: Nat, N: Nat, C: Nat, Cap: Nat, D2: StrideLeaf, Rest: Digits> =
        <R::IsZero as ComposeBranch>::FilledExact<S, D, N, Q, C, Cap, D2, Rest>;
}

/// What is left of a digit's budget, a number or [`Underflow`].
pub trait Budget {
    /// The mode `S:PD` in the digit of shape `C` and stride `D2`, and then what `Next` became of the rest.
    type Spend<Next: ComposedLeaf, S: Nat, PD: StrideLeaf, C: Nat, D2: StrideLeaf>: ComposedLeaf;
    /// The mode `S:PD` in the digit of shape `C` and stride `D2`, with nothing left for `Rest`.
    type Last<S: Nat, PD: StrideLeaf, C: Nat, D2: StrideLeaf, Rest: Digits>: ComposedLeaf;
}
impl Budget for Underflow {
    type Spend<Next: ComposedLeaf, S: Nat, PD: StrideLeaf, C: Nat, D2: StrideLeaf> =
        Failed<CarryRule<C>>;
    type Last<S: Nat, PD: StrideLeaf, C: Nat, D2: StrideLeaf, Rest: Digits> = Failed<CarryRule<C>>;
}
macro_rules! budget {
    ([$($u:ident)?] $t:ty) => {
        impl<$($u: Nat)?> Budget for $t {
            type Spend<Next: ComposedLeaf, S: Nat, PD: StrideLeaf, C: Nat, D2: StrideLeaf> =
                Next::Before<S, PD, C, Self, D2>;
            type Last<S: Nat, PD: StrideLeaf, C: Nat, D2: StrideLeaf, Rest: Digits> =
                Composed1<S, PD, Digit<C, Self, D2, Rest>>;
        }
    };
}
budget!([] UTerm);
budget!([U] UInt<U, B0>);
budget!([U] UInt<U, B1>);

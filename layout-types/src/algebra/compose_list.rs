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
//! left of that budget travels along as `Cap`. CuTe checks neither, and a divide that rounds up relies on it: for this the
//! same walk runs with [`Unbudgeted`] in place of a budget, and collects the steps taken in each digit.

use super::borrow::{Level, LevelFrom, NoLevel, Pick};
use super::complements::{ComplementBranch, NoGap, Sorted};
use super::compose::{CarryRule, ComposedLeaf, Failed, ShapeRule, StepRule, StrideRule};
use super::outcome::{Done, Undecided};
use crate::num::{
    Bool, Difference, DivRem, False, Nat, NatCmp, NatSub, One, QuotRem, StrideLeaf, True,
    Underflow, Zero,
};
use crate::tree::{Cons, M, ModeList, ModeTree, Nil, phantom};
use typenum::{B0, B1, UInt, UTerm};

phantom! {
    /// The last digit, which is unbounded: its shape, its budget, which only [`Unbudgeted`] minds, and its stride.
    End<C, Cap, D>
}
phantom! {
    /// A digit: its shape, what is left of its budget, its stride, and the digits above it.
    Digit<C, Cap, D, Rest>
}
phantom! {
    /// No digit yet; `Cap` is what kind of budget the digits get.
    Start<Cap = Zero>
}
phantom! {
    /// Instead of a budget: the modes `Parts` that were taken in the digit, whatever they are.
    Unbudgeted<Parts>
}
/// A left operand composed as CuTe does.
pub type StartUnbudgeted = Start<Unbudgeted<NoGap>>;

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
    /// Composition with `S:D`, `D` = `-N`.
    type Down<S: Nat, N: Nat, D: StrideLeaf>: super::outcome::Outcome;
    /// Do the parts taken in each digit, where they are [`Unbudgeted`], cover it from the first step to its end?
    type Covered: Bool;
    /// The offset of `At` added to `Sum`.
    type AddAt<At: Nat, Sum: super::points::Sum>: super::points::Sum;
    /// Was a part taken in this digit, where it is [`Unbudgeted`]?
    type Taken: Bool;
    /// Was a part taken in some digit?
    type AnyTaken: Bool;
    /// The digits above this one.
    type Above: Digits;
    /// Is the level the same at every digit taken here or in `Down`, as `P` picks strides and `L` came from below?
    type Level<Down: Digits, P: Pick, L: Level>: Bool;
    /// [`Digits::Level`] of `Up` and `Down` for each line on which a stride lies.
    type LevelInEach<Up: Digits, Down: Digits>: Bool;
}

impl<Cap: Allowance> Digits for Start<Cap> {
    type Push<S: Nat, D: StrideLeaf> = End<S, Cap::Fresh<S>, D>;
    type PushProper<S: Nat, D: StrideLeaf> = End<S, Cap::Fresh<S>, D>;
    type Last = Zero;
    type Strided<S: Nat, D: Nat> = Composed1<S, Zero, Self>;
    type Run<S: Nat> = Composed1<S, Zero, Self>;
    type Down<S: Nat, N: Nat, D: StrideLeaf> = Cap::Down<Self, S, N, D>;
    type Covered = True;
    type AddAt<At: Nat, Sum: super::points::Sum> = Sum;
    type Taken = False;
    type AnyTaken = False;
    type Above = Self;
    type Level<Down: Digits, P: Pick, L: Level> = True;
    type LevelInEach<Up: Digits, Down: Digits> = True;
}

/// The walk for borrows in a digit, [`End`] or [`Digit`].
macro_rules! borrows {
    ($C:ident, $Cap:ident, $D:ident, $Rest:ident) => {
        type Level<Down: Digits, P: Pick, L: Level> = LevelFrom<
            L::Enter<$D::Picked<P>, <$Cap::Taken as Bool>::Or<Down::Taken>>,
            <$Cap::Taken as Bool>::Or<Down::Taken>,
            $C,
            $D::Picked<P>,
            $Rest,
            Down::Above,
            P,
        >;
        type LevelInEach<Up: Digits, Down: Digits> =
            <Up::Level<Down, $D::Line, NoLevel> as Bool>::And<
                <$Rest as Digits>::LevelInEach<Up, Down>,
            >;
    };
}

impl<C: Nat, Cap: Allowance, D2: StrideLeaf> Digits for End<C, Cap, D2> {
    type Push<S: Nat, D: StrideLeaf> = <S::IsOne as ComposeBranch>::UnlessUnit<S, D, Self>;
    type PushProper<S: Nat, D: StrideLeaf> =
        <<D::Scale<S> as StrideLeaf>::Same<D2> as ComposeBranch>::MergeEnd<S, D, C, Cap, D2>;
    type Last = D2;
    type Strided<S: Nat, D: Nat> = Composed1<S, D2::Scale<D>, End<C, Cap::Note<S, D>, D2>>;
    type Run<S: Nat> = Composed1<S, D2, End<C, Cap::Note<S, One>, D2>>;
    type Down<S: Nat, N: Nat, D: StrideLeaf> = Cap::Down<Self, S, N, D>;
    type Covered = Cap::Covers<C>;
    type AddAt<At: Nat, Sum: super::points::Sum> =
        <D2 as super::points::AddStride>::AddTimes<At, Sum>;
    type Taken = Cap::Taken;
    type AnyTaken = Cap::Taken;
    type Above = Start;
    borrows!(C, Cap, D2, Start);
}

impl<C: Nat, Cap: Allowance, D2: StrideLeaf, Rest: Digits> Digits for Digit<C, Cap, D2, Rest> {
    type Push<S: Nat, D: StrideLeaf> = <S::IsOne as ComposeBranch>::UnlessUnit<S, D, Self>;
    type PushProper<S: Nat, D: StrideLeaf> =
        <<D::Scale<S> as StrideLeaf>::Same<D2> as ComposeBranch>::Merge<S, D, C, Cap, D2, Rest>;
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
    type Down<S: Nat, N: Nat, D: StrideLeaf> = Cap::Down<Self, S, N, D>;
    type Covered = <Cap::Covers<C> as Bool>::And<Rest::Covered>;
    type AddAt<At: Nat, Sum: super::points::Sum> = Rest::AddAt<
        At::Over<C>,
        <D2 as super::points::AddStride>::AddTimes<<At::DivRem<C> as QuotRem>::Rem, Sum>,
    >;
    type Taken = Cap::Taken;
    type AnyTaken = <Cap::Taken as Bool>::Or<Rest::AnyTaken>;
    type Above = Rest;
    borrows!(C, Cap, D2, Rest);
}

/// A leaf's composition of one mode.
pub type Composed1<S, D, X> = ComposedParts<Cons<M<S, D>, Nil>, X>;

phantom! {
    /// The modes `P` that a mode of the right operand became, and the left operand with the budget that is left.
    ComposedParts<P, X>
}

impl<P: ModeList, X: Digits> ComposedLeaf for ComposedParts<P, X> {
    type Above<C: Nat, Cap: Allowance, D: StrideLeaf> = ComposedParts<P, Digit<C, Cap, D, X>>;
    type Before<S: Nat, PD: StrideLeaf, C: Nat, Cap: Allowance, D: StrideLeaf> =
        ComposedParts<Cons<M<S, PD>, P>, Digit<C, Cap, D, X>>;
    type Finish<S: Nat, D: StrideLeaf> = Done<P::Simplest, X>;
    type FinishNegated<S: Nat, D: StrideLeaf> = Done<<P::Simplest as ModeTree>::Negated, X>;
}

/// `S - 1`, for `S` at least 1.
type Less1<S> = <<S as NatSub>::Sub<One> as Difference>::OrZero;

/// What composition does on a truth value.
pub trait ComposeBranch {
    /// `X` where true, the mode pushed otherwise.
    type UnlessUnit<S: Nat, D: StrideLeaf, X: Digits>: Digits;
    /// `S:D` below the last digit, merged where true.
    type MergeEnd<S: Nat, D: StrideLeaf, C: Nat, Cap: Allowance, D2: StrideLeaf>: Digits;
    /// `S:D` below another digit, merged where true.
    type Merge<S: Nat, D: StrideLeaf, C: Nat, Cap: Allowance, D2: StrideLeaf, T: Digits>: Digits;
    /// True: `D = Q * C`, so the digit is constant; false: the stride ends within the digit or is refused.
    type Pass<S: Nat, D: Nat, Q: Nat, C: Nat, Cap: Allowance, D2: StrideLeaf, Rest: Digits>: ComposedLeaf;
    /// True: `D < C`; false: the stride is refused.
    type Within<S: Nat, D: Nat, C: Nat, Cap: Allowance, D2: StrideLeaf, Rest: Digits>: ComposedLeaf;
    /// True: `S = 1`, which becomes `1:last`.
    type Unit<S: Nat, D: Nat, C: Nat, Cap: Allowance, D2: StrideLeaf, Rest: Digits>: ComposedLeaf;
    /// True: all `S` steps of `D` stay in the digit; false: they go on behind it. `NR` is `C / D`.
    type Fits<S: Nat, D: Nat, NR: ComposeDivision, C: Nat, Cap: Allowance, D2: StrideLeaf, Rest: Digits>: ComposedLeaf;
    /// True: `C = N * D`; false: refused, for `D` steps over the digit's end.
    type FillExact<S: Nat, D: Nat, N: Nat, C: Nat, Cap: Allowance, D2: StrideLeaf, Rest: Digits>: ComposedLeaf;
    /// True: `S = K * N`; false: refused.
    type FilledExact<S: Nat, D: Nat, N: Nat, K: Nat, C: Nat, Cap: Allowance, D2: StrideLeaf, Rest: Digits>: ComposedLeaf;
    /// True: `S = K * C`; false: `S` ends within the digit or is refused.
    type RunExact<S: Nat, K: Nat, C: Nat, Cap: Allowance, D2: StrideLeaf, Rest: Digits>: ComposedLeaf;
    /// True: the digit has stride 0, so the steps over its end may not matter; false: refused.
    type UnevenNull<S: Nat, D: Nat, C: Nat>: ComposedLeaf;
    /// True: the run ends with this digit, `S <= C`; false: it goes on, `S = K * C`.
    type RunEnds<S: Nat, K: Nat, C: Nat, Cap: Allowance, D2: StrideLeaf, Rest: Digits>: ComposedLeaf;
    /// True: `S < C`, the run ends within the digit; false: refused.
    type RunWithin<S: Nat, C: Nat, Cap: Allowance, D2: StrideLeaf, Rest: Digits>: ComposedLeaf;
}

impl ComposeBranch for True {
    type UnevenNull<S: Nat, D: Nat, C: Nat> = Undecided;
    type UnlessUnit<S: Nat, D: StrideLeaf, X: Digits> = X;
    type MergeEnd<S: Nat, D: StrideLeaf, C: Nat, Cap: Allowance, D2: StrideLeaf> =
        End<S::Times<C>, Cap::Fresh<S::Times<C>>, D>;
    type Merge<S: Nat, D: StrideLeaf, C: Nat, Cap: Allowance, D2: StrideLeaf, T: Digits> =
        Digit<S::Times<C>, Cap::Fresh<S::Times<C>>, D, T>;
    type Pass<S: Nat, D: Nat, Q: Nat, C: Nat, Cap: Allowance, D2: StrideLeaf, Rest: Digits> =
        <Rest::Strided<S, Q> as ComposedLeaf>::Above<C, Cap, D2>;
    type Within<S: Nat, D: Nat, C: Nat, Cap: Allowance, D2: StrideLeaf, Rest: Digits> =
        <S::IsOne as ComposeBranch>::Unit<S, D, C, Cap, D2, Rest>;
    type Unit<S: Nat, D: Nat, C: Nat, Cap: Allowance, D2: StrideLeaf, Rest: Digits> =
        Composed1<S, Rest::Last, Digit<C, Cap, D2, Rest>>;
    type Fits<
        S: Nat,
        D: Nat,
        NR: ComposeDivision,
        C: Nat,
        Cap: Allowance,
        D2: StrideLeaf,
        Rest: Digits,
    > = <Cap::Take<S, D> as Budget>::Last<S, D2::Scale<D>, C, D2, Rest>;
    type FillExact<S: Nat, D: Nat, N: Nat, C: Nat, Cap: Allowance, D2: StrideLeaf, Rest: Digits> =
        <S::DivRem<N> as ComposeDivision>::Filled<S, D, N, C, Cap, D2, Rest>;
    type FilledExact<
        S: Nat,
        D: Nat,
        N: Nat,
        K: Nat,
        C: Nat,
        Cap: Allowance,
        D2: StrideLeaf,
        Rest: Digits,
    > = <Cap::Take<N, D> as Budget>::Spend<Rest::Run<K>, N, D2::Scale<D>, C, D2>;
    type RunExact<S: Nat, K: Nat, C: Nat, Cap: Allowance, D2: StrideLeaf, Rest: Digits> =
        <K::IsOne as ComposeBranch>::RunEnds<S, K, C, Cap, D2, Rest>;
    type RunEnds<S: Nat, K: Nat, C: Nat, Cap: Allowance, D2: StrideLeaf, Rest: Digits> =
        <Cap::Take<S, One> as Budget>::Last<S, D2, C, D2, Rest>;
    type RunWithin<S: Nat, C: Nat, Cap: Allowance, D2: StrideLeaf, Rest: Digits> =
        <Cap::Take<S, One> as Budget>::Last<S, D2, C, D2, Rest>;
}

impl ComposeBranch for False {
    type UnevenNull<S: Nat, D: Nat, C: Nat> = Failed<StepRule<S, D, C>>;
    type UnlessUnit<S: Nat, D: StrideLeaf, X: Digits> = X::PushProper<S, D>;
    type MergeEnd<S: Nat, D: StrideLeaf, C: Nat, Cap: Allowance, D2: StrideLeaf> =
        Digit<S, Cap::Fresh<S>, D, End<C, Cap, D2>>;
    type Merge<S: Nat, D: StrideLeaf, C: Nat, Cap: Allowance, D2: StrideLeaf, T: Digits> =
        Digit<S, Cap::Fresh<S>, D, Digit<C, Cap, D2, T>>;
    type Pass<S: Nat, D: Nat, Q: Nat, C: Nat, Cap: Allowance, D2: StrideLeaf, Rest: Digits> =
        <Q::IsZero as ComposeBranch>::Within<S, D, C, Cap, D2, Rest>;
    type Within<S: Nat, D: Nat, C: Nat, Cap: Allowance, D2: StrideLeaf, Rest: Digits> =
        Failed<StrideRule<D, C>>;
    type Unit<S: Nat, D: Nat, C: Nat, Cap: Allowance, D2: StrideLeaf, Rest: Digits> =
        <<<C::DivRem<D> as QuotRem>::Ceil as NatCmp>::AtLeast<S> as ComposeBranch>::Fits<
            S,
            D,
            C::DivRem<D>,
            C,
            Cap,
            D2,
            Rest,
        >;
    type Fits<
        S: Nat,
        D: Nat,
        NR: ComposeDivision,
        C: Nat,
        Cap: Allowance,
        D2: StrideLeaf,
        Rest: Digits,
    > = NR::Fill<S, D, C, Cap, D2, Rest>;
    type FillExact<S: Nat, D: Nat, N: Nat, C: Nat, Cap: Allowance, D2: StrideLeaf, Rest: Digits> =
        Cap::Uneven<S, D, N::Succ, C, D2, Rest>;
    type FilledExact<
        S: Nat,
        D: Nat,
        N: Nat,
        K: Nat,
        C: Nat,
        Cap: Allowance,
        D2: StrideLeaf,
        Rest: Digits,
    > = Failed<ShapeRule<S, N>>;
    type RunExact<S: Nat, K: Nat, C: Nat, Cap: Allowance, D2: StrideLeaf, Rest: Digits> =
        <K::IsZero as ComposeBranch>::RunWithin<S, C, Cap, D2, Rest>;
    type RunEnds<S: Nat, K: Nat, C: Nat, Cap: Allowance, D2: StrideLeaf, Rest: Digits> =
        <Cap::Take<C, One> as Budget>::Spend<Rest::Run<K>, C, D2, C, D2>;
    type RunWithin<S: Nat, C: Nat, Cap: Allowance, D2: StrideLeaf, Rest: Digits> =
        Failed<ShapeRule<S, C>>;
}

/// What composition does on a quotient and a remainder.
pub trait ComposeDivision {
    /// `Self = S / C`: a run of `S` from a digit of shape `C` on.
    type Run<S: Nat, C: Nat, Cap: Allowance, D2: StrideLeaf, Rest: Digits>: ComposedLeaf;
    /// `Self = C / D`: more steps of `D` than the digit of shape `C` holds.
    type Fill<S: Nat, D: Nat, C: Nat, Cap: Allowance, D2: StrideLeaf, Rest: Digits>: ComposedLeaf;
    /// `Self = S / N`: `N` steps of `D` fill the digit.
    type Filled<S: Nat, D: Nat, N: Nat, C: Nat, Cap: Allowance, D2: StrideLeaf, Rest: Digits>: ComposedLeaf;
}

impl<Q: Nat, R: Nat> ComposeDivision for DivRem<Q, R> {
    type Run<S: Nat, C: Nat, Cap: Allowance, D2: StrideLeaf, Rest: Digits> =
        <R::IsZero as ComposeBranch>::RunExact<S, Q, C, Cap, D2, Rest>;
    type Fill<S: Nat, D: Nat, C: Nat, Cap: Allowance, D2: StrideLeaf, Rest: Digits> =
        <R::IsZero as ComposeBranch>::FillExact<S, D, Q, C, Cap, D2, Rest>;
    type Filled<S: Nat, D: Nat, N: Nat, C: Nat, Cap: Allowance, D2: StrideLeaf, Rest: Digits> =
        <R::IsZero as ComposeBranch>::FilledExact<S, D, N, Q, C, Cap, D2, Rest>;
}

/// What is left of a digit's budget: an [`Allowance`] or [`Underflow`].
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

/// A budget that a digit can have: a number, how many steps of 1 are left, or [`Unbudgeted`].
pub trait Allowance: Budget + Copy + Default + 'static {
    /// The budget of a new digit of shape `C`.
    type Fresh<C: Nat>: Allowance;
    /// What is left behind the mode `S:D`.
    type Take<S: Nat, D: Nat>: Budget;
    /// What is left in the last digit, which is unbounded.
    type Note<S: Nat, D: Nat>: Allowance;
    /// `S` steps of `D`, more than the `N` that the digit of shape `C` holds, which is no multiple of `D`.
    type Uneven<S: Nat, D: Nat, N: Nat, C: Nat, D2: StrideLeaf, Rest: Digits>: ComposedLeaf;
    /// Do the parts taken cover a digit of shape `C`?
    type Covers<C: Nat>: Bool;
    /// Was a part taken?
    type Taken: Bool;
    /// The composition of the digits `X` with `S:D`, `D` = `-N`.
    type Down<X: Digits, S: Nat, N: Nat, D: StrideLeaf>: super::outcome::Outcome;
}
macro_rules! budget {
    () => {
        type Spend<Next: ComposedLeaf, S: Nat, PD: StrideLeaf, C: Nat, D2: StrideLeaf> =
            Next::Before<S, PD, C, Self, D2>;
        type Last<S: Nat, PD: StrideLeaf, C: Nat, D2: StrideLeaf, Rest: Digits> =
            Composed1<S, PD, Digit<C, Self, D2, Rest>>;
    };
    ([$($u:ident)?] $t:ty) => {
        impl<$($u: Nat)?> Budget for $t {
            budget!();
        }
        impl<$($u: Nat)?> Allowance for $t {
            type Fresh<C: Nat> = Less1<C>;
            type Take<S: Nat, D: Nat> = <Self as NatSub>::Sub<<Less1<S> as Nat>::Times<D>>;
            type Note<S: Nat, D: Nat> = Self;
            type Uneven<S: Nat, D: Nat, N: Nat, C: Nat, D2: StrideLeaf, Rest: Digits> =
                <D2::Null as ComposeBranch>::UnevenNull<S, D, C>;
            type Covers<C: Nat> = True;
            type Taken = False;
            type Down<X: Digits, S: Nat, N: Nat, D: StrideLeaf> = Undecided;
        }
    };
}
budget!([] UTerm);
budget!([U] UInt<U, B0>);
budget!([U] UInt<U, B1>);
impl<P: Sorted> Budget for Unbudgeted<P> {
    budget!();
}
impl<P: Sorted> Allowance for Unbudgeted<P> {
    type Fresh<C: Nat> = Unbudgeted<NoGap>;
    type Take<S: Nat, D: Nat> = Unbudgeted<P::Insert<S, D>>;
    type Note<S: Nat, D: Nat> = Unbudgeted<<S::IsOne as ComplementBranch>::SortUnlessUnit<S, D, P>>;
    type Uneven<S: Nat, D: Nat, N: Nat, C: Nat, D2: StrideLeaf, Rest: Digits> =
        <S::DivRem<N> as ComposeDivision>::Filled<S, D, N, C, Self, D2, Rest>;
    type Covers<C: Nat> = P::Chains<Zero, One, C>;
    type Taken = P::IsAny;
    type Down<X: Digits, S: Nat, N: Nat, D: StrideLeaf> =
        <X::Strided<S, N> as ComposedLeaf>::FinishNegated<S, D>;
}

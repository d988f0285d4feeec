//! Compositions that the walk over digits leaves open: strides of either sign, scaled basis elements, and steps over the
//! end of a digit of stride 0.
//!
//! ```text
//!   A o (4,4):(1@1,1@0)        each mode of A on its own: mode 1 o 4:1, mode 0 o 4:1
//!   A o 4:-2                   -(A o 4:2)
//!   A o (2,2):(-1,8)           the modes of each sign on their own, and then what they borrow from one another
//!   (5,8):(0,1) o 4:3          CuTe's result, compared with A(B(i)) one by one
//! ```
//!
//! Law: the same as of a composition, and decided exactly; only the last kind needs comparisons, at most [`MaxPoints`].

use super::borrow::{All, Along, BorrowFree, BorrowRule, Falling, Integers, Pick, Rising};
use super::compose::{BasisRule, ComposeTree, DiffersRule, MixedRule, PointsRule};
use super::compose_list::{Digits, Start, StartLoose};
use super::outcome::{Done, Here, Mode, ModePath, Outcome, Refused, Unsettled};
use super::points::{NatPoints, SamePoints};
use crate::num::{Bool, E, False, Nat, NatCmp, StrideLeaf, True, Zero};
use crate::tree::{Cons, M, ModeList, ModeTree, Nil};
use typenum::{B0, B1, NInt, NonZero, UInt, UTerm};

/// Most points that are compared: 256, since each is a computation of the compiler.
pub type MaxPoints = typenum::U256;

/// `A o B` for trees, decided.
pub type FullCompose<A, B> =
    <<B as ComposeTree>::Compose<<A as ComposeTree>::DigitsOnto<Start>> as SettleNext>::Settle<
        A,
        B,
    >;
/// `A o B` as CuTe has it, checked for nothing that CuTe does not check.
pub type LooseCompose<A, B> =
    <B as ComposeTree>::Compose<<A as ComposeTree>::DigitsOnto<StartLoose>>;

/// What is done with a composition next.
pub trait SettleNext {
    /// `A o B`, where `Self` is what the walk over digits made of it.
    type Settle<A: ModeTree, B: ModeTree>: Outcome;
    /// The strides negated.
    type Negate: Outcome;
    /// `Self` where it is the composition `A o B` point for point.
    type Compare<A: ModeTree, B: ModeTree>: Outcome;
    /// `A o B`, where `Self` is what the modes of positive stride alone give.
    type ThenFalling<A: ModeTree, B: ModeTree>: Outcome;
    /// `A o B`, where `Self` is what the modes of negative stride alone give, negated, and those of positive stride have a
    /// composition.
    type ThenBorrows<A: ModeTree, B: ModeTree>: Outcome;
    /// The left operand with what was taken of it.
    type Taken: Digits;
    /// `R`, where `Self` and the compositions of the modes `L` with the components of `B` from `I` on exist.
    type AndComponents<L: ModeList, B: ModeTree, I: Nat, R: Outcome>: Outcome;
    /// `Self` and then the list `T`, composed with `A` leaf by leaf.
    type ThenLeaves<T: ModeList, A: ModeTree>: Outcome;
}
impl<T: ModeTree, X: Digits> SettleNext for Done<T, X> {
    type Settle<A: ModeTree, B: ModeTree> = Self;
    type Negate = Done<T::Negated, X>;
    type Compare<A: ModeTree, B: ModeTree> = <<B::Size as NatPoints>::AllFrom<
        Zero,
        SamePoints<<A as ComposeTree>::DigitsOnto<Start>, B, T>,
    > as SettleBranch>::Equal<T>;
    type ThenFalling<A: ModeTree, B: ModeTree> = <<B::Only<Falling> as ComposeTree>::Compose<
        <A as ComposeTree>::DigitsOnto<Start>,
    > as SettleNext>::ThenBorrows<A, B>;
    type ThenBorrows<A: ModeTree, B: ModeTree> = <BorrowFree<A, B> as SettleBranch>::Borrows<A, B>;
    type Taken = X;
    type AndComponents<L: ModeList, B: ModeTree, I: Nat, R: Outcome> = L::Components<B, I, R>;
    type ThenLeaves<L: ModeList, A: ModeTree> = <L::RestLeaves<A> as Outcome>::Behind<T>;
}
impl<Why, S: Nat, D: StrideLeaf, P: ModePath> SettleNext for Refused<Why, S, D, P> {
    type Settle<A: ModeTree, B: ModeTree> = Self;
    // The mode as it was written.
    type Negate = Refused<Why, S, D::Negate, P>;
    type Compare<A: ModeTree, B: ModeTree> = Self;
    type ThenFalling<A: ModeTree, B: ModeTree> = Self;
    type ThenBorrows<A: ModeTree, B: ModeTree> = Refused<Why, S, D::Negate, P>;
    type Taken = Start;
    type AndComponents<L: ModeList, B: ModeTree, I: Nat, R: Outcome> = Self;
    type ThenLeaves<L: ModeList, A: ModeTree> = Refused<Why, S, D, Mode<Zero, P>>;
}
impl SettleNext for Unsettled {
    type Settle<A: ModeTree, B: ModeTree> = <B::HasBasis as SettleBranch>::Basis<A, B>;
    type Negate = Self;
    type Compare<A: ModeTree, B: ModeTree> = Refused<MixedRule, Zero, Zero, Here>;
    type ThenFalling<A: ModeTree, B: ModeTree> = Compared<A, B>;
    type ThenBorrows<A: ModeTree, B: ModeTree> = Compared<A, B>;
    type Taken = Start;
    type AndComponents<L: ModeList, B: ModeTree, I: Nat, R: Outcome> = Self;
    type ThenLeaves<L: ModeList, A: ModeTree> = Self;
}

/// What CuTe makes of `A o B`, where it is the composition in each of not too many points.
type Compared<A, B> =
    <<MaxPoints as NatCmp>::AtLeast<<B as ModeTree>::Size> as SettleBranch>::Few<A, B>;

/// What settling does on a truth value.
pub trait SettleBranch {
    /// True: `B` has scaled-basis strides.
    type Basis<A: ModeTree, B: ModeTree>: Outcome;
    /// True: no stride of `B` is positive.
    type Down<A: ModeTree, B: ModeTree>: Outcome;
    /// True: `B` has few enough points to compare.
    type Few<A: ModeTree, B: ModeTree>: Outcome;
    /// True: the points are the same.
    type Equal<T: ModeTree>: Outcome;
    /// True: modes of opposite sign do not disturb one another.
    type Borrows<A: ModeTree, B: ModeTree>: Outcome;
}
impl SettleBranch for True {
    type Basis<A: ModeTree, B: ModeTree> =
        <A::Modes as SettleModes>::Components<B, Zero, <B as SettleTree>::Leaves<A>>;
    type Down<A: ModeTree, B: ModeTree> = <FullCompose<A, B::Negated> as SettleNext>::Negate;
    type Few<A: ModeTree, B: ModeTree> = <LooseCompose<A, B> as SettleNext>::Compare<A, B>;
    type Equal<T: ModeTree> = Done<T>;
    type Borrows<A: ModeTree, B: ModeTree> = LooseCompose<A, B>;
}
impl SettleBranch for False {
    type Basis<A: ModeTree, B: ModeTree> = <B::NeverUp as SettleBranch>::Down<A, B>;
    type Down<A: ModeTree, B: ModeTree> = <<B::Only<Rising> as ComposeTree>::Compose<
        <A as ComposeTree>::DigitsOnto<Start>,
    > as SettleNext>::ThenFalling<A, B>;
    type Few<A: ModeTree, B: ModeTree> = Refused<PointsRule, B::Size, Zero, Here>;
    type Equal<T: ModeTree> = Refused<DiffersRule, Zero, Zero, Here>;
    type Borrows<A: ModeTree, B: ModeTree> = Refused<BorrowRule, Zero, Zero, Here>;
}

/// Trees on the right of a composition that is settled.
pub trait SettleTree {
    /// Has it a scaled-basis stride?
    type HasBasis: Bool;
    /// Is no stride positive?
    type NeverUp: Bool;
    /// The tree with what `P` picks of each stride.
    type Only<P: Pick>: ModeTree;
    /// Each leaf's composition with the mode of `A` that its stride names.
    type Leaves<A: ModeTree>: Outcome;
}
impl<S: Nat, D: StrideLeaf> SettleTree for M<S, D> {
    type HasBasis = D::IsBasis;
    type NeverUp = D::NeverUp;
    type Only<P: Pick> = M<S, D::Picked<P>>;
    type Leaves<A: ModeTree> = D::LeafIn<S, A>;
}
impl SettleTree for Nil {
    type HasBasis = False;
    type NeverUp = True;
    type Only<P: Pick> = Nil;
    type Leaves<A: ModeTree> = Done<Nil>;
}
impl<H: ModeTree, T: ModeList> SettleTree for Cons<H, T> {
    type HasBasis = <H::HasBasis as Bool>::Or<T::HasBasis>;
    type NeverUp = <H::NeverUp as Bool>::And<T::NeverUp>;
    type Only<P: Pick> = Cons<H::Only<P>, T::OnlyList<P>>;
    type Leaves<A: ModeTree> = <H::Leaves<A> as SettleNext>::ThenLeaves<T, A>;
}

/// Lists in a composition that is settled.
pub trait SettleModes {
    /// [`SettleTree::Only`] as a list.
    type OnlyList<P: Pick>: ModeList;
    /// [`SettleTree::Leaves`] of the rest of a list.
    type RestLeaves<A: ModeTree>: Outcome;
    /// `R`, where the compositions of the modes with the components of `B` from `I` on exist.
    type Components<B: ModeTree, I: Nat, R: Outcome>: Outcome;
    /// The composition of mode `I` with `S:V`.
    type NthLeaf<I: Nat, S: Nat, V: StrideLeaf>: Outcome;
}
impl SettleModes for Nil {
    type OnlyList<P: Pick> = Nil;
    type RestLeaves<A: ModeTree> = Done<Nil>;
    type Components<B: ModeTree, I: Nat, R: Outcome> = R;
    type NthLeaf<I: Nat, S: Nat, V: StrideLeaf> = Refused<BasisRule, S, V, Here>;
}
impl<H: ModeTree, T: ModeList> SettleModes for Cons<H, T> {
    type OnlyList<P: Pick> = Cons<H::Only<P>, T::OnlyList<P>>;
    type RestLeaves<A: ModeTree> = <H::Leaves<A> as SettleNext>::ThenLeaves<T, A>;
    type Components<B: ModeTree, I: Nat, R: Outcome> =
        <FullCompose<H, B::Only<Along<I, All>>> as SettleNext>::AndComponents<T, B, I::Succ, R>;
    type NthLeaf<I: Nat, S: Nat, V: StrideLeaf> =
        <I::IsZero as SettleLeafBranch>::Nth<H, T, I, S, V>;
}
/// Which mode a scaled basis element names.
pub trait SettleLeafBranch {
    /// True: `H`; false: one of `T`.
    type Nth<H: ModeTree, T: ModeList, I: Nat, S: Nat, V: StrideLeaf>: Outcome;
}
impl SettleLeafBranch for True {
    type Nth<H: ModeTree, T: ModeList, I: Nat, S: Nat, V: StrideLeaf> = FullCompose<H, M<S, V>>;
}
impl SettleLeafBranch for False {
    type Nth<H: ModeTree, T: ModeList, I: Nat, S: Nat, V: StrideLeaf> =
        T::NthLeaf<crate::num::Pred<I>, S, V>;
}

/// Strides on the right of a composition that is settled.
pub trait SettleStride {
    /// Is it a scaled basis element?
    type IsBasis: Bool;
    /// Is it an integer, and not positive?
    type NeverUp: Bool;
    /// What `P` picks of it.
    type Picked<P: Pick>: StrideLeaf;
    /// What picks the strides that add up with this one: the integers, or those along the same modes.
    type Line: Pick;
    /// The composition of `S:Self` with the mode of `A` that it names.
    type LeafIn<S: Nat, A: ModeTree>: Outcome;
}
macro_rules! settle_positive {
    ($b:ty) => {
        impl<U: Nat> SettleStride for UInt<U, $b> {
            type IsBasis = False;
            type NeverUp = False;
            type Picked<P: Pick> = P::Positive<Self>;
            type Line = Integers;
            type LeafIn<S: Nat, A: ModeTree> = Refused<MixedRule, S, Self, Here>;
        }
    };
}
settle_positive!(B0);
settle_positive!(B1);
impl SettleStride for UTerm {
    type IsBasis = False;
    type NeverUp = True;
    type Picked<P: Pick> = Self;
    type Line = Integers;
    type LeafIn<S: Nat, A: ModeTree> = Done<M<S, UTerm>>;
}
impl<N: Nat + NonZero> SettleStride for NInt<N> {
    type IsBasis = False;
    type NeverUp = True;
    type Picked<P: Pick> = P::Negative<N>;
    type Line = Integers;
    type LeafIn<S: Nat, A: ModeTree> = Refused<MixedRule, S, Self, Here>;
}
impl<J: Nat, V: StrideLeaf> SettleStride for E<J, V> {
    type IsBasis = True;
    type NeverUp = False;
    type Picked<P: Pick> = P::Basis<J, V>;
    type Line = Along<J, V::Line>;
    type LeafIn<S: Nat, A: ModeTree> = <A::Modes as SettleModes>::NthLeaf<J, S, V>;
}

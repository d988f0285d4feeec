//! Compositions that the walk over digits leaves open: strides of either sign, scaled basis
//! elements, and steps over the end of a digit of stride 0.
//!
//! ```text
//!   A o (4,4):(1@1,1@0)        each mode of A on its own: mode 1 o 4:1, mode 0 o 4:1
//!   A o 4:-2                   -(A o 4:2)
//!   A o (2,2):(-1,8)           the modes of each sign on their own, and then what they borrow from one another
//!   (5,8):(0,1) o 4:3          CuTe's result, compared with A(B(i)) one by one
//! ```
//!
//! Law: the same as of a composition, and decided exactly; only the last kind needs comparisons, at
//! most [`MaxPoints`].

use super::borrow::{All, Along, BorrowFree, BorrowRule, Falling, Rising, picked};
use super::compose::{BasisRule, DiffersRule, MixedRule, PointsRule};
use super::compose_list::{Digits, Start, StartUnbudgeted, compose, digits_onto};
use super::outcome::{Done, Here, Mode, ModePath, Outcome, Refused, Undecided};
use super::points::{NatPoints, SamePoints};
use crate::kinds::Pick;
use crate::num::{Bool, E, False, Nat, NatCmp, StrideLeaf, True, Zero};
use crate::tree::{Cons, M, ModeList, ModeTree, Nil};
use typenum::{B0, B1, NInt, NonZero, UInt, UTerm};

/// Most points that are compared: 256, since each is a computation of the compiler.
pub type MaxPoints = typenum::U256;

/// `A o B` for trees, decided.
pub type FullCompose<A, B> = <compose<B, digits_onto<A, Start>> as DecideNext>::Decide<A, B>;
/// `A o B` as CuTe has it, checked for nothing that CuTe does not check.
pub type UnbudgetedCompose<A, B> = compose<B, digits_onto<A, StartUnbudgeted>>;

/// How a composition continues after the digit walk.
pub trait DecideNext {
    /// `A o B`, where `Self` is what the walk over digits made of it.
    type Decide<A: ModeTree, B: ModeTree>: Outcome;
    /// The strides negated.
    type Negate: Outcome;
    /// `Self` where it is the composition `A o B` point for point.
    type Compare<A: ModeTree, B: ModeTree>: Outcome;
    /// `A o B`, where `Self` is what the modes of positive stride alone give.
    type ThenFalling<A: ModeTree, B: ModeTree>: Outcome;
    /// `A o B`, where `Self` is what the modes of negative stride alone give, negated, and those of
    /// positive stride have a composition.
    type ThenBorrows<A: ModeTree, B: ModeTree>: Outcome;
    /// The left operand with what was taken of it.
    type Taken: Digits;
    /// `R`, where `Self` and the compositions of the modes `L` with the components of `B` from `I`
    /// on exist.
    type AndComponents<L: ModeList, B: ModeTree, I: Nat, R: Outcome>: Outcome;
    /// `Self` and then the list `T`, composed with `A` leaf by leaf.
    type ThenLeaves<T: ModeList, A: ModeTree>: Outcome;
}
impl<T: ModeTree, X: Digits> DecideNext for Done<T, X> {
    type Decide<A: ModeTree, B: ModeTree> = Self;
    type Negate = Done<T::Negated, X>;
    type Compare<A: ModeTree, B: ModeTree> = <<B::Size as NatPoints>::AllFrom<
        Zero,
        SamePoints<digits_onto<A, Start>, B, T>,
    > as DecideBranch>::Equal<T>;
    type ThenFalling<A: ModeTree, B: ModeTree> =
        <compose<B::Only<Falling>, digits_onto<A, Start>> as DecideNext>::ThenBorrows<A, B>;
    type ThenBorrows<A: ModeTree, B: ModeTree> = <BorrowFree<A, B> as DecideBranch>::Borrows<A, B>;
    type Taken = X;
    type AndComponents<L: ModeList, B: ModeTree, I: Nat, R: Outcome> = L::Components<B, I, R>;
    type ThenLeaves<L: ModeList, A: ModeTree> = <L::RestLeaves<A> as Outcome>::Behind<T>;
}
impl<Why, S: Nat, D: StrideLeaf, P: ModePath> DecideNext for Refused<Why, S, D, P> {
    type Decide<A: ModeTree, B: ModeTree> = Self;
    // The mode as it was written.
    type Negate = Refused<Why, S, D::Negate, P>;
    type Compare<A: ModeTree, B: ModeTree> = Self;
    type ThenFalling<A: ModeTree, B: ModeTree> = Self;
    type ThenBorrows<A: ModeTree, B: ModeTree> = Refused<Why, S, D::Negate, P>;
    type Taken = Start;
    type AndComponents<L: ModeList, B: ModeTree, I: Nat, R: Outcome> = Self;
    type ThenLeaves<L: ModeList, A: ModeTree> = Refused<Why, S, D, Mode<Zero, P>>;
}
impl DecideNext for Undecided {
    type Decide<A: ModeTree, B: ModeTree> = <B::HasBasis as DecideBranch>::Basis<A, B>;
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
    <<MaxPoints as NatCmp>::AtLeast<<B as ModeTree>::Size> as DecideBranch>::Few<A, B>;

/// What deciding does on a truth value.
pub trait DecideBranch {
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
impl DecideBranch for True {
    type Basis<A: ModeTree, B: ModeTree> =
        <A::Modes as DecideModes>::Components<B, Zero, <B as DecideTree>::Leaves<A>>;
    type Down<A: ModeTree, B: ModeTree> = <FullCompose<A, B::Negated> as DecideNext>::Negate;
    type Few<A: ModeTree, B: ModeTree> = <UnbudgetedCompose<A, B> as DecideNext>::Compare<A, B>;
    type Equal<T: ModeTree> = Done<T>;
    type Borrows<A: ModeTree, B: ModeTree> = UnbudgetedCompose<A, B>;
}
impl DecideBranch for False {
    type Basis<A: ModeTree, B: ModeTree> = <B::NeverUp as DecideBranch>::Down<A, B>;
    type Down<A: ModeTree, B: ModeTree> =
        <compose<B::Only<Rising>, digits_onto<A, Start>> as DecideNext>::ThenFalling<A, B>;
    type Few<A: ModeTree, B: ModeTree> = Refused<PointsRule, B::Size, Zero, Here>;
    type Equal<T: ModeTree> = Refused<DiffersRule, Zero, Zero, Here>;
    type Borrows<A: ModeTree, B: ModeTree> = Refused<BorrowRule, Zero, Zero, Here>;
}

/// Trees on the right of a composition that is decided.
pub trait DecideTree {
    /// Has it a scaled-basis stride?
    type HasBasis: Bool;
    /// Is no stride positive?
    type NeverUp: Bool;
    /// The tree with what `P` picks of each stride.
    type Only<P: Pick>: ModeTree;
    /// Each leaf's composition with the mode of `A` that its stride names.
    type Leaves<A: ModeTree>: Outcome;
}
impl<S: Nat, D: StrideLeaf> DecideTree for M<S, D> {
    type HasBasis = D::IsBasis;
    type NeverUp = D::NeverUp;
    type Only<P: Pick> = M<S, picked<D, P>>;
    type Leaves<A: ModeTree> = D::LeafIn<S, A>;
}
impl DecideTree for Nil {
    type HasBasis = False;
    type NeverUp = True;
    type Only<P: Pick> = Nil;
    type Leaves<A: ModeTree> = Done<Nil>;
}
impl<H: ModeTree, T: ModeList> DecideTree for Cons<H, T> {
    type HasBasis = <H::HasBasis as Bool>::Or<T::HasBasis>;
    type NeverUp = <H::NeverUp as Bool>::And<T::NeverUp>;
    type Only<P: Pick> = Cons<H::Only<P>, T::OnlyList<P>>;
    type Leaves<A: ModeTree> = <H::Leaves<A> as DecideNext>::ThenLeaves<T, A>;
}

/// Lists in a composition that is decided.
pub trait DecideModes {
    /// [`DecideTree::Only`] as a list.
    type OnlyList<P: Pick>: ModeList;
    /// [`DecideTree::Leaves`] of the rest of a list.
    type RestLeaves<A: ModeTree>: Outcome;
    /// `R`, where the compositions of the modes with the components of `B` from `I` on exist.
    type Components<B: ModeTree, I: Nat, R: Outcome>: Outcome;
    /// The composition of mode `I` with `S:V`.
    type NthLeaf<I: Nat, S: Nat, V: StrideLeaf>: Outcome;
}
impl DecideModes for Nil {
    type OnlyList<P: Pick> = Nil;
    type RestLeaves<A: ModeTree> = Done<Nil>;
    type Components<B: ModeTree, I: Nat, R: Outcome> = R;
    type NthLeaf<I: Nat, S: Nat, V: StrideLeaf> = Refused<BasisRule, S, V, Here>;
}
impl<H: ModeTree, T: ModeList> DecideModes for Cons<H, T> {
    type OnlyList<P: Pick> = Cons<H::Only<P>, T::OnlyList<P>>;
    type RestLeaves<A: ModeTree> = <H::Leaves<A> as DecideNext>::ThenLeaves<T, A>;
    type Components<B: ModeTree, I: Nat, R: Outcome> =
        <FullCompose<H, B::Only<Along<I, All>>> as DecideNext>::AndComponents<T, B, I::Succ, R>;
    type NthLeaf<I: Nat, S: Nat, V: StrideLeaf> =
        <I::IsZero as DecideLeafBranch>::Nth<H, T, I, S, V>;
}
/// Which mode a scaled basis element names.
pub trait DecideLeafBranch {
    /// True: `H`; false: one of `T`.
    type Nth<H: ModeTree, T: ModeList, I: Nat, S: Nat, V: StrideLeaf>: Outcome;
}
impl DecideLeafBranch for True {
    type Nth<H: ModeTree, T: ModeList, I: Nat, S: Nat, V: StrideLeaf> = FullCompose<H, M<S, V>>;
}
impl DecideLeafBranch for False {
    type Nth<H: ModeTree, T: ModeList, I: Nat, S: Nat, V: StrideLeaf> =
        T::NthLeaf<crate::num::Pred<I>, S, V>;
}

/// Strides on the right of a composition that is decided.
pub trait DecideStride {
    /// Is it a scaled basis element?
    type IsBasis: Bool;
    /// Is it an integer, and not positive?
    type NeverUp: Bool;
    /// The composition of `S:Self` with the mode of `A` that it names.
    type LeafIn<S: Nat, A: ModeTree>: Outcome;
}
macro_rules! settle_positive {
    ($b:ty) => {
        impl<U: Nat> DecideStride for UInt<U, $b> {
            type IsBasis = False;
            type NeverUp = False;
            type LeafIn<S: Nat, A: ModeTree> = Refused<MixedRule, S, Self, Here>;
        }
    };
}
settle_positive!(B0);
settle_positive!(B1);
impl DecideStride for UTerm {
    type IsBasis = False;
    type NeverUp = True;
    type LeafIn<S: Nat, A: ModeTree> = Done<M<S, UTerm>>;
}
impl<N: Nat + NonZero> DecideStride for NInt<N> {
    type IsBasis = False;
    type NeverUp = True;
    type LeafIn<S: Nat, A: ModeTree> = Refused<MixedRule, S, Self, Here>;
}
impl<J: Nat, V: StrideLeaf> DecideStride for E<J, V> {
    type IsBasis = True;
    type NeverUp = False;
    type LeafIn<S: Nat, A: ModeTree> = <A::Modes as DecideModes>::NthLeaf<J, S, V>;
}

//! What two layouts have in common, and how far a layout is contiguous.
//!
//! ```text
//!   A = (8,4):(1,8)   B = (8,4):(1,16)      max_common_vector = 8: elements 0..8 lie alike in both
//!   max_alignment((4,8):(1,16)) = 4         the widest vector that starts at every multiple of it
//! ```
//!
//! Law: with `R = MaxCommonLayout<A, B>`, `A(R(i)) == i == B(R(i))`; `MaxAlignment<L>` divides the
//! run from offset 0 and every stride beyond it (CuTe: `cute/layout.hpp`).

use super::coalescing::CoalescedTree;
use super::compose::DiffersRule;
use super::decide::{FullCompose, UnbudgetedCompose};
use super::divide::{RoundUp, divided};
use super::inverse::RightInverseOf;
use super::outcome::{
    Admissible, Alignments, Commons, Done, Here, ModePath, Outcome, Refused, Undecided,
};
use crate::layout::{LayoutFn, StaticLayout, Unzip};
use crate::num::{Bool, False, Nat, NatDiv, One, StrideLeaf, True, Zero};
use crate::tree::{Cons, M, ModeList, ModeTree, Nil};

/// The layout of the longest run of elements that lie alike in `A` and `B`.
///
/// ```
/// use layout_types::prelude::*;
/// type R = MaxCommonLayout<layout!((8,2):(2,1)), layout!((8,2):(4,1))>;
/// assert_eq!(R::default().to_string(), "2:8");
/// ```
#[doc(alias = "max_common_layout")]
pub type MaxCommonLayout<A, B> = <A as CommonWith<B>>::Layout;
/// The number of elements that lie alike in `A` and `B`, at least 1.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::typenum::Unsigned;
/// assert_eq!(MaxCommonVector::<layout!((8,4):(1,8)), layout!((8,4):(1,16))>::USIZE, 8);
/// ```
#[doc(alias = "max_common_vector")]
pub type MaxCommonVector<A, B> = <A as CommonWith<B>>::Vector;
/// `Self` and `B` can be compared.
#[diagnostic::on_unimplemented(
    message = "max_common_layout is not admissible for these operands",
    label = "no such comparison"
)]
pub trait CommonWith<B> {
    /// [`MaxCommonLayout`].
    type Layout: LayoutFn;
    /// [`MaxCommonVector`].
    type Vector: Nat;
}
impl<A: StaticLayout, B: StaticLayout> CommonWith<B> for A
where
    CommonOf<A::Modes, B::Modes>: Admissible<Commons, A, B>,
{
    type Layout = Unzip<<CommonOf<A::Modes, B::Modes> as Admissible<Commons, A, B>>::Tree>;
    type Vector =
        <<CommonOf<A::Modes, B::Modes> as Admissible<Commons, A, B>>::Tree as ModeTree>::Size;
}
/// [`MaxCommonLayout`] of trees.
pub type CommonOf<A, B> = <RightInverseOf<B> as CommonNext>::CommonOf<A>;

/// The widest vector that the layout allows everywhere.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::typenum::Unsigned;
/// assert_eq!(MaxAlignment::<layout!((4,8):(1,10))>::USIZE, 2);
/// ```
#[doc(alias = "max_alignment")]
pub type MaxAlignment<L> = <L as Aligned>::Vector;
/// `Self` has an alignment.
#[diagnostic::on_unimplemented(
    message = "max_alignment is not admissible for these operands",
    label = "no such alignment"
)]
pub trait Aligned {
    /// [`MaxAlignment`].
    type Vector: Nat;
}
impl<L: StaticLayout> Aligned for L
where
    AlignmentOf<L::Modes>: Admissible<Alignments, L, ()>,
{
    type Vector = <<<AlignmentOf<L::Modes> as Admissible<Alignments, L, ()>>::Tree as ModeTree>::Modes as CommonList>::Alignment;
}
/// A tree divided by its right inverse: the run, and the rest.
pub type AlignmentOf<T> =
    <RightInverseOf<CoalescedTree<T>> as CommonNext>::Divides<CoalescedTree<T>>;

/// A layout that takes up to `N` elements of the shape `S`, from the front and without remainder in
/// any mode.
///
/// ```
/// use layout_types::prelude::*;
/// type D = DomainDistribute<shape!(((15,14),2)), int!(6)>;
/// assert_eq!(D::default().to_string(), "(3,2):(1,15)");
/// ```
#[doc(alias = "domain_distribute")]
pub type DomainDistribute<S, N> = Unzip<CoalescedTree<<S as DistributeShape>::Part<Stop, N, One>>>;

/// The rest mode that a divide of the shape `S` by the layout `T` has: CuTe's
/// `ceil_div(shape, layout)`.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(<CeilDivLayout<int!(32), layout!((1,2):(0,2))>>::default().to_string(), "(2,8)");
/// ```
#[doc(alias = "ceil_div")]
pub type CeilDivLayout<S, T> = crate::ShapeOf<super::complements::Complement<T, S>>;

/// The layout with another shape of its size or of a part of it: `A` composed with the column-major
/// layout of `S`.
///
/// ```
/// use layout_types::prelude::*;
/// type W = WithShape<layout!((16,3,3):(3,48,1)), shape!(((3,2),24))>;
/// assert_eq!(W::default().to_string(), "((3,2),(8,3)):((3,9),(18,1))");
/// ```
pub type WithShape<A, S> = super::compose::Composition<A, crate::LayoutLeft<S>>;

/// What these operations do next.
pub trait CommonNext {
    /// [`CommonOf`] `A` and the layout of which this is the right inverse.
    type CommonOf<A: ModeTree>: Outcome;
    /// `A` divided by this.
    type Divides<A: ModeTree>: Outcome;
    /// `Self` is `A` after the inverse `Inv`.
    type Run<A: ModeTree, Inv: ModeTree>: Outcome;
    /// `Self` is the run, `F` its elements in `A`.
    type Same<A: ModeTree, F: ModeTree>: Outcome;
    /// `R`, if `Self` is the identity `F`.
    type Is<F: ModeTree, R: ModeTree>: Outcome;
    /// The size; 1 where there is no result.
    type SizeOrOne: Nat;
    /// [`CommonList::Alignment`]; 1 where there is no result.
    type AlignmentOrOne: Nat;
}
impl<T: ModeTree, X: super::compose_list::Digits> CommonNext for Done<T, X> {
    type CommonOf<A: ModeTree> = <UnbudgetedCompose<A, T> as CommonNext>::Run<A, T>;
    type Divides<A: ModeTree> = divided<A, T, RoundUp>;
    type Run<A: ModeTree, Inv: ModeTree> =
        <<<CoalescedTree<T> as ModeTree>::Modes as ModeList>::First as CommonTree>::RunFirst<
            A,
            Inv,
        >;
    type Same<A: ModeTree, F: ModeTree> = <FullCompose<A, T> as CommonNext>::Is<F, T>;
    type Is<F: ModeTree, R: ModeTree> =
        <<CoalescedTree<T> as CommonTree>::IsRunOf<F::Size> as CommonBranch>::IfSame<R>;
    type SizeOrOne = T::Size;
    type AlignmentOrOne = <T::Modes as CommonList>::Alignment;
}
impl<Why, S: Nat, D: StrideLeaf, P: ModePath> CommonNext for Refused<Why, S, D, P> {
    type CommonOf<A: ModeTree> = Self;
    type Divides<A: ModeTree> = Self;
    type Run<A: ModeTree, Inv: ModeTree> = Self;
    type Same<A: ModeTree, F: ModeTree> = Self;
    type Is<F: ModeTree, R: ModeTree> = Self;
    type SizeOrOne = One;
    type AlignmentOrOne = One;
}
impl CommonNext for Undecided {
    type CommonOf<A: ModeTree> = Self;
    type Divides<A: ModeTree> = Self;
    type Run<A: ModeTree, Inv: ModeTree> = Self;
    type Same<A: ModeTree, F: ModeTree> = Self;
    type Is<F: ModeTree, R: ModeTree> = Self;
    type SizeOrOne = One;
    type AlignmentOrOne = One;
}

/// Trees in these operations.
pub trait CommonTree {
    /// The run where `Self` is the first mode of `A` after the inverse `Inv`.
    type RunFirst<A: ModeTree, Inv: ModeTree>: Outcome;
    /// Is it `N:1`?
    type IsRunOf<N: Nat>: Bool;
    /// The greatest common divisor of `N` and all strides.
    type StrideGcd<N: Nat>: Nat;
}
impl<S: Nat, D: StrideLeaf> CommonTree for M<S, D> {
    type RunFirst<A: ModeTree, Inv: ModeTree> = <D::SameNat<One> as CommonBranch>::Run<S, A, Inv>;
    type IsRunOf<N: Nat> = <S::Equals<N> as Bool>::And<D::SameNat<One>>;
    type StrideGcd<N: Nat> = <D::Magnitude as NatDiv>::GcdOf<N>;
}
impl CommonTree for Nil {
    type RunFirst<A: ModeTree, Inv: ModeTree> = Done<M<One, Zero>>;
    type IsRunOf<N: Nat> = False;
    type StrideGcd<N: Nat> = N;
}
impl<H: ModeTree, T: ModeList> CommonTree for Cons<H, T> {
    type RunFirst<A: ModeTree, Inv: ModeTree> = Done<M<One, Zero>>;
    type IsRunOf<N: Nat> = False;
    type StrideGcd<N: Nat> = T::StrideGcd<H::StrideGcd<N>>;
}
/// Pairs of run and rest.
pub trait CommonList {
    /// The greatest common divisor of the run's size and the rest's strides.
    type Alignment: Nat;
}
impl CommonList for Nil {
    type Alignment = One;
}
impl<H: ModeTree, T: ModeList> CommonList for Cons<H, T> {
    type Alignment = <T::First as CommonTree>::StrideGcd<H::Size>;
}
/// What these operations do on a truth value.
pub trait CommonBranch {
    /// True: `S` elements lie alike.
    type Run<S: Nat, A: ModeTree, Inv: ModeTree>: Outcome;
    /// `R` where true.
    type IfSame<R: ModeTree>: Outcome;
}
impl CommonBranch for True {
    type Run<S: Nat, A: ModeTree, Inv: ModeTree> =
        <FullCompose<Inv, M<S, One>> as CommonNext>::Same<A, M<S, One>>;
    type IfSame<R: ModeTree> = Done<R>;
}
impl CommonBranch for False {
    type Run<S: Nat, A: ModeTree, Inv: ModeTree> = Done<M<One, Zero>>;
    type IfSame<R: ModeTree> = Refused<DiffersRule, Zero, Zero, Here>;
}

/// Shapes that are distributed.
pub trait DistributeShape {
    /// The parts of the leaves, `N` elements still to be taken and `Step` elements before, and then
    /// those of `Rest`.
    type Part<Rest: DistributeShape, N: Nat, Step: Nat>: ModeList;
}
impl<S: Nat> DistributeShape for S {
    type Part<R: DistributeShape, N: Nat, Step: Nat> = Cons<
        M<S::GcdOf<N>, Step>,
        R::Part<Stop, <N as Nat>::Over<S::GcdOf<N>>, <Step as Nat>::Times<S>>,
    >;
}
impl DistributeShape for Nil {
    type Part<R: DistributeShape, N: Nat, Step: Nat> = R::Part<Stop, N, Step>;
}
/// The end of all shapes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stop;
impl DistributeShape for Stop {
    type Part<R: DistributeShape, N: Nat, Step: Nat> = Nil;
}
impl<H: DistributeShape, T: DistributeShape> DistributeShape for Cons<H, T> {
    type Part<R: DistributeShape, N: Nat, Step: Nat> = H::Part<Cons<T, R>, N, Step>;
}

//! Complement: the layout of what another leaves out.
//!
//! ```text
//!   complement((2,2):(1,6), 24)  =  (3,2):(2,12)
//!   0 1 . . . . 6 7 . . . .|. . . . . . . . . . . .       the gap 2..6 three times, then the whole again at 12
//! ```
//!
//! Law, with `R = Complement<A, M>`: `(A, R)` is injective, `R` is increasing, and together they reach `size(M)`:
//! `cosize(A) + cosize(R) - 1 >= size(M)` (CuTe: the postconditions of `complement` in `cute/layout.hpp`). Where `A`'s
//! modes of stride not 0, by increasing stride, overlap, or leave a hole too large to reach `M`, there is none.

use super::coalescing::CoalesceBranch;
use super::outcome::{Admissible, Complements, Done, Here, ModePath, Outcome, Refused};
use crate::layout::LayoutFn;
use crate::num::{Bool, E, False, Nat, NatCmp, One, QuotRem, StrideLeaf, True, Zero};
use crate::shape::{CeilRest, ShapeTree};
use crate::tree::{Cons, M, ModeList, ModeTree, Nil, phantom};
use typenum::{B0, B1, NInt, NonZero, UInt, UTerm};

/// The complement of `A` in `M`, a number or a shape; by default in 1, the gaps alone.
///
/// ```
/// use layout_types::prelude::*;
/// type R = Complement<layout!((2,2):(1,6)), int!(24)>;
/// assert_eq!(R::default().to_string(), "(3,2):(2,12)");
/// ```
#[doc(alias = "complement")]
pub type Complement<A, M = One> = <A as Complementable<M>>::Output;

/// `Self` has a complement in `M`.
#[diagnostic::on_unimplemented(
    message = "complement is not admissible for these operands",
    label = "no such complement"
)]
pub trait Complementable<M>: LayoutFn {
    /// [`Complement`].
    type Output: LayoutFn;
}
impl<A: LayoutFn, N: ShapeTree> Complementable<N> for A
where
    ComplementOf<A::Modes, N>: Admissible<Complements, A, N>,
{
    type Output = A::With<<ComplementOf<A::Modes, N> as Admissible<Complements, A, N>>::Tree>;
}

/// The complement of a tree.
pub type ComplementOf<T, N> = <<T as ComplementTree>::Sort<NoGap> as Sorted>::Complement<T, N>;

phantom! {
    /// A mode of shape `S` and stride `D`, before the modes `Rest` of strides not less.
    Gap<S, D, Rest>
}
/// No more mode.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoGap;
phantom! {
    /// A stride that has no place in an order of offsets.
    Unordered<S, D>
}

/// Modes by increasing stride.
pub trait Sorted: Copy + Default + 'static {
    /// With the mode `S:D`.
    type Insert<S: Nat, D: Nat>: Sorted;
    /// The gaps before the modes, where all offsets below `Cur` are taken, and the rest of `N`.
    type Walk<Cur: Nat, N: ShapeTree>: Outcome;
    /// Does each stride continue the modes before, up to a whole number of repeats?
    type Nests<Cur: Nat>: Bool;
    /// With `Cur` offsets of `C` covered, the last step to it being `Prev`: do the modes cover the rest without a gap,
    /// each step once?
    type Chains<Prev: Nat, Cur: Nat, C: Nat>: Bool;
    /// The complement in `N` of the tree `T`, whose modes these are.
    type Complement<T: ModeTree, N: ShapeTree>: Outcome;
    /// As [`Sorted::Complement`], whether or not it covers `N`.
    type Holes<N: ShapeTree>: Outcome;
    /// Is there a mode?
    type IsAny: Bool;
    /// Where the last mode ends.
    type EndOf<Cur: Nat>: Nat;
    /// The product of the modes' shapes.
    type Extent: Nat;
}

macro_rules! complement_of_sorted {
    () => {
        type Complement<T: ModeTree, N: ShapeTree> =
            <<Self::Nests<One> as Bool>::And<N::IsNumber> as ComplementBranch>::Covers<
                Self::Walk<One, N>,
                T,
                N,
                Self::Extent,
            >;
        type Holes<N: ShapeTree> = <Self::Walk<One, N> as Outcome>::Simplest;
    };
}

impl Sorted for NoGap {
    type IsAny = False;
    type Insert<S: Nat, D: Nat> = Gap<S, D, NoGap>;
    type Walk<Cur: Nat, N: ShapeTree> = Done<
        <<Rest<N, Cur> as NatCmp>::IsOne as CoalesceBranch>::UnlessUnit<Rest<N, Cur>, Cur, Nil>,
    >;
    type Nests<Cur: Nat> = True;
    type Chains<Prev: Nat, Cur: Nat, C: Nat> = Cur::AtLeast<C>;
    type EndOf<Cur: Nat> = Cur;
    type Extent = One;
    complement_of_sorted!();
}
/// How often a block of `Cur` offsets has to be repeated to cover `N`.
type Rest<N, Cur> = <<N as ShapeTree>::CeilProduct<Cur> as CeilRest>::Product;

impl<S: Nat, D: Nat, R: Sorted> Sorted for Gap<S, D, R> {
    type IsAny = True;
    type Insert<S1: Nat, D1: Nat> = <D::AtLeast<D1> as ComplementBranch>::Insert<S1, D1, S, D, R>;
    type Walk<Cur: Nat, N: ShapeTree> =
        <<D::Over<Cur> as NatCmp>::IsZero as ComplementBranch>::Walk<S, D, R, Cur, N>;
    type Nests<Cur: Nat> =
        <<D::DivRem<Cur> as QuotRem>::Exact as Bool>::And<R::Nests<<D as Nat>::Times<S>>>;
    type Chains<Prev: Nat, Cur: Nat, C: Nat> =
        <D::Equals<Prev> as ComplementBranch>::ChainTwice<S, D, R, Prev, Cur, C>;
    type EndOf<Cur: Nat> = R::EndOf<<D as Nat>::Times<S>>;
    type Extent = <S as Nat>::Times<R::Extent>;
    complement_of_sorted!();
}

impl<S: Nat, D: StrideLeaf> Sorted for Unordered<S, D> {
    type IsAny = True;
    type Insert<S1: Nat, D1: Nat> = Self;
    type Walk<Cur: Nat, N: ShapeTree> = Refused<OrderRule, S, D, Here>;
    type Nests<Cur: Nat> = True;
    type Chains<Prev: Nat, Cur: Nat, C: Nat> = False;
    type Complement<T: ModeTree, N: ShapeTree> = Refused<OrderRule, S, D, Here>;
    type Holes<N: ShapeTree> = Refused<OrderRule, S, D, Here>;
    type EndOf<Cur: Nat> = Cur;
    type Extent = One;
}

/// The modes of a tree in the order of their strides.
pub trait ComplementTree {
    /// The modes with those of `Acc`; modes of size 1 or stride 0 are left out.
    type Sort<Acc: Sorted>: Sorted;
}
impl<S: Nat, D: StrideLeaf> ComplementTree for M<S, D> {
    type Sort<Acc: Sorted> = <S::IsOne as ComplementBranch>::SortUnlessUnit<S, D, Acc>;
}
impl ComplementTree for Nil {
    type Sort<Acc: Sorted> = Acc;
}
impl<H: ModeTree, T: ModeList> ComplementTree for Cons<H, T> {
    type Sort<Acc: Sorted> = T::Sort<H::Sort<Acc>>;
}

/// A stride's place in the order.
pub trait ComplementStride {
    /// The modes `Acc` with `S:Self`.
    type Sort<S: Nat, Acc: Sorted>: Sorted;
}
impl ComplementStride for UTerm {
    type Sort<S: Nat, Acc: Sorted> = Acc;
}
impl<U: Nat> ComplementStride for UInt<U, B0> {
    type Sort<S: Nat, Acc: Sorted> = Acc::Insert<S, Self>;
}
impl<U: Nat> ComplementStride for UInt<U, B1> {
    type Sort<S: Nat, Acc: Sorted> = Acc::Insert<S, Self>;
}
impl<N: Nat + NonZero> ComplementStride for NInt<N> {
    type Sort<S: Nat, Acc: Sorted> = Unordered<S, Self>;
}
impl<I: Nat, V: StrideLeaf> ComplementStride for E<I, V> {
    type Sort<S: Nat, Acc: Sorted> = Unordered<S, Self>;
}

/// What complement does on a truth value.
pub trait ComplementBranch {
    /// `Acc` where true, with the mode sorted in otherwise.
    type SortUnlessUnit<S: Nat, D: StrideLeaf, Acc: Sorted>: Sorted;
    /// `S1:D1` before `S:D` where true, somewhere behind otherwise.
    type Insert<S1: Nat, D1: Nat, S: Nat, D: Nat, R: Sorted>: Sorted;
    /// True: the stride `D` is below `Cur`, the modes overlap.
    type Walk<S: Nat, D: Nat, R: Sorted, Cur: Nat, N: ShapeTree>: Outcome;
    /// True: the step `D` is taken twice.
    type ChainTwice<S: Nat, D: Nat, R: Sorted, Prev: Nat, Cur: Nat, C: Nat>: Bool;
    /// True: all of `C` is covered.
    type ChainEnds<S: Nat, D: Nat, R: Sorted, Prev: Nat, Cur: Nat, C: Nat>: Bool;
    /// True: the step is at most `Cur`.
    type ChainBelow<S: Nat, D: Nat, R: Sorted, Prev: Nat, Cur: Nat, C: Nat>: Bool;
    /// True: the step is `Cur`, the next one; false: it is below and does not count.
    type ChainNext<S: Nat, D: Nat, R: Sorted, Prev: Nat, Cur: Nat, C: Nat>: Bool;
    /// True: the modes nest and `N` is a number, so that the complement `O` of `T` covers `N`; false: this is still to be
    /// seen, since a tuple is divided mode by mode, rounding.
    type Covers<O: Outcome, T: ModeTree, N: ShapeTree, Of: Nat>: Outcome;
    /// True: the offsets of `T` and `R` reach the size `N`.
    type Reaches<R: ModeTree, N: Nat, T: Nat>: Outcome;
}
impl ComplementBranch for True {
    type ChainTwice<S: Nat, D: Nat, R: Sorted, Prev: Nat, Cur: Nat, C: Nat> = False;
    type ChainEnds<S: Nat, D: Nat, R: Sorted, Prev: Nat, Cur: Nat, C: Nat> = True;
    type ChainBelow<S: Nat, D: Nat, R: Sorted, Prev: Nat, Cur: Nat, C: Nat> =
        <D::Equals<Cur> as ComplementBranch>::ChainNext<S, D, R, Prev, Cur, C>;
    type ChainNext<S: Nat, D: Nat, R: Sorted, Prev: Nat, Cur: Nat, C: Nat> =
        R::Chains<D, <D as Nat>::Times<S>, C>;
    type SortUnlessUnit<S: Nat, D: StrideLeaf, Acc: Sorted> = Acc;
    type Insert<S1: Nat, D1: Nat, S: Nat, D: Nat, R: Sorted> = Gap<S1, D1, Gap<S, D, R>>;
    type Walk<S: Nat, D: Nat, R: Sorted, Cur: Nat, N: ShapeTree> =
        Refused<OverlapRule<Cur>, S, D, Here>;
    type Covers<O: Outcome, T: ModeTree, N: ShapeTree, Of: Nat> = O::Simplest;
    type Reaches<R: ModeTree, N: Nat, T: Nat> =
        Done<<R::Modes as super::coalescing::CoalesceList>::Simplest>;
}
impl ComplementBranch for False {
    type ChainTwice<S: Nat, D: Nat, R: Sorted, Prev: Nat, Cur: Nat, C: Nat> =
        <Cur::AtLeast<C> as ComplementBranch>::ChainEnds<S, D, R, Prev, Cur, C>;
    type ChainEnds<S: Nat, D: Nat, R: Sorted, Prev: Nat, Cur: Nat, C: Nat> =
        <Cur::AtLeast<D> as ComplementBranch>::ChainBelow<S, D, R, Prev, Cur, C>;
    type ChainBelow<S: Nat, D: Nat, R: Sorted, Prev: Nat, Cur: Nat, C: Nat> = False;
    type ChainNext<S: Nat, D: Nat, R: Sorted, Prev: Nat, Cur: Nat, C: Nat> =
        R::Chains<Prev, Cur, C>;
    type SortUnlessUnit<S: Nat, D: StrideLeaf, Acc: Sorted> = <D as ComplementStride>::Sort<S, Acc>;
    type Insert<S1: Nat, D1: Nat, S: Nat, D: Nat, R: Sorted> = Gap<S, D, R::Insert<S1, D1>>;
    type Walk<S: Nat, D: Nat, R: Sorted, Cur: Nat, N: ShapeTree> =
        <R::Walk<<D as Nat>::Times<S>, N> as ComplementNext>::BehindGap<D::Over<Cur>, Cur>;
    type Covers<O: Outcome, T: ModeTree, N: ShapeTree, Of: Nat> =
        O::Reaching<T::Reach, N::Size, Of>;
    type Reaches<R: ModeTree, N: Nat, T: Nat> = Refused<CoverRule<T>, N, Zero, Here>;
}

/// What complement does next.
pub trait ComplementNext {
    /// Behind the gap `S:D`, where it is one.
    type BehindGap<S: Nat, D: Nat>: Outcome;
    /// The result, where it and a layout of size `Of` and reach `T` have `N` elements and reach the size `N`.
    type Reaching<T: Nat, N: Nat, Of: Nat>: Outcome;
}
impl<R: ModeTree, X: super::compose_list::Digits> ComplementNext for Done<R, X> {
    type BehindGap<S: Nat, D: Nat> =
        Done<<<S as NatCmp>::IsOne as CoalesceBranch>::UnlessUnit<S, D, R::Modes>>;
    type Reaching<T: Nat, N: Nat, Of: Nat> =
        <<<<<T as Nat>::Plus<R::Reach> as crate::num::NatAdd>::Succ as NatCmp>::AtLeast<N> as Bool>::And<
            <R::Size as NatCmp>::AtLeast<<N as Nat>::Over<Of>>,
        > as ComplementBranch>::Reaches<R, N, T>;
}
impl<Why, S: Nat, D: StrideLeaf, P: ModePath> ComplementNext for Refused<Why, S, D, P> {
    type BehindGap<S1: Nat, D1: Nat> = Self;
    type Reaching<T: Nat, N: Nat, Of: Nat> = Self;
}

impl ComplementNext for super::outcome::Undecided {
    type BehindGap<S1: Nat, D1: Nat> = Self;
    type Reaching<T: Nat, N: Nat, Of: Nat> = Self;
}

phantom! {
    /// The mode's stride lies within the offsets below `Cur` that modes of smaller stride take.
    OverlapRule<Cur>
}
phantom! {
    /// The holes that the modes leave are no whole number of repeats, and gaps and modes of reach `T` do not cover the target.
    CoverRule<T>
}
/// The strides do not nest: some offsets are in no tile.
#[derive(Clone, Copy, Debug, Default)]
pub struct GapRule;
/// Negative and scaled-basis strides have no complement.
#[derive(Clone, Copy, Debug, Default)]
pub struct OrderRule;

//! Layouts from shapes and from other layouts.
//!
//! ```text
//!   ordered  (2,1,16) by (5,0,2)     (2,1,16):(16,0,1)         identity  (2,3)        (2,3):(1@0,1@1)
//!   like     ((4),(3,5)):((1),(60,4))    ((4),(3,5)):((1),(20,4))
//! ```
//!
//! Law: the identity layout maps each coordinate to itself; the others are compact, with strides in
//! the order asked for (leaves of equal order get equal strides, as in CuTe); size-1 modes get
//! stride 0 (CuTe: `cute/layout.hpp`, `cute/stride.hpp`).

use super::compose::ByTree;
use super::divide::tiled;
use super::outcome::{Admissible, Done, Fragments, Here, Likes, Outcome, Refused};
use super::product::Repeat;
use crate::layout::{LayoutFn, StaticLayout, Unzip};
use crate::num::{Bool, E, False, Nat, One, StrideLeaf, True, Zero};
use crate::shape::ShapeTree;
use crate::tree::{Cons, M, ModeList, ModeTree, Nil, Zip};

/// The compact layout of the shape `S` whose strides increase with the order `O`, a congruent tuple
/// of numbers.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(MakeOrdered::<shape!((2,1,16)), shape!((5,4,2))>::default().to_string(), "(2,1,16):(16,0,1)");
/// ```
#[doc(alias = "make_ordered_layout")]
pub type MakeOrdered<S, O> = Unzip<OrderedTree<<S as Zip<O>>::Modes>>;
/// A compact layout of the same shape, its strides in the same order; strides of 0 stay.
///
/// ```
/// use layout_types::prelude::*;
/// type A = layout!(((4),(3,5)):((1),(60,4)));
/// assert_eq!(MakeLike::<A>::default().to_string(), "((4),(3,5)):((1),(20,4))");
/// ```
#[doc(alias = "make_layout_like")]
pub type MakeLike<L> = <L as LikeLayout>::Output;
/// `Self` has strides that can be ordered.
#[diagnostic::on_unimplemented(message = "make_layout_like is not admissible for this layout")]
pub trait LikeLayout: LayoutFn {
    /// [`MakeLike`].
    type Output: StaticLayout;
}
impl<L: LayoutFn> LikeLayout for L
where
    LikeOf<L::Modes>: Admissible<Likes, L, ()>,
{
    type Output = Unzip<<LikeOf<L::Modes> as Admissible<Likes, L, ()>>::Tree>;
}
/// [`MakeLike`] of a tree.
pub type LikeOf<T> = <super::decide::has_basis<T> as MakeBranch>::Integers<
    Done<<T as MakeTree>::Like<super::flatten::nonzero<T>>>,
>;
/// [`MakeFragmentLike`] of a tree.
pub type FragmentOf<T> =
    <super::decide::has_basis<T> as MakeBranch>::Integers<<T as MakeTree>::Fragment>;
/// What making does on a truth value.
pub trait MakeBranch {
    /// True: there are scaled-basis strides; `O` otherwise.
    type Integers<O: Outcome>: Outcome;
}
impl MakeBranch for True {
    type Integers<O: Outcome> = Refused<OrderBasisRule, One, Zero, Here>;
}
impl MakeBranch for False {
    type Integers<O: Outcome> = O;
}
/// Scaled-basis strides have no order.
#[derive(Clone, Copy, Debug, Default)]
pub struct OrderBasisRule;
/// The identity layout of a shape, with scaled-basis strides.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(Identity::<shape!((2,(3,4)))>::default().to_string(), "(2,(3,4)):(1@0,(1@0@1,1@1@1))");
/// ```
#[doc(alias = "make_identity_layout")]
pub type Identity<S> = Unzip<<S as IdentityShape>::Basis>;
/// A compact layout for registers that hold what `L` addresses: mode 0 column-major, the others in
/// the order of their strides.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(MakeFragmentLike::<layout!((8,4,3):(1,24,8))>::default().to_string(), "(8,4,3):(1,24,8)");
/// ```
#[doc(alias = "make_fragment_like")]
pub type MakeFragmentLike<L> = <L as FragmentLike>::Output;
/// `Self` has a fragment.
pub trait FragmentLike: LayoutFn {
    /// [`MakeFragmentLike`].
    type Output: StaticLayout;
}
impl<L: LayoutFn> FragmentLike for L
where
    FragmentOf<L::Modes>: Admissible<Fragments, L, ()>,
{
    type Output = Unzip<<FragmentOf<L::Modes> as Admissible<Fragments, L, ()>>::Tree>;
}

/// A tree with the strides of its orders.
pub type OrderedTree<T> = <T as MakeTree>::Ordered<T>;

/// Trees from which layouts are made.
pub trait MakeTree {
    /// The tree's shape, each stride the product of the shapes in `All` whose stride is less.
    type Ordered<All: ModeTree>: ModeTree;
    /// As [`MakeTree::Ordered`], but strides of 0 stay.
    type Like<All: ModeTree>: ModeTree;
    /// The product of the shapes whose stride is less than `D`.
    type Below<D: StrideLeaf>: Nat;
    /// The tree's shape, compact column-major from `Step` on; strides of 0 stay.
    type Compact<Step: Nat>: ModeTree;
    /// The product of the shapes whose stride is not 0.
    type Extent: Nat;
    /// The strides inside mode `I` of a coordinate.
    type Within<I: Nat>: ModeTree;
    /// [`MakeFragmentLike`].
    type Fragment: Outcome;
}
/// Lists from which layouts are made.
pub trait MakeList {
    /// [`MakeTree::Ordered`] as a list.
    type OrderedList<All: ModeTree>: ModeList;
    /// [`MakeTree::Like`] as a list.
    type LikeList<All: ModeTree>: ModeList;
    /// [`MakeTree::Compact`] as a list.
    type CompactList<Step: Nat>: ModeList;
    /// [`MakeTree::Within`] as a list.
    type WithinList<I: Nat>: ModeList;
    /// The fragment of `Cons<H, Self>`.
    type FragmentAfter<H: ModeTree>: Outcome;
}
impl<S: Nat, D: StrideLeaf> MakeTree for M<S, D> {
    type Ordered<All: ModeTree> = M<S, <S::IsOne as Bool>::PickNat<Zero, All::Below<D>>>;
    type Like<All: ModeTree> =
        M<S, <<S::IsOne as Bool>::Or<D::Null> as Bool>::PickNat<Zero, All::Below<D>>>;
    type Below<R: StrideLeaf> = <D::Less<R> as Bool>::PickNat<S, One>;
    type Compact<Step: Nat> = M<S, <<S::IsOne as Bool>::Or<D::Null> as Bool>::PickNat<Zero, Step>>;
    type Extent = <D::Null as Bool>::PickNat<One, S>;
    type Within<I: Nat> = M<S, E<I, D>>;
    type Fragment = Done<<S as ShapeTree>::Left<One>>;
}
impl MakeTree for Nil {
    type Ordered<All: ModeTree> = Nil;
    type Like<All: ModeTree> = Nil;
    type Below<R: StrideLeaf> = One;
    type Compact<Step: Nat> = Nil;
    type Extent = One;
    type Within<I: Nat> = Nil;
    type Fragment = Done<Nil>;
}
impl<H: ModeTree, T: ModeList> MakeTree for Cons<H, T> {
    type Ordered<All: ModeTree> = Cons<H::Ordered<All>, T::OrderedList<All>>;
    type Like<All: ModeTree> = Cons<H::Like<All>, T::LikeList<All>>;
    type Below<R: StrideLeaf> = <H::Below<R> as Nat>::Times<T::Below<R>>;
    type Compact<Step: Nat> =
        Cons<H::Compact<Step>, T::CompactList<<Step as Nat>::Times<H::Extent>>>;
    type Extent = <H::Extent as Nat>::Times<T::Extent>;
    type Within<I: Nat> = Cons<H::Within<I>, T::WithinList<I>>;
    type Fragment = T::FragmentAfter<H>;
}
impl MakeList for Nil {
    type OrderedList<All: ModeTree> = Nil;
    type LikeList<All: ModeTree> = Nil;
    type CompactList<Step: Nat> = Nil;
    type WithinList<I: Nat> = Nil;
    type FragmentAfter<H: ModeTree> =
        Done<<<Cons<H, Nil> as ModeTree>::Shape as ShapeTree>::Left<One>>;
}
impl<H: ModeTree, T: ModeList> MakeList for Cons<H, T> {
    type OrderedList<All: ModeTree> = Cons<H::Ordered<All>, T::OrderedList<All>>;
    type LikeList<All: ModeTree> = Cons<H::Like<All>, T::LikeList<All>>;
    type CompactList<Step: Nat> =
        Cons<H::Compact<Step>, T::CompactList<<Step as Nat>::Times<H::Extent>>>;
    type WithinList<I: Nat> = Cons<H::Within<I>, T::WithinList<I>>;
    // tiled_product(compact mode 0, ordered rest)
    type FragmentAfter<G: ModeTree> = tiled<G::Compact<One>, ByTree<OrderedTree<Self>>, Repeat>;
}

/// Shapes with an identity layout.
pub trait IdentityShape {
    /// The identity layout.
    type Basis: ModeTree;
    /// The identity layouts of elements from `I` on.
    type BasisFrom<I: Nat>: ModeList;
}
impl<N: Nat> IdentityShape for N {
    type Basis = M<N, One>;
    type BasisFrom<I: Nat> = Nil;
}
impl IdentityShape for Nil {
    type Basis = Nil;
    type BasisFrom<I: Nat> = Nil;
}
impl<H: IdentityShape, T: IdentityShape> IdentityShape for Cons<H, T> {
    type Basis = Self::BasisFrom<Zero>;
    type BasisFrom<I: Nat> = Cons<<H::Basis as MakeTree>::Within<I>, T::BasisFrom<I::Succ>>;
}

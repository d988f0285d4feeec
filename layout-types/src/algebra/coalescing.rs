//! Coalesce: the same function in as few modes as can be.
//!
//! ```text
//!   (2,(1,6)):(1,(6,2))    ->    12:1
//!    2 of stride 1, then 6 of stride 2 = 2 * 1:  one run
//! ```
//!
//! Law: `Coalesce<A>` has depth at most 1 and no mode of size 1 unless it is `1:0`; `Coalesce<A>(i) == A(i)` for every
//! `i` below the size (CuTe: `coalesce` in `cute/layout.hpp`).

use crate::layout::LayoutFn;
use crate::num::{False, Nat, One, StrideLeaf, True, Zero};
use crate::tree::{Cons, M, ModeList, ModeTree, Nil};

/// The layout coalesced.
///
/// ```
/// use layout_types::prelude::*;
/// type A = layout!((2,(1,6)):(1,(6,2)));
/// assert_eq!(Coalesce::<A>::default().to_string(), "12:1");
/// ```
#[doc(alias = "coalesce")]
pub type Coalesce<L> = <L as CoalesceLayout>::Output;

/// Coalesce as a trait; it holds for every layout.
pub trait CoalesceLayout: LayoutFn {
    /// [`Coalesce`].
    type Output: LayoutFn;
}
impl<L: LayoutFn> CoalesceLayout for L {
    type Output = L::With<CoalescedTree<L::Modes>>;
}

/// A tree coalesced to a list and then to a tree.
pub type CoalescedTree<T> = <<T as CoalesceTree>::CoalesceOnto<Nil> as CoalesceList>::Simplest;

/// Coalescing a tree from its last leaf to its first.
pub trait CoalesceTree {
    /// The leaves, coalesced and then put before the coalesced list `Acc`.
    type CoalesceOnto<Acc: ModeList>: ModeList;
    /// The mode `S:D` before the coalesced list `Cons<Self, T>`, merged with `Self` where `Self` continues it.
    type PushBefore<S: Nat, D: StrideLeaf, T: ModeList>: ModeList;
}

impl<S: Nat, D: StrideLeaf> CoalesceTree for M<S, D> {
    type CoalesceOnto<Acc: ModeList> = <S::IsOne as CoalesceBranch>::UnlessUnit<S, D, Acc>;
    type PushBefore<S1: Nat, D1: StrideLeaf, T: ModeList> =
        <<D1::Scale<S1> as StrideLeaf>::Same<D> as CoalesceBranch>::Merge<S1, D1, S, D, T>;
}
impl CoalesceTree for Nil {
    type CoalesceOnto<Acc: ModeList> = Acc;
    type PushBefore<S: Nat, D: StrideLeaf, T: ModeList> = Cons<M<S, D>, T>;
}
impl<H: ModeTree, T: ModeList> CoalesceTree for Cons<H, T> {
    type CoalesceOnto<Acc: ModeList> = H::CoalesceOnto<T::CoalesceOnto<Acc>>;
    type PushBefore<S: Nat, D: StrideLeaf, U: ModeList> = Cons<M<S, D>, Cons<Self, U>>;
}

/// Lists under construction.
pub trait CoalesceList {
    /// The mode `S:D`, not of size 1, before the list, merged with the first where it continues in it.
    type Push<S: Nat, D: StrideLeaf>: ModeList;
    /// `1:0` for the empty list, the mode for a list of one, the list itself otherwise.
    type Simplest: ModeTree;
    /// As [`CoalesceList::Simplest`], knowing that the list is `Cons<H, Self>`.
    type SimplestAfter<H: ModeTree>: ModeTree;
}

impl CoalesceList for Nil {
    type Push<S: Nat, D: StrideLeaf> = Cons<M<S, D>, Nil>;
    type Simplest = M<One, Zero>;
    type SimplestAfter<H: ModeTree> = H;
}
impl<H: ModeTree, T: ModeList> CoalesceList for Cons<H, T> {
    type Push<S: Nat, D: StrideLeaf> = H::PushBefore<S, D, T>;
    type Simplest = T::SimplestAfter<H>;
    type SimplestAfter<G: ModeTree> = Cons<G, Self>;
}

/// What coalescing does on a truth value.
pub trait CoalesceBranch {
    /// `Acc` where true, `S:D` pushed otherwise.
    type UnlessUnit<S: Nat, D: StrideLeaf, Acc: ModeList>: ModeList;
    /// `S:D` before `S2:D2` and `T`: merged where true.
    type Merge<S: Nat, D: StrideLeaf, S2: Nat, D2: StrideLeaf, T: ModeList>: ModeList;
}

impl CoalesceBranch for True {
    type UnlessUnit<S: Nat, D: StrideLeaf, Acc: ModeList> = Acc;
    type Merge<S: Nat, D: StrideLeaf, S2: Nat, D2: StrideLeaf, T: ModeList> =
        Cons<M<S::Times<S2>, D>, T>;
}
impl CoalesceBranch for False {
    type UnlessUnit<S: Nat, D: StrideLeaf, Acc: ModeList> = Acc::Push<S, D>;
    type Merge<S: Nat, D: StrideLeaf, S2: Nat, D2: StrideLeaf, T: ModeList> =
        Cons<M<S, D>, Cons<M<S2, D2>, T>>;
}

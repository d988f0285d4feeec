//! Flatten, filter, and coalesce mode by mode.
//!
//! ```text
//!   flatten        (2,(3,4)):(1,(0,2))   ->   (2,3,4):(1,0,2)
//!   filter_zeros                         ->   (2,(1,4)):(1,(0,2))
//!   filter                               ->   8:1
//! ```
//!
//! Law: `Flatten` and `CoalesceBy` are the same function; `FilterZeros` keeps the tuple structure
//! and drops the coordinates that do not change the offset; `Filter` is `Coalesce` of it (CuTe:
//! `cute/layout.hpp`).

use super::coalescing::CoalescedTree;
use super::compose::RankRule;
use super::outcome::{
    Admissible, Coalesces, Done, Here, Mode, ModePath, Outcome, Refused, Undecided,
};
use crate::layout::LayoutFn;
use crate::num::{Bool, Nat, One, StrideLeaf, Zero};
use crate::tree::{Cons, M, ModeList, ModeTree, Nil};

/// The layout with depth at most 1.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(Flatten::<layout!((2,(3,4)):(1,(0,2)))>::default().to_string(), "(2,3,4):(1,0,2)");
/// ```
#[doc(alias = "flatten")]
pub type Flatten<L> = <L as LayoutFn>::With<<<L as LayoutFn>::Modes as FlattenTree>::Flat>;
/// The layout with every mode of stride 0 as `1:0`.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(FilterZeros::<layout!((2,(3,4)):(1,(0,2)))>::default().to_string(), "(2,(1,4)):(1,(0,2))");
/// ```
#[doc(alias = "filter_zeros")]
pub type FilterZeros<L> = <L as LayoutFn>::With<<<L as LayoutFn>::Modes as FlattenTree>::Nonzero>;
/// The layout without modes of size 1 or stride 0, coalesced.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(Filter::<layout!((2,(3,4)):(1,(0,2)))>::default().to_string(), "8:1");
/// ```
#[doc(alias = "filter")]
pub type Filter<L> =
    <L as LayoutFn>::With<CoalescedTree<<<L as LayoutFn>::Modes as FlattenTree>::Nonzero>>;

/// Trees that are flattened or filtered.
pub trait FlattenTree {
    /// The leaves before the list `L`.
    type LeavesOnto<L: ModeList>: ModeList;
    /// The leaves as a list; a leaf itself.
    type Flat: ModeTree;
    /// Stride-0 leaves as `1:0`.
    type Nonzero: ModeTree;
}
/// Lists that are filtered.
pub trait FlattenList {
    /// [`FlattenTree::Nonzero`] as a list.
    type NonzeroList: ModeList;
}
impl<S: Nat, D: StrideLeaf> FlattenTree for M<S, D> {
    type LeavesOnto<L: ModeList> = Cons<Self, L>;
    type Flat = Self;
    type Nonzero = M<<D::Null as Bool>::PickNat<One, S>, D>;
}
impl FlattenTree for Nil {
    type LeavesOnto<L: ModeList> = L;
    type Flat = Nil;
    type Nonzero = Nil;
}
impl<H: ModeTree, T: ModeList> FlattenTree for Cons<H, T> {
    type LeavesOnto<L: ModeList> = H::LeavesOnto<T::LeavesOnto<L>>;
    type Flat = H::LeavesOnto<T::LeavesOnto<Nil>>;
    type Nonzero = Cons<H::Nonzero, T::NonzeroList>;
}
impl FlattenList for Nil {
    type NonzeroList = Nil;
}
impl<H: ModeTree, T: ModeList> FlattenList for Cons<H, T> {
    type NonzeroList = Cons<H::Nonzero, T::NonzeroList>;
}

/// `coalesce(L, profile)`: each mode that the profile names coalesced on its own, the others as
/// they are.
///
/// ```
/// use layout_types::prelude::*;
/// type C = CoalesceBy<layout!(((2,4),(3,5)):((1,2),(8,24))), shape!((1, 1))>;
/// assert_eq!(C::default().to_string(), "(8,15):(1,8)");
/// ```
#[doc(alias = "coalesce")]
pub type CoalesceBy<L, P> = <L as CoalesceByProfile<P>>::Output;
/// `Self` has the modes that the profile `P` names.
#[diagnostic::on_unimplemented(
    message = "coalesce is not admissible for these operands",
    label = "no such coalesced layout"
)]
pub trait CoalesceByProfile<P>: LayoutFn {
    /// [`CoalesceBy`].
    type Output: LayoutFn;
}
impl<L: LayoutFn, P: Profile> CoalesceByProfile<P> for L
where
    P::CoalesceIn<L::Modes>: Admissible<Coalesces, L, P>,
{
    type Output = L::With<<P::CoalesceIn<L::Modes> as Admissible<Coalesces, L, P>>::Tree>;
}

/// A number, or a tuple of profiles.
pub trait Profile {
    /// The tree coalesced by this profile.
    type CoalesceIn<T: ModeTree>: Outcome;
}
/// A tuple of profiles.
pub trait ProfileList: Profile {
    /// The modes coalesced by the profiles, one each, and the modes without a profile.
    type CoalesceModes<L: ModeList>: Outcome;
}
impl<N: Nat> Profile for N {
    type CoalesceIn<T: ModeTree> = Done<CoalescedTree<T>>;
}
impl Profile for Nil {
    type CoalesceIn<T: ModeTree> = Done<T>;
}
impl ProfileList for Nil {
    type CoalesceModes<L: ModeList> = Done<L>;
}
impl<H: Profile, T: ProfileList> Profile for Cons<H, T> {
    type CoalesceIn<U: ModeTree> = <U::Modes as CoalesceModes>::ByProfiles<H, T>;
}
impl<H: Profile, T: ProfileList> ProfileList for Cons<H, T> {
    type CoalesceModes<L: ModeList> = L::ByProfiles<H, T>;
}
/// Lists that are coalesced by profile.
pub trait CoalesceModes {
    /// The first mode by `P`, the others by `Q`.
    type ByProfiles<P: Profile, Q: ProfileList>: Outcome;
}
impl CoalesceModes for Nil {
    type ByProfiles<P: Profile, Q: ProfileList> = Refused<RankRule, Zero, Zero, Here>;
}
impl<H: ModeTree, T: ModeList> CoalesceModes for Cons<H, T> {
    type ByProfiles<P: Profile, Q: ProfileList> =
        <P::CoalesceIn<H> as CoalesceNext>::ThenProfiles<Q, T>;
}
/// What coalescing does next.
pub trait CoalesceNext {
    /// With the modes of `L` behind it still to be coalesced by `Q`.
    type ThenProfiles<Q: ProfileList, L: ModeList>: Outcome;
}
impl<H: ModeTree, X: super::compose_list::Digits> CoalesceNext for Done<H, X> {
    type ThenProfiles<Q: ProfileList, L: ModeList> = <Q::CoalesceModes<L> as Outcome>::Behind<H>;
}
impl<Why, S: Nat, D: StrideLeaf, P: ModePath> CoalesceNext for Refused<Why, S, D, P> {
    type ThenProfiles<Q: ProfileList, L: ModeList> = Refused<Why, S, D, Mode<Zero, P>>;
}
impl CoalesceNext for Undecided {
    type ThenProfiles<Q: ProfileList, L: ModeList> = Self;
}

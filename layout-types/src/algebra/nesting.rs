//! Whether modes nest as they are written: each stride greater than what the modes before it reach,
//! or those behind it.
//!
//! ```text
//!   (4,8,2):(1,4,32)     1, 4 > 3, 32 > 31      nests, rising
//!   (2,8,4):(32,4,1)     the same from behind   nests, falling
//!   (4,2,8):(1,32,4)     neither: has to be sorted
//! ```
//!
//! Law: a layout whose modes nest is injective. Nothing has to be sorted to see it, so that it is
//! told of any number of modes.

use super::room::{Room, Width};
use crate::num::{Bool, False, Nat, NatCmp, Pred, StrideLeaf, True, Zero};
use crate::tree::{Cons, M, ModeList, ModeTree, Nil, phantom};

/// Trees whose modes are taken in turn.
pub trait NestingTree {
    /// What `A` becomes by the modes from the first to the last.
    type Rising<A: Ascent>: Ascent;
    /// What `A` becomes by the modes from the last to the first.
    type Falling<A: Ascent>: Ascent;
    /// The room `R`, less a unit for each mode of more than one element.
    type ModesLeave<R: Room>: Room;
    /// The room `R`, or none where a stride is above 2^24.
    type StridesLeave<R: Room>: Room;
}
impl<S: Nat, D: StrideLeaf> NestingTree for M<S, D> {
    type Rising<A: Ascent> = <S::IsOne as NestingBranch>::Skips<A, S, D::Magnitude>;
    type Falling<A: Ascent> = <S::IsOne as NestingBranch>::Skips<A, S, D::Magnitude>;
    type ModesLeave<R: Room> = <S::IsOne as NestingBranch>::Counts<R>;
    type StridesLeave<R: Room> = <<D::Magnitude as Nat>::Width as Width>::Stride<R>;
}
impl NestingTree for Nil {
    type Rising<A: Ascent> = A;
    type Falling<A: Ascent> = A;
    type ModesLeave<R: Room> = R;
    type StridesLeave<R: Room> = R;
}
impl<H: ModeTree, T: ModeList> NestingTree for Cons<H, T> {
    type Rising<A: Ascent> = T::Rising<H::Rising<A>>;
    type Falling<A: Ascent> = H::Falling<T::Falling<A>>;
    type ModesLeave<R: Room> = T::ModesLeave<H::ModesLeave<R>>;
    type StridesLeave<R: Room> = T::StridesLeave<H::StridesLeave<R>>;
}

/// Do the modes of the tree nest as they are written, rising or falling?
pub type NestsAsWritten<T> =
    <<<T as NestingTree>::Rising<UpTo<Zero>> as Ascent>::Holds as Bool>::Or<
        <<T as NestingTree>::Falling<UpTo<Zero>> as Ascent>::Holds,
    >;

/// How far some modes that nest reach, or that they do not nest.
pub trait Ascent {
    /// True where each stride exceeds the accumulated reach of the modes before it.
    type Holds: Bool;
    /// With one more mode.
    type Then<S: Nat, D: Nat>: Ascent;
}
phantom! {
    /// The modes nest and reach to `R`.
    UpTo<R>
}
/// The modes do not nest.
#[derive(Clone, Copy, Debug, Default)]
pub struct Overlap;
impl<R: Nat> Ascent for UpTo<R> {
    type Holds = True;
    type Then<S: Nat, D: Nat> = <<R as NatCmp>::AtLeast<D> as NestingBranch>::Overlaps<S, D, R>;
}
impl Ascent for Overlap {
    type Holds = False;
    type Then<S: Nat, D: Nat> = Overlap;
}

/// What nesting does on a truth value.
pub trait NestingBranch {
    /// `A` where true, with the mode `S:D` otherwise.
    type Skips<A: Ascent, S: Nat, D: Nat>: Ascent;
    /// The room `R` where true, a unit less otherwise.
    type Counts<R: Room>: Room;
    /// True: the stride is not greater than the reach `R`.
    type Overlaps<S: Nat, D: Nat, R: Nat>: Ascent;
}
impl NestingBranch for True {
    type Skips<A: Ascent, S: Nat, D: Nat> = A;
    type Counts<R: Room> = R;
    type Overlaps<S: Nat, D: Nat, R: Nat> = Overlap;
}
impl NestingBranch for False {
    type Skips<A: Ascent, S: Nat, D: Nat> = A::Then<S, D>;
    type Counts<R: Room> = R::Less1;
    type Overlaps<S: Nat, D: Nat, R: Nat> = UpTo<<<Pred<S> as Nat>::Times<D> as Nat>::Plus<R>>;
}

//! What an operation comes to: a tree of modes, or the rule that forbids it.
//!
//! ```text
//!   Done<Tree, Left>                      Refused<Why, S, D, Mode<I, Here>>
//! ```
//!
//! Law: an operation's trait holds exactly for [`Done`]; a [`Refused`] runs through all further steps unchanged but for the
//! way to the mode that broke the rule, and ends in the message of [`Forbids`].

use super::cast::CastNext;
use super::coalesce::CoalesceList;
use super::common::CommonNext;
use super::complement::ComplementNext;
use super::compose_list::{Digits, Start};
use super::composition::ComposeNext;
use super::divide::DivideNext;
use super::flatten::CoalesceNext;
use super::product::ProductNext;
use super::settle::SettleNext;
use crate::num::{Nat, StrideLeaf};
use crate::tree::{Cons, ModeTree, Nil, phantom};

/// A result or a refusal, and what each operation does with it next.
pub trait Outcome:
    SettleNext
    + ComposeNext
    + ComplementNext
    + DivideNext
    + ProductNext
    + CoalesceNext
    + CastNext
    + CommonNext
{
    /// `Self` behind the element `H` of a tuple.
    type Behind<H: ModeTree>: Outcome;
    /// A list of one mode becomes the mode, the empty list `1:0`.
    type Simplest: Outcome;
}

phantom! {
    /// The tree that came out; a composition adds the left operand with the budget that is left.
    Done<T, X = Start>
}
phantom! {
    /// Refused by the rule `Why`, which the mode `S:D` broke, and the way to this mode.
    Refused<Why, S, D, Path>
}
/// A composition that the walk over digits cannot decide; [`SettleNext::Settle`] does.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unsettled;

/// The mode itself broke the rule.
#[derive(Clone, Copy, Debug, Default)]
pub struct Here;
phantom! {
    /// Element `I` of a tuple, and the way on from there.
    Mode<I, P>
}

/// The way to a mode in a tree.
pub trait ModePath: Copy + Default + 'static {
    /// The same way where one more element lies before.
    type Next: ModePath;
}
impl ModePath for Here {
    type Next = Here;
}
impl<I: Nat, P: ModePath> ModePath for Mode<I, P> {
    type Next = Mode<I::Succ, P>;
}

impl<T: ModeTree, X: Digits> Outcome for Done<T, X> {
    type Behind<H: ModeTree> = Done<Cons<H, T::Modes>, X>;
    type Simplest = Done<<T::Modes as CoalesceList>::Simplest, X>;
}
impl<Why, S: Nat, D: StrideLeaf, P: ModePath> Outcome for Refused<Why, S, D, P> {
    type Behind<H: ModeTree> = Refused<Why, S, D, P::Next>;
    type Simplest = Self;
}
impl Outcome for Unsettled {
    type Behind<H: ModeTree> = Self;
    type Simplest = Self;
}

/// The operation `Op` on `A` and `B` has a result.
pub trait Admissible<Op, A, B> {
    /// The tree of the result.
    type Tree: ModeTree;
}
impl<Op, A, B, T: ModeTree, X: Digits> Admissible<Op, A, B> for Done<T, X> {
    type Tree = T;
}
impl<Op, A, B, Why, S: Nat, D: StrideLeaf, P: ModePath> Admissible<Op, A, B>
    for Refused<Why, S, D, P>
where
    Why: Forbids<Op, A, B, S, D, P>,
{
    type Tree = Nil;
}

/// Holds for no rule: its message is the refusal.
#[diagnostic::on_unimplemented(
    message = "{Op} is not admissible: {Self}",
    label = "{Op} would not be what its law says"
)]
pub trait Forbids<Op, A, B, S, D, P> {}

/// The operation that a message is about.
macro_rules! operations {
    ($($(#[$m:meta])* $name:ident)*) => {$(
        $(#[$m])*
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name;
    )*};
}
operations! {
    /// Coalesce by profile.
    Coalesces
    /// Picking and pairing modes.
    Sublayouts
    /// The inverses.
    Inverses
    /// The casts.
    Casts
    /// Layouts made like others.
    Makes
    /// Comparisons of layouts.
    Commons
    /// Composition.
    Compositions
    /// Complement.
    Complements
    /// The divides.
    Divides
    /// The products.
    Products
    /// `tile_to_shape`.
    TilesToShape
}

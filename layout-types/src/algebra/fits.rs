//! How large a layout may be: numbers of 64 bits, a few dozen leaves.
//!
//! ```text
//!   4:2^40 o 2:2^40         stride 2^80                       refused: a number does not fit in 64 bits
//!   2^40:1 x 2^40:1         2^80 elements                     refused
//!   ((..((2,2),2)..),2)     60 levels                         refused: more leaves than 32
//! ```
//!
//! Law: where an operation has a result, the result's sizes, strides and cosize are at most 2^63 - 1. Their logarithms decide, each
//! number rounded up to a power of two, since a sum of numbers of 63 bits is beyond the depth to which the compiler evaluates
//! types: what is refused has a size or a cosize above 2^62 so rounded. The run-time mirror, which has numbers, refuses above 2^63 - 1.

use super::outcome::{Admissible, Here, Refused};
use super::room::{AfterLeaf, Room, Units17};
use crate::num::{Bool, False, Log2, Nat, NatAdd, NatCmp, One, StrideLeaf, True, Zero};
use crate::tree::{Cons, M, ModeList, ModeTree, Nil};
use typenum::{U16, U32, U58, U62, U63};

/// Trees with the logarithms of their numbers.
pub trait FitsTree {
    /// What is left of the room `R`.
    type RoomLeft<R: Room>: Room;
    /// The size is at most 2 to this power.
    type SizeLog: Nat;
    /// For each leaf: the offsets that it reaches, and two steps of its stride, are below 2 to this power.
    type SpanLog: Nat;
    /// All offsets are below 2 to this power if those of the leaves before are below 2 to the power `Before`.
    type ReachLog<Before: Nat>: Nat;
    /// The number of leaves.
    type LeafCount: Nat;
}
impl<S: Nat, D: StrideLeaf> FitsTree for M<S, D> {
    type RoomLeft<R: Room> = AfterLeaf<S, D::Magnitude, R>;
    type SizeLog = S::CeilExponent;
    type SpanLog = <<<S as Log2>::CeilExponent as NatCmp>::Max<One> as Nat>::Plus<
        <D::Magnitude as Log2>::CeilExponent,
    >;
    type ReachLog<Before: Nat> = <<Before as NatCmp>::IsZero as Bool>::PickNat<
        Self::SpanLog,
        <<Before as NatCmp>::Max<Self::SpanLog> as NatAdd>::Succ,
    >;
    type LeafCount = One;
}
impl FitsTree for Nil {
    type RoomLeft<R: Room> = R::Less1;
    type SizeLog = Zero;
    type SpanLog = Zero;
    type ReachLog<Before: Nat> = Before;
    type LeafCount = Zero;
}
impl<H: ModeTree, T: ModeList> FitsTree for Cons<H, T> {
    type RoomLeft<R: Room> = T::RoomLeft<H::RoomLeft<R>>;
    type SizeLog = <H::SizeLog as Nat>::Plus<T::SizeLog>;
    type SpanLog = <H::SpanLog as NatCmp>::Max<T::SpanLog>;
    type ReachLog<Before: Nat> = T::ReachLog<H::ReachLog<Before>>;
    type LeafCount = <H::LeafCount as Nat>::Plus<T::LeafCount>;
}

/// The most leaves that a layout has: [`MAX_MODES`](crate::dynamic::rules::MAX_MODES).
pub type MaxLeaves = U32;
/// The deepest nesting that a layout has: [`MAX_DEPTH`](crate::dynamic::rules::MAX_DEPTH).
pub type MaxDepth = U16;

/// Do the numbers of the tree fit? With 32 leaves of at most 2^58 all offsets are below 2^63.
pub type NumbersFit<T> = <<U62 as NatCmp>::AtLeast<<T as FitsTree>::SizeLog> as Bool>::And<
    <<U58 as NatCmp>::AtLeast<<T as FitsTree>::SpanLog> as FitsBranch>::OrReach<T>,
>;
/// Has the tree few enough leaves and levels?
pub type LeavesFit<T> = <<MaxLeaves as NatCmp>::AtLeast<<T as FitsTree>::LeafCount> as Bool>::And<
    <MaxDepth as NatCmp>::AtLeast<<T as ModeTree>::Depth>,
>;

/// Whether the tree `T` fits: mostly told by the room that it leaves.
pub type Fitting<T> = <<T as FitsTree>::RoomLeft<Units17> as Room>::Verdict<T>;

/// What a range check does on a truth value.
pub trait FitsBranch {
    /// True where it is; otherwise the leaves are looked at one after the other.
    type OrReach<T: ModeTree>: Bool;
    /// True: the numbers fit. Do the leaves?
    type AndLeaves<B: FitsBranch>: FitsVerdict;
    /// True: the leaves fit.
    type Leaves: FitsVerdict;
}
impl FitsBranch for True {
    type OrReach<T: ModeTree> = True;
    type AndLeaves<B: FitsBranch> = B::Leaves;
    type Leaves = Within;
}
impl FitsBranch for False {
    type OrReach<T: ModeTree> = <U63 as NatCmp>::AtLeast<T::ReachLog<Zero>>;
    type AndLeaves<B: FitsBranch> = TooLarge;
    type Leaves = TooMany;
}

/// [`Within`], [`TooLarge`] or [`TooMany`].
pub trait FitsVerdict {}
/// The tree fits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Within;
/// A number does not fit in 64 bits.
#[derive(Clone, Copy, Debug, Default)]
pub struct TooLarge;
/// There are too many leaves or levels.
#[derive(Clone, Copy, Debug, Default)]
pub struct TooMany;
impl FitsVerdict for Within {}
impl FitsVerdict for TooLarge {}
impl FitsVerdict for TooMany {}

/// Holds for [`Within`]; otherwise the refusal is the result's.
pub trait InRange<Op, A, B> {}
impl<Op, A, B> InRange<Op, A, B> for Within {}
impl<Op, A, B> InRange<Op, A, B> for TooLarge where
    Refused<OverflowRule, Zero, Zero, Here>: Admissible<Op, A, B>
{
}
impl<Op, A, B> InRange<Op, A, B> for TooMany where
    Refused<LeavesRule, Zero, Zero, Here>: Admissible<Op, A, B>
{
}
/// A number does not fit in 64 bits.
#[derive(Clone, Copy, Debug, Default)]
pub struct OverflowRule;
/// The result has more leaves or levels than a layout may have.
#[derive(Clone, Copy, Debug, Default)]
pub struct LeavesRule;

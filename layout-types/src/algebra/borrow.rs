//! Right operands with strides of both signs: when the modes of one sign borrow from those of the other.
//!
//! ```text
//!   A = (4,4):(4,1)     A o (2,2):(-1,4)     at (1,1) the offset 4 - 1 = 3 is A's (3,0): 12, but 1 - 4 = -3 by parts
//!   A = (2,3,4):(1,5,12)   A o (2,2):(-1,6)  6 - 1 = 5 is A's (1,2): 11, and 12 - 1 = 11 by parts
//! ```
//!
//! Law: let the modes of each sign alone have a composition with the coalesced `A`, whose digits have shapes `s_i` and
//! strides `d_i`. A digit taken below zero borrows through the digits up to the first that is above it, from `j` to `k`, and
//! the offset then differs from the sum of the parts by the sum of `s_i d_i - d_(i+1)` for `j <= i < k`. So all together is the
//! composition exactly when this sum is 0 between any digit taken by one sign and any taken by the other, that is, where
//! both signs take any, when the sum from the first digit up is the same at every digit taken. This is
//! [`rules::joint`](crate::dynamic::rules::joint) of the mirror, and `docs/soundness.md` says why it is exact.

use super::compose_list::Digits;
use super::decide::{DecideNext, DecideTree, UnbudgetedCompose};
use super::points::{AddStride, NoSum, SumOf};
use crate::num::{Bool, E, False, Nat, One, StrideLeaf, True, Zero};
use crate::tree::phantom;

/// Some strides of many; the others become 0.
pub trait Pick {
    /// A positive stride.
    type Positive<N: Nat>: StrideLeaf;
    /// The stride `-N`.
    type Negative<N: Nat>: StrideLeaf;
    /// The stride `V@J`.
    type Basis<J: Nat, V: StrideLeaf>: StrideLeaf;
}
/// All strides, as they are.
#[derive(Clone, Copy, Debug, Default)]
pub struct All;
/// The integers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Integers;
/// The positive integers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rising;
/// The negative integers, without their sign.
#[derive(Clone, Copy, Debug, Default)]
pub struct Falling;
phantom! {
    /// Of the strides `V@I` what `P` picks of `V`.
    Along<I, P>
}
macro_rules! pick {
    ($name:ty, $n:ident: $positive:ty, $negative:ty; $j:ident $v:ident: $basis:ty; $([$($p:tt)*])?) => {
        impl$(<$($p)*>)? Pick for $name {
            type Positive<$n: Nat> = $positive;
            type Negative<$n: Nat> = $negative;
            type Basis<$j: Nat, $v: StrideLeaf> = $basis;
        }
    };
}
pick!(All, N: N, <N as StrideLeaf>::Negate; J V: E<J, V>;);
pick!(Integers, N: N, <N as StrideLeaf>::Negate; J V: Zero;);
pick!(Rising, N: N, Zero; J V: Zero;);
pick!(Falling, N: Zero, N; J V: Zero;);
pick!(Along<I, P>, N: Zero, Zero; J V: <J::Equals<I> as Bool>::PickStride<V::Picked<P>, Zero>; [I: Nat, P: Pick]);

/// Does nothing in `A o B` borrow, the modes of each sign having a composition?
pub type BorrowFree<A, B> = BorrowFreeDigits<
    <UnbudgetedCompose<A, <B as DecideTree>::Only<Rising>> as DecideNext>::Taken,
    <UnbudgetedCompose<A, <B as DecideTree>::Only<Falling>> as DecideNext>::Taken,
>;
/// [`BorrowFree`] of the digits with what is taken of them up and down.
pub type BorrowFreeDigits<Up, Down> = <<<<Up as Digits>::AnyTaken as Bool>::And<
    <Down as Digits>::AnyTaken,
> as Bool>::Not as Bool>::Or<<Up as Digits>::LevelInEach<Up, Down>>;

/// The sum of `s_i d_i - d_(i+1)` from the first digit taken.
pub trait Level {
    /// At the next digit, of stride `D`.
    type Enter<D: StrideLeaf, Taken: Bool>: Level;
    /// Is it 0?
    type IsZero: Bool;
    /// Behind the digit of shape `C` and stride `D`.
    type Leave<C: Nat, D: StrideLeaf>: Level;
}
/// No digit was taken yet.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLevel;
impl Level for NoLevel {
    type Enter<D: StrideLeaf, Taken: Bool> = Taken::FirstLevel;
    type IsZero = True;
    type Leave<C: Nat, D: StrideLeaf> = NoLevel;
}
impl<P: Nat, N: Nat> Level for SumOf<P, N> {
    type Enter<D: StrideLeaf, Taken: Bool> = <D::Negate as AddStride>::AddTimes<One, Self>;
    type IsZero = <P as crate::num::NatCmp>::Equals<N>;
    type Leave<C: Nat, D: StrideLeaf> = <D as AddStride>::AddTimes<C, Self>;
}
impl Level for NoSum {
    type Enter<D: StrideLeaf, Taken: Bool> = NoSum;
    type IsZero = False;
    type Leave<C: Nat, D: StrideLeaf> = NoSum;
}
/// The walk over the digit of shape `C` and stride `D`, at the level `L`, and then over `Rest` and `Down`.
pub type LevelFrom<L, Taken, C, D, Rest, Down, P> =
    <<<Taken as Bool>::Not as Bool>::Or<<L as Level>::IsZero> as Bool>::And<
        <Rest as Digits>::Level<Down, P, <L as Level>::Leave<C, D>>,
    >;

/// Where a sum of [`Level`] starts.
pub trait BorrowBranch {
    /// True: here.
    type FirstLevel: Level;
}
impl BorrowBranch for True {
    type FirstLevel = SumOf<Zero, Zero>;
}
impl BorrowBranch for False {
    type FirstLevel = NoLevel;
}
/// Modes of opposite sign borrow from one another.
#[derive(Clone, Copy, Debug, Default)]
pub struct BorrowRule;

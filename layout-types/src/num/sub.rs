//! Difference, which may not exist.
//!
//! ```text
//!   5 - 3 = 2        3 - 5 = Underflow
//! ```
//!
//! Law: `A::Sub<B>` is the number `a - b` where `a >= b`, and [`Underflow`] otherwise. The borrow runs from the
//! low bit up; whether it is left over shows at the top, so one walk both compares and subtracts.

use super::{DivRem, Nat, QuotRem};
use typenum::{B0, B1, UInt, UTerm};

/// The result of a subtraction below zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Underflow;

/// A number or [`Underflow`].
pub trait Difference:
    crate::algebra::compose_list::Budget + crate::algebra::points::PointDifference + super::SignedFrom
{
    /// Low bit 0 appended.
    type Shl0: Difference;
    /// Low bit 1 appended.
    type Shl1: Difference;
    /// One step of long division: `Self` is `T - D`; the quotient so far is `Q`.
    type DivStep<Q: Nat, T: Nat>: QuotRem;
    /// The difference, or 0 where there is none.
    type OrZero: Nat;
    /// The difference, or `N` where there is none.
    type Or<N: Nat>: Nat;
    /// `Self` is `N - D`: `N mod D`.
    type ModStep<N: Nat, D: Nat>: Nat;
    /// Is there a difference?
    type Exists: super::Bool;
    /// `A` where there is a difference, `B` otherwise.
    type Greater<A: Nat, B: Nat>: Nat;
}

impl Difference for Underflow {
    type Shl0 = Underflow;
    type Shl1 = Underflow;
    type DivStep<Q: Nat, T: Nat> = DivRem<Q::Twice, T>;
    type OrZero = UTerm;
    type Or<N: Nat> = N;
    type ModStep<N: Nat, D: Nat> = N;
    type Exists = super::False;
    type Greater<A: Nat, B: Nat> = B;
}

impl Difference for UTerm {
    type Shl0 = UTerm;
    type Shl1 = UInt<UTerm, B1>;
    type DivStep<Q: Nat, T: Nat> = DivRem<UInt<Q, B1>, UTerm>;
    type OrZero = UTerm;
    type Or<N: Nat> = UTerm;
    type ModStep<N: Nat, D: Nat> = UTerm;
    type Exists = super::True;
    type Greater<A: Nat, B: Nat> = A;
}

macro_rules! positive {
    ($b:ty) => {
        impl<U: Nat> Difference for UInt<U, $b> {
            type Shl0 = UInt<Self, B0>;
            type Shl1 = UInt<Self, B1>;
            type DivStep<Q: Nat, T: Nat> = DivRem<UInt<Q, B1>, Self>;
            type OrZero = Self;
            type Or<N: Nat> = Self;
            type ModStep<N: Nat, D: Nat> = N::ModOfLess<D>;
            type Exists = super::True;
            type Greater<A: Nat, B: Nat> = A;
        }
    };
}
positive!(B0);
positive!(B1);

/// Subtraction, by double dispatch.
pub trait NatSub {
    /// `Self - R`.
    type Sub<R: Nat>: Difference;
    /// `Self - R - 1`.
    type SubBorrow<R: Nat>: Difference;
    /// `2U - Self`.
    type FromEven<U: Nat>: Difference;
    /// `2U + 1 - Self`.
    type FromOdd<U: Nat>: Difference;
    /// `2U - Self - 1`.
    type BorrowFromEven<U: Nat>: Difference;
    /// `2U + 1 - Self - 1`.
    type BorrowFromOdd<U: Nat>: Difference;
    /// `0 - Self`.
    type FromZero: Difference;
}

impl NatSub for UTerm {
    type Sub<R: Nat> = R::FromZero;
    type SubBorrow<R: Nat> = Underflow;
    type FromEven<U: Nat> = U::Shl0;
    type FromOdd<U: Nat> = UInt<U, B1>;
    type BorrowFromEven<U: Nat> = <U::SubBorrow<UTerm> as Difference>::Shl1;
    type BorrowFromOdd<U: Nat> = U::Shl0;
    type FromZero = UTerm;
}

impl<V: Nat> NatSub for UInt<V, B0> {
    type Sub<R: Nat> = R::FromEven<V>;
    type SubBorrow<R: Nat> = R::BorrowFromEven<V>;
    type FromEven<U: Nat> = <U::Sub<V> as Difference>::Shl0;
    type FromOdd<U: Nat> = <U::Sub<V> as Difference>::Shl1;
    type BorrowFromEven<U: Nat> = <U::SubBorrow<V> as Difference>::Shl1;
    type BorrowFromOdd<U: Nat> = <U::Sub<V> as Difference>::Shl0;
    type FromZero = Underflow;
}

impl<V: Nat> NatSub for UInt<V, B1> {
    type Sub<R: Nat> = R::FromOdd<V>;
    type SubBorrow<R: Nat> = R::BorrowFromOdd<V>;
    type FromEven<U: Nat> = <U::SubBorrow<V> as Difference>::Shl1;
    type FromOdd<U: Nat> = <U::Sub<V> as Difference>::Shl0;
    type BorrowFromEven<U: Nat> = <U::SubBorrow<V> as Difference>::Shl0;
    type BorrowFromOdd<U: Nat> = <U::SubBorrow<V> as Difference>::Shl1;
    type FromZero = Underflow;
}

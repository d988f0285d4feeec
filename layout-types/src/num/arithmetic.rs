//! Sum, product, difference, comparison and division of numbers, from the lowest bit up.
//!
//! ```text
//!   5 + 3 = 8      5 - 3 = 2      3 - 5 = Underflow      7 / 2 = 3, rest 1      Max<3, 5> = 5
//! ```
//!
//! Law: each operation is the one on natural numbers. If it has no result, it returns a type that
//! says so.

use super::{Bool, False, Nat, True};
use core::marker::PhantomData;
use typenum::{B0, B1, UInt, UTerm};

// -- Sum and product ------------------------------------------------------------------------------
//
// Sum and product, from the lowest bit up.
//
// ```text
//   2u + (2v + 1) = 2(u + v) + 1        (2u + 1) + (2v + 1) = 2(u + v + 1)
//   2u * r = 2(u * r)                   (2u + 1) * r = 2(u * r) + r
// ```

/// Addition and multiplication.
pub trait NatAdd {
    /// `Self + 1`.
    type Succ: Nat;
    /// `Self + R`.
    type Add<R: Nat>: Nat;
    /// `2U + Self`.
    type AddEven<U: Nat>: Nat;
    /// `2U + 1 + Self`.
    type AddOdd<U: Nat>: Nat;
    /// `Self * R`.
    type Mul<R: Nat>: Nat;
}

impl NatAdd for UTerm {
    type Succ = UInt<UTerm, B1>;
    type Add<R: Nat> = R;
    type AddEven<U: Nat> = U::Twice;
    type AddOdd<U: Nat> = UInt<U, B1>;
    type Mul<R: Nat> = UTerm;
}

impl<V: Nat> NatAdd for UInt<V, B0> {
    type Succ = UInt<V, B1>;
    type Add<R: Nat> = R::AddEven<V>;
    type AddEven<U: Nat> = UInt<U::Add<V>, B0>;
    type AddOdd<U: Nat> = UInt<U::Add<V>, B1>;
    type Mul<R: Nat> = <V::Mul<R> as Nat>::Twice;
}

impl<V: Nat> NatAdd for UInt<V, B1> {
    type Succ = UInt<V::Succ, B0>;
    type Add<R: Nat> = R::AddOdd<V>;
    type AddEven<U: Nat> = UInt<U::Add<V>, B1>;
    type AddOdd<U: Nat> = UInt<<U::Add<V> as NatAdd>::Succ, B0>;
    type Mul<R: Nat> = <<V::Mul<R> as Nat>::Twice as NatAdd>::Add<R>;
}

// -- Difference -----------------------------------------------------------------------------------
//
// Difference, which may not exist.
//
// ```text
//   5 - 3 = 2        3 - 5 = Underflow
// ```
//
// Law: `A::Sub<B>` is the number `a - b` if `a >= b`, and [`Underflow`] otherwise. The borrow runs
// from the lowest bit up, and the top shows whether a borrow remains. So one walk both compares and
// subtracts.

/// The result of a subtraction below zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Underflow;

/// A number or [`Underflow`].
pub trait Difference:
    crate::kinds::Budget + crate::kinds::DifferenceFunctions + super::SignedFrom
{
    /// The difference with a low bit 0 appended.
    type Shl0: Difference;
    /// The difference with a low bit 1 appended.
    type Shl1: Difference;
    /// One step of long division, where `Self` is `T - D` and the quotient so far is `Q`.
    type DivStep<Q: Nat, T: Nat>: QuotRem;
    /// The difference, or 0 if there is no difference.
    type OrZero: Nat;
    /// The difference, or `N` if there is no difference.
    type Or<N: Nat>: Nat;
    /// `N mod D`, where `Self` is `N - D`.
    type ModStep<N: Nat, D: Nat>: Nat;
    /// Whether there is a difference.
    type Exists: super::Bool;
    /// `A` if there is a difference, `B` otherwise.
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

// -- Comparison -----------------------------------------------------------------------------------
//
// Comparison.

/// Comparison, by double dispatch.
pub trait NatCmp {
    /// `Self == 0`.
    type IsZero: Bool;
    /// `Self == 1`.
    type IsOne: Bool;
    /// `Self == R`.
    type Equals<R: Nat>: Bool;
    /// `Self == 2U`, for `U` not 0.
    type EqualsEven<U: Nat>: Bool;
    /// `Self == 2U + 1`.
    type EqualsOdd<U: Nat>: Bool;
    /// `Self >= R`.
    type AtLeast<R: Nat>: Bool;
    /// The greater of `Self` and `R`.
    type Max<R: Nat>: Nat;
    /// The smaller of `Self` and `R`.
    type Min<R: Nat>: Nat;
}

impl NatCmp for UTerm {
    type IsZero = True;
    type IsOne = False;
    type Equals<R: Nat> = R::IsZero;
    type EqualsEven<U: Nat> = False;
    type EqualsOdd<U: Nat> = False;
    type AtLeast<R: Nat> = R::IsZero;
    type Max<R: Nat> = R;
    type Min<R: Nat> = UTerm;
}

impl<V: Nat> NatCmp for UInt<V, B0> {
    type IsZero = False;
    type IsOne = False;
    type Equals<R: Nat> = R::EqualsEven<V>;
    type EqualsEven<U: Nat> = U::Equals<V>;
    type EqualsOdd<U: Nat> = False;
    type AtLeast<R: Nat> = <<Self as super::NatSub>::Sub<R> as Difference>::Exists;
    type Max<R: Nat> = <<Self as super::NatSub>::Sub<R> as Difference>::Greater<Self, R>;
    type Min<R: Nat> = <<Self as super::NatSub>::Sub<R> as Difference>::Greater<R, Self>;
}

impl<V: Nat> NatCmp for UInt<V, B1> {
    type IsZero = False;
    type IsOne = V::IsZero;
    type Equals<R: Nat> = R::EqualsOdd<V>;
    type EqualsEven<U: Nat> = False;
    type EqualsOdd<U: Nat> = U::Equals<V>;
    type AtLeast<R: Nat> = <<Self as super::NatSub>::Sub<R> as Difference>::Exists;
    type Max<R: Nat> = <<Self as super::NatSub>::Sub<R> as Difference>::Greater<Self, R>;
    type Min<R: Nat> = <<Self as super::NatSub>::Sub<R> as Difference>::Greater<R, Self>;
}

// -- Division -------------------------------------------------------------------------------------
//
// Division with remainder.
//
// ```text
//   n / (2v):  n = 2u + b,  u = q v + r   =>   n = q (2v) + (2r + b)
// ```
//
// Law: `N::DivRem<D>` holds `Quot` and `Rem` with `N = Quot * D + Rem` and `Rem < D`. For `D` = 0,
// `Quot` is 0 and `Rem` is `N`. The trailing zero bits of the divisor are stripped in pairs with
// bits of the dividend, so a division by a power of two costs as many steps as its exponent. Long
// division is left for the odd part.

/// A quotient and a remainder.
pub struct DivRem<Q, R>(PhantomData<(Q, R)>);

/// Reads a [`DivRem`].
pub trait QuotRem {
    /// The quotient, rounded down.
    type Quot: Nat;
    /// The remainder.
    type Rem: Nat;
    /// The quotient, rounded up.
    type Ceil: Nat;
    /// Whether the remainder is 0.
    type Exact: Bool;
    /// A low bit 0 appended to the remainder.
    type Low0: QuotRem;
    /// A low bit 1 appended to the remainder.
    type Low1: QuotRem;
    /// The next step of long division by `D`, with dividend bit 0.
    type Long0<D: Nat>: QuotRem;
    /// The next step of long division by `D`, with dividend bit 1.
    type Long1<D: Nat>: QuotRem;
}

impl<Q: Nat, R: Nat> QuotRem for DivRem<Q, R> {
    type Quot = Q;
    type Rem = R;
    type Ceil = <R as NatDiv>::CeilOf<Q>;
    type Exact = <R as NatCmp>::IsZero;
    type Low0 = DivRem<Q, R::Twice>;
    type Low1 = DivRem<Q, UInt<R, B1>>;
    type Long0<D: Nat> = <<R::Twice as NatSub>::Sub<D> as Difference>::DivStep<Q, R::Twice>;
    type Long1<D: Nat> = <<UInt<R, B1> as NatSub>::Sub<D> as Difference>::DivStep<Q, UInt<R, B1>>;
}

/// Division, by double dispatch.
pub trait NatDiv {
    /// `Self / D`.
    type DivRem<D: Nat>: QuotRem;
    /// `N / Self`.
    type Divides<N: Nat>: QuotRem;
    /// `Self / 2V`.
    type DivByEven<V: Nat>: QuotRem;
    /// `N / D` where `D = 2 Self + 1`.
    type DivOdd<N: Nat, D: Nat>: QuotRem;
    /// `Self / D` by long division.
    type Long<D: Nat>: QuotRem;
    /// `Self mod D`, for `D` not 0. This takes as many steps as the quotient has bits, each a
    /// comparison. [`NatDiv::DivRem`] takes as many steps as the dividend has bits, which is ten
    /// times the work for the short quotients of Euclid's algorithm.
    type Mod<D: Nat>: Nat;
    /// `Self mod D`, for `D` not above `Self`.
    type ModOfLess<D: Nat>: Nat;
    /// `Q` if `Self`, a remainder, is 0, and `Q + 1` otherwise.
    type CeilOf<Q: Nat>: Nat;
    /// The greatest common divisor of `Self` and `N`, where `Self` is normally the smaller number.
    type GcdOf<N: Nat>: Nat;
}

impl NatDiv for UTerm {
    type DivRem<D: Nat> = DivRem<UTerm, UTerm>;
    type Divides<N: Nat> = DivRem<UTerm, N>;
    type DivByEven<V: Nat> = DivRem<UTerm, UTerm>;
    type DivOdd<N: Nat, D: Nat> = DivRem<N, UTerm>;
    type Long<D: Nat> = DivRem<UTerm, UTerm>;
    type Mod<D: Nat> = UTerm;
    type ModOfLess<D: Nat> = UTerm;
    type CeilOf<Q: Nat> = Q;
    type GcdOf<N: Nat> = N;
}

impl<U: Nat> NatDiv for UInt<U, B0> {
    type DivRem<D: Nat> = D::Divides<Self>;
    type Divides<N: Nat> = N::DivByEven<U>;
    type DivByEven<V: Nat> = <V::Divides<U> as QuotRem>::Low0;
    type DivOdd<N: Nat, D: Nat> = N::Long<D>;
    type Long<D: Nat> = <U::Long<D> as QuotRem>::Long0<D>;
    type Mod<D: Nat> = <<Self as NatSub>::Sub<D> as Difference>::ModStep<Self, D>;
    type ModOfLess<D: Nat> = <<<U::Mod<D> as Nat>::Twice as NatSub>::Sub<D> as Difference>::Or<
        <U::Mod<D> as Nat>::Twice,
    >;
    type CeilOf<Q: Nat> = Q::Succ;
    type GcdOf<N: Nat> = <N::Mod<Self> as NatDiv>::GcdOf<Self>;
}

impl<U: Nat> NatDiv for UInt<U, B1> {
    type DivRem<D: Nat> = D::Divides<Self>;
    type Divides<N: Nat> = U::DivOdd<N, Self>;
    type DivByEven<V: Nat> = <V::Divides<U> as QuotRem>::Low1;
    type DivOdd<N: Nat, D: Nat> = N::Long<D>;
    type Long<D: Nat> = <U::Long<D> as QuotRem>::Long1<D>;
    type Mod<D: Nat> = <<Self as NatSub>::Sub<D> as Difference>::ModStep<Self, D>;
    type ModOfLess<D: Nat> =
        <<UInt<U::Mod<D>, B1> as NatSub>::Sub<D> as Difference>::Or<UInt<U::Mod<D>, B1>>;
    type CeilOf<Q: Nat> = Q::Succ;
    type GcdOf<N: Nat> = <N::Mod<Self> as NatDiv>::GcdOf<Self>;
}

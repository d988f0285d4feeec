//! Division with remainder.
//!
//! ```text
//!   n / (2v):  n = 2u + b,  u = q v + r   =>   n = q (2v) + (2r + b)
//! ```
//!
//! Law: `N::DivRem<D>` holds `Quot` and `Rem` with `N = Quot * D + Rem` and `Rem < D`; for `D` = 0 it is
//! `Quot` = 0, `Rem` = `N`. The trailing zero bits of the divisor are stripped in pairs with bits of the dividend, so
//! dividing by a power of two costs as many steps as its exponent; long division is left for the odd part.

use super::{Bool, Difference, Nat, NatCmp, NatSub};
use crate::algebra::compose_list::ComposeDivision;
use core::marker::PhantomData;
use typenum::{B0, B1, UInt, UTerm};

/// A quotient and a remainder.
pub struct DivRem<Q, R>(PhantomData<(Q, R)>);

/// Reads a [`DivRem`].
pub trait QuotRem: ComposeDivision {
    /// The quotient, rounded down.
    type Quot: Nat;
    /// The remainder.
    type Rem: Nat;
    /// The quotient, rounded up.
    type Ceil: Nat;
    /// Is the remainder 0?
    type Exact: Bool;
    /// A low bit 0 appended to the remainder.
    type Low0: QuotRem;
    /// A low bit 1 appended to the remainder.
    type Low1: QuotRem;
    /// Next step of long division by `D`, with dividend bit 0.
    type Long0<D: Nat>: QuotRem;
    /// Next step of long division by `D`, with dividend bit 1.
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
    /// `Self mod D`, for `D` not 0: as many steps as the quotient has bits, each a comparison. [`NatDiv::DivRem`] takes as many as
    /// the dividend has, which for the short quotients of Euclid's algorithm is ten times the work.
    type Mod<D: Nat>: Nat;
    /// `Self mod D`, for `D` not above `Self`.
    type ModOfLess<D: Nat>: Nat;
    /// `Q` where `Self`, a remainder, is 0; `Q + 1` otherwise.
    type CeilOf<Q: Nat>: Nat;
    /// Greatest common divisor of `Self`, which is the smaller, and `N`.
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

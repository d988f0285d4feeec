//! Sum and product, from the low bit up.
//!
//! ```text
//!   2u + (2v + 1) = 2(u + v) + 1        (2u + 1) + (2v + 1) = 2(u + v + 1)
//!   2u * r = 2(u * r)                   (2u + 1) * r = 2(u * r) + r
//! ```

use super::Nat;
use typenum::{B0, B1, UInt, UTerm};

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

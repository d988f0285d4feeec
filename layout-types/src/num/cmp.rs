//! Comparison.

use super::{Bool, Difference, False, Nat, True};
use typenum::{B0, B1, UInt, UTerm};

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

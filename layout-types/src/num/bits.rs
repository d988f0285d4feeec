//! Numbers as bits.
//!
//! ```text
//!   12 & 10 = 8      12 ^ 10 = 6      ones(12) = 2      trailing zeros of 12 = 2
//! ```

use super::{Difference, Nat, NatAdd, NatSub, StrideLeaf, Zero};
use typenum::{B0, B1, UInt, UTerm};

/// Bitwise operations, by double dispatch.
pub trait NatBits {
    /// `Self & R`.
    type And<R: Nat>: Nat;
    /// `Self ^ R`.
    type Xor<R: Nat>: Nat;
    /// `2U & Self`.
    type AndEven<U: Nat>: Nat;
    /// `(2U + 1) & Self`.
    type AndOdd<U: Nat>: Nat;
    /// `2U ^ Self`.
    type XorEven<U: Nat>: Nat;
    /// `(2U + 1) ^ Self`.
    type XorOdd<U: Nat>: Nat;
    /// The number of set bits.
    type Ones: Nat;
    /// The number of zero bits below the lowest set bit; 0 for 0.
    type TrailingZeros: Nat;
}
impl NatBits for UTerm {
    type And<R: Nat> = UTerm;
    type Xor<R: Nat> = R;
    type AndEven<U: Nat> = UTerm;
    type AndOdd<U: Nat> = UTerm;
    type XorEven<U: Nat> = U::Twice;
    type XorOdd<U: Nat> = UInt<U, B1>;
    type Ones = Zero;
    type TrailingZeros = Zero;
}
impl<V: Nat> NatBits for UInt<V, B0> {
    type And<R: Nat> = R::AndEven<V>;
    type Xor<R: Nat> = R::XorEven<V>;
    type AndEven<U: Nat> = <U::And<V> as Nat>::Twice;
    type AndOdd<U: Nat> = <U::And<V> as Nat>::Twice;
    type XorEven<U: Nat> = <U::Xor<V> as Nat>::Twice;
    type XorOdd<U: Nat> = UInt<U::Xor<V>, B1>;
    type Ones = V::Ones;
    type TrailingZeros = <V::TrailingZeros as NatAdd>::Succ;
}
impl<V: Nat> NatBits for UInt<V, B1> {
    type And<R: Nat> = R::AndOdd<V>;
    type Xor<R: Nat> = R::XorOdd<V>;
    type AndEven<U: Nat> = <U::And<V> as Nat>::Twice;
    type AndOdd<U: Nat> = UInt<U::And<V>, B1>;
    type XorEven<U: Nat> = UInt<U::Xor<V>, B1>;
    type XorOdd<U: Nat> = <U::Xor<V> as Nat>::Twice;
    type Ones = <V::Ones as NatAdd>::Succ;
    type TrailingZeros = Zero;
}

/// `A - B` as an integer of either sign.
pub type SignedDifference<A, B> = <<A as NatSub>::Sub<B> as SignedFrom>::Signed<A, B>;
/// A difference `A - B`, or none.
pub trait SignedFrom {
    /// The difference as integer of either sign.
    type Signed<A: Nat, B: Nat>: StrideLeaf;
}
impl SignedFrom for super::Underflow {
    type Signed<A: Nat, B: Nat> = <<B::Sub<A> as Difference>::OrZero as StrideLeaf>::Negate;
}
impl SignedFrom for UTerm {
    type Signed<A: Nat, B: Nat> = UTerm;
}
impl<U: Nat> SignedFrom for UInt<U, B0> {
    type Signed<A: Nat, B: Nat> = Self;
}
impl<U: Nat> SignedFrom for UInt<U, B1> {
    type Signed<A: Nat, B: Nat> = Self;
}

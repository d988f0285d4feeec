//! Truth values, numbers as bits, and powers of two.
//!
//! ```text
//!   12 & 10 = 8      12 ^ 10 = 6      ones(12) = 2      8 = 2^3      IsOdd<6> = False
//! ```
//!
//! Law: each operation is the operation on the binary digits.

use super::{Difference, Nat, NatAdd, NatCmp, NatSub, StrideLeaf, Zero};
use crate::kinds::BoolFunctions;
use typenum::{B0, B1, UInt, UTerm};

// -- True and false -------------------------------------------------------------------------------
//
// The two truth values, and the branches that each layout operation takes on them.

/// True.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct True;

/// False.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct False;

macro_rules! display {
    ($($t:ty)*) => {$(
        impl core::fmt::Display for $t {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                Self::VALUE.fmt(f)
            }
        }
    )*};
}
display!(True False);

/// A truth value.
///
/// An `if` at the type level would normalise both of its branches. So each operation that has to
/// decide puts its two branches into a trait of its own, which `True` and `False` implement. This
/// trait requires all these traits ([`kinds`](crate::kinds)).
pub trait Bool: BoolFunctions + Copy + Default + core::fmt::Debug + 'static {
    /// The truth value as a value.
    const VALUE: bool;
    /// Negation.
    type Not: Bool;
    /// Conjunction.
    type And<B: Bool>: Bool;
    /// Disjunction.
    type Or<B: Bool>: Bool;
    /// `A` if true, `B` otherwise. Both are evaluated.
    type PickNat<A: super::Nat, B: super::Nat>: super::Nat;
    /// `A` if true, `B` otherwise. Both are evaluated.
    type PickStride<A: super::StrideLeaf, B: super::StrideLeaf>: super::StrideLeaf;
}

impl Bool for True {
    const VALUE: bool = true;
    type Not = False;
    type And<B: Bool> = B;
    type Or<B: Bool> = True;
    type PickNat<A: super::Nat, B: super::Nat> = A;
    type PickStride<A: super::StrideLeaf, B: super::StrideLeaf> = A;
}

impl Bool for False {
    const VALUE: bool = false;
    type Not = True;
    type And<B: Bool> = False;
    type Or<B: Bool> = B;
    type PickNat<A: super::Nat, B: super::Nat> = B;
    type PickStride<A: super::StrideLeaf, B: super::StrideLeaf> = B;
}

// -- Bits -----------------------------------------------------------------------------------------
//
// Numbers as bits.
//
// ```text
//   12 & 10 = 8      12 ^ 10 = 6      ones(12) = 2      trailing zeros of 12 = 2
// ```

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
    /// The number of zero bits below the lowest set bit, or 0 for 0.
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
/// A difference `A - B`, or [`Underflow`](super::Underflow).
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

// -- Powers of two --------------------------------------------------------------------------------
//
// Powers of two.
//
// ```text
//   8 = 0b1000: a power, exponent 3        6 = 0b110: none        12 mod 2^3 = 4, 12 / 2^3 = 1
// ```

/// Binary logarithm.
pub trait Log2 {
    /// Whether the number is a power of two.
    type IsPower: Bool;
    /// The number of bits below the highest bit, which is the logarithm of a power of two.
    type Exponent: Nat;
    /// The least exponent of a power of two that is not smaller than the number, or 0 for 0.
    type CeilExponent: Nat;
    /// 2 to the power of the number.
    type Exp2: Nat;
    /// Half of the number, rounded down.
    type Half: Nat;
    /// Whether the lowest bit is set.
    type IsOdd: Bool;
}
impl Log2 for UTerm {
    type IsPower = False;
    type Exponent = Zero;
    type CeilExponent = Zero;
    type Exp2 = UInt<UTerm, B1>;
    type Half = UTerm;
    type IsOdd = False;
}
impl<U: Nat> Log2 for UInt<U, B0> {
    type IsPower = U::IsPower;
    type Exponent = <U::Exponent as NatAdd>::Succ;
    type CeilExponent = <U::CeilExponent as NatAdd>::Succ;
    type Exp2 = <U::Exp2 as Nat>::Times<U::Exp2>;
    type Half = U;
    type IsOdd = False;
}
impl<U: Nat> Log2 for UInt<U, B1> {
    type IsPower = <U as NatCmp>::IsZero;
    type Exponent = <<U as NatCmp>::IsZero as Bool>::PickNat<Zero, <U::Exponent as NatAdd>::Succ>;
    type CeilExponent = <<U as NatCmp>::IsZero as Bool>::PickNat<
        Zero,
        <<U::Exponent as NatAdd>::Succ as NatAdd>::Succ,
    >;
    type Exp2 = <<U::Exp2 as Nat>::Times<U::Exp2> as Nat>::Twice;
    type Half = U;
    type IsOdd = super::True;
}

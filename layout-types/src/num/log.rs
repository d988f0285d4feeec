//! Powers of two.
//!
//! ```text
//!   8 = 0b1000: a power, exponent 3        6 = 0b110: none        12 mod 2^3 = 4, 12 / 2^3 = 1
//! ```

use super::{Bool, False, Nat, NatAdd, NatCmp, Zero};
use typenum::{B0, B1, UInt, UTerm};

/// Binary logarithm.
pub trait Log2 {
    /// Is it a power of two?
    type IsPower: Bool;
    /// The number of bits below the highest; the logarithm of a power of two.
    type Exponent: Nat;
    /// The least exponent of a power of two that is not smaller; 0 for 0.
    type CeilExponent: Nat;
    /// 2 to the power of the number.
    type Exp2: Nat;
    /// Half of it, rounded down.
    type Half: Nat;
    /// Is the lowest bit set?
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

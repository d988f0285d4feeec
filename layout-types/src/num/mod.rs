//! Machinery: numbers of the type level. They are typenum's unsigned integers, with total
//! arithmetic.
//!
//! ```text
//!   6  =  0b110  =  UInt<UInt<UInt<UTerm, B1>, B1>, B0>
//! ```
//!
//! Law: every operation below is the arithmetic operation of its name, and is total: it needs no
//! bound but [`Nat`] on its operands. typenum's own operator traits have to be named in every bound
//! of every function that uses them, and its long division walks all bits of the dividend with one
//! comparison per bit. Here each operation is a generic associated type of the number, dispatched
//! on the constructor of one operand at a time. So a layout operation that uses such an operation
//! needs only one bound.
//!
//! No other type can implement [`Nat`]: `UTerm`, `UInt<_, B0>` and `UInt<_, B1>` implement it.

mod arithmetic;
mod bits;

pub use self::arithmetic::NatAdd;
pub use self::arithmetic::NatCmp;
pub use self::arithmetic::{Difference, NatSub, Underflow};
pub use self::arithmetic::{DivRem, NatDiv, QuotRem};
pub use self::bits::Log2;
pub use self::bits::{Bool, False, True};
pub use self::bits::{NatBits, SignedDifference, SignedFrom};

use crate::algebra::room::{Bits0, Width};
use crate::kinds::{Allowance, NatFunctions, StrideFunctions};
use crate::notation::Basis;
use crate::tree::PrintTree;
use core::fmt;
use core::marker::PhantomData;
use typenum::NInt;
use typenum::NonZero;
use typenum::{B0, B1, UInt, UTerm, Unsigned};

/// The number one.
pub type One = UInt<UTerm, B1>;
/// The number two.
pub type Two = UInt<One, B0>;
/// The number zero.
pub type Zero = UTerm;

/// `N - 1`, or 0 if `N` is 0.
pub type Pred<N> = <<N as NatSub>::Sub<One> as Difference>::OrZero;

/// A natural number of the type level.
///
/// It is a typenum `Unsigned`, which has the number as a value (`N::USIZE`, `N::U64`, ...).
///
/// ```
/// use layout_types::{int, num::Nat, typenum::Unsigned};
/// type Sixty = <int!(12) as Nat>::Times<int!(5)>;
/// assert_eq!(Sixty::U64, 60);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a static non-negative integer",
    label = "write a number as `int!(128)` or as a typenum constant"
)]
pub trait Nat:
    NatAdd
    + NatSub
    + NatCmp
    + NatDiv
    + Log2
    + Difference
    + StrideLeaf
    + Allowance
    + NatFunctions
    + NatBits
    + Unsigned
    + Copy
    + Default
    + core::fmt::Debug
    + Send
    + Sync
    + 'static
{
    /// The number as a value, or `None` above 2^63 - 1. typenum's own constants drop the bits that
    /// do not fit.
    const VALUE: Option<i64>;

    /// The binary logarithm, rounded up, as the name of a class.
    type Width: Width;

    /// The number of bits: the binary logarithm, rounded down, plus one.
    type BitCount: Width;

    /// The binary logarithm of twice the number plus one, rounded up.
    type WidthOfOdd: Width;

    /// Twice the number.
    type Twice: Nat;

    /// The number plus `R`.
    type Plus<R: Nat>: Nat;

    /// The number times `R`.
    type Times<R: Nat>: Nat;

    /// The quotient, rounded down, or 0 if `R` is 0.
    type Over<R: Nat>: Nat;

    /// The quotient, rounded up, for `R` not 0.
    type CeilDiv<R: Nat>: Nat;
}

macro_rules! common {
    () => {
        type Plus<R: Nat> = <Self as NatAdd>::Add<R>;
        type Times<R: Nat> = <Self as NatAdd>::Mul<R>;
        type Over<R: Nat> = <<Self as NatDiv>::DivRem<R> as QuotRem>::Quot;
        type CeilDiv<R: Nat> = <<Self as NatDiv>::DivRem<R> as QuotRem>::Ceil;
    };
}

/// Returns a number's value.
///
/// Stops the compiler for a number above 2^63 - 1, with the same sentence as all other refusals of
/// it.
pub(crate) const fn value(number: Option<i64>) -> i64 {
    match number {
        Some(value) => value,
        None => panic!("a number does not fit in 64 bits"),
    }
}

/// Returns `2 * half + bit`, or `None` if it does not fit.
const fn doubled(half: Option<i64>, bit: i64) -> Option<i64> {
    match half {
        Some(half) if half <= i64::MAX / 2 => Some(2 * half + bit),
        _ => None,
    }
}

impl Nat for UTerm {
    const VALUE: Option<i64> = Some(0);
    type Width = Bits0;
    type BitCount = Bits0;
    type WidthOfOdd = Bits0;
    type Twice = UTerm;
    common!();
}

impl<U: Nat> Nat for UInt<U, B0> {
    const VALUE: Option<i64> = doubled(U::VALUE, 0);
    type Width = <U::Width as Width>::Wider;
    type BitCount = <U::BitCount as Width>::Wider;
    type WidthOfOdd = <Self::BitCount as Width>::Wider;
    type Twice = UInt<Self, B0>;
    common!();
}

impl<U: Nat> Nat for UInt<U, B1> {
    const VALUE: Option<i64> = doubled(U::VALUE, 1);
    type Width = U::WidthOfOdd;
    type BitCount = <U::BitCount as Width>::Wider;
    type WidthOfOdd = <Self::BitCount as Width>::Wider;
    type Twice = UInt<Self, B0>;
    common!();
}

// -- Strides ------------------------------------------------------------
//
// The forms of a stride: a static integer of either sign, or a scaled basis element.
//
// ```text
//   7          UInt<..>                 8 * 7 = 56
//  -7          NInt<UInt<..>>           8 * -7 = -56
//   7@1        E<U1, U7>                8 * 7@1 = 56@1      (mode 1 of a coordinate, 7 times)
//   7@0@1      E<U1, E<U0, U7>>         the coordinate's mode 1, of that mode 0
// ```
//
// Law: a stride is an element of a module over the integers. The algebra only scales and compares
// the strides of the left operand (CuTe: `cute/numeric/arithmetic_tuple.hpp`, `ScaledBasis`).

/// A scaled basis element, CuTe's `S@I`: `S` times the `I`-th unit of a coordinate.
pub struct E<I, S>(PhantomData<(I, S)>);

impl<I, S> Clone for E<I, S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<I, S> Copy for E<I, S> {}
impl<I, S> Default for E<I, S> {
    fn default() -> Self {
        E(PhantomData)
    }
}
impl<I: Nat, S: StrideLeaf> fmt::Debug for E<I, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Self::print(f)
    }
}

/// The kind of a stride.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrideKind {
    /// A static integer.
    Integer,
    /// A scaled basis element of this mode.
    Basis(usize),
}

/// A static stride: an integer of either sign or a scaled basis element.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a static stride",
    label = "a stride is a static integer such as `int!(8)` or `int!(-8)`, or a scaled basis element"
)]
pub trait StrideLeaf:
    StrideFunctions + PrintTree + Copy + Default + fmt::Debug + Send + Sync + 'static
{
    /// The integer, or the integer that scales the basis element.
    const INT: i64;
    /// Whether the stride is an integer or a basis element.
    const KIND: StrideKind;
    /// The basis element as a value.
    const BASIS: Basis;
    /// The stride times `N`.
    type Scale<N: Nat>: StrideLeaf;
    /// The stride with the opposite sign.
    type Negate: StrideLeaf;
    /// The absolute value of the integer, or of the integer that scales the basis element.
    type Magnitude: Nat;
    /// Whether the stride is 0.
    type Null: Bool;
    /// Whether the stride is the same as `R`.
    type Same<R: StrideLeaf>: Bool;
    /// Whether the stride is less than `R`; false if either stride is a scaled basis element.
    type Less<R: StrideLeaf>: Bool;
    /// Whether the stride is greater than the number `N`.
    type AboveNat<N: Nat>: Bool;
    /// Whether the stride is greater than `-N`.
    type AboveNegative<N: Nat>: Bool;
    /// Whether the stride is the number `N`.
    type SameNat<N: Nat>: Bool;
    /// Whether the stride is `-N`.
    type SameNegative<N: Nat>: Bool;
    /// Whether the stride is `S@I`.
    type SameBasis<I: Nat, S: StrideLeaf>: Bool;
}

macro_rules! natural {
    ([$($g:ident)?], $t:ty, $neg:ty) => {
        impl<$($g: Nat)?> StrideLeaf for $t {
            const INT: i64 = value(<Self as Nat>::VALUE);
            const KIND: StrideKind = StrideKind::Integer;
    const BASIS: Basis = Basis::Elements;
            type Scale<N: Nat> = <N as NatAdd>::Mul<Self>;
            type Negate = $neg;
            type Magnitude = Self;
            type Null = <Self as NatCmp>::IsZero;
            type Same<R: StrideLeaf> = R::SameNat<Self>;
            type Less<R: StrideLeaf> = R::AboveNat<Self>;
            type AboveNat<N: Nat> = <N::AtLeast<Self> as Bool>::Not;
            type AboveNegative<N: Nat> = True;
            type SameNat<N: Nat> = <Self as NatCmp>::Equals<N>;
            type SameNegative<N: Nat> = False;
            type SameBasis<I: Nat, S: StrideLeaf> = False;
        }
        impl<$($g: Nat)?> PrintTree for $t {
            fn print(f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&<Self as StrideLeaf>::INT, f)
            }
        }
    };
}
natural!([], UTerm, UTerm);
natural!([U], UInt<U, B0>, NInt<Self>);
natural!([U], UInt<U, B1>, NInt<Self>);

impl<N: Nat + NonZero> StrideLeaf for NInt<N> {
    const INT: i64 = -value(N::VALUE);
    const KIND: StrideKind = StrideKind::Integer;
    const BASIS: Basis = Basis::Elements;
    type Scale<F: Nat> = <F::Times<N> as StrideLeaf>::Negate;
    type Negate = N;
    type Magnitude = N;
    type Null = False;
    type Same<R: StrideLeaf> = R::SameNegative<N>;
    type Less<R: StrideLeaf> = R::AboveNegative<N>;
    type AboveNat<F: Nat> = False;
    type AboveNegative<F: Nat> = <N::AtLeast<F> as Bool>::Not;
    type SameNat<F: Nat> = False;
    type SameNegative<F: Nat> = N::Equals<F>;
    type SameBasis<I: Nat, S: StrideLeaf> = False;
}
impl<N: Nat + NonZero> PrintTree for NInt<N> {
    fn print(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Self::INT, f)
    }
}

impl<I: Nat, S: StrideLeaf> StrideLeaf for E<I, S> {
    const INT: i64 = S::INT;
    const KIND: StrideKind = StrideKind::Basis(<I as Unsigned>::USIZE);
    const BASIS: Basis = Basis::Mode(<I as Unsigned>::USIZE, &S::BASIS);
    type Scale<N: Nat> = E<I, S::Scale<N>>;
    type Negate = E<I, S::Negate>;
    type Magnitude = S::Magnitude;
    type Null = S::Null;
    type Same<R: StrideLeaf> = R::SameBasis<I, S>;
    type Less<R: StrideLeaf> = False;
    type AboveNat<N: Nat> = False;
    type AboveNegative<N: Nat> = False;
    type SameNat<N: Nat> = False;
    type SameNegative<N: Nat> = False;
    type SameBasis<J: Nat, R: StrideLeaf> = <I::Equals<J> as Bool>::And<S::Same<R>>;
}
impl<I: Nat, S: StrideLeaf> PrintTree for E<I, S> {
    fn print(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        S::print(f)?;
        f.write_str("@")?;
        fmt::Display::fmt(&<I as Unsigned>::U64, f)
    }
}

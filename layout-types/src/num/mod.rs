//! Machinery: numbers of the type level, typenum's unsigned integers with total arithmetic.
//!
//! ```text
//!   6  =  0b110  =  UInt<UInt<UInt<UTerm, B1>, B1>, B0>
//! ```
//!
//! Law: every operation below is the arithmetic operation of its name, and is total: it needs no bound but
//! [`Nat`] on its operands. typenum's own operator traits have to be named in every bound of every function that
//! uses them, and its long division walks all bits of the dividend with a comparison a bit; here each operation
//! is a generic associated type of the number, dispatched on the constructor of one operand at a time, so that a
//! layout operation written with it needs one bound in all.
//!
//! [`Nat`] cannot be implemented elsewhere: it holds for `UTerm`, `UInt<_, B0>` and `UInt<_, B1>`.

mod add;
mod bits;
mod bool;
mod cmp;
mod div;
mod int;
mod log;
mod sub;

pub use self::add::NatAdd;
pub use self::bits::{NatBits, SignedDifference, SignedFrom};
pub use self::bool::{Bool, False, True};
pub use self::cmp::NatCmp;
pub use self::div::{DivRem, NatDiv, QuotRem};
pub use self::int::{E, StrideKind, StrideLeaf};
pub use self::log::Log2;
pub use self::sub::{Difference, NatSub, Underflow};

use crate::algebra::compose_list::Allowance;
use crate::algebra::modes::NatCopies;
use crate::algebra::points::NatPoints;
use crate::algebra::room::{Bits0, Width};
use crate::algebra::slice::BitModes;
use typenum::{B0, B1, UInt, UTerm, Unsigned};

/// The number one.
pub type One = UInt<UTerm, B1>;
/// The number two.
pub type Two = UInt<One, B0>;
/// The number zero.
pub type Zero = UTerm;

/// One less, 0 for 0.
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
    + NatPoints
    + NatCopies
    + NatBits
    + BitModes
    + Unsigned
    + Copy
    + Default
    + core::fmt::Debug
    + Send
    + Sync
    + 'static
{
    /// The number as a value, none above 2^63 - 1: typenum's own constants drop the bits that do not fit.
    const VALUE: Option<i64>;

    /// The logarithm, rounded up, as the name of a class.
    type Width: Width;

    /// The number of bits: the logarithm, rounded down, and one.
    type BitCount: Width;

    /// The logarithm of twice the number plus one, rounded up.
    type WidthOfOdd: Width;

    /// Twice the number.
    type Twice: Nat;

    /// The number plus `R`.
    type Plus<R: Nat>: Nat;

    /// The number times `R`.
    type Times<R: Nat>: Nat;

    /// The quotient, rounded down; 0 where `R` is 0.
    type Over<R: Nat>: Nat;

    /// The quotient, rounded up; 0 where `R` is 0.
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

/// A number's value.
///
/// A number above 2^63 - 1 stops the compiler with the sentence that refuses it everywhere.
pub(crate) const fn value(number: Option<i64>) -> i64 {
    match number {
        Some(value) => value,
        None => panic!("a number does not fit in 64 bits"),
    }
}

/// `2 * half + bit`.
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

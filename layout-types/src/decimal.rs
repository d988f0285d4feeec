//! Converts numbers, shapes and strides to types that print in decimals. A message shows these
//! types in place of `UInt<..>`.
//!
//! No item is hidden by `doc(hidden)`: rustc prints an item of a hidden module with its whole path,
//! which would make a message unreadable.
//!
//! ```text
//!   Cons<UInt<..>, Cons<Cons<..>, Nil>>    ->    (_4, (_2, _8))
//!   NInt<UInt<..>>                         ->    Negative<_4>
//!   E<U1, U2>                              ->    At<_2, _1>
//! ```
//!
//! Law: the text type of a number has the number as its name if the number is at most 1024, a
//! multiple of 64 up to 16384, or a power of two. The text type of other numbers is
//! `Thousands<_12, _345>`. Only the branch of a refusal evaluates text types.

#![allow(non_camel_case_types)]

use crate::num::{E, False, Log2, Nat, NatCmp, NatDiv, QuotRem, True};
use crate::tree::{Cons, M, Nil, Underscore};
use core::marker::PhantomData;
use typenum::{B0, B1, NInt, U64, U256, U1000, U1024, UInt, UTerm};

layout_types_macros::decimals!();

/// A number from 0 to 1024.
#[doc(hidden)]
pub trait Small {
    /// The type named after the number.
    type Text;
}
/// A number of blocks of 64.
#[doc(hidden)]
pub trait Blocks {
    /// The type named after 64 times the number.
    type Text;
}
/// An exponent.
#[doc(hidden)]
pub trait Power {
    /// The type named after 2 to this power.
    type Text;
}

/// The number `Hi` thousand and `Lo`.
pub struct Thousands<Hi, Lo>(PhantomData<(Hi, Lo)>);
/// A negative number.
pub struct Negative<N>(PhantomData<N>);
/// `N` times the unit of mode `I`, CuTe's `N@I`.
pub struct At<N, I>(PhantomData<(N, I)>);

/// The layout `S:D` inside a tuple.
pub struct LayoutOf<S, D>(PhantomData<(S, D)>);

/// A number, a stride, or a tuple of these, which has a text type.
#[doc(hidden)]
pub trait Decimal {
    /// The type that prints the value.
    type Text;
}

impl Decimal for UTerm {
    type Text = _0;
}
macro_rules! positive {
    ($b:ty) => {
        impl<U: Nat> Decimal for UInt<U, $b>
        where
            Self: ByRange<<U1024 as NatCmp>::AtLeast<Self>>,
        {
            type Text = <Self as ByRange<<U1024 as NatCmp>::AtLeast<Self>>>::Text;
        }
    };
}
positive!(B0);
positive!(B1);

/// Selects a number's text type by whether the number is at most 1024.
#[doc(hidden)]
pub trait ByRange<AtMost1024> {
    /// The text type.
    type Text;
}
impl<N: Nat + Small> ByRange<True> for N {
    type Text = <N as Small>::Text;
}
impl<N: Nat> ByRange<False> for N
where
    N: ByBlocks<
            <<N as NatDiv>::DivRem<U64> as QuotRem>::Exact,
            <<U256 as Nat>::Times<U64> as NatCmp>::AtLeast<N>,
        >,
{
    type Text = <N as ByBlocks<
        <<N as NatDiv>::DivRem<U64> as QuotRem>::Exact,
        <<U256 as Nat>::Times<U64> as NatCmp>::AtLeast<N>,
    >>::Text;
}

/// Selects the text type of a number above 1024 by whether it is a multiple of 64 and at most
/// 16384.
#[doc(hidden)]
pub trait ByBlocks<Exact, InRange> {
    /// The text type.
    type Text;
}
impl<N: Nat> ByBlocks<True, True> for N
where
    <N as Nat>::Over<U64>: Blocks,
{
    type Text = <<N as Nat>::Over<U64> as Blocks>::Text;
}
macro_rules! beyond {
    ($($exact:ty, $range:ty;)*) => {$(
        impl<N: Nat> ByBlocks<$exact, $range> for N
        where
            N: ByPower<<N as Log2>::IsPower>,
        {
            type Text = <N as ByPower<<N as Log2>::IsPower>>::Text;
        }
    )*};
}
beyond!(True, False; False, True; False, False;);

/// Selects a number's text type by whether the number is a power of two.
#[doc(hidden)]
pub trait ByPower<IsPower> {
    /// The text type.
    type Text;
}
impl<N: Nat> ByPower<True> for N
where
    <N as Log2>::Exponent: Power,
{
    type Text = <<N as Log2>::Exponent as Power>::Text;
}
impl<N: Nat> ByPower<False> for N
where
    <<N as NatDiv>::DivRem<U1000> as QuotRem>::Rem: Decimal,
    <<N as NatDiv>::DivRem<U1000> as QuotRem>::Quot: Decimal,
{
    type Text = Thousands<
        <<<N as NatDiv>::DivRem<U1000> as QuotRem>::Quot as Decimal>::Text,
        <<<N as NatDiv>::DivRem<U1000> as QuotRem>::Rem as Decimal>::Text,
    >;
}

impl<N: Decimal> Decimal for NInt<N>
where
    N: typenum::Unsigned + typenum::NonZero,
{
    type Text = Negative<N::Text>;
}
impl<I: Decimal, S: Decimal> Decimal for E<I, S> {
    type Text = At<S::Text, I::Text>;
}
impl Decimal for Underscore {
    type Text = Underscore;
}
impl Decimal for Nil {
    type Text = ();
}
/// A mode prints as its shape.
impl<S: Decimal, D> Decimal for M<S, D> {
    type Text = S::Text;
}
/// A mode whose extent is known only at run time prints as `u32`.
impl<X, D> Decimal for crate::RuntimeMode<X, D> {
    type Text = u32;
}
impl<S: Decimal, D: Decimal> Decimal for crate::Layout<S, D> {
    type Text = LayoutOf<S::Text, D::Text>;
}
impl<H: Decimal, T: Decimals> Decimal for Cons<H, T> {
    type Text = T::After1<H::Text>;
}

/// The elements of a tuple after the first. A message shows at most 8 elements, and then [`More`].
#[doc(hidden)]
pub trait Decimals {
    /// The tuple with this element in front.
    type After1<A>;
    /// The tuple with these elements in front.
    type After2<A, B>;
    /// The tuple with these elements in front.
    type After3<A, B, C>;
    /// The tuple with these elements in front.
    type After4<A, B, C, D>;
    /// The tuple with these elements in front.
    type After5<A, B, C, D, E>;
    /// The tuple with these elements in front.
    type After6<A, B, C, D, E, F>;
    /// The tuple with these elements in front.
    type After7<A, B, C, D, E, F, G>;
}
/// Replaces the elements that a message does not show.
pub struct More;
impl Decimals for Nil {
    type After1<A> = (A,);
    type After2<A, B> = (A, B);
    type After3<A, B, C> = (A, B, C);
    type After4<A, B, C, D> = (A, B, C, D);
    type After5<A, B, C, D, E> = (A, B, C, D, E);
    type After6<A, B, C, D, E, F> = (A, B, C, D, E, F);
    type After7<A, B, C, D, E, F, G> = (A, B, C, D, E, F, G);
}
impl<H: Decimal, T: Decimals> Decimals for Cons<H, T> {
    type After1<A> = T::After2<A, H::Text>;
    type After2<A, B> = T::After3<A, B, H::Text>;
    type After3<A, B, C> = T::After4<A, B, C, H::Text>;
    type After4<A, B, C, D> = T::After5<A, B, C, D, H::Text>;
    type After5<A, B, C, D, E> = T::After6<A, B, C, D, E, H::Text>;
    type After6<A, B, C, D, E, F> = T::After7<A, B, C, D, E, F, H::Text>;
    type After7<A, B, C, D, E, F, G> = (A, B, C, D, E, F, G, H::Text, More);
}

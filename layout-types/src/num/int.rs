//! What a stride can be: a static integer of either sign, or a scaled basis element.
//!
//! ```text
//!   7          UInt<..>                 8 * 7 = 56
//!  -7          NInt<UInt<..>>           8 * -7 = -56
//!   7@1        E<U1, U7>                8 * 7@1 = 56@1      (mode 1 of a coordinate, 7 times)
//!   7@0@1      E<U1, E<U0, U7>>         the coordinate's mode 1, of that mode 0
//! ```
//!
//! Law: a stride is an element of a module over the integers; all that the algebra does with the strides of the
//! left operand is to scale and to compare them (CuTe: `cute/numeric/arithmetic_tuple.hpp`, `ScaledBasis`).

use super::{Bool, False, Nat, NatCmp, True};
use crate::algebra::cast::CastStride;
use crate::algebra::complements::ComplementStride;
use crate::algebra::compose::ComposeStride;
use crate::algebra::decide::DecideStride;
use crate::algebra::inverse::InverseStride;
use crate::algebra::points::AddStride;
use crate::algebra::runs::RunStride;
use crate::algebra::swizzle_types::ShiftStride;
use crate::notation::Basis;
use crate::tree::PrintTree;
use core::fmt;
use core::marker::PhantomData;
use typenum::{B0, B1, NInt, NonZero, UInt, UTerm, Unsigned};

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

/// Which of the kinds of stride it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrideKind {
    /// A static integer.
    Integer,
    /// A scaled basis element of the mode given.
    Basis(usize),
}

/// A static stride: an integer of either sign or a scaled basis element.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a static stride",
    label = "a stride is a static integer such as `int!(8)` or `int!(-8)`, or a scaled basis element"
)]
pub trait StrideLeaf:
    ComposeStride
    + ComplementStride
    + DecideStride
    + AddStride
    + InverseStride
    + CastStride
    + ShiftStride
    + RunStride
    + PrintTree
    + Copy
    + Default
    + fmt::Debug
    + Send
    + Sync
    + 'static
{
    /// The integer, or the integer that scales the basis element.
    const INT: i64;
    /// Integer or basis element.
    const KIND: StrideKind;
    /// The basis element as a value.
    const BASIS: Basis;
    /// The stride times `N`.
    type Scale<N: Nat>: StrideLeaf;
    /// The stride with the other sign.
    type Negate: StrideLeaf;
    /// The integer's absolute value, or that of the integer that scales the basis element.
    type Magnitude: Nat;
    /// Is it 0?
    type Null: Bool;
    /// Is it the same stride as `R`?
    type Same<R: StrideLeaf>: Bool;
    /// Is it less than `R`? Never where one of them is a scaled basis element.
    type Less<R: StrideLeaf>: Bool;
    /// Is it greater than the number `N`?
    type AboveNat<N: Nat>: Bool;
    /// Is it greater than `-N`?
    type AboveNegative<N: Nat>: Bool;
    /// Is it the number `N`?
    type SameNat<N: Nat>: Bool;
    /// Is it `-N`?
    type SameNegative<N: Nat>: Bool;
    /// Is it `S@I`?
    type SameBasis<I: Nat, S: StrideLeaf>: Bool;
}

macro_rules! natural {
    ([$($g:ident)?], $t:ty, $neg:ty) => {
        impl<$($g: Nat)?> StrideLeaf for $t {
            const INT: i64 = super::value(<Self as Nat>::VALUE);
            const KIND: StrideKind = StrideKind::Integer;
    const BASIS: Basis = Basis::Elements;
            type Scale<N: Nat> = <N as super::NatAdd>::Mul<Self>;
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
    const INT: i64 = -super::value(N::VALUE);
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

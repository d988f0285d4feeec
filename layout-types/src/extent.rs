//! Extents that are known at launch: for instance a matrix's M, and the number of its tiles.
//!
//! ```text
//!   (M,N) at run time     (Ext<0>,Ext<1>)                                     by tiles of (128,32):
//!                         ((128,32),(CeilDiv<Ext<0>,128>,CeilDiv<Ext<1>,32>))
//! ```
//!
//! Law: `Ext<I>` is extent `I` of the tensor, and `CeilDiv<X, N>` is `ceil(X / N)`. The tensor has
//! the numbers; the algebra never needs them. A run-time extent is a whole top-level mode of a
//! [`Ragged`](crate::Ragged) layout, and everything inside a tile is static.
//!
//! Source: CuTe prints a run-time extent as a plain number, a static one as `_128`; in this crate a
//! run-time extent has a name.

use crate::num::{Nat, One};
use crate::tree::{PrintTree, phantom};
use core::fmt;

phantom! {
    /// Extent `I` of a tensor, known at launch.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// assert_eq!(Ext::<int!(1)>::default().to_string(), "ext1");
    /// assert_eq!(<Ext<int!(1)> as Extent>::of(&[1000, 72]), 72);
    /// ```
    Ext<I>
}

phantom! {
    /// `ceil(X / N)`: the number of tiles of `N` that cover the extent `X`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type Tiles = CeilDiv<Ext<int!(0)>, int!(128)>;
    /// assert_eq!(Tiles::default().to_string(), "ceil_div(ext0,128)");
    /// assert_eq!((Tiles::of(&[128]), Tiles::of(&[129])), (1, 2));
    /// ```
    #[doc(alias = "ceil_div")]
    CeilDiv<X, N>
}

/// An extent known at launch: [`Ext`] or [`CeilDiv`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an extent known at launch",
    label = "an extent is `Ext<I>`, or `CeilDiv<X, N>` of one"
)]
pub trait Extent: PrintTree + Copy + Default + Send + Sync + 'static {
    /// The number of the tensor's extent from which this extent is computed.
    type Index: Nat;
    /// The number by which that extent is divided, rounded up.
    type Divisor: Nat;
    /// `ceil(Self / N)`, as one division: `ceil(ceil(x / a) / b) == ceil(x / (a b))`.
    type Tiles<N: Nat>: Extent;
    /// Returns the extent's value in a tensor with the given extents.
    ///
    /// Precondition: the extents have element `Index`; a kernel's [`Tensor`](crate::tensor::Tensor)
    /// has them by construction.
    fn of(extents: &[u32]) -> u32;
}

impl<I: Nat> Extent for Ext<I> {
    type Index = I;
    type Divisor = One;
    type Tiles<N: Nat> = CeilDiv<Self, N>;
    #[inline(always)]
    fn of(extents: &[u32]) -> u32 {
        extents[I::USIZE]
    }
}
impl<I: Nat, N: Nat> Extent for CeilDiv<Ext<I>, N> {
    type Index = I;
    type Divisor = N;
    type Tiles<P: Nat> = CeilDiv<Ext<I>, N::Times<P>>;
    #[inline(always)]
    fn of(extents: &[u32]) -> u32 {
        extents[I::USIZE].div_ceil(N::U32)
    }
}

impl<I: Nat> PrintTree for Ext<I> {
    fn print(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ext{}", I::U64)
    }
}
impl<X: PrintTree, N: Nat> PrintTree for CeilDiv<X, N> {
    fn print(f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ceil_div(")?;
        X::print(f)?;
        write!(f, ",{})", N::U64)
    }
}
macro_rules! display {
    ($([$($g:ident),*] $t:ty;)*) => {$(
        impl<$($g),*> fmt::Display for $t
        where
            Self: PrintTree,
        {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                <Self as PrintTree>::print(f)
            }
        }
        impl<$($g),*> fmt::Debug for $t
        where
            Self: PrintTree,
        {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                <Self as PrintTree>::print(f)
            }
        }
    )*};
}
display! {
    [I] Ext<I>;
    [X, N] CeilDiv<X, N>;
}

//! Notations for shapes and layouts: native tuples, and macros that read CuTe's notation.
//!
//! ```text
//!   Lay<((U4, U8), U2), ((U32, U1), U16)>   =   layout!(((4,8),2):((32,1),16))
//! ```
//!
//! Law: both notations name the same type as the corresponding cons lists.

use crate::num::{E, Nat};
use crate::tree::{Cons, Nil, Underscore};
use typenum::{B0, B1, NInt, NonZero, UInt, UTerm, Unsigned};

/// A layout written with native tuples of typenum integers.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::typenum::{U1, U2, U16, U32, U4, U8};
/// type A = Lay<((U4, U8), U2), ((U32, U1), U16)>;
/// let _: A = <layout!(((4,8),2):((32,1),16))>::default();
/// ```
pub type Lay<Shape, Stride> = crate::Layout<<Shape as Tuple>::Tree, <Stride as Tuple>::Tree>;

/// The cons list of a native tuple, or the number itself.
pub type Tree<T> = <T as Tuple>::Tree;

/// A number, a native tuple of at most 12 elements, or a cons list.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tuple of static integers",
    label = "write it as `shape!((4, 8))`, or as a tuple of typenum integers"
)]
pub trait Tuple {
    /// The number or the cons list.
    type Tree;
}
impl Tuple for UTerm {
    type Tree = Self;
}
impl<U: Nat> Tuple for UInt<U, B0> {
    type Tree = Self;
}
impl<U: Nat> Tuple for UInt<U, B1> {
    type Tree = Self;
}
impl<U: Unsigned + NonZero> Tuple for NInt<U> {
    type Tree = Self;
}
impl<I, S> Tuple for E<I, S> {
    type Tree = Self;
}
impl Tuple for Underscore {
    type Tree = Self;
}
impl<S, D> Tuple for crate::Layout<S, D> {
    type Tree = Self;
}
impl Tuple for Nil {
    type Tree = Self;
}
impl<H, T> Tuple for Cons<H, T> {
    type Tree = Self;
}

macro_rules! native {
    ($($H:ident)+) => {
        impl<$($H: Tuple),+> Tuple for ($($H,)+) {
            type Tree = cons!($($H)+);
        }
    };
}
macro_rules! cons {
    () => { Nil };
    ($H:ident $($T:ident)*) => { Cons<$H::Tree, cons!($($T)*)> };
}
native!(A);
native!(A B);
native!(A B C);
native!(A B C D);
native!(A B C D F);
native!(A B C D F G);
native!(A B C D F G H);
native!(A B C D F G H I);
native!(A B C D F G H I J);
native!(A B C D F G H I J K);
native!(A B C D F G H I J K L);
native!(A B C D F G H I J K L M);

/// A layout in CuTe's notation: `layout!((4,8):(8,1))`, or `layout!((4,8))` for compact
/// column-major strides.
///
/// It may contain every number up to 2^40, and Rust types that are numbers or tuples. A
/// parenthesised single number is a 1-tuple, as CuTe prints it.
///
/// ```
/// use layout_types::prelude::*;
/// type A = layout!(((4,8),2):((32,1),16));
/// type B = layout!((4,8));
/// type C = layout!((5));
/// assert_eq!(A::default().to_string(), "((4,8),2):((32,1),16)");
/// assert_eq!(B::default().to_string(), "(4,8):(1,4)");
/// assert_eq!(C::default().to_string(), "(5):(1)");
/// ```
#[macro_export]
#[doc(alias = "make_layout")]
macro_rules! layout {
    ($($notation:tt)*) => { $crate::__notation::layout_type!([$crate] $($notation)*) };
}

/// A shape: `shape!((4,(2,8)))`, `shape!(4, 8)`, `shape!(4)`.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(<shape!((4,(2,8)))>::default().to_string(), "(4,(2,8))");
/// ```
#[macro_export]
#[doc(alias = "make_shape")]
#[doc(alias = "make_stride")]
macro_rules! shape {
    ($($notation:tt)*) => { $crate::__notation::shape_type!([$crate] $($notation)*) };
}

/// A tuple tiler: `tile!(4:1, 8)`. Each element is a layout, a number, `_` or a type.
///
/// The text between the parentheses is always a tuple: `tile!(2:1)` and, as an element, `(2:1)` are
/// tilers of one mode. In the expressions of the notation, where parentheses around one layout only
/// group, `(2:1)` is the layout and `(2:1,)` the tuple.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(<tile!(4:2, (2:1), _)>::default().to_string(), "(4:2,(2:1),_)");
/// type T = Composition<layout!((8,8):(8,1)), tile!(4:2, _)>;
/// assert_eq!(T::default().to_string(), "(4,8):(16,1)");
/// ```
#[macro_export]
#[doc(alias = "make_tile")]
#[doc(alias = "make_tiler")]
macro_rules! tile {
    ($($notation:tt)*) => { $crate::__notation::tile_type!([$crate] $($notation)*) };
}

/// A static coordinate, with `_` for each mode that a slice keeps: `coord!(_, 3)`.
#[macro_export]
#[doc(alias = "make_coord")]
macro_rules! coord {
    ($($notation:tt)*) => { $crate::__notation::coord_type!([$crate] $($notation)*) };
}

/// An integer: `int!(128)`, `int!(-4)`.
///
/// ```
/// use layout_types::int;
/// use layout_types::typenum::Unsigned;
/// assert_eq!(<int!(1000000)>::U64, 1_000_000);
/// ```
#[macro_export]
#[doc(alias = "Int")]
#[doc(alias = "_4")]
macro_rules! int {
    ($($notation:tt)*) => { $crate::__notation::int_type!([$crate] $($notation)*) };
}

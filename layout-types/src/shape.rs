//! Shapes: numbers and tuples of numbers.
//!
//! ```text
//!   (2,(1,3))     size 6     column-major: (1,(0,2))     row-major: (3,(0,1))
//! ```

use crate::layout::Unzip;
use crate::num::{Bool, False, Nat, NatAdd, One, True, Zero};
use crate::tree::{Cons, M, ModeList, ModeTree, Nil, PrintTree};

/// A number or a tuple of shapes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a static shape",
    label = "a shape is a positive integer or a tuple of shapes, as `shape!((4,(2,8)))`"
)]
pub trait ShapeTree: PrintTree + Copy + Default + 'static {
    /// The product of all numbers.
    type Size: Nat;
    /// The compact column-major layout that starts at stride `Step`. Modes of size 1 get stride 0.
    type Left<Step: Nat>: ModeTree;
    /// The compact row-major layout that starts at stride `Step`. Modes of size 1 get stride 0.
    type Right<Step: Nat>: ModeTree;
    /// Whether the shape is a number.
    type IsNumber: Bool;
    /// The result of `ceil_div` of the shape by `N`, leaf by leaf: the product of the quotients,
    /// and the rest of the divisor.
    type CeilProduct<N: Nat>: CeilRest;
    /// The top-level elements.
    type Elements: ShapeList;
    /// Each top-level element's size.
    type Sizes: ShapeList;
}

/// A tuple of shapes.
#[doc(hidden)]
pub trait ShapeList: ShapeTree {
    /// [`ShapeTree::Left`] as a list.
    type LeftList<Step: Nat>: ModeList;
    /// [`ShapeTree::Right`] as a list.
    type RightList<Step: Nat>: ModeList;
    /// The number of elements.
    type Len: Nat;
    /// The first element, or 1 if there is no element.
    type First: ShapeTree;
    /// The elements after the first.
    type Rest: ShapeList;
    /// The elements as modes of their sizes and of stride 0.
    type AsModes: ModeList;
}

/// The product of the quotients after a shape was divided mode by mode, and the part of the divisor
/// that remains.
pub struct CeilRestOf<Product, Divisor>(core::marker::PhantomData<(Product, Divisor)>);
/// Reads a [`CeilRestOf`].
#[doc(hidden)]
pub trait CeilRest {
    /// The product of the quotients, rounded up.
    type Product: Nat;
    /// Divides one more shape.
    type And<T: ShapeList>: CeilRest;
    /// Multiplies the product by the product `P` of earlier quotients.
    type Before<P: Nat>: CeilRest;
}
impl<P: Nat, N: Nat> CeilRest for CeilRestOf<P, N> {
    type Product = P;
    type And<T: ShapeList> = <T::CeilProduct<N> as CeilRest>::Before<P>;
    type Before<Q: Nat> = CeilRestOf<Q::Times<P>, N>;
}

impl<S: Nat> ShapeTree for S {
    type Size = S;
    type IsNumber = True;
    type Left<Step: Nat> = M<S, <S::IsOne as Bool>::PickNat<Zero, Step>>;
    type Right<Step: Nat> = M<S, <S::IsOne as Bool>::PickNat<Zero, Step>>;
    type CeilProduct<N: Nat> = CeilRestOf<S::CeilDiv<N>, N::CeilDiv<S>>;
    type Elements = Cons<S, Nil>;
    type Sizes = Cons<S, Nil>;
}
impl ShapeTree for Nil {
    type Size = One;
    type IsNumber = False;
    type Left<Step: Nat> = Nil;
    type Right<Step: Nat> = Nil;
    type CeilProduct<N: Nat> = CeilRestOf<One, N>;
    type Elements = Nil;
    type Sizes = Nil;
}
impl<H: ShapeTree, T: ShapeList> ShapeTree for Cons<H, T> {
    type IsNumber = False;
    type Size = <H::Size as Nat>::Times<T::Size>;
    type Left<Step: Nat> = Cons<H::Left<Step>, T::LeftList<<Step as Nat>::Times<H::Size>>>;
    type Right<Step: Nat> = Cons<H::Right<<Step as Nat>::Times<T::Size>>, T::RightList<Step>>;
    type CeilProduct<N: Nat> = <H::CeilProduct<N> as CeilRest>::And<T>;
    type Elements = Self;
    type Sizes = Cons<H::Size, T::Sizes>;
}
impl ShapeList for Nil {
    type LeftList<Step: Nat> = Nil;
    type RightList<Step: Nat> = Nil;
    type Len = Zero;
    type First = One;
    type Rest = Nil;
    type AsModes = Nil;
}
impl<H: ShapeTree, T: ShapeList> ShapeList for Cons<H, T> {
    type LeftList<Step: Nat> = Cons<H::Left<Step>, T::LeftList<<Step as Nat>::Times<H::Size>>>;
    type RightList<Step: Nat> = Cons<H::Right<<Step as Nat>::Times<T::Size>>, T::RightList<Step>>;
    type Len = <T::Len as NatAdd>::Succ;
    type First = H;
    type Rest = T;
    type AsModes = Cons<M<H::Size, Zero>, T::AsModes>;
}

/// The compact column-major layout of a shape, CuTe's `make_layout(shape)`. Modes of size 1 get
/// stride 0.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(LayoutLeft::<shape!((2,(1,3)))>::default().to_string(), "(2,(1,3)):(1,(0,2))");
/// ```
#[doc(alias = "GenColMajor")]
#[doc(alias = "make_layout_left")]
pub type LayoutLeft<S> = Unzip<<S as ShapeTree>::Left<One>>;

/// The compact row-major layout of a shape, CuTe's `make_layout(shape, LayoutRight{})`. Modes of
/// size 1 get stride 0.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(LayoutRight::<shape!((2,(1,3)))>::default().to_string(), "(2,(1,3)):(3,(0,1))");
/// ```
#[doc(alias = "GenRowMajor")]
#[doc(alias = "make_layout_right")]
pub type LayoutRight<S> = Unzip<<S as ShapeTree>::Right<One>>;

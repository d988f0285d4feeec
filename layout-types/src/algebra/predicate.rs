//! Predicates on shapes and layouts, as types.
//!
//! ```text
//!   congruent          (2,(3,4)) and (5,(6,7))      one profile
//!   weakly congruent   (2,8) and (2,(2,4))          the second refines the first's profile
//!   compatible         (2,8) and (2,(2,4))          and its sizes
//! ```
//!
//! Law: `compatible(A, B)` means that every coordinate into `A` is also a coordinate into `B`
//! (CuTe: `cute/int_tuple.hpp`).

use crate::num::{Bool, False, Nat, NatCmp, True};
use crate::shape::ShapeTree;
use crate::tree::{Cons, Nil};

/// Whether the shapes `A` and `B` have the same profile: [`True`] or [`False`].
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::num::Bool;
/// assert!(<IsCongruent<shape!((2,(3,4))), shape!((5,(6,7)))>>::VALUE);
/// ```
#[doc(alias = "congruent")]
pub type IsCongruent<A, B> = <A as ShapePredicates>::Congruent<B>;
/// Whether `B`'s profile equals `A`'s or refines `A`'s leaves.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::num::Bool;
/// assert!(<IsWeaklyCongruent<shape!((2,8)), shape!((2,(2,4)))>>::VALUE);
/// assert!(!<IsWeaklyCongruent<shape!((2,(2,4))), shape!((2,8))>>::VALUE);
/// ```
#[doc(alias = "weakly_congruent")]
pub type IsWeaklyCongruent<A, B> = <A as ShapePredicates>::WeaklyCongruent<B>;
/// Whether `A` and `B` have the same size and every coordinate into `A` is also a coordinate into
/// `B`.
///
/// ```
/// use layout_types::prelude::*;
/// use layout_types::num::Bool;
/// assert!(<IsCompatible<shape!((2,8)), shape!((2,(2,4)))>>::VALUE);
/// assert!(!<IsCompatible<shape!((2,(2,4))), shape!((2,8))>>::VALUE);
/// ```
#[doc(alias = "compatible")]
pub type IsCompatible<A, B> = <A as ShapePredicates>::Compatible<B>;

/// Comparisons of shapes, by double dispatch.
#[doc(hidden)]
pub trait ShapePredicates {
    /// [`IsCongruent`].
    type Congruent<B: ShapePredicates>: Bool;
    /// [`IsWeaklyCongruent`].
    type WeaklyCongruent<B: ShapePredicates>: Bool;
    /// [`IsCompatible`].
    type Compatible<B: ShapePredicates>: Bool;
    /// Whether the shape is a number.
    type IsNumber: Bool;
    /// Whether the shape has size `N`.
    type HasSize<N: Nat>: Bool;
    /// Whether the shape is a tuple with the profile of `Cons<H, T>`.
    type CongruentTo<H: ShapePredicates, T: ShapePredicates>: Bool;
    /// Whether the shape refines `Cons<H, T>`.
    type Refines<H: ShapePredicates, T: ShapePredicates>: Bool;
    /// Whether `Cons<H, T>` is compatible with the shape.
    type Accepts<H: ShapePredicates, T: ShapePredicates>: Bool;
    /// Whether the shape is the empty tuple.
    type IsNil: Bool;
}
impl<N: Nat> ShapePredicates for N {
    type Congruent<B: ShapePredicates> = B::IsNumber;
    type WeaklyCongruent<B: ShapePredicates> = True;
    type Compatible<B: ShapePredicates> = B::HasSize<N>;
    type IsNumber = True;
    type HasSize<K: Nat> = <N as NatCmp>::Equals<K>;
    type CongruentTo<H: ShapePredicates, T: ShapePredicates> = False;
    type Refines<H: ShapePredicates, T: ShapePredicates> = False;
    type Accepts<H: ShapePredicates, T: ShapePredicates> = False;
    type IsNil = False;
}
impl ShapePredicates for Nil {
    type Congruent<B: ShapePredicates> = B::IsNil;
    type WeaklyCongruent<B: ShapePredicates> = B::IsNil;
    type Compatible<B: ShapePredicates> = B::IsNil;
    type IsNumber = False;
    type HasSize<K: Nat> = K::IsOne;
    type CongruentTo<H: ShapePredicates, T: ShapePredicates> = False;
    type Refines<H: ShapePredicates, T: ShapePredicates> = False;
    type Accepts<H: ShapePredicates, T: ShapePredicates> = False;
    type IsNil = True;
}
impl<H: ShapePredicates, T: ShapePredicates> ShapePredicates for Cons<H, T>
where
    Self: ShapeTree,
{
    type Congruent<B: ShapePredicates> = B::CongruentTo<H, T>;
    type WeaklyCongruent<B: ShapePredicates> = B::Refines<H, T>;
    type Compatible<B: ShapePredicates> = B::Accepts<H, T>;
    type IsNumber = False;
    type HasSize<K: Nat> = <<Self as ShapeTree>::Size as NatCmp>::Equals<K>;
    type CongruentTo<G: ShapePredicates, U: ShapePredicates> =
        <G::Congruent<H> as Bool>::And<U::Congruent<T>>;
    type Refines<G: ShapePredicates, U: ShapePredicates> =
        <G::WeaklyCongruent<H> as Bool>::And<U::WeaklyCongruent<T>>;
    type Accepts<G: ShapePredicates, U: ShapePredicates> =
        <G::Compatible<H> as Bool>::And<U::Compatible<T>>;
    type IsNil = False;
}

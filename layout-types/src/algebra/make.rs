//! Makes layouts from shapes and from other layouts.
//!
//! ```text
//!   ordered  (2,1,16) by (5,0,2)     (2,1,16):(16,0,1)         identity  (2,3)        (2,3):(1@0,1@1)
//!   like     ((4),(3,5)):((1),(60,4))    ((4),(3,5)):((1),(20,4))
//! ```
//!
//! Law: the identity layout maps each coordinate to itself. The other layouts are compact, with
//! strides in the requested order (leaves of equal order get equal strides, as in CuTe); modes of
//! size 1 get stride 0 (CuTe: `cute/layout.hpp`, `cute/stride.hpp`).

use super::decide::has_basis;
use super::divide::{run_of, tiled};
use super::flatten::nonzero;
use super::outcome::{Admissible, Fragments, Likes};
use crate::kinds::*;
use crate::layout::{LayoutFn, StaticLayout, Unzip};
use crate::tree::Zip;
use layout_types_macros::functions;

/// The compact layout of the shape `S` whose strides increase with the order `O`, a congruent tuple
/// of numbers.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(MakeOrdered::<shape!((2,1,16)), shape!((5,4,2))>::default().to_string(), "(2,1,16):(16,0,1)");
/// ```
#[doc(alias = "make_ordered_layout")]
pub type MakeOrdered<S, O> = Unzip<ordered<<S as Zip<O>>::Modes, <S as Zip<O>>::Modes>>;
/// A compact layout of the same shape with strides in the same order. A stride of 0 remains 0.
///
/// ```
/// use layout_types::prelude::*;
/// type A = layout!(((4),(3,5)):((1),(60,4)));
/// assert_eq!(MakeLike::<A>::default().to_string(), "((4),(3,5)):((1),(20,4))");
/// ```
#[doc(alias = "make_layout_like")]
pub type MakeLike<L> = <L as LikeLayout>::Output;
/// Layouts whose strides can be ordered.
#[diagnostic::on_unimplemented(message = "make_layout_like is not admissible for this layout")]
#[doc(hidden)]
pub trait LikeLayout: LayoutFn {
    /// [`MakeLike`].
    type Output: StaticLayout;
}
impl<L: LayoutFn> LikeLayout for L
where
    like_of<L::Modes>: Admissible<Likes, L, ()>,
{
    type Output = Unzip<<like_of<L::Modes> as Admissible<Likes, L, ()>>::Tree>;
}
/// The rule that no stride is a scaled basis element: such strides have no order.
#[derive(Clone, Copy, Debug, Default)]
pub struct OrderBasisRule;
/// The identity layout of a shape, with scaled-basis strides.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(Identity::<shape!((2,(3,4)))>::default().to_string(), "(2,(3,4)):(1@0,(1@0@1,1@1@1))");
/// ```
#[doc(alias = "make_identity_layout")]
pub type Identity<S> = Unzip<<S as IdentityShape>::Basis>;
/// A compact layout of registers that hold the elements of `L`. Mode 0 is column-major, and the
/// other modes follow in the order of their strides.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(MakeFragmentLike::<layout!((8,4,3):(1,24,8))>::default().to_string(), "(8,4,3):(1,24,8)");
/// ```
#[doc(alias = "make_fragment_like")]
pub type MakeFragmentLike<L> = <L as FragmentLike>::Output;
/// Layouts that have a fragment.
#[doc(hidden)]
pub trait FragmentLike: LayoutFn {
    /// [`MakeFragmentLike`].
    type Output: StaticLayout;
}
impl<L: LayoutFn> FragmentLike for L
where
    fragment_of<L::Modes>: Admissible<Fragments, L, ()>,
{
    type Output = Unzip<<fragment_of<L::Modes> as Admissible<Fragments, L, ()>>::Tree>;
}

pub(crate) use self::functions::*;

#[functions(crate::kinds::table)]
mod functions {
    use super::*;

    fn has_basis(t: Tree) -> Bool;
    fn nonzero(t: Tree) -> Tree;
    fn run_of(n: Nat) -> Tree;
    fn tiled(a: Tree, g: Guide, fit: Fit) -> Outcome;

    /// Returns the tree's shape, where each stride is the product of the shapes in `all` whose
    /// stride is less than the leaf's stride.
    fn ordered(t: Tree, all: Tree) -> Tree {
        match t {
            M(s, d) => {
                if s == 1 {
                    M(1, 0)
                } else {
                    M(s, below(all, d))
                }
            }
            Nil => Nil,
            Cons(h, rest) => Cons(ordered(h, all), ordered_modes(rest, all)),
        }
    }
    fn ordered_modes(list: List, all: Tree) -> List {
        match list {
            Nil => Nil,
            Cons(h, rest) => Cons(ordered(h, all), ordered_modes(rest, all)),
        }
    }
    /// Returns the product of the shapes whose stride is less than `d`.
    fn below(t: Tree, d: Stride) -> Nat {
        match t {
            M(s, e) => {
                if is_less(e, d) {
                    s
                } else {
                    1
                }
            }
            Nil => 1,
            Cons(h, rest) => below(h, d) * below(rest, d),
        }
    }

    /// Returns a compact layout of the same shape with strides in the same order. A stride of 0
    /// remains 0.
    fn like_of(t: Tree) -> Outcome {
        if has_basis(t) {
            Refused(OrderBasisRule, 1, 0, Here)
        } else {
            Done(like(t, nonzero(t)))
        }
    }
    fn like(t: Tree, all: Tree) -> Tree {
        match t {
            M(s, d) => {
                if s == 1 || is_null(d) {
                    M(s, 0)
                } else {
                    M(s, below(all, d))
                }
            }
            Nil => Nil,
            Cons(h, rest) => Cons(like(h, all), like_modes(rest, all)),
        }
    }
    fn like_modes(list: List, all: Tree) -> List {
        match list {
            Nil => Nil,
            Cons(h, rest) => Cons(like(h, all), like_modes(rest, all)),
        }
    }

    /// Returns mode 0 column-major, followed by the other modes in the order of their strides.
    fn fragment_of(t: Tree) -> Outcome {
        if has_basis(t) {
            Refused(OrderBasisRule, 1, 0, Here)
        } else {
            fragment(t)
        }
    }
    fn fragment(t: Tree) -> Outcome {
        match t {
            M(s, _) => Done(run_of(s)),
            Nil => Done(Nil),
            Cons(h, rest) => match rest {
                Nil => Done(Cons(column_major(h, 1), Nil)),
                Cons(_, _) => tiled(compact(h, 1), ByTree(ordered(rest, rest)), Repeat),
            },
        }
    }
    /// Returns the tree's shape, column-major with strides from `step` on.
    fn column_major(t: Tree, step: Nat) -> Tree {
        match t {
            M(s, _) => {
                if s == 1 {
                    M(1, 0)
                } else {
                    M(s, step)
                }
            }
            Nil => Nil,
            Cons(h, rest) => Cons(
                column_major(h, step),
                column_major_modes(rest, step * size(h)),
            ),
        }
    }
    fn column_major_modes(list: List, step: Nat) -> List {
        match list {
            Nil => Nil,
            Cons(h, rest) => Cons(
                column_major(h, step),
                column_major_modes(rest, step * size(h)),
            ),
        }
    }
    /// Returns the tree's shape like `column_major`, but a stride of 0 remains 0.
    fn compact(t: Tree, step: Nat) -> Tree {
        match t {
            M(s, d) => {
                if s == 1 || is_null(d) {
                    M(s, 0)
                } else {
                    M(s, step)
                }
            }
            Nil => Nil,
            Cons(h, rest) => Cons(compact(h, step), compact_modes(rest, step * counted(h))),
        }
    }
    fn compact_modes(list: List, step: Nat) -> List {
        match list {
            Nil => Nil,
            Cons(h, rest) => Cons(compact(h, step), compact_modes(rest, step * counted(h))),
        }
    }
    /// Returns the product of the shapes whose stride is not 0.
    fn counted(t: Tree) -> Nat {
        match t {
            M(s, d) => {
                if is_null(d) {
                    1
                } else {
                    s
                }
            }
            Nil => 1,
            Cons(h, rest) => counted(h) * counted(rest),
        }
    }

    /// Returns the tree with its strides in mode `i` of a coordinate.
    fn within(t: Tree, i: Nat) -> Tree {
        match t {
            M(s, d) => M(s, Basis(i, d)),
            Nil => Nil,
            Cons(h, rest) => Cons(within(h, i), modes_within(rest, i)),
        }
    }
    fn modes_within(list: List, i: Nat) -> List {
        match list {
            Nil => Nil,
            Cons(h, rest) => Cons(within(h, i), modes_within(rest, i)),
        }
    }
}

/// Shapes with an identity layout.
#[doc(hidden)]
pub trait IdentityShape {
    /// The identity layout.
    type Basis: ModeTree;
    /// The identity layouts of elements from `I` on.
    type BasisFrom<I: Nat>: ModeList;
}
impl<N: Nat> IdentityShape for N {
    type Basis = M<N, One>;
    type BasisFrom<I: Nat> = Nil;
}
impl IdentityShape for Nil {
    type Basis = Nil;
    type BasisFrom<I: Nat> = Nil;
}
impl<H: IdentityShape, T: IdentityShape> IdentityShape for Cons<H, T> {
    type Basis = Self::BasisFrom<Zero>;
    type BasisFrom<I: Nat> = Cons<within<H::Basis, I>, T::BasisFrom<I::Succ>>;
}

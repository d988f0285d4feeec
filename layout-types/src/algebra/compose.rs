//! Composition: one layout after another.
//!
//! ```text
//!   (6,2):(8,2) o (4,3):(3,1)  =  ((2,2),3):((24,2),8)         C(i) = A(B(i))
//! ```
//!
//! Law: `Composition<A, B>` exists if and only if a layout of `B`'s shape is the function
//! `i -> A(B(i))`, with `A`'s last mode unbounded, and CuTe's algorithm finds this layout. The
//! composition then equals CuTe's result character for character. It has `B`'s tuple structure,
//! with each leaf replaced by a leaf or a tuple (CuTe: `composition` in `cute/layout.hpp`, which
//! checks a part of this).

use super::decide::decided;
use super::outcome::{Admissible, Compositions};
use super::swizzle::{ComposedLayout, OffsetMap};
use crate::kinds::*;
use crate::layout::{Layout, LayoutFn};
use crate::tree::{Underscore, phantom};
use layout_types_macros::functions;

/// The composition `A o B`. `B` is a layout, a number, `_` or a tuple tiler, or a swizzle if some
/// swizzle after `A` has the same effect.
///
/// ```
/// use layout_types::prelude::*;
/// type C = Composition<layout!((6,2):(8,2)), layout!((4,3):(3,1))>;
/// assert_eq!(C::default().to_string(), "((2,2),3):((24,2),8)");
/// type T = Composition<layout!((12,(4,8)):(59,(13,1))), tile!(3:4, 8:2)>;
/// assert_eq!(T::default().to_string(), "(3,(2,4)):(236,(26,1))");
/// type S = Composition<layout!((8,8):(8,1)), Swizzle<2, 0, -3>>;
/// assert_eq!(S::default().to_string(), "Sw<2,0,3> o 0 o (8,8):(8,1)");
/// ```
#[doc(alias = "composition")]
pub type Composition<A, B> = <A as Compose<B>>::Output;

/// Layouts that can be composed with `B`.
#[diagnostic::on_unimplemented(
    message = "composition is not admissible for these operands",
    label = "no such composition"
)]
#[doc(hidden)]
pub trait Compose<B> {
    /// [`Composition`].
    type Output: LayoutFn;
}
// There is one impl for each kind of left operand, and then for each kind of right operand: if only
// one impl matches, the compiler says which bound of it fails.
impl<S, D, B: OnRightOf<Layout<S, D>>> Compose<B> for Layout<S, D> {
    type Output = B::Composed;
}
impl<F: OffsetMap, O: Nat, L: LayoutFn, B: OnRightOf<ComposedLayout<F, O, L>>> Compose<B>
    for ComposedLayout<F, O, L>
{
    type Output = B::Composed;
}

/// Types that can be the right operand of a composition with `A`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tiler",
    label = "a tiler is a layout, a number, `_`, or a tuple of tilers such as `tile!(4:1, 8)`"
)]
#[doc(hidden)]
pub trait OnRightOf<A> {
    /// The composition `A o Self`.
    type Composed: LayoutFn;
}
macro_rules! on_right {
    ($([$($p:tt)*] $t:ty;)*) => {$(
        impl<A: LayoutFn, $($p)*> OnRightOf<A> for $t
        where
            $t: Tiler,
            composed<A::Modes, <$t as Tiler>::Guide>: Admissible<Compositions, A, $t>,
        {
            type Composed =
                A::With<<composed<A::Modes, <$t as Tiler>::Guide> as Admissible<Compositions, A, $t>>::Tree>;
        }
    )*};
}
on_right! {
    [S, D] Layout<S, D>;
    [] UTerm;
    [U] UInt<U, B0>;
    [U] UInt<U, B1>;
    [] Underscore;
    [] Nil;
    [H, T] Cons<H, T>;
}

pub(crate) use self::functions::*;

#[functions(crate::kinds::table)]
mod functions {
    use super::*;

    fn decided(a: Tree, b: Tree) -> Outcome;

    /// Composes the tree `t` with the tiler of the guide `g`.
    fn composed(t: Tree, g: Guide) -> Outcome {
        match g {
            ByTree(b) => decided(t, b),
            ByNumber(n) => decided(t, M(n, 1)),
            Whole => Done(t),
            NoGuide => Done(Nil),
            Each(first, others) => composed_modes(modes_of(t), first, others),
        }
    }
    /// Composes the modes one by one, and drops the modes that have no guide.
    fn composed_modes(list: List, g: Guide, others: Guides) -> Outcome {
        match list {
            Nil => Refused(RankRule, 0, 0, Here),
            Cons(h, rest) => match composed(h, g) {
                Done(t, _) => behind(composed(rest, others), t),
                Refused(why, s, d, way) => Refused(why, s, d, Mode(0, way)),
                Undecided => Undecided,
            },
        }
    }
}

/// A tiler, by which a layout can be composed or divided: a layout, a number, `_`, or a tuple of
/// these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tiler",
    label = "a tiler is a layout, a number, `_`, or a tuple of tilers such as `tile!(4:1, 8)`"
)]
pub trait Tiler {
    /// The tiler in the form that the functions of the algebra take.
    type Guide: Guide;
}
impl<S, D> Tiler for crate::Layout<S, D>
where
    S: crate::tree::Zip<D>,
{
    type Guide = ByTree<S::Modes>;
}
impl<N: Nat> Tiler for N {
    type Guide = ByNumber<N>;
}
impl Tiler for Underscore {
    type Guide = Whole;
}
impl Tiler for Nil {
    type Guide = NoGuide;
}
impl<H: Tiler, T: TilerList> Tiler for Cons<H, T> {
    type Guide = Each<H::Guide, T::Guide>;
}

/// A tuple of tilers.
#[doc(hidden)]
pub trait TilerList: Tiler<Guide: Guides> {}
impl TilerList for Nil {}
impl<H: Tiler, T: TilerList> TilerList for Cons<H, T> {}

phantom! {
    /// The tiler is a layout.
    ByTree<T>
}
phantom! {
    /// The tiler is a number `N`: the first `N` elements.
    ByNumber<N>
}
/// The tiler is `_`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Whole;
/// The tiler is the empty tuple.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoGuide;
phantom! {
    /// The tiler is a tuple: `G` for the first mode, `Others` for the modes after it.
    Each<G, Others>
}

/// The rule that there are no more tilers than modes.
#[derive(Clone, Copy, Debug, Default)]
pub struct RankRule;
/// The rule that the left operand has each mode that a scaled basis element selects.
#[derive(Clone, Copy, Debug, Default)]
pub struct BasisRule;
/// The rule that all strides name coordinates of one profile: integers are not mixed with scaled
/// basis elements, nor are elements of a mode mixed with elements of that mode's modes.
#[derive(Clone, Copy, Debug, Default)]
pub struct MixedRule;
/// The rule that the result equals the composition at each point.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiffersRule;
/// The rule that the points are few enough to be compared one by one, if no other rule decides.
#[derive(Clone, Copy, Debug, Default)]
pub struct PointsRule;

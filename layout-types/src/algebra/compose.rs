//! Composition: one layout after another.
//!
//! ```text
//!   (6,2):(8,2) o (4,3):(3,1)  =  ((2,2),3):((24,2),8)         C(i) = A(B(i))
//! ```
//!
//! Law: `Composition<A, B>` exists exactly when a layout of `B`'s shape is the function
//! `i -> A(B(i))`, with `A`'s last mode unbounded, and CuTe's algorithm finds it; then it is CuTe's
//! result to the letter. `B`'s tuple structure stays, each leaf being replaced by a leaf or a tuple
//! (CuTe: `composition` in `cute/layout.hpp`, which checks a part of this).

use super::decide::FullCompose;
use super::divide::{DivideBy, DivideByList};
use super::outcome::{Admissible, Compositions};
use super::swizzle::{ComposedLayout, OffsetMap};
use crate::kinds::*;
use crate::layout::{Layout, LayoutFn};
use crate::tree::Underscore;
use layout_types_macros::functions;

/// The composition `A o B`; `B` is a layout, a number, `_` or a tuple tiler, or a swizzle where
/// another one behind `A` does the same.
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

/// `Self` can be composed with `B`.
#[diagnostic::on_unimplemented(
    message = "composition is not admissible for these operands",
    label = "no such composition"
)]
pub trait Compose<B> {
    /// [`Composition`].
    type Output: LayoutFn;
}
// For each kind of layout on its own, and then for each kind of right operand: where one impl is
// left to look at, the compiler says which of its bounds fails.
impl<S, D, B: OnRightOf<Layout<S, D>>> Compose<B> for Layout<S, D> {
    type Output = B::Composed;
}
impl<F: OffsetMap, O: Nat, L: LayoutFn, B: OnRightOf<ComposedLayout<F, O, L>>> Compose<B>
    for ComposedLayout<F, O, L>
{
    type Output = B::Composed;
}

/// `Self` can stand on the right of `A` in a composition.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tiler",
    label = "a tiler is a layout, a number, `_`, or a tuple of tilers such as `tile!(4:1, 8)`"
)]
pub trait OnRightOf<A> {
    /// `A o Self`.
    type Composed: LayoutFn;
}
macro_rules! on_right {
    ($([$($p:tt)*] $t:ty;)*) => {$(
        impl<A: LayoutFn, $($p)*> OnRightOf<A> for $t
        where
            $t: Tiler,
            <$t as Tiler>::ComposedWith<A::Modes>: Admissible<Compositions, A, $t>,
        {
            type Composed =
                A::With<<<$t as Tiler>::ComposedWith<A::Modes> as Admissible<Compositions, A, $t>>::Tree>;
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

    fn composed_with(g: Tiler, t: Tree) -> Outcome {
        <g as Tiler>::ComposedWith::<t>
    }
    fn composed_modes(u: Tilers, l: List) -> Outcome {
        <u as TilerList>::ComposedModes::<l>
    }

    /// The list's modes composed with the tiler `g` and then with those of `u`, one each.
    #[types_only]
    fn tiled(list: List, g: Tiler, u: Tilers) -> Outcome {
        match list {
            Nil => Refused(RankRule, 0, 0, Here),
            Cons(h, rest) => match composed_with(g, h) {
                Done(t, _) => behind(composed_modes(u, rest), t),
                Refused(why, s, d, path) => Refused(why, s, d, Mode(0, path)),
                Undecided => Undecided,
            },
        }
    }
}

/// What a layout can be composed with or divided by: a layout, a number, `_`, or a tuple of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tiler",
    label = "a tiler is a layout, a number, `_`, or a tuple of tilers such as `tile!(4:1, 8)`"
)]
pub trait Tiler: DivideBy {
    /// `A o Self`.
    type ComposedWith<A: ModeTree>: Outcome;
}
impl<S, D> Tiler for crate::Layout<S, D>
where
    S: crate::tree::Zip<D>,
{
    type ComposedWith<A: ModeTree> = FullCompose<A, S::Modes>;
}
impl<N: Nat> Tiler for N {
    type ComposedWith<A: ModeTree> = FullCompose<A, M<N, crate::num::One>>;
}
impl Tiler for Underscore {
    type ComposedWith<A: ModeTree> = Done<A, Start>;
}
impl Tiler for Nil {
    type ComposedWith<A: ModeTree> = Done<Nil, Start>;
}
impl<H: Tiler, T: TilerList> Tiler for Cons<H, T> {
    type ComposedWith<A: ModeTree> = tiled<A::Modes, H, T>;
}

/// A tuple of tilers.
pub trait TilerList: Tiler + DivideByList {
    /// The modes of `L` composed with the tilers, one each; modes without a tiler are dropped.
    type ComposedModes<L: ModeList>: Outcome;
}
impl TilerList for Nil {
    type ComposedModes<L: ModeList> = Done<Nil, Start>;
}
impl<H: Tiler, T: TilerList> TilerList for Cons<H, T> {
    type ComposedModes<L: ModeList> = tiled<L, H, T>;
}

/// More tilers than modes.
#[derive(Clone, Copy, Debug, Default)]
pub struct RankRule;
/// A scaled basis element selects a mode that the left operand does not have.
#[derive(Clone, Copy, Debug, Default)]
pub struct BasisRule;
/// Integers and scaled basis elements, or such of one mode and of its modes, do not name
/// coordinates of one profile.
#[derive(Clone, Copy, Debug, Default)]
pub struct MixedRule;
/// The result differs from the composition in some point.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiffersRule;
/// Only a comparison of all points would tell, and there are too many.
#[derive(Clone, Copy, Debug, Default)]
pub struct PointsRule;

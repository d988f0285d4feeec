//! Composition: one layout after another.
//!
//! ```text
//!   (6,2):(8,2) o (4,3):(3,1)  =  ((2,2),3):((24,2),8)         C(i) = A(B(i))
//! ```
//!
//! Law: `Composition<A, B>` exists exactly when a layout of `B`'s shape is the function `i -> A(B(i))`, with `A`'s last
//! mode unbounded, and CuTe's algorithm finds it; then it is CuTe's result to the letter. `B`'s tuple structure stays,
//! each leaf being replaced by a leaf or a tuple (CuTe: `composition` in `cute/layout.hpp`, which checks a part of this).

use super::compose_list::{Allowance, Digits, Start};
use super::decide::FullCompose;
use super::divide::{DivideBy, DivideByList};
use super::outcome::{
    Admissible, Compositions, Done, Here, Mode, ModePath, Outcome, Refused, Undecided,
};
use super::swizzle::{ComposedLayout, OffsetMap};
use crate::layout::{Layout, LayoutFn};
use crate::num::{E, Nat, StrideLeaf, Zero};
use crate::tree::{Cons, M, ModeList, ModeTree, Nil, Underscore, phantom};
use typenum::{B0, B1, NInt, NonZero, UInt, UTerm};

/// The composition `A o B`; `B` is a layout, a number, `_` or a tuple tiler, or a swizzle where another one behind `A` does the
/// same.
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
// For each kind of layout on its own, and then for each kind of right operand: where one impl is left to look at, the
// compiler says which of its bounds fails.
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

/// What composition does next.
pub trait ComposeNext {
    /// With the list `T` behind it still to be composed.
    type Then<T: ModeList>: Outcome;
    /// With the modes of `L` behind it still to be composed with the tilers `T`.
    type ThenTiled<T: TilerList, L: ModeList>: Outcome;
}
impl<H: ModeTree, X: Digits> ComposeNext for Done<H, X> {
    type Then<T: ModeList> = <T::ComposeRest<X> as Outcome>::Behind<H>;
    type ThenTiled<T: TilerList, L: ModeList> = <T::ComposedModes<L> as Outcome>::Behind<H>;
}
impl<Why, S: Nat, D: StrideLeaf, P: ModePath> ComposeNext for Refused<Why, S, D, P> {
    type Then<T: ModeList> = Refused<Why, S, D, Mode<Zero, P>>;
    type ThenTiled<T: TilerList, L: ModeList> = Refused<Why, S, D, Mode<Zero, P>>;
}
impl ComposeNext for Undecided {
    type Then<T: ModeList> = Self;
    type ThenTiled<T: TilerList, L: ModeList> = Self;
}

/// The composition of a left operand with one mode, or the rule that forbids it.
pub trait ComposedLeaf {
    /// With the digit `C:D` of budget `Cap` below.
    type Above<C: Nat, Cap: Allowance, D: StrideLeaf>: ComposedLeaf;
    /// With the digit `C:D` of budget `Cap` below, and the mode `S:PD` before.
    type Before<S: Nat, PD: StrideLeaf, C: Nat, Cap: Allowance, D: StrideLeaf>: ComposedLeaf;
    /// The modes as a tree; `S:D` is the mode of the right operand.
    type Finish<S: Nat, D: StrideLeaf>: Outcome;
    /// As [`ComposedLeaf::Finish`], with all strides negated.
    type FinishNegated<S: Nat, D: StrideLeaf>: Outcome;
}

phantom! {
    /// The rule `Why` forbids the composition with this mode.
    Failed<Why>
}
impl<Why> ComposedLeaf for Failed<Why> {
    type Above<C: Nat, Cap: Allowance, D: StrideLeaf> = Self;
    type Before<S: Nat, PD: StrideLeaf, C: Nat, Cap: Allowance, D: StrideLeaf> = Self;
    type Finish<S: Nat, D: StrideLeaf> = Refused<Why, S, D, Here>;
    type FinishNegated<S: Nat, D: StrideLeaf> = Refused<Why, S, D, Here>;
}

impl ComposedLeaf for Undecided {
    type Above<C: Nat, Cap: Allowance, D: StrideLeaf> = Self;
    type Before<S: Nat, PD: StrideLeaf, C: Nat, Cap: Allowance, D: StrideLeaf> = Self;
    type Finish<S: Nat, D: StrideLeaf> = Self;
    type FinishNegated<S: Nat, D: StrideLeaf> = Self;
}

/// Composition with a tree as right operand.
pub trait ComposeTree {
    /// The tree as left operand: coalesced, with its last mode unbounded.
    type DigitsOnto<X: Digits>: Digits;
    /// `X` composed with the tree.
    type Compose<X: Digits>: Outcome;
}
/// Composition with the rest of a list as right operand.
pub trait ComposeModes {
    /// `X` composed with the list, leaf by leaf.
    type ComposeRest<X: Digits>: Outcome;
    /// The list's modes composed with the tiler `T` and then with those of `U`, one each.
    type Tiled<T: Tiler, U: TilerList>: Outcome;
}

impl<S: Nat, D: StrideLeaf> ComposeTree for M<S, D> {
    type DigitsOnto<X: Digits> = X::Push<S, D>;
    type Compose<X: Digits> = D::ComposeMode<S, X>;
}
impl ComposeTree for Nil {
    type DigitsOnto<X: Digits> = X;
    type Compose<X: Digits> = Done<Nil, X>;
}
impl<H: ModeTree, T: ModeList> ComposeTree for Cons<H, T> {
    type DigitsOnto<X: Digits> = H::DigitsOnto<T::DigitsOnto<X>>;
    type Compose<X: Digits> = <H::Compose<X> as ComposeNext>::Then<T>;
}
impl ComposeModes for Nil {
    type ComposeRest<X: Digits> = Done<Nil, X>;
    type Tiled<T: Tiler, U: TilerList> = Refused<RankRule, Zero, Zero, Here>;
}
impl<H: ModeTree, T: ModeList> ComposeModes for Cons<H, T> {
    type ComposeRest<X: Digits> = <H::Compose<X> as ComposeNext>::Then<T>;
    type Tiled<G: Tiler, U: TilerList> = <G::ComposedWith<H> as ComposeNext>::ThenTiled<U, T>;
}

/// Composition with one mode, decided by its stride.
pub trait ComposeStride {
    /// `X` composed with `S:Self`.
    type ComposeMode<S: Nat, X: Digits>: Outcome;
}
impl ComposeStride for UTerm {
    type ComposeMode<S: Nat, X: Digits> = Done<M<S, UTerm>, X>;
}
impl<U: Nat> ComposeStride for UInt<U, B0> {
    type ComposeMode<S: Nat, X: Digits> = <X::Strided<S, Self> as ComposedLeaf>::Finish<S, Self>;
}
impl<U: Nat> ComposeStride for UInt<U, B1> {
    type ComposeMode<S: Nat, X: Digits> = <X::Strided<S, Self> as ComposedLeaf>::Finish<S, Self>;
}
impl<N: Nat + NonZero> ComposeStride for NInt<N> {
    type ComposeMode<S: Nat, X: Digits> = X::Down<S, N, Self>;
}
impl<I: Nat, V: StrideLeaf> ComposeStride for E<I, V> {
    type ComposeMode<S: Nat, X: Digits> = Undecided;
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
    type ComposedWith<A: ModeTree> = <A::Modes as ComposeModes>::Tiled<H, T>;
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
    type ComposedModes<L: ModeList> = L::Tiled<H, T>;
}

phantom! {
    /// The stride `D` that reached a digit of shape `C` is greater and no multiple of it.
    StrideRule<D, C>
}
phantom! {
    /// `S` steps of `D` leave a digit of shape `C`, which `D` does not divide.
    StepRule<S, D, C>
}
phantom! {
    /// The shape `S` fills `N` steps of a digit and goes on, but `N` does not divide it.
    ShapeRule<S, N>
}
phantom! {
    /// The modes of the right operand together reach the next digit of the left shape from one of shape `C`.
    CarryRule<C>
}
/// More tilers than modes.
#[derive(Clone, Copy, Debug, Default)]
pub struct RankRule;
/// A scaled basis element selects a mode that the left operand does not have.
#[derive(Clone, Copy, Debug, Default)]
pub struct BasisRule;
/// Integers and scaled basis elements, or such of one mode and of its modes, do not name coordinates of one profile.
#[derive(Clone, Copy, Debug, Default)]
pub struct MixedRule;
/// The result differs from the composition in some point.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiffersRule;
/// Only a comparison of all points would tell, and there are too many.
#[derive(Clone, Copy, Debug, Default)]
pub struct PointsRule;

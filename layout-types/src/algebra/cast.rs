//! Counting in other units.
//!
//! ```text
//!   upcast by 4     8:1 -> 2:1      3:8 -> 3:2           8 halfs are two 64-bit words
//!   downcast by 4   2:1 -> 8:1      3:2 -> 3:8
//! ```
//!
//! Law: `Upcast<L, N>(c) == L(c') / N`, where `c'` is the first of the neighbouring elements that
//! became `c`; `Downcast<L, N>` has `N` neighbours for each element. As in CuTe an upcast rounds
//! shapes up (CuTe: `cute/layout.hpp`, "Upcast", "Downcast", "Recast").

use super::outcome::{
    Admissible, Done, Downcasts, ExactUpcasts, Here, Mode, ModePath, Outcome, Recasts, Refused,
    Undecided, Upcasts,
};
use crate::layout::{Layout, LayoutFn, StaticLayout, Unzip};
use crate::num::{Bool, E, False, Nat, NatCmp, NatDiv, One, QuotRem, StrideLeaf, True, Zero};
use crate::tree::{Cons, M, ModeList, ModeTree, Nil};
use typenum::{B0, B1, NInt, NonZero, UInt, UTerm};

macro_rules! cast {
    ($(#[$m:meta])* $alias:ident, $trait:ident, $op:ident, $outcome:ident) => {
        $(#[$m])*
        pub type $alias<L, N> = <L as $trait<N>>::Output;
        #[doc = concat!("`Self` has a [`", stringify!($alias), "`] by `N`.")]
        #[diagnostic::on_unimplemented(message = "this operation is not admissible for these operands")]
        pub trait $trait<N> {
            #[doc = concat!("[`", stringify!($alias), "`].")]
            type Output: crate::LayoutFn;
        }
        impl<S0, D0, N: Nat> $trait<N> for Layout<S0, D0>
        where
            Layout<S0, D0>: StaticLayout,
            $outcome<<Layout<S0, D0> as LayoutFn>::Modes, N>: Admissible<$op, Self, N>,
        {
            type Output = Unzip<
                <$outcome<<Layout<S0, D0> as LayoutFn>::Modes, N> as Admissible<$op, Self, N>>::Tree,
            >;
        }
    };
}
cast! {
    /// `N` neighbouring elements become one.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// assert_eq!(Upcast::<layout!((8,4):(1,8)), int!(4)>::default().to_string(), "(2,4):(1,2)");
    /// ```
    #[doc(alias = "upcast")]
    Upcast, UpcastBy, Upcasts, UpcastOf
}
cast! {
    /// [`Upcast`] where the elements fill whole units.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// assert_eq!(ExactUpcast::<layout!((4,8):(8,1)), int!(4)>::default().to_string(), "(4,2):(2,1)");
    /// ```
    ExactUpcast, ExactUpcastBy, ExactUpcasts, ExactUpcastOf
}
cast! {
    /// Each element becomes `N` neighbours.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// assert_eq!(Downcast::<layout!((2,4):(1,2)), int!(4)>::default().to_string(), "(8,4):(1,8)");
    /// ```
    #[doc(alias = "downcast")]
    Downcast, DowncastBy, Downcasts, DowncastOf
}
/// The layout of elements of `New` bits over that of elements of `Old` bits.
///
/// ```
/// use layout_types::prelude::*;
/// assert_eq!(Recast::<layout!((1,16)), int!(16), int!(128)>::default().to_string(), "(1,2):(0,1)");
/// ```
#[doc(alias = "recast_layout")]
pub type Recast<L, Old, New> = <L as RecastTo<Old, New>>::Output;
/// `Self` can be recast from elements of `Old` bits to those of `New` bits.
#[diagnostic::on_unimplemented(
    message = "recast is not admissible for these operands",
    label = "no such cast"
)]
pub trait RecastTo<Old, New> {
    /// [`Recast`].
    type Output: crate::LayoutFn;
}
impl<S0, D0, Old: Nat, New: Nat> RecastTo<Old, New> for Layout<S0, D0>
where
    Layout<S0, D0>: StaticLayout,
    RecastOf<<Layout<S0, D0> as LayoutFn>::Modes, Old, New>: Admissible<Recasts, Self, (Old, New)>,
{
    type Output = Unzip<
        <RecastOf<<Layout<S0, D0> as LayoutFn>::Modes, Old, New> as Admissible<
            Recasts,
            Self,
            (Old, New),
        >>::Tree,
    >;
}
type Common<A, B> = <A as NatDiv>::GcdOf<B>;
/// [`Upcast`] of a tree.
pub type UpcastOf<T, N> = <T as CastTree>::Up<N>;
/// [`ExactUpcast`] of a tree.
pub type ExactUpcastOf<T, N> =
    <<T as CastTree>::Whole<N> as CastBranch>::IfWhole<<T as CastTree>::Up<N>>;
/// [`Downcast`] of a tree.
pub type DowncastOf<T, N> =
    <<T as CastTree>::HasUnit as CastBranch>::IfUnit<<T as CastTree>::Down<N>>;
/// [`Recast`] of a tree: up and then down by what the widths do not have in common.
pub type RecastOf<T, Old, New> =
    <<<New as Nat>::Over<Common<Old, New>> as NatCmp>::IsOne as CastBranch>::RecastUp<
        T,
        <New as Nat>::Over<Common<Old, New>>,
        <Old as Nat>::Over<Common<Old, New>>,
    >;

/// Trees whose units change.
pub trait CastTree {
    /// Upcast by `N`.
    type Up<N: Nat>: Outcome;
    /// Downcast by `N`.
    type Down<N: Nat>: ModeTree;
    /// Is there a stride of 1?
    type HasUnit: Bool;
    /// Do the elements fill units of `N`?
    type Whole<N: Nat>: Bool;
}
/// Lists whose units change.
pub trait CastList {
    /// [`CastTree::Up`] for the rest of a list.
    type UpRest<N: Nat>: Outcome;
    /// [`CastTree::Down`] as a list.
    type DownList<N: Nat>: ModeList;
}
impl<S: Nat, D: StrideLeaf> CastTree for M<S, D> {
    type Up<N: Nat> = D::Upcast<S, N>;
    type Down<N: Nat> = <<D::Magnitude as NatCmp>::IsOne as CastBranch>::Down<S, D, N>;
    type HasUnit = D::SameNat<One>;
    type Whole<N: Nat> =
        <<S::DivRem<N::CeilDiv<D::Magnitude>> as QuotRem>::Exact as Bool>::Or<D::Null>;
}
impl CastTree for Nil {
    type Up<N: Nat> = Done<Nil>;
    type Down<N: Nat> = Nil;
    type HasUnit = False;
    type Whole<N: Nat> = True;
}
impl<H: ModeTree, T: ModeList> CastTree for Cons<H, T> {
    type Up<N: Nat> = <H::Up<N> as CastNext>::ThenUp<T, N>;
    type Down<N: Nat> = Cons<H::Down<N>, T::DownList<N>>;
    type HasUnit = <H::HasUnit as Bool>::Or<T::HasUnit>;
    type Whole<N: Nat> = <H::Whole<N> as Bool>::And<T::Whole<N>>;
}
impl CastList for Nil {
    type UpRest<N: Nat> = Done<Nil>;
    type DownList<N: Nat> = Nil;
}
impl<H: ModeTree, T: ModeList> CastList for Cons<H, T> {
    type UpRest<N: Nat> = <H::Up<N> as CastNext>::ThenUp<T, N>;
    type DownList<N: Nat> = Cons<H::Down<N>, T::DownList<N>>;
}

/// What a cast does next.
pub trait CastNext {
    /// With the list `T` behind it still to be upcast.
    type ThenUp<T: ModeList, N: Nat>: Outcome;
    /// Downcast, unless by 1.
    type ThenDown<N: Nat>: Outcome;
}
impl<H: ModeTree, X: super::compose_list::Digits> CastNext for Done<H, X> {
    type ThenUp<T: ModeList, N: Nat> = <T::UpRest<N> as Outcome>::Behind<H>;
    type ThenDown<N: Nat> = <N::IsOne as CastBranch>::RecastDown<H, N>;
}
impl<Why, S: Nat, D: StrideLeaf, P: ModePath> CastNext for Refused<Why, S, D, P> {
    type ThenUp<T: ModeList, N: Nat> = Refused<Why, S, D, Mode<Zero, P>>;
    type ThenDown<N: Nat> = Self;
}
impl CastNext for Undecided {
    type ThenUp<T: ModeList, N: Nat> = Self;
    type ThenDown<N: Nat> = Self;
}

/// Strides in other units.
pub trait CastStride {
    /// `S:Self` upcast by `N`.
    type Upcast<S: Nat, N: Nat>: Outcome;
}
impl CastStride for UTerm {
    type Upcast<S: Nat, N: Nat> = Done<M<S, UTerm>>;
}
macro_rules! upcast {
    ($b:ty) => {
        impl<U: Nat> CastStride for UInt<U, $b> {
            type Upcast<S: Nat, N: Nat> = UpcastMode<S, Self, Self, <Self as Nat>::CeilDiv<N>, N>;
        }
    };
}
upcast!(B0);
upcast!(B1);
impl<K: Nat + NonZero> CastStride for NInt<K> {
    type Upcast<S: Nat, N: Nat> = UpcastMode<S, Self, K, <K::CeilDiv<N> as StrideLeaf>::Negate, N>;
}
impl<I: Nat, V: StrideLeaf> CastStride for E<I, V> {
    type Upcast<S: Nat, N: Nat> = Refused<CastBasisRule, S, Self, Here>;
}
/// `S:D`, of magnitude `K`, upcast by `N` to the stride `R`.
pub type UpcastMode<S, D, K, R, N> = <<<<K as NatDiv>::DivRem<N> as QuotRem>::Exact as Bool>::Or<
    <<N as NatDiv>::DivRem<K> as QuotRem>::Exact,
> as CastBranch>::Up<S, D, <S as Nat>::CeilDiv<<N as Nat>::CeilDiv<K>>, R>;

/// What casts do on a truth value.
pub trait CastBranch {
    /// True: the stride and the factor divide one another.
    type Up<S: Nat, D: StrideLeaf, R: Nat, E: StrideLeaf>: Outcome;
    /// True: the stride is 1 or -1.
    type Down<S: Nat, D: StrideLeaf, N: Nat>: ModeTree;
    /// `T` where true; there are no neighbours otherwise.
    type IfUnit<T: ModeTree>: Outcome;
    /// `O` where true; the elements do not fill units otherwise.
    type IfWhole<O: Outcome>: Outcome;
    /// True: `Up` is 1.
    type RecastUp<T: ModeTree, Up: Nat, Down: Nat>: Outcome;
    /// True: `N` is 1.
    type RecastDown<T: ModeTree, N: Nat>: Outcome;
}
impl CastBranch for True {
    type Up<S: Nat, D: StrideLeaf, R: Nat, E: StrideLeaf> = Done<M<R, E>>;
    type Down<S: Nat, D: StrideLeaf, N: Nat> = M<S::Times<N>, D>;
    type IfUnit<T: ModeTree> = Done<T>;
    type IfWhole<O: Outcome> = O;
    type RecastUp<T: ModeTree, Up: Nat, Down: Nat> = <Done<T> as CastNext>::ThenDown<Down>;
    type RecastDown<T: ModeTree, N: Nat> = Done<T>;
}
impl CastBranch for False {
    type Up<S: Nat, D: StrideLeaf, R: Nat, E: StrideLeaf> = Refused<CastStrideRule, S, D, Here>;
    type Down<S: Nat, D: StrideLeaf, N: Nat> = M<S, D::Scale<N>>;
    type IfUnit<T: ModeTree> = Refused<UnitRule, One, Zero, Here>;
    type IfWhole<O: Outcome> = Refused<WholeRule, One, Zero, Here>;
    type RecastUp<T: ModeTree, Up: Nat, Down: Nat> =
        <<T as CastTree>::Up<Up> as CastNext>::ThenDown<Down>;
    type RecastDown<T: ModeTree, N: Nat> = DowncastOf<T, N>;
}

/// The stride and the factor do not divide one another.
#[derive(Clone, Copy, Debug, Default)]
pub struct CastStrideRule;
/// A scaled-basis stride cannot be counted in other units.
#[derive(Clone, Copy, Debug, Default)]
pub struct CastBasisRule;
/// No mode has stride 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct UnitRule;
/// The elements of a mode do not fill whole units.
#[derive(Clone, Copy, Debug, Default)]
pub struct WholeRule;

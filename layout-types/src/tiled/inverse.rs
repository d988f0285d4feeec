//! The inverses of a tree of modes, and the tree without its repeats.
//!
//! ```text
//!   (2,4):(4,1)    right inverse (4,2):(2,1)          offset 1 is at index 2, offset 4 at index 1
//!   (4,2):(1,16)   left inverse (16,2):(1,4)          the hole 4 .. 15 spanned
//! ```
//!
//! Law: `A(R(i)) == i` for the right inverse, of the longest run of offsets from 0; `L(A(i)) == i` for the left inverse, where
//! `A` is injective and its strides, sorted, divide one another (CuTe: `right_inverse`, `left_inverse` in `cute/layout.hpp`).
//!
//! No sorting: a step of either walk looks for the mode of the stride that comes next, and yields a mode of size 1 where
//! there is none, which coalescing drops.

use crate::algebra::coalesce::CoalescedTree;
use crate::num::{Bool, Nat, NatAdd, NatCmp, One, StrideLeaf, Zero};
use crate::tree::{Cons, M, ModeList, ModeTree, Nil};

/// A tree that has inverses: one of integer strides, which every tree of a layout with offsets is.
pub trait Invert: ModeTree {
    /// `right_inverse`.
    type RightInverse: ModeTree;
    /// `left_inverse`.
    type LeftInverse: ModeTree;
}
impl<T: ModeTree> Invert for T
where
    CoalescedTree<T>: InvertTree,
{
    type RightInverse =
        CoalescedTree<<CoalescedTree<T> as InvertTree>::Right<CoalescedTree<T>, One>>;
    type LeftInverse = CoalescedTree<
        <CoalescedTree<T> as InvertTree>::Left<CoalescedTree<T>, Zero, One, One, Zero>,
    >;
}

/// A tree whose leaves can be looked up by stride.
///
/// The prefix product of a leaf is the index at which it takes its first step.
pub trait InvertTree: ModeTree {
    /// The shape of the leaf of stride `D`, 1 where there is none.
    type ShapeAt<D: Nat>: Nat;
    /// The prefix product of the leaf of stride `D`, `P` being that of the tree; 0 where there is none.
    type PrefixAt<D: Nat, P: Nat>: Nat;
    /// The least stride above `D` of the leaves and of `Best`, which counts unless it is 0.
    type Above<D: Nat, Best: Nat>: Nat;
    /// The right inverse of `All` from the stride `Next` on, a mode for each leaf of `Self`.
    type Right<All: InvertTree, Next: Nat>: ModeList;
    /// The left inverse of `All` behind the mode `S:D` of prefix product `P`, a mode for each leaf of `Self` and one more;
    /// offsets below `Covered` are done.
    type Left<All: InvertTree, D: Nat, Covered: Nat, S: Nat, P: Nat>: ModeList;
}

/// The least stride of `All` above `D`, or `D`.
type NextStride<All, D> =
    <<<All as InvertTree>::Above<D, Zero> as NatCmp>::IsZero as Bool>::PickNat<
        D,
        <All as InvertTree>::Above<D, Zero>,
    >;
/// `A` where the stride of `All` above `D` exists, `B` otherwise.
type IfNext<All, D, A, B> =
    <<<All as InvertTree>::Above<D, Zero> as NatCmp>::IsZero as Bool>::PickNat<B, A>;

impl<S: Nat, D: StrideLeaf> InvertTree for M<S, D> {
    type ShapeAt<E: Nat> = <D::SameNat<E> as Bool>::PickNat<S, One>;
    type PrefixAt<E: Nat, P: Nat> = <D::SameNat<E> as Bool>::PickNat<P, Zero>;
    type Above<E: Nat, Best: Nat> =
        <<<D::Magnitude as NatCmp>::AtLeast<<E as NatAdd>::Succ> as Bool>::And<
            <<Best as NatCmp>::IsZero as Bool>::Or<<Best as NatCmp>::AtLeast<D::Magnitude>>,
        > as Bool>::PickNat<D::Magnitude, Best>;
    type Right<All: InvertTree, Next: Nat> =
        Cons<M<All::ShapeAt<Next>, All::PrefixAt<Next, One>>, Nil>;
    type Left<All: InvertTree, E: Nat, Covered: Nat, T: Nat, P: Nat> = Cons<
        M<<NextStride<All, E> as Nat>::Over<Covered>, P>,
        Cons<
            M<
                IfNext<All, E, All::ShapeAt<NextStride<All, E>>, T>,
                IfNext<All, E, All::PrefixAt<NextStride<All, E>, One>, P>,
            >,
            Nil,
        >,
    >;
}
impl InvertTree for Nil {
    type ShapeAt<E: Nat> = One;
    type PrefixAt<E: Nat, P: Nat> = Zero;
    type Above<E: Nat, Best: Nat> = Best;
    type Right<All: InvertTree, Next: Nat> = Nil;
    type Left<All: InvertTree, E: Nat, Covered: Nat, T: Nat, P: Nat> = Cons<M<T, P>, Nil>;
}
impl<H: InvertTree, T: ModeList + InvertTree> InvertTree for Cons<H, T> {
    type ShapeAt<E: Nat> = <H::ShapeAt<E> as Nat>::Times<T::ShapeAt<E>>;
    type PrefixAt<E: Nat, P: Nat> =
        <H::PrefixAt<E, P> as NatCmp>::Max<T::PrefixAt<E, <P as Nat>::Times<H::Size>>>;
    type Above<E: Nat, Best: Nat> = T::Above<E, H::Above<E, Best>>;
    type Right<All: InvertTree, Next: Nat> = Cons<
        M<All::ShapeAt<Next>, All::PrefixAt<Next, One>>,
        T::Right<All, <Next as Nat>::Times<All::ShapeAt<Next>>>,
    >;
    type Left<All: InvertTree, E: Nat, Covered: Nat, S: Nat, P: Nat> = Cons<
        M<<NextStrideOr<All, E, Covered> as Nat>::Over<Covered>, P>,
        T::Left<
            All,
            NextStride<All, E>,
            NextStrideOr<All, E, Covered>,
            IfNext<All, E, All::ShapeAt<NextStride<All, E>>, S>,
            IfNext<All, E, All::PrefixAt<NextStride<All, E>, One>, P>,
        >,
    >;
}
/// The least stride of `All` above `D`, or `C`.
type NextStrideOr<All, D, C> =
    <<<All as InvertTree>::Above<D, Zero> as NatCmp>::IsZero as Bool>::PickNat<
        C,
        <All as InvertTree>::Above<D, Zero>,
    >;

/// A tree without its modes of stride 0, CuTe's `filter`: coalesce [`FilterTree::Filtered`].
pub trait FilterTree: ModeTree {
    /// Modes of stride 0 have size 1.
    type Filtered: ModeTree;
}
impl<S: Nat, D: StrideLeaf> FilterTree for M<S, D> {
    type Filtered = M<<D::Null as Bool>::PickNat<One, S>, D>;
}
impl FilterTree for Nil {
    type Filtered = Nil;
}
impl<H: FilterTree, T: ModeList + FilterTree<Filtered: ModeList>> FilterTree for Cons<H, T> {
    type Filtered = Cons<H::Filtered, T::Filtered>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{LayoutFn, Unzip};
    use std::string::ToString;
    extern crate std;

    type Right<L> = Unzip<<<L as LayoutFn>::Modes as Invert>::RightInverse>;
    type Left<L> = Unzip<<<L as LayoutFn>::Modes as Invert>::LeftInverse>;

    #[test]
    fn inverses_as_cute_prints_them() {
        macro_rules! check {
            ($($inverse:ident [$($l:tt)*] $expected:literal;)*) => {$(
                assert_eq!(<$inverse<crate::layout!($($l)*)>>::default().to_string(), $expected);
            )*};
        }
        check! {
            Right [(2,4):(4,1)] "(4,2):(2,1)"; Right [(4,2):(8,8)] "1:0"; Right [(4,2):(1,16)] "4:1";
            Right [(2,4):(0,2)] "1:0"; Right [4:0] "1:0"; Right [4:-1] "1:0"; Right [(4,8):(8,1)] "(8,4):(4,1)";
            Left [((4,2),3):((3,3),0)] "(3,4):(0,1)"; Left [(4,2):(2,1)] "(2,4):(4,1)";
            Left [(4,2):(24,3)] "(3,8,4):(0,4,1)"; Left [(4,2):(1,4)] "8:1"; Left [(4,2):(1,16)] "(16,2):(1,4)";
            Left [(6,2):(4,32)] "(4,8,2):(0,1,6)"; Left [((2),(3),3):((3),(1),0)] "(3,2):(2,1)"; Left [1:1] "1:0";
            Left [((4),6):((1),16)] "(16,6):(1,4)";
        }
    }
}

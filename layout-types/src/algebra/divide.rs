//! The divides: a layout cut into tiles.
//!
//! ```text
//!   (4,2,3):(2,1,8) / 4:2   =   ((2,2),(2,3)):((4,1),(2,8))       (tile, rest)
//! ```
//!
//! Law: `logical_divide(A, T) = A o (T, complement(T, shape(A)))`: mode 0 is the elements of `A` in
//! the tile, mode 1 walks over the tiles. The zipped, tiled and flat divides gather the modes:
//! `((TileM,TileN,..),(RestM,RestN,..))`, `((TileM,TileN,..),RestM,RestN,..)`,
//! `(TileM,TileN,..,RestM,RestN,..)`. As in CuTe a tile that does not divide its mode rounds up,
//! and then the size of the result is larger than that of `A` (CuTe: `cute/layout.hpp`, "Logical
//! divide").

use super::complements::{GapRule, NoGap, holes, nests, sort};
use super::compose::{RankRule, Tiler, TilerList};
use super::compose_list::{Digits, covered};
use super::decide::{FullCompose, UnbudgetedCompose};
use super::outcome::{
    Admissible, Done, ExactFlatDivides, ExactLogicalDivides, ExactTiledDivides, ExactZippedDivides,
    FlatDivides, Here, LogicalDivides, Mode, ModePath, Outcome, Refused, TiledDivides, Undecided,
    ZippedDivides,
};
use crate::layout::{Layout, LayoutFn};
use crate::num::{Bool, False, Nat, NatCmp, One, StrideLeaf, True, Zero};
use crate::tree::{Cons, M, ModeList, ModeTree, Nil, Underscore, Zip};

macro_rules! divide {
    ($(#[$m:meta])* $alias:ident, $(#[$n:meta])* $trait:ident, $next:ident, $fit:ident, $op:ident) => {
        $(#[$m])*
        pub type $alias<A, T> = <A as $trait<T>>::Output;

        $(#[$n])*
        #[diagnostic::on_unimplemented(message = "this operation is not admissible for these operands")]
        pub trait $trait<T>: LayoutFn {
            /// The result.
            type Output: LayoutFn;
        }
        impl<A: LayoutFn, T: Tiler> $trait<T> for A
        where
            <T::Divided<A::Modes, $fit> as DivideNext>::$next<T>: Admissible<$op, A, T>,
        {
            type Output =
                A::With<<<T::Divided<A::Modes, $fit> as DivideNext>::$next<T> as Admissible<$op, A, T>>::Tree>;
        }
    };
}

divide! {
    /// `((TileM,RestM),(TileN,RestN),..)`; for a layout as tiler `(Tile,Rest)`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type D = LogicalDivide<layout!((4,2,3):(2,1,8)), layout!(4:2)>;
    /// assert_eq!(D::default().to_string(), "((2,2),(2,3)):((4,1),(2,8))");
    /// ```
    #[doc(alias = "logical_divide")]
    LogicalDivide,
    /// `Self` can be divided by the tiler `T`.
    LogicalDivideBy, Logical, RoundUp, LogicalDivides
}
divide! {
    /// `((TileM,TileN,..),(RestM,RestN,..,L,..))`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type D = ZippedDivide<layout!((8,6)), tile!(4:1, 3)>;
    /// assert_eq!(D::default().to_string(), "((4,3),(2,2)):((1,8),(4,24))");
    /// ```
    ///
    #[doc = include_str!("../pictures/divide.html")]
    #[doc(alias = "zipped_divide")]
    ZippedDivide,
    /// `Self` can be divided by the tiler `T`, tiles first.
    ZippedDivideBy, Zipped, RoundUp, ZippedDivides
}
divide! {
    /// `((TileM,TileN,..),RestM,RestN,..,L,..)`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type D = TiledDivide<layout!((8,6)), tile!(4:1, 3)>;
    /// assert_eq!(D::default().to_string(), "((4,3),2,2):((1,8),4,24)");
    /// ```
    #[doc(alias = "tiled_divide")]
    TiledDivide,
    /// `Self` can be divided by the tiler `T`, tiles first, rests unpacked.
    TiledDivideBy, Tiled, RoundUp, TiledDivides
}
divide! {
    /// `(TileM,TileN,..,RestM,RestN,..,L,..)`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type D = FlatDivide<layout!((8,6)), tile!(4:1, 3)>;
    /// assert_eq!(D::default().to_string(), "(4,3,2,2):(1,8,4,24)");
    /// ```
    #[doc(alias = "flat_divide")]
    FlatDivide,
    /// `Self` can be divided by the tiler `T`, tiles first, all unpacked.
    FlatDivideBy, Flat, RoundUp, FlatDivides
}

divide! {
    /// `((TileM,RestM),(TileN,RestN),..)`, where the tiles fill the layout exactly; refused where a
    /// tile sticks out.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type D = ExactLogicalDivide<layout!((8,6)), tile!(4, 3)>;
    /// assert_eq!(D::default().to_string(), "((4,2),(3,2)):((1,4),(8,24))");
    /// ```
    ExactLogicalDivide,
    /// `Self` can be divided by the tiler `T` without remainder.
    ExactLogicalDivideBy, Logical, Exact, ExactLogicalDivides
}
divide! {
    /// `((TileM,TileN,..),(RestM,RestN,..,L,..))`, where the tiles fill the layout exactly; refused
    /// where a tile sticks out.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type D = ExactZippedDivide<layout!((8,6)), tile!(4, 3)>;
    /// assert_eq!(D::default().to_string(), "((4,3),(2,2)):((1,8),(4,24))");
    /// ```
    ExactZippedDivide,
    /// `Self` can be divided by the tiler `T` without remainder.
    ExactZippedDivideBy, Zipped, Exact, ExactZippedDivides
}
divide! {
    /// `((TileM,TileN,..),RestM,RestN,..,L,..)`, where the tiles fill the layout exactly; refused
    /// where a tile sticks out.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type D = ExactTiledDivide<layout!((8,6)), tile!(4, 3)>;
    /// assert_eq!(D::default().to_string(), "((4,3),2,2):((1,8),4,24)");
    /// ```
    ExactTiledDivide,
    /// `Self` can be divided by the tiler `T` without remainder.
    ExactTiledDivideBy, Tiled, Exact, ExactTiledDivides
}
divide! {
    /// `(TileM,TileN,..,RestM,RestN,..,L,..)`, where the tiles fill the layout exactly; refused
    /// where a tile sticks out.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type D = ExactFlatDivide<layout!((8,6)), tile!(4, 3)>;
    /// assert_eq!(D::default().to_string(), "(4,3,2,2):(1,8,4,24)");
    /// ```
    ExactFlatDivide,
    /// `Self` can be divided by the tiler `T` without remainder.
    ExactFlatDivideBy, Flat, Exact, ExactFlatDivides
}

/// What a tiler does to each mode: divide it, rounding up or exactly, or repeat it
/// ([`super::product::Repeat`]).
pub trait Fit {
    /// `A` and the layout `T`.
    type Leaf<A: ModeTree, T: ModeTree>: Outcome;
    /// The composition of `A` with tile `T` and rest `R`, where the strict one came to `O`.
    type Decide<A: ModeTree, T: ModeTree, R: ModeTree, O: Outcome>: Outcome;
    /// The divide of `A` by tile `T` and rest `R`; `Nests` says whether the tile's strides nest.
    type Divide<A: ModeTree, T: ModeTree, R: ModeTree, Nests: Bool>: Outcome;
}
/// The last tiles may stick out, as in CuTe.
#[derive(Clone, Copy, Debug, Default)]
pub struct RoundUp;
/// The tiles fill the layout.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exact;
impl Fit for RoundUp {
    type Leaf<A: ModeTree, T: ModeTree> = DividedByTree<A, T, Self>;
    type Decide<A: ModeTree, T: ModeTree, R: ModeTree, O: Outcome> =
        <FullCompose<A, T> as DivideNext>::TileOrElse<A, T, R, O>;
    type Divide<A: ModeTree, T: ModeTree, R: ModeTree, Nests: Bool> =
        <Nests as DivideBranch>::RoundUp<A, T, R>;
}
impl Fit for Exact {
    type Leaf<A: ModeTree, T: ModeTree> = DividedByTree<A, T, Self>;
    type Decide<A: ModeTree, T: ModeTree, R: ModeTree, O: Outcome> = O;
    type Divide<A: ModeTree, T: ModeTree, R: ModeTree, Nests: Bool> =
        <Nests as DivideBranch>::ExactNested<A, T, R>;
}

/// What the divides do next with a logical divide by the tiler `T`.
pub trait DivideNext {
    /// As it is.
    type Logical<T: Tiler>: Outcome;
    /// Tiles and rests gathered.
    type Zipped<T: Tiler>: Outcome;
    /// Tiles gathered, rests unpacked.
    type Tiled<T: Tiler>: Outcome;
    /// Tiles and rests unpacked.
    type Flat<T: Tiler>: Outcome;
    /// `T`, the tiles and rests, where `Self` found each mode to be a pair of both.
    type Gathered<T: ModeTree>: Outcome;
    /// With the modes of `L` behind it still to be pairs for the tilers `T`.
    type ThenPairs<T: TilerList, L: ModeList>: Outcome;
    /// With the modes of `L` behind it still to be divided by the tilers `T`.
    type ThenDivided<T: TilerList, L: ModeList, F: Fit>: Outcome;
    /// The divide of `A` by the tile `T`, where `Self` is the rest.
    type WithRest<A: ModeTree, T: ModeTree, F: Fit, Nests: Bool>: Outcome;
    /// `Self`, the strict composition of `A` with tile and rest, or what rounding up makes of it.
    type OrRoundUp<A: ModeTree, T: ModeTree, R: ModeTree, F: Fit>: Outcome;
    /// Where the tile `T`, of which this is the composition with `A`, exists: the divide rounded
    /// up.
    type TileOrElse<A: ModeTree, T: ModeTree, R: ModeTree, O: Outcome>: Outcome;
    /// `Self`, composed as CuTe does, where it covers the left operand; `O` otherwise.
    type IfCovered<O: Outcome>: Outcome;
}
impl<D: ModeTree, X: Digits> DivideNext for Done<D, X> {
    type Logical<T: Tiler> = Self;
    type Zipped<T: Tiler> =
        <T::Pairs<D> as DivideNext>::Gathered<Cons<T::TileOf<D>, Cons<T::RestOf<D>, Nil>>>;
    type Tiled<T: Tiler> = <T::Pairs<D> as DivideNext>::Gathered<
        Cons<T::TileOf<D>, <T::RestOf<D> as ModeTree>::Spliced>,
    >;
    type Flat<T: Tiler> = <T::Pairs<D> as DivideNext>::Gathered<
        <<T::TileOf<D> as ModeTree>::Spliced as ModeList>::Concat<
            <T::RestOf<D> as ModeTree>::Spliced,
        >,
    >;
    type Gathered<T: ModeTree> = Done<T>;
    type ThenPairs<T: TilerList, L: ModeList> = <T::PairModes<L> as Outcome>::Behind<D>;
    type ThenDivided<T: TilerList, L: ModeList, F: Fit> =
        <T::DividedModes<L, F> as Outcome>::Behind<D>;
    type WithRest<A: ModeTree, T: ModeTree, F: Fit, Nests: Bool> = F::Divide<A, T, D, Nests>;
    type OrRoundUp<A: ModeTree, T: ModeTree, R: ModeTree, F: Fit> = Self;
    type TileOrElse<A: ModeTree, T: ModeTree, R: ModeTree, O: Outcome> =
        <UnbudgetedCompose<A, Cons<T, Cons<R, Nil>>> as DivideNext>::IfCovered<O>;
    type IfCovered<O: Outcome> = <covered<X> as DivideBranch>::IfCounted<D, O>;
}
impl<Why, S: Nat, D: StrideLeaf, P: ModePath> DivideNext for Refused<Why, S, D, P> {
    type Logical<T: Tiler> = Self;
    type Zipped<T: Tiler> = Self;
    type Tiled<T: Tiler> = Self;
    type Flat<T: Tiler> = Self;
    type Gathered<T: ModeTree> = Self;
    type ThenPairs<T: TilerList, L: ModeList> = Refused<Why, S, D, Mode<Zero, P>>;
    type ThenDivided<T: TilerList, L: ModeList, F: Fit> = Refused<Why, S, D, Mode<Zero, P>>;
    type WithRest<A: ModeTree, T: ModeTree, F: Fit, Nests: Bool> = Self;
    type OrRoundUp<A: ModeTree, T: ModeTree, R: ModeTree, F: Fit> = F::Decide<A, T, R, Self>;
    type TileOrElse<A: ModeTree, T: ModeTree, R: ModeTree, O: Outcome> = Self;
    type IfCovered<O: Outcome> = Self;
}
impl DivideNext for Undecided {
    type Logical<T: Tiler> = Self;
    type Zipped<T: Tiler> = Self;
    type Tiled<T: Tiler> = Self;
    type Flat<T: Tiler> = Self;
    type Gathered<T: ModeTree> = Self;
    type ThenPairs<T: TilerList, L: ModeList> = Self;
    type ThenDivided<T: TilerList, L: ModeList, F: Fit> = Self;
    type WithRest<A: ModeTree, T: ModeTree, F: Fit, Nests: Bool> = Self;
    type OrRoundUp<A: ModeTree, T: ModeTree, R: ModeTree, F: Fit> = Self;
    type TileOrElse<A: ModeTree, T: ModeTree, R: ModeTree, O: Outcome> = Self;
    type IfCovered<O: Outcome> = Self;
}

/// What the divides do on a truth value.
pub trait DivideBranch {
    /// `T` where true; otherwise `_` left `T` whole, which is no pair of tile and rest.
    type IfPair<T: ModeTree>: Outcome;
    /// `T` where true; `O`, the refusal, where an element is in no copy of the tile or in two.
    type IfCounted<T: ModeTree, O: Outcome>: Outcome;
    /// True: the tile's strides nest.
    type RoundUp<A: ModeTree, T: ModeTree, R: ModeTree>: Outcome;
    /// True: the tile's strides nest.
    type ExactNested<A: ModeTree, T: ModeTree, R: ModeTree>: Outcome;
    /// True: tile and rest have as many elements as `A`.
    type Exact<A: ModeTree, T: ModeTree, R: ModeTree>: Outcome;
}
impl DivideBranch for True {
    type IfPair<T: ModeTree> = Done<T>;
    type IfCounted<T: ModeTree, O: Outcome> = Done<T>;
    type RoundUp<A: ModeTree, T: ModeTree, R: ModeTree> =
        <FullCompose<A, Cons<T, Cons<R, Nil>>> as DivideNext>::OrRoundUp<A, T, R, RoundUp>;
    type ExactNested<A: ModeTree, T: ModeTree, R: ModeTree> =
        <<<T::Size as Nat>::Times<R::Size> as NatCmp>::Equals<A::Size> as DivideBranch>::Exact<
            A,
            T,
            R,
        >;
    type Exact<A: ModeTree, T: ModeTree, R: ModeTree> = FullCompose<A, Cons<T, Cons<R, Nil>>>;
}
impl DivideBranch for False {
    type IfPair<T: ModeTree> = Refused<PairRule, T::Size, Zero, Here>;
    type IfCounted<T: ModeTree, O: Outcome> = O;
    type RoundUp<A: ModeTree, T: ModeTree, R: ModeTree> =
        <FullCompose<A, T> as DivideNext>::TileOrElse<A, T, R, Refused<GapRule, One, Zero, Here>>;
    type ExactNested<A: ModeTree, T: ModeTree, R: ModeTree> = Refused<GapRule, One, Zero, Here>;
    type Exact<A: ModeTree, T: ModeTree, R: ModeTree> =
        Refused<RaggedRule, <T::Size as Nat>::Times<R::Size>, A::Size, Here>;
}

/// What a tiler divides.
pub trait DivideBy {
    /// `logical_divide(A, Self)`.
    type Divided<A: ModeTree, F: Fit>: Outcome;
    /// `T`, a tree divided by this tiler, where it is a pair of tile and rest for every tiler that
    /// is not a tuple; otherwise the way to a mode that is none.
    type Pairs<T: ModeTree>: Outcome;
    /// The tile of `T`, a tree divided by this tiler.
    type TileOf<T: ModeTree>: ModeTree;
    /// The rest of `T`, a tree divided by this tiler.
    type RestOf<T: ModeTree>: ModeTree;
}
macro_rules! pair {
    () => {
        type TileOf<T: ModeTree> = <T::Modes as ModeList>::First;
        type RestOf<T: ModeTree> = <<T::Modes as ModeList>::Rest as ModeList>::First;
    };
}
impl<S, D> DivideBy for Layout<S, D>
where
    S: Zip<D>,
{
    type Divided<A: ModeTree, F: Fit> = F::Leaf<A, S::Modes>;
    type Pairs<T: ModeTree> = Done<T>;
    pair!();
}
impl<N: Nat> DivideBy for N {
    type Divided<A: ModeTree, F: Fit> = F::Leaf<A, M<N, <N::IsOne as Bool>::PickNat<Zero, One>>>;
    type Pairs<T: ModeTree> = Done<T>;
    pair!();
}
impl DivideBy for Underscore {
    type Divided<A: ModeTree, F: Fit> = Done<A>;
    type Pairs<T: ModeTree> =
        <<T::Rank as NatCmp>::Equals<crate::num::Two> as DivideBranch>::IfPair<T>;
    pair!();
}
/// `A` divided by a layout: composed with the tiler and its complement in `A`'s coalesced shape.
pub type DividedByTree<A, T, F> = <holes<SortedTile<T>, CoalescedShape<A>> as DivideNext>::WithRest<
    A,
    T,
    F,
    nests<SortedTile<T>, One>,
>;
type SortedTile<T> = sort<T, NoGap>;
/// The shape of a tree coalesced.
pub type CoalescedShape<A> = <super::coalescing::CoalescedTree<A> as ModeTree>::Shape;

impl DivideBy for Nil {
    type Divided<A: ModeTree, F: Fit> = Done<A>;
    type Pairs<T: ModeTree> = Done<T>;
    type TileOf<T: ModeTree> = Nil;
    type RestOf<T: ModeTree> = T;
}
impl<H: Tiler, T: TilerList> DivideBy for Cons<H, T> {
    type Divided<A: ModeTree, F: Fit> = <A::Modes as DivideModes>::Divided<H, T, F>;
    type Pairs<D: ModeTree> = <Self as DivideByList>::PairModes<D::Modes>;
    type TileOf<D: ModeTree> = <Self as DivideByList>::Tiles<D::Modes>;
    type RestOf<D: ModeTree> = <Self as DivideByList>::Rests<D::Modes>;
}

/// What a tuple of tilers divides.
pub trait DivideByList {
    /// The modes of `L` divided by the tilers, one each; modes without a tiler stay.
    type DividedModes<L: ModeList, F: Fit>: Outcome;
    /// [`DivideBy::Pairs`] of each mode.
    type PairModes<L: ModeList>: Outcome;
    /// The tiles of each mode.
    type Tiles<L: ModeList>: ModeList;
    /// The rests of each mode, and then the modes without a tiler.
    type Rests<L: ModeList>: ModeList;
}
impl DivideByList for Nil {
    type DividedModes<L: ModeList, F: Fit> = Done<L>;
    type PairModes<L: ModeList> = Done<L>;
    type Tiles<L: ModeList> = Nil;
    type Rests<L: ModeList> = L;
}
impl<H: Tiler, T: TilerList> DivideByList for Cons<H, T> {
    type DividedModes<L: ModeList, F: Fit> = L::Divided<H, T, F>;
    type PairModes<L: ModeList> = <H::Pairs<L::First> as DivideNext>::ThenPairs<T, L::Rest>;
    type Tiles<L: ModeList> = Cons<H::TileOf<L::First>, T::Tiles<L::Rest>>;
    type Rests<L: ModeList> = Cons<H::RestOf<L::First>, T::Rests<L::Rest>>;
}

/// Lists of modes that are divided.
pub trait DivideModes {
    /// The modes divided by the tiler `T` and then by those of `U`, one each.
    type Divided<T: Tiler, U: TilerList, F: Fit>: Outcome;
}
impl DivideModes for Nil {
    type Divided<T: Tiler, U: TilerList, F: Fit> = Refused<RankRule, Zero, Zero, Here>;
}
impl<H: ModeTree, L: ModeList> DivideModes for Cons<H, L> {
    type Divided<T: Tiler, U: TilerList, F: Fit> =
        <T::Divided<H, F> as DivideNext>::ThenDivided<U, L, F>;
}

/// A mode that `_` left whole has not the two modes that a zipped divide takes for tile and rest.
#[derive(Clone, Copy, Debug, Default)]
pub struct PairRule;
/// The tiles do not fill the layout exactly.
#[derive(Clone, Copy, Debug, Default)]
pub struct RaggedRule;

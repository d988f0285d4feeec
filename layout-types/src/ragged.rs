//! Layouts with run-time extents: static modes in front, and modes whose extents a launch gives.
//!
//! ```text
//!   RaggedIdentity<U2>                      (ext0,ext1):(1@0,1@1)
//!   by tiles of (128,32)                    (128,32,ceil_div(ext0,128),ceil_div(ext1,32)):(1@0,1@1,128@0,32@1)
//!   at block row 3, all along k: (3,_)      (128,32,ceil_div(ext1,32)):(1@0,1@1,32@1)       from coordinate (384,0) on
//! ```
//!
//! Law: a coordinate's offset never depends on an extent, because each run-time mode is a top-level
//! mode that is addressed by a number of its own. So all algebra remains in types, and the extents
//! are needed only to count tiles and to predicate.
//!
//! Source: `docs/algebra.md`, run-time extents; CuTe's `local_tile` of a tensor with run-time
//! shape.

use crate::coord::{Coord, CountsModes, Pattern, SlicesModes};
use crate::decimal::Decimal;
use crate::extent::{Ext, Extent};
use crate::layout::{LayoutFn, Unzip};
use crate::num::{Bool, E, False, Nat, NatAdd, NatCmp, One, StrideLeaf, True, Zero};
use crate::tree::{Cons, M, ModeList, ModeTree, Nil, PrintTree, Underscore, phantom};
use core::fmt;
use typenum::{B0, B1, UInt};

phantom! {
    /// A layout of the modes `Modes`, some of them [`RuntimeMode`]s.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// type Matrix = RaggedIdentity<int!(2)>;
    /// assert_eq!(Matrix::default().to_string(), "(ext0,ext1):(1@0,1@1)");
    /// type Tiles = RaggedDivide<Matrix, tile!(128, 32)>;
    /// assert_eq!(
    ///     Tiles::default().to_string(),
    ///     "(128,32,ceil_div(ext0,128),ceil_div(ext1,32)):(1@0,1@1,128@0,32@1)"
    /// );
    /// type Row = SliceTensor<Tiles, (Underscore, Underscore, u32, Underscore)>;
    /// assert_eq!(Row::default().to_string(), "(128,32,ceil_div(ext1,32)):(1@0,1@1,32@1)");
    /// type Tile = SliceTensor<Row, (Underscore, Underscore, u32)>;
    /// assert_eq!(Tile::default().to_string(), "(128,32):(1@0,1@1)"); // a static layout
    /// ```
    Ragged<Modes>
}

phantom! {
    /// A mode of a [`Ragged`] layout: the extent `X`, with the stride `D`.
    RuntimeMode<X, D>
}

/// The layout of a tensor: static ([`LayoutFn`]), or with run-time extents ([`Ragged`]).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the layout of a tensor",
    label = "neither a static layout nor one with run-time extents"
)]
pub trait TensorLayout: Copy + Default + fmt::Display + Send + Sync + 'static {
    /// The layout's function, with each run-time mode replaced by a mode of size 1 with the same
    /// stride.
    type Offsets: LayoutFn;
}
impl<L: LayoutFn> TensorLayout for L {
    type Offsets = L;
}
impl<X: RaggedModes> TensorLayout for Ragged<X> {
    type Offsets = Unzip<X::Offsets>;
}

/// A list of modes, static ones and [`RuntimeMode`]s.
#[doc(hidden)]
pub trait RaggedModes: Send + Sync + 'static {
    /// The list with a static mode of size 1 for each run-time mode.
    type Offsets: ModeList;
    /// Whether all modes are static.
    type AllStatic: Bool;
    /// The layout, which is static if all modes are static.
    type Layout: TensorLayout;
    /// The modes, followed by those of `L`.
    type Then<L: RaggedModes>: RaggedModes;
    /// Returns the size of mode `mode` of a tensor with the given extents, or 1 after the last
    /// mode.
    fn size(mode: usize, extents: &[u32]) -> u32;
    /// Prints the modes' shapes or strides, each after a comma unless it is the first.
    fn print(f: &mut fmt::Formatter<'_>, strides: bool, first: bool) -> fmt::Result;
}
impl RaggedModes for Nil {
    type Offsets = Nil;
    type AllStatic = True;
    type Layout = Unzip<Nil>;
    type Then<L: RaggedModes> = L;
    #[inline(always)]
    fn size(_mode: usize, _extents: &[u32]) -> u32 {
        1
    }
    fn print(_f: &mut fmt::Formatter<'_>, _strides: bool, _first: bool) -> fmt::Result {
        Ok(())
    }
}
impl<H: RaggedMode, T: RaggedModes> RaggedModes for Cons<H, T> {
    type Offsets = Cons<H::Offsets, T::Offsets>;
    type AllStatic = <H::IsStatic as Bool>::And<T::AllStatic>;
    type Layout = <Self::AllStatic as RaggedBranch>::Pick<Unzip<Self::Offsets>, Ragged<Self>>;
    type Then<L: RaggedModes> = Cons<H, T::Then<L>>;
    #[inline(always)]
    fn size(mode: usize, extents: &[u32]) -> u32 {
        if mode == 0 {
            H::size(extents)
        } else {
            T::size(mode - 1, extents)
        }
    }
    fn print(f: &mut fmt::Formatter<'_>, strides: bool, first: bool) -> fmt::Result {
        if !first {
            f.write_str(",")?;
        }
        H::print(f, strides)?;
        T::print(f, strides, false)
    }
}
/// Selects a layout by a truth value.
#[doc(hidden)]
pub trait RaggedBranch {
    /// `A` if true, `B` otherwise.
    type Pick<A: TensorLayout, B: TensorLayout>: TensorLayout;
}
impl RaggedBranch for True {
    type Pick<A: TensorLayout, B: TensorLayout> = A;
}
impl RaggedBranch for False {
    type Pick<A: TensorLayout, B: TensorLayout> = B;
}

/// A static mode, or a [`RuntimeMode`].
#[doc(hidden)]
pub trait RaggedMode: Send + Sync + 'static {
    /// The mode, with size 1 if it is a run-time mode.
    type Offsets: ModeTree;
    /// Whether the mode is static.
    type IsStatic: Bool;
    /// Returns the mode's size in a tensor with the given extents.
    fn size(extents: &[u32]) -> u32;
    /// Prints the mode's shape or its stride.
    fn print(f: &mut fmt::Formatter<'_>, strides: bool) -> fmt::Result;
}
impl<T: ModeTree> RaggedMode for T {
    type Offsets = T;
    type IsStatic = True;
    #[inline(always)]
    fn size(_extents: &[u32]) -> u32 {
        T::SIZE as u32
    }
    fn print(f: &mut fmt::Formatter<'_>, strides: bool) -> fmt::Result {
        if strides {
            <T::Stride as PrintTree>::print(f)
        } else {
            <T::Shape as PrintTree>::print(f)
        }
    }
}
impl<X: Extent, D: StrideLeaf> RaggedMode for RuntimeMode<X, D> {
    type Offsets = M<One, D>;
    type IsStatic = False;
    #[inline(always)]
    fn size(extents: &[u32]) -> u32 {
        X::of(extents)
    }
    fn print(f: &mut fmt::Formatter<'_>, strides: bool) -> fmt::Result {
        if strides { D::print(f) } else { X::print(f) }
    }
}
impl<X: RaggedModes> fmt::Display for Ragged<X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        X::print(f, false, true)?;
        f.write_str("):(")?;
        X::print(f, true, true)?;
        f.write_str(")")
    }
}
impl<X: RaggedModes> fmt::Debug for Ragged<X> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The identity layout of `R` run-time extents: `(ext0,ext1,..):(1@0,1@1,..)`.
pub type RaggedIdentity<R> = Ragged<<R as RaggedRank>::From<Zero>>;
/// A number of run-time extents.
#[doc(hidden)]
pub trait RaggedRank {
    /// The modes from number `I` on.
    type From<I: Nat>: RaggedModes;
}
impl RaggedRank for Zero {
    type From<I: Nat> = Nil;
}
macro_rules! ragged_rank {
    ($b:ty) => {
        impl<U: Nat> RaggedRank for UInt<U, $b>
        where
            crate::num::Pred<Self>: RaggedRank,
        {
            type From<I: Nat> = Cons<
                RuntimeMode<Ext<I>, E<I, One>>,
                <crate::num::Pred<Self> as RaggedRank>::From<<I as NatAdd>::Succ>,
            >;
        }
    };
}
ragged_rank!(B0);
ragged_rank!(B1);

/// The tiles of a [`Ragged`] layout whose modes are all run-time modes:
/// `(Tile0,Tile1,..,Rest0,Rest1,..)`, CuTe's `flat_divide`. The rests count ragged tiles too.
pub type RaggedDivide<L, T> = <L as RaggedDivideBy<T>>::Output;
/// `Self` has run-time modes that the tiler's numbers divide.
#[diagnostic::on_unimplemented(
    message = "this tiler does not tile a layout with run-time extents",
    label = "a tiler of run-time modes is a tuple of as many numbers as there are modes"
)]
#[doc(hidden)]
pub trait RaggedDivideBy<T> {
    /// [`RaggedDivide`].
    type Output: TensorLayout;
}
impl<X: RaggedModes + CutBy<T>, T> RaggedDivideBy<T> for Ragged<X> {
    type Output = <<X::Tiles as RaggedModes>::Then<X::Rests> as RaggedModes>::Layout;
}
/// Run-time modes that the tiler `T` divides. `T` has a number for each mode.
#[doc(hidden)]
pub trait CutBy<T> {
    /// The tiles, which are static.
    type Tiles: RaggedModes;
    /// The rests, which are run-time modes.
    type Rests: RaggedModes;
}
impl<X: RaggedModes, T: CountsNumbers> CutBy<T> for X
where
    <T::Count as NatCmp>::Equals<RankOfModes<X>>: CutsModes<X, T, T::Count, RankOfModes<X>>,
{
    type Tiles = <<T::Count as NatCmp>::Equals<RankOfModes<X>> as CutsModes<
        X,
        T,
        T::Count,
        RankOfModes<X>,
    >>::Tiles;
    type Rests = <<T::Count as NatCmp>::Equals<RankOfModes<X>> as CutsModes<
        X,
        T,
        T::Count,
        RankOfModes<X>,
    >>::Rests;
}
/// A tiler whose numbers can be counted.
#[doc(hidden)]
pub trait CountsNumbers {
    /// The number of elements of the list.
    type Count: Nat;
}
impl CountsNumbers for Nil {
    type Count = Zero;
}
impl<N, NS: CountsNumbers> CountsNumbers for Cons<N, NS> {
    type Count = <NS::Count as NatAdd>::Succ;
}
/// The tiles of the modes `X` by a tiler `T`, selected by whether `T` has a number for each mode.
#[doc(hidden)]
pub trait CutsModes<X, T, Count, Rank> {
    /// The tiles, which are static.
    type Tiles: RaggedModes;
    /// The rests, which are run-time modes.
    type Rests: RaggedModes;
}
impl<X: TilesOf<T>, T, N, R> CutsModes<X, T, N, R> for True {
    type Tiles = X::Tiles;
    type Rests = X::Rests;
}
impl<X: RaggedModes, T, N: Decimal, R: Decimal> CutsModes<X, T, N, R> for False
where
    Tiler: HasNumbersFor<N::Text, R::Text>,
    X::Offsets: RaggedModes,
{
    // The right number of modes, so that later operations are not refused too.
    type Tiles = X::Offsets;
    type Rests = X;
}
/// Names a tiler in a refusal.
#[derive(Clone, Copy, Debug)]
pub struct Tiler;
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "{Count} numbers in the tiler for the {Rank} modes of the tensor",
    label = "a matrix takes two, `tile!(1, 2048)` for a tile within a row; a vector one, `tile!(2048)`"
)]
#[doc(hidden)]
pub trait HasNumbersFor<Count, Rank> {}
/// Run-time modes that are tiled one by one.
#[diagnostic::on_unimplemented(
    message = "a tiler of run-time modes is a tuple of numbers",
    label = "`tile!(128, 32)`: a mode with a layout of its own divides static extents only"
)]
#[doc(hidden)]
pub trait TilesOf<T> {
    /// The tiles, which are static.
    type Tiles: RaggedModes;
    /// The rests, which are run-time modes.
    type Rests: RaggedModes;
}
impl TilesOf<Nil> for Nil {
    type Tiles = Nil;
    type Rests = Nil;
}
impl<X: Extent, D: StrideLeaf, N: Nat, XS: TilesOf<NS>, NS> TilesOf<Cons<N, NS>>
    for Cons<RuntimeMode<X, D>, XS>
{
    type Tiles = Cons<M<N, D>, XS::Tiles>;
    type Rests = Cons<RuntimeMode<X::Tiles<N>, D::Scale<N>>, XS::Rests>;
}

/// CuTe's `slice` of a tensor's layout: the modes that the coordinate `C` leaves open with `_`.
pub type SliceTensor<L, C> = <L as SliceTensorBy<C>>::Output;
/// `C` is a coordinate of `Self`, with `_` for each mode that the slice keeps.
#[diagnostic::on_unimplemented(
    message = "this is not a coordinate of the tensor",
    label = "a coordinate has a number, a tuple or `_` for each mode; a run-time mode takes a number or `_`"
)]
#[doc(hidden)]
pub trait SliceTensorBy<C>: TensorLayout {
    /// [`SliceTensor`].
    type Output: TensorLayout;
    /// The type of the coordinate for the offsets, where `_` counts as 0.
    type Place: Coord<<Self::Offsets as LayoutFn>::Modes, u32> + Copy;
    /// Returns the place that the fixed modes name.
    fn place(coordinate: C) -> Self::Place;
}
/// The modes of a static layout, and (`RankOf`) their number.
type ModesOf<L> = <L as LayoutFn>::Modes;
type RankOf<L> = <ModesOf<L> as ModeTree>::Rank;
macro_rules! static_slice {
    ($([$($p:ident)+] $layout:ty;)*) => {$(
        impl<$($p,)+ C> SliceTensorBy<C> for $layout
        where
            Self: LayoutFn,
            C: CountsModes<RankOf<Self>>,
            C::Fits: SlicesModes<C, ModesOf<Self>, C::Count, RankOf<Self>, ModesOf<Self>>,
        {
            type Output = <Self as LayoutFn>::With<
                <C::Fits as SlicesModes<C, ModesOf<Self>, C::Count, RankOf<Self>, ModesOf<Self>>>::Sliced,
            >;
            type Place = <C::Fits as SlicesModes<C, ModesOf<Self>, C::Count, RankOf<Self>, ModesOf<Self>>>::Place;
            #[inline(always)]
            fn place(coordinate: C) -> Self::Place {
                C::Fits::place(coordinate)
            }
        }
    )*};
}
static_slice!([S D] crate::Layout<S, D>; [F O L] crate::ComposedLayout<F, O, L>;);

/// The modes of a layout with run-time extents, as offsets.
type OffsetModes<X> = <Unzip<<X as RaggedModes>::Offsets> as LayoutFn>::Modes;
/// The number of modes of a layout with run-time extents.
pub type RankOfModes<X> = <<X as RaggedModes>::Offsets as ModeList>::Len;
impl<X: RaggedModes, C> SliceTensorBy<C> for Ragged<X>
where
    C: CountsModes<RankOfModes<X>>,
    C::Fits: SlicesModes<C, OffsetModes<X>, C::Count, RankOfModes<X>, X>,
    C::Fits: KeepsModes<C, X>,
{
    type Output = <C::Fits as KeepsModes<C, X>>::Output;
    type Place = <C::Fits as SlicesModes<C, OffsetModes<X>, C::Count, RankOfModes<X>, X>>::Place;
    #[inline(always)]
    fn place(coordinate: C) -> Self::Place {
        C::Fits::place(coordinate)
    }
}
/// The modes that a slice keeps, some of them run-time modes, selected by whether there are as many
/// coordinates as modes.
#[doc(hidden)]
pub trait KeepsModes<C, X> {
    /// The tensor's layout.
    type Output: TensorLayout;
}
impl<C: RaggedPattern<X>, X> KeepsModes<C, X> for True {
    type Output = <C::Kept as RaggedModes>::Layout;
}
impl<C, X> KeepsModes<C, X> for False {
    type Output = Unzip<Nil>;
}

/// A coordinate, mode by mode, that also accepts run-time modes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a coordinate of a tensor with run-time extents",
    label = "a tuple with a number or `__` for each mode; of one mode `(i,)`"
)]
#[doc(hidden)]
pub trait RaggedPattern<X> {
    /// The modes that the slice keeps.
    type Kept: RaggedModes;
}
/// A coordinate of one mode.
#[doc(hidden)]
pub trait KeepsOf<H> {
    /// The modes that the slice keeps.
    type Kept: RaggedModes;
}
impl<H: RaggedMode> KeepsOf<H> for Underscore {
    type Kept = Cons<H, Nil>;
}
macro_rules! keeps_nothing {
    ($($t:ty)*) => {$(
        impl<H: RaggedMode> KeepsOf<H> for $t {
            type Kept = Nil;
        }
    )*};
}
keeps_nothing!(u32 i32 u64 i64 usize isize Zero);
impl<H: RaggedMode, U: Nat> KeepsOf<H> for UInt<U, B0> {
    type Kept = Nil;
}
impl<H: RaggedMode, U: Nat> KeepsOf<H> for UInt<U, B1> {
    type Kept = Nil;
}
impl<CH, CT, H: ModeTree> KeepsOf<H> for Cons<CH, CT>
where
    Self: Pattern<H>,
    <Self as Pattern<H>>::Lifted: RaggedModes,
{
    type Kept = <Self as Pattern<H>>::Lifted;
}
impl RaggedPattern<Nil> for Nil {
    type Kept = Nil;
}
impl<CH: KeepsOf<H>, CT: RaggedPattern<T>, H, T> RaggedPattern<Cons<H, T>> for Cons<CH, CT> {
    type Kept = <CH::Kept as RaggedModes>::Then<CT::Kept>;
}
macro_rules! tuples {
    ($($C:ident $H:ident)+) => {
        impl<$($C: KeepsOf<$H>, $H),+> RaggedPattern<list!($($H)+)> for ($($C,)+) {
            type Kept = then!($($C $H)+);
        }
        impl<$($C, $H: ModeTree),+> KeepsOf<list!($($H)+)> for ($($C,)+)
        where
            Self: Pattern<list!($($H)+)>,
            <Self as Pattern<list!($($H)+)>>::Lifted: RaggedModes,
        {
            type Kept = <Self as Pattern<list!($($H)+)>>::Lifted;
        }
    };
}
macro_rules! list {
    () => { Nil };
    ($H:ident $($T:ident)*) => { Cons<$H, list!($($T)*)> };
}
macro_rules! then {
    () => { Nil };
    ($C:ident $H:ident $($T:ident)*) => {
        <<$C as KeepsOf<$H>>::Kept as RaggedModes>::Then<then!($($T)*)>
    };
}
tuples!(C0 H0);
tuples!(C0 H0 C1 H1);
tuples!(C0 H0 C1 H1 C2 H2);
tuples!(C0 H0 C1 H1 C2 H2 C3 H3);
tuples!(C0 H0 C1 H1 C2 H2 C3 H3 C4 H4);
tuples!(C0 H0 C1 H1 C2 H2 C3 H3 C4 H4 C5 H5);

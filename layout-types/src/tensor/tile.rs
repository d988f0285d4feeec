//! Tiles of a tensor, and threads' parts of a tile.
//!
//! ```text
//!   local_tile::<tile!(128, 32), _>((by, __))          (128,32,k)     block by's rows, all tiles along k
//!   local_partition::<layout!((32,8):(8,1))>(t)        every 32nd row and 8th column, from thread t's place on
//! ```
//!
//! Law: the tiles of all coordinates together are the tensor, and the parts of all threads together
//! are the tensor.
//!
//! Source: CuTe `local_tile`, `inner_partition`, `local_partition`, `outer_partition` in
//! `cute/tensor_impl.hpp`.

use super::Tensor;
use super::engine::Engine;
use super::strides::Int;
use crate::algebra::compose::Compose;
use crate::algebra::divide::ZippedDivideBy;
use crate::algebra::inverse::RightInvertible;
use crate::coord::{Coord, Coordinates, CountsModes, Pattern};
use crate::decimal::Decimal;
use crate::layout::{Layout, LayoutFn, ShapeOf, StaticLayout, Unzip};
use crate::num::{False, True};
use crate::ragged::{CutBy, Ragged, RaggedModes, RaggedPattern, RankOfModes, TensorLayout};
use crate::shape::ShapeTree;
use crate::tree::{Cons, ModeList, ModeTree, Nil};

/// Layouts of a tensor that the tiler `T` divides into tiles; the coordinate `C` selects a tile,
/// and `_` keeps all tiles along a mode.
#[diagnostic::on_unimplemented(
    message = "the tiler does not tile this tensor, or the coordinate is not one of its tiles",
    label = "a tiler has an element for each mode, and the coordinate a number or `_` for each"
)]
pub trait LocalTile<T, C>: TensorLayout {
    /// The layout of the beginnings of the tiles.
    type Rests: LayoutFn;
    /// The tile's modes, followed by the rests that `_` keeps.
    type Output: TensorLayout;
    /// The type of the coordinate. If the coordinate does not fit the tensor, this is any type, so
    /// that the compiler reports only the coordinate.
    type Place: Coord<<Self::Rests as LayoutFn>::Modes, u32> + Copy;
    /// Returns the coordinate of the first of the tiles that are kept, among all tiles (mode 1 of
    /// the zipped divide): 0 in each mode that is given `_`.
    fn place(coordinate: C) -> Self::Place;
}

/// Mode 0 of a zipped divide (the tile) and mode 1 (the rests).
type TileMode<L> = <<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::First;
type RestMode<L> =
    <<<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::Rest as ModeList>::First;
type Divided<L, T> = <L as ZippedDivideBy<T>>::Output;
type TileModes<L, T> = <TileMode<Divided<L, T>> as ModeTree>::Modes;
/// The rests that the coordinate keeps.
type LiftedOf<L, T, C> = <C as Pattern<RestMode<Divided<L, T>>>>::Lifted;
/// The modes of the rests, with the layout's swizzle if it has one.
type RestsOf<L, T> = <<L as LayoutFn>::With<RestMode<Divided<L, T>>> as LayoutFn>::Modes;

impl<S, D, T, C> LocalTile<T, C> for Layout<S, D>
where
    Self: LayoutFn + ZippedDivideBy<T>,
    C: Pattern<RestMode<Divided<Self, T>>> + Coord<RestsOf<Self, T>, u32> + Copy,
{
    type Rests = <Self as LayoutFn>::With<RestMode<Divided<Self, T>>>;
    type Output =
        <Self as LayoutFn>::With<<TileModes<Self, T> as ModeList>::Concat<LiftedOf<Self, T, C>>>;
    type Place = C;
    #[inline(always)]
    fn place(coordinate: C) -> C {
        coordinate
    }
}
impl<F, O, L, T, C> LocalTile<T, C> for crate::ComposedLayout<F, O, L>
where
    Self: LayoutFn + ZippedDivideBy<T>,
    C: Pattern<RestMode<Divided<Self, T>>> + Coord<RestsOf<Self, T>, u32> + Copy,
{
    type Rests = <Self as LayoutFn>::With<RestMode<Divided<Self, T>>>;
    type Output =
        <Self as LayoutFn>::With<<TileModes<Self, T> as ModeList>::Concat<LiftedOf<Self, T, C>>>;
    type Place = C;
    #[inline(always)]
    fn place(coordinate: C) -> C {
        coordinate
    }
}
impl<X, T, C> LocalTile<T, C> for Ragged<X>
where
    X: RaggedModes + CutBy<T>,
    C: CountsModes<RankOfModes<X>>,
    C::ForEach: PicksTile<C, X::Rests, C::Count, RankOfModes<X>>,
{
    type Rests = Unzip<<X::Rests as RaggedModes>::Offsets>;
    type Output = <<X::Tiles as RaggedModes>::Then<
        <C::ForEach as PicksTile<C, X::Rests, C::Count, RankOfModes<X>>>::Kept,
    > as RaggedModes>::Layout;
    type Place = <C::ForEach as PicksTile<C, X::Rests, C::Count, RankOfModes<X>>>::Place;
    #[inline(always)]
    fn place(coordinate: C) -> Self::Place {
        C::ForEach::place(coordinate)
    }
}
/// Selects the tile at the coordinate `C` of a tensor with run-time modes `X`. It is implemented
/// for a `C` that has as many entries (`Count`) as there are modes (`Rank`).
pub trait PicksTile<C, X: RaggedModes, Count, Rank> {
    /// The rests that `_` keeps.
    type Kept: RaggedModes;
    /// The type of the coordinate. If the coordinate does not fit the tensor, this is any type, so
    /// that the compiler reports only the coordinate.
    type Place: Coord<<Unzip<X::Offsets> as LayoutFn>::Modes, u32> + Copy;
    /// Returns the coordinate.
    fn place(coordinate: C) -> Self::Place;
}
impl<C, X: RaggedModes, N, R> PicksTile<C, X, N, R> for True
where
    C: RaggedPattern<X> + Coord<<Unzip<X::Offsets> as LayoutFn>::Modes, u32> + Copy,
{
    type Kept = C::Kept;
    type Place = C;
    #[inline(always)]
    fn place(coordinate: C) -> C {
        coordinate
    }
}
impl<C, X: RaggedModes, N: Decimal, R: Decimal> PicksTile<C, X, N, R> for False
where
    Coordinates: AreForTiles<N::Text, R::Text>,
    u32: Coord<<Unzip<X::Offsets> as LayoutFn>::Modes, u32>,
{
    type Kept = Nil;
    type Place = u32;
    fn place(_coordinate: C) -> u32 {
        0
    }
}
/// Never implemented; carries the diagnostic.
#[diagnostic::on_unimplemented(
    message = "{Count} coordinates of a tile for the {Rank} modes of the tensor",
    label = "`local_tile` takes the tile's number or `__` along each mode; along one, `(i,)`"
)]
pub trait AreForTiles<Count, Rank> {}

/// CuTe's `Step<_1,X,_1>`: selects the modes of a product's tile (M,N,K) that an operand has; [`X`]
/// skips a mode.
#[derive(Clone, Copy, Debug, Default)]
pub struct Step<M, N, K>(core::marker::PhantomData<(M, N, K)>);
/// A mode that a [`Step`] skips.
#[derive(Clone, Copy, Debug, Default)]
pub struct X;

/// Implemented if the [`Step`] `Self` applies to the tiler `T` and the coordinate `C`.
#[diagnostic::on_unimplemented(
    message = "this step does not choose two of three modes of the tiler and the coordinate",
    label = "`Step<Int<1>, X, Int<1>>` is of A, `Step<X, Int<1>, Int<1>>` of B, `Step<Int<1>, Int<1>, X>` of C and D"
)]
#[doc(hidden)]
pub trait StepsBy<T, C> {
    /// The tiler without the skipped mode.
    type Tiler;
    /// The type of the coordinate without the skipped mode.
    type Coordinate;
    /// Returns the coordinate without the skipped mode.
    fn coordinate(of: C) -> Self::Coordinate;
}
macro_rules! steps {
    ($($step:ty: ($first:ident, $second:ident), ($c_first:ident, $c_second:ident), |$m:ident, $n:ident, $k:ident| $two:expr;)*) => {$(
        impl<M, N, K, CM, CN, CK> StepsBy<Cons<M, Cons<N, Cons<K, Nil>>>, (CM, CN, CK)> for $step {
            type Tiler = Cons<$first, Cons<$second, Nil>>;
            type Coordinate = ($c_first, $c_second);
            #[inline(always)]
            fn coordinate(($m, $n, $k): (CM, CN, CK)) -> Self::Coordinate {
                $two
            }
        }
    )*};
}
steps! {
    Step<Int<1>, X, Int<1>>: (M, K), (CM, CK), |m, _n, k| (m, k);
    Step<X, Int<1>, Int<1>>: (N, K), (CN, CK), |_m, n, k| (n, k);
    Step<Int<1>, Int<1>, X>: (M, N), (CM, CN), |m, n, _k| (m, n);
}

/// Layouts of a tensor from which each thread of the compact layout `Thr` takes a part.
#[diagnostic::on_unimplemented(
    message = "the layout of threads does not partition this tensor",
    label = "the threads' layout must be compact, and its shape must divide the tensor by mode"
)]
pub trait LocalPartition<Thr>: LayoutFn {
    /// Maps a thread's index to the offset of its part.
    type Thread: LayoutFn;
    /// The layout of a thread's part: the rest of each mode.
    type Output: LayoutFn;
}
/// The number of threads along each mode.
type ThreadShape<Thr> = <ShapeOf<Thr> as ShapeTree>::Sizes;
type ByThreads<L, Thr> = Divided<L, ThreadShape<Thr>>;
impl<L, Thr> LocalPartition<Thr> for L
where
    Thr: StaticLayout + RightInvertible,
    L: LayoutFn + ZippedDivideBy<ThreadShape<Thr>>,
    Unzip<TileMode<ByThreads<L, Thr>>>: Compose<Thr::Output, Output: StaticLayout>,
{
    type Thread = L::With<
        <<Unzip<TileMode<ByThreads<L, Thr>>> as Compose<Thr::Output>>::Output as LayoutFn>::Modes,
    >;
    type Output = L::With<<RestMode<ByThreads<L, Thr>> as ModeTree>::Modes>;
}

impl<E: Engine, L: TensorLayout> Tensor<E, L> {
    /// Returns the tile at `coordinate`, with the tile's modes first and then the modes that `_`
    /// keeps: CuTe's `local_tile(tensor, tiler, coord)`.
    ///
    /// Run-time extents do not shorten the tile: it always has its full size, and
    /// [`Tensor::inside`] returns whether an element of the tile lies inside the tensor.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::tensor::identity_tensor;
    /// let matrix = identity_tensor::<layout!((256,64):(1@0,1@1)), 2>();
    /// let tiles = matrix.local_tile::<tile!(128, 32), _>((1u32, __));
    /// assert_eq!(tiles.to_string(), "(128,0) o (128,32,2):(1@0,1@1,32@1)");
    /// assert_eq!(tiles.get((3u32, 5, 1)), [128 + 3, 32 + 5]);
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn local_tile<T, C>(&self, coordinate: C) -> Tensor<E, <L as LocalTile<T, C>>::Output>
    where
        L: LocalTile<T, C>,
    {
        self.moved::<L::Rests, L::Output, L::Place>(L::place(coordinate))
    }

    /// Returns the tile like [`local_tile`](Self::local_tile), with two of the three modes of a
    /// product's tile (M,N,K) and of the tile's coordinate. So A, B and D share tile and
    /// coordinate. CuTe's `local_tile(tensor, tiler, coord, Step<_1,X,_1>{})`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::tensor::{Step, X, identity_tensor};
    /// type Tile = tile!(128, 64, 32);
    /// let at = (1u32, 2u32, __); // this block's m and n, all of k
    /// let a = identity_tensor::<layout!((256,128):(1@0,1@1)), 2>(); // (M,K)
    /// let b = identity_tensor::<layout!((256,128):(1@0,1@1)), 2>(); // (N,K)
    /// let d = identity_tensor::<layout!((256,256):(1@0,1@1)), 2>(); // (M,N)
    /// let a = a.local_tile_step::<Tile, Step<Int<1>, X, Int<1>>, _>(at);
    /// let b = b.local_tile_step::<Tile, Step<X, Int<1>, Int<1>>, _>(at);
    /// let d = d.local_tile_step::<Tile, Step<Int<1>, Int<1>, X>, _>(at);
    /// assert_eq!(a.to_string(), "(128,0) o (128,32,4):(1@0,1@1,32@1)");
    /// assert_eq!(b.to_string(), "(128,0) o (64,32,4):(1@0,1@1,32@1)");
    /// assert_eq!(d.to_string(), "(128,128) o (128,64):(1@0,1@1)");
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn local_tile_step<T, S, C>(
        &self,
        coordinate: C,
    ) -> Tensor<E, <L as LocalTile<S::Tiler, S::Coordinate>>::Output>
    where
        S: StepsBy<T, C>,
        L: LocalTile<S::Tiler, S::Coordinate>,
    {
        self.local_tile::<S::Tiler, S::Coordinate>(S::coordinate(coordinate))
    }

    /// Returns the thread's part of the tensor: CuTe's
    /// `local_partition(tensor, thread_layout, thread)`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::tensor::identity_tensor;
    /// let tile = identity_tensor::<layout!((64,64):(1@0,1@1)), 2>();
    /// let part = tile.local_partition::<layout!((32,8):(8,1))>(19); // thread 19 = (2, 3)
    /// assert_eq!(part.to_string(), "(2,3) o (2,8):(32@0,8@1)");
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn local_partition<Thr>(&self, thread: u32) -> Tensor<E, <L as LocalPartition<Thr>>::Output>
    where
        L: LocalPartition<Thr>,
    {
        self.part::<<L as LocalPartition<Thr>>::Thread, <L as LocalPartition<Thr>>::Output>(thread)
    }
}

//! Tiles of a tensor, and threads' parts of a tile.
//!
//! ```text
//!   local_tile::<tile!(128, 32), _>((by, __))          (128,32,k)     block by's rows, all tiles along k
//!   local_partition::<layout!((32,8):(8,1))>(t)        every 32nd row and 8th column, from thread t's place on
//! ```
//!
//! Law: the tiles of all coordinates together are the tensor, and so are the parts of all threads.
//!
//! Source: CuTe `local_tile`, `inner_partition`, `local_partition`, `outer_partition` in `cute/tensor_impl.hpp`.

use super::Tensor;
use super::engine::Engine;
use crate::algebra::compose::Compose;
use crate::algebra::divide::ZippedDivideBy;
use crate::algebra::inverse::RightInvertible;
use crate::coord::{Coord, Pattern};
use crate::layout::{Layout, LayoutFn, ShapeOf, StaticLayout, Unzip};
use crate::ragged::{Ragged, RaggedModes, RaggedPattern, TensorLayout, TilesOf};
use crate::shape::ShapeTree;
use crate::tree::{ModeList, ModeTree};

/// A tensor's layout that the tiler `T` cuts into tiles, of which the coordinate `C` picks one; `_` keeps all along a mode.
#[diagnostic::on_unimplemented(
    message = "the tiler does not tile this tensor, or the coordinate is not one of its tiles",
    label = "a tiler has an element for each mode, and the coordinate a number or `_` for each"
)]
pub trait LocalTile<T, C>: TensorLayout {
    /// Where each tile begins.
    type Rests: LayoutFn;
    /// The tile's modes, and then the rests that `_` keeps.
    type Output: TensorLayout;
}

/// Mode 0 of a zipped divide, the tile, and mode 1, the rests.
type TileMode<L> = <<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::First;
type RestMode<L> =
    <<<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::Rest as ModeList>::First;
type Divided<L, T> = <L as ZippedDivideBy<T>>::Output;
type TileModes<L, T> = <TileMode<Divided<L, T>> as ModeTree>::Modes;

impl<S, D, T, C> LocalTile<T, C> for Layout<S, D>
where
    Self: LayoutFn + ZippedDivideBy<T>,
    C: Pattern<RestMode<Divided<Self, T>>>,
{
    type Rests = <Self as LayoutFn>::With<RestMode<Divided<Self, T>>>;
    type Output = <Self as LayoutFn>::With<<TileModes<Self, T> as ModeList>::Concat<C::Lifted>>;
}
impl<F, O, L, T, C> LocalTile<T, C> for crate::ComposedLayout<F, O, L>
where
    Self: LayoutFn + ZippedDivideBy<T>,
    C: Pattern<RestMode<Divided<Self, T>>>,
{
    type Rests = <Self as LayoutFn>::With<RestMode<Divided<Self, T>>>;
    type Output = <Self as LayoutFn>::With<<TileModes<Self, T> as ModeList>::Concat<C::Lifted>>;
}
impl<X, T, C> LocalTile<T, C> for Ragged<X>
where
    X: RaggedModes + TilesOf<T>,
    C: RaggedPattern<X::Rests>,
{
    type Rests = Unzip<<X::Rests as RaggedModes>::Offsets>;
    type Output = <<X::Tiles as RaggedModes>::Then<C::Kept> as RaggedModes>::Layout;
}

/// A tensor's layout of which each thread of the compact layout `Thr` takes a part.
#[diagnostic::on_unimplemented(
    message = "the layout of threads does not partition this tensor",
    label = "the threads' layout must be compact, and its shape must divide the tensor by mode"
)]
pub trait LocalPartition<Thr>: LayoutFn {
    /// From a thread's index to the offset of its part.
    type Thread: LayoutFn;
    /// A thread's part: what is left of each mode.
    type Output: LayoutFn;
}
/// The threads along each mode.
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
    /// CuTe's `local_tile(tensor, tiler, coord)`: the tile at `coordinate`, its modes first and then those that `_` keeps.
    ///
    /// Run-time extents stay outside the tile: the tile is whole, and what of it lies outside the tensor is for
    /// [`Tensor::inside`] to say.
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
        C: Coord<<<L as LocalTile<T, C>>::Rests as LayoutFn>::Modes, u32> + Copy,
    {
        self.moved::<L::Rests, L::Output, C>(coordinate)
    }

    /// CuTe's `local_partition(tensor, thread_layout, thread)`: what the thread takes of the tensor.
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

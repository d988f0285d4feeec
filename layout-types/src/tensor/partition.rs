//! Partitions a tensor among the threads of a tiled MMA or of a tiled copy.
//!
//! ```text
//!   let thr_mma = Mma::get_slice(thread);        partition_a(&s_a)  partition_fragment_c(&g_d)
//!   let thr_copy = G2s::get_slice(thread);       partition_s(&g_a)  partition_d(&s_a)   retile_d(&fragment)
//! ```
//!
//! Law: the layouts are [`PartitionOf`], [`CopyPartitionOf`] and [`RetileOf`], and the engine is
//! moved to the thread's first element: element `i` of the part is the tensor's element at the
//! coordinate that the thread-value layout gives.
//!
//! Source: CuTe `ThrMMA`, `ThrCopy` in `cute/atom/mma_atom.hpp` and `cute/atom/copy_atom.hpp`.

use super::engine::Engine;
use super::fragment::{Fragment, FragmentLayout};
use super::registers::Registers;
use super::word::Plain;
use super::{Role, Tensor};
use crate::algebra::complement::complement_of;
use crate::algebra::compose_list::Digits;
use crate::algebra::outcome::{Done, Refused};
use crate::atom::MmaAtom;
use crate::layout::{Layout, LayoutFn, ShapeOf, StaticLayout, Unzip};
use crate::num::{One, Zero};
use crate::ragged::{Ragged, RaggedModes, TensorLayout};
use crate::shape::ShapeTree;
use crate::tiled::{
    BeginsVectors, CopyPartitionOf, CopyThreadOf, Destination, FragmentOf, MadeFor, MmaOperand,
    OperandA, OperandB, OperandC, PartitionFragmentOf, PartitionMma, PartitionOf, Retile, RetileOf,
    Source, ThreadOf, TidFrg, TileShape, TiledCopyTraits, TiledMmaTraits, WholeTiles, tiled_copy,
    tiled_mma,
};
use crate::tree::{Cons, ModeTree, Nil};
use core::marker::PhantomData;

/// A tiled MMA or copy from which one thread can take its slice.
pub trait GetSlice: Sized {
    /// [`ThrMma`] or [`ThrCopy`].
    type Thr;
    /// Returns the slice of a thread: CuTe's `get_slice(thread)`. The thread's index is less than
    /// the number of threads.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
    /// use layout_types::tensor::{GetSlice, identity_tensor};
    /// use layout_types::tiled::TiledMma;
    /// type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1))>;
    /// // Thread 37 is lane 5 of warp 1, the second atom along M: row 16 + 1, columns 2 and 3.
    /// let thr_mma = Mma::get_slice(37);
    /// assert_eq!(thr_mma.thread(), 37);
    /// let c = identity_tensor::<layout!((32,16):(1@0,1@1)), 2>();
    /// assert_eq!(thr_mma.partition_c(&c).get(((0u32, 0), 0, 0)), [17, 2]);
    /// ```
    #[inline(always)]
    fn get_slice(thread: u32) -> Self::Thr
    where
        Self::Thr: SliceOf<Self>,
    {
        Self::Thr::of(thread)
    }
}
impl<Atom, Atoms, P> GetSlice for crate::tiled::TiledMma<Atom, Atoms, P>
where
    Atoms: StaticLayout,
    complement_of<Atoms::Modes, One>: SlicesAs<Atom, Atoms, P>,
{
    type Thr = ThrMma<<complement_of<Atoms::Modes, One> as SlicesAs<Atom, Atoms, P>>::Mma>;
}
impl<Op, T, Tv, Tiler, R> GetSlice for crate::tiled::TiledCopy<Op, T, Tv, Tiler, R> {
    type Thr = ThrCopy<Self>;
}

/// Selects the tiled MMA whose slice a thread takes, by whether the layout of its atoms has a
/// complement.
pub trait SlicesAs<Atom, Atoms, P> {
    /// The tiled MMA itself, or a refused tiled MMA if its atoms lie apart. Then
    /// [`GetSlice::get_slice`] reports the error, and the methods of the slice do not report it
    /// again.
    type Mma;
}
impl<Atom, Atoms, P, T: ModeTree, X: Digits> SlicesAs<Atom, Atoms, P> for Done<T, X> {
    type Mma = crate::tiled::TiledMma<Atom, Atoms, P>;
}
impl<Atom, Atoms: LayoutFn, P, Why, S, D, At> SlicesAs<Atom, Atoms, P> for Refused<Why, S, D, At> {
    type Mma = crate::tiled::TiledMma<Atom, Unzip<<ShapeOf<Atoms> as ShapeTree>::Left<One>>, P>;
}

/// Implemented if `Self` is one thread's slice of `Tiled`, and the atom of `Tiled` can be sliced.
///
/// This trait is a bound of [`GetSlice::get_slice`] and not of its impls, so that the compiler
/// reports the reason why a tiled operation cannot be sliced.
#[doc(hidden)]
pub trait SliceOf<Tiled>: Sized {
    /// Returns the slice of thread `thread`.
    fn of(thread: u32) -> Self;
}
impl<Mma: TiledMmaTraits, Sliced> SliceOf<Mma> for ThrMma<Sliced> {
    #[inline(always)]
    fn of(thread: u32) -> Self {
        Self {
            thread,
            mma: PhantomData,
        }
    }
}
impl<C: TiledCopyTraits> SliceOf<C> for ThrCopy<C> {
    #[inline(always)]
    fn of(thread: u32) -> Self {
        Self {
            thread,
            copy: PhantomData,
        }
    }
}

/// One thread of a tiled MMA.
#[derive(Clone, Copy, Debug)]
pub struct ThrMma<Mma> {
    thread: u32,
    mma: PhantomData<Mma>,
}
/// One thread of a tiled copy.
#[derive(Clone, Copy, Debug)]
pub struct ThrCopy<C> {
    thread: u32,
    copy: PhantomData<C>,
}

/// A tensor's layout that `By` divides among threads, as the side or operand `X`.
#[diagnostic::on_unimplemented(
    message = "this tensor cannot be partitioned here",
    label = "its first modes are not a tile that the threads and values divide"
)]
#[doc(hidden)]
pub trait PartitionLayout<By, X>: TensorLayout {
    /// The layout that maps a thread's index to the offset of its part.
    type Thread: LayoutFn;
    /// The layout of a thread's part.
    type Part: TensorLayout;
}
/// The partition of a static layout.
#[doc(hidden)]
pub trait StaticPartition<X, L> {
    /// The layout that maps a thread's index to the offset of its part.
    type Thread: LayoutFn;
    /// The layout of a thread's part.
    type Part: LayoutFn;
}
impl<Atom, Atoms, P, X, L> StaticPartition<X, L> for crate::tiled::TiledMma<Atom, Atoms, P>
where
    Self: PartitionMma<X, L>,
    X: MmaOperand<Self>,
    L: LayoutFn,
    ModesOf<L>: WholeTiles<tiled_mma, X::TileSizes, Zero>,
{
    type Thread = ThreadOf<Self, X, L>;
    type Part = PartitionOf<Self, X, L>;
}
impl<Op, T, Tv, Tiler, R, X, L> StaticPartition<X, L>
    for crate::tiled::TiledCopy<Op, T, Tv, Tiler, R>
where
    Self: TidFrg<X, L> + BeginsVectors<X, L>,
    Tiler: TileShape,
    L: LayoutFn,
    ModesOf<L>: WholeTiles<tiled_copy, <Tiler::Shape as ShapeTree>::Sizes, Zero>,
{
    type Thread = CopyThreadOf<Self, X, L>;
    type Part = CopyPartitionOf<Self, X, L>;
}
/// Partitions as `By` does if the tile does not divide the tensor: the part continues past the
/// tensor's end, as CuTe's does.
#[derive(Clone, Copy, Debug)]
pub struct Predicated<By>(PhantomData<By>);
impl<Mma, X, L> StaticPartition<X, L> for Predicated<Mma>
where
    Mma: RoundsUp<X, L>,
{
    type Thread = Mma::Thread;
    type Part = Mma::Part;
}
/// A tiled MMA or copy that gives a thread the atoms of the tensor's tiles, rounded up.
#[doc(hidden)]
pub trait RoundsUp<X, L> {
    /// The layout that maps a thread's index to the offset of its part.
    type Thread: LayoutFn;
    /// The layout of a thread's part.
    type Part: LayoutFn;
}
impl<Atom, Atoms, P, X, L> RoundsUp<X, L> for crate::tiled::TiledMma<Atom, Atoms, P>
where
    Self: PartitionMma<X, L>,
    L: LayoutFn,
{
    type Thread = ThreadOf<Self, X, L>;
    type Part = PartitionOf<Self, X, L>;
}
impl<Op, T, Tv, Tiler, R, X, L> RoundsUp<X, L> for crate::tiled::TiledCopy<Op, T, Tv, Tiler, R>
where
    Self: TidFrg<X, L> + BeginsVectors<X, L>,
    L: LayoutFn,
{
    type Thread = CopyThreadOf<Self, X, L>;
    type Part = CopyPartitionOf<Self, X, L>;
}
impl<S, D, By, X> PartitionLayout<By, X> for Layout<S, D>
where
    Self: LayoutFn,
    By: StaticPartition<X, Self>,
{
    type Thread = By::Thread;
    type Part = By::Part;
}
impl<F, O, L, By, X> PartitionLayout<By, X> for crate::ComposedLayout<F, O, L>
where
    Self: LayoutFn,
    By: StaticPartition<X, Self>,
{
    type Thread = By::Thread;
    type Part = By::Part;
}
/// The modes of a static part.
type ModesOf<L> = <<L as LayoutFn>::Modes as ModeTree>::Modes;
/// Modes whose first two modes are static and form a tile.
pub trait StartsWithTile: RaggedModes {
    /// The tile.
    type Tile: LayoutFn;
    /// The modes after the tile.
    type Rest: RaggedModes;
}
impl<A: ModeTree, B: ModeTree, Rest: RaggedModes> StartsWithTile for Cons<A, Cons<B, Rest>> {
    type Tile = Unzip<Cons<A, Cons<B, Nil>>>;
    type Rest = Rest;
}
impl<M, By, X> PartitionLayout<By, X> for Ragged<M>
where
    M: StartsWithTile,
    By: StaticPartition<X, M::Tile>,
    ModesOf<By::Part>: RaggedModes,
{
    type Thread = By::Thread;
    type Part = <<ModesOf<By::Part> as RaggedModes>::Then<M::Rest> as RaggedModes>::Layout;
}

/// The part of a tensor.
type Part<E, L, By, X> = Tensor<E, <L as PartitionLayout<By, X>>::Part>;

macro_rules! partition {
    ($by:ty; $($(#[$doc:meta])* $name:ident, $x:ty;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        #[must_use]
        pub fn $name<E, L>(&self, tensor: &Tensor<E, L>) -> Part<E, L, $by, $x>
        where
            E: Engine,
            L: PartitionLayout<$by, $x>,
        {
            tensor.part::<<L as PartitionLayout<$by, $x>>::Thread, _>(self.thread)
        }
    )*};
}
macro_rules! fragments {
    ($($(#[$doc:meta])* $name:ident, $x:ty, $value:ident;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        #[must_use]
        pub fn $name<E, L>(
            &self,
            _tensor: &Tensor<E, L>,
        ) -> Fragment<<Mma::Atom as MmaAtom>::$value, PartitionFragmentOf<Mma, $x, L>, $x>
        where
            Mma: TiledMmaTraits + PartitionMma<$x, L>,
            <Mma::Atom as MmaAtom>::$value: Plain,
            $x: FragmentOf<PartitionOf<Mma, $x, L>, Fragment: FragmentLayout>,
        {
            Fragment::new()
        }
    )*};
}

impl<Mma> ThrMma<Mma> {
    partition! {
        Mma;
        /// Returns this thread's part `(MMA,MMA_M,MMA_K,..)` of a tensor `(M,K,..)`: CuTe's
        /// `partition_A`.
        ///
        /// ```
        /// use layout_types::prelude::*;
        /// use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
        /// use layout_types::tensor::{GetSlice, identity_tensor};
        /// use layout_types::tiled::TiledMma;
        /// type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1))>;
        /// let a = identity_tensor::<layout!((128,32):(1@0,1@1)), 2>();
        /// // Thread 37 is lane 5 of warp 1, the second atom along M.
        /// let part = Mma::get_slice(37).partition_a(&a);
        /// assert_eq!(part.to_string(), "(17,2) o ((2,2,2),4,2):((1@1,8@0,8@1),32@0,16@1)");
        /// ```
        partition_a, OperandA;
        /// Returns this thread's part `(MMA,MMA_N,MMA_K,..)` of a tensor `(N,K,..)`: CuTe's
        /// `partition_B`.
        ///
        /// ```
        /// use layout_types::prelude::*;
        /// use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
        /// use layout_types::tensor::{GetSlice, identity_tensor};
        /// use layout_types::tiled::TiledMma;
        /// type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1))>;
        /// let b = identity_tensor::<layout!((128,32):(1@0,1@1)), 2>();
        /// // Warp 2 is the second atom along N.
        /// let part = Mma::get_slice(64 + 5).partition_b(&b);
        /// assert_eq!(part.to_string(), "(9,2) o ((2,2),8,2):((1@1,8@1),16@0,16@1)");
        /// ```
        partition_b, OperandB;
        /// Returns this thread's part `(MMA,MMA_M,MMA_N,..)` of a tensor `(M,N,..)`: CuTe's
        /// `partition_C`.
        ///
        /// ```
        /// use layout_types::prelude::*;
        /// use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
        /// use layout_types::tensor::{GetSlice, identity_tensor};
        /// use layout_types::tiled::TiledMma;
        /// type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1))>;
        /// let c = identity_tensor::<layout!((128,128):(1@0,1@1)), 2>();
        /// let part = Mma::get_slice(5).partition_c(&c);
        /// assert_eq!(part.to_string(), "(1,2) o ((2,2),4,8):((1@1,8@0),32@0,16@1)");
        /// ```
        partition_c, OperandC;
    }
    partition! {
        Predicated<Mma>;
        /// Partitions a tensor that the tile does not divide, like
        /// [`partition_c_predicated`](Self::partition_c_predicated): CuTe's `partition_A`.
        ///
        /// ```
        /// use layout_types::prelude::*;
        /// use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
        /// use layout_types::tensor::{GetSlice, identity_tensor};
        /// use layout_types::tiled::TiledMma;
        /// type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1))>;
        /// let a = identity_tensor::<layout!((24,32):(1@0,1@1)), 2>();
        /// let part = Mma::get_slice(37).partition_a_predicated(&a); // rows 17 and 25, of which 24 are there
        /// assert_eq!((part.get(((0u32, 0, 0), 0, 0)), part.get(((0u32, 1, 0), 0, 0))), ([17, 2], [25, 2]));
        /// ```
        partition_a_predicated, OperandA;
        /// Partitions a tensor that the tile does not divide, like
        /// [`partition_c_predicated`](Self::partition_c_predicated): CuTe's `partition_B`.
        ///
        /// ```
        /// use layout_types::prelude::*;
        /// use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
        /// use layout_types::tensor::{GetSlice, identity_tensor};
        /// use layout_types::tiled::TiledMma;
        /// type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1))>;
        /// let b = identity_tensor::<layout!((24,32):(1@0,1@1)), 2>();
        /// let part = Mma::get_slice(64 + 5).partition_b_predicated(&b); // columns 9 and 25
        /// assert_eq!(part.get(((0u32, 0), 1, 0)), [25, 2]);
        /// ```
        partition_b_predicated, OperandB;
        /// Partitions a tensor that the tile does not divide: CuTe's `partition_C`. The part
        /// continues past the tensor's end, and elements are accessed by a predicate of their
        /// coordinates. The coordinates are in the same part of an
        /// [`identity_tensor`](super::identity_tensor). Each element has its own predicate: an atom
        /// has rows 8 apart, so `atoms_inside`, which tests an atom's first element, is not enough.
        ///
        /// ```
        /// use layout_types::prelude::*;
        /// use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
        /// use layout_types::tensor::{GetSlice, identity_tensor};
        /// use layout_types::tiled::TiledMma;
        /// type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1))>;
        /// let d = identity_tensor::<layout!((24,16):(1@0,1@1)), 2>();
        /// let part = Mma::get_slice(37).partition_c_predicated(&d);
        /// let row = |i: u32| part.get(((0u32, i), 0, 0))[0];
        /// assert_eq!((row(0) < 24, row(1) < 24), (true, false)); // rows 17 and 25 of 24
        /// ```
        partition_c_predicated, OperandC;
    }
    fragments! {
        /// Makes registers for this thread's part of a tensor `(M,K)`: CuTe's
        /// `partition_fragment_A`.
        ///
        /// The registers are in the order of the tensor's strides, which therefore must be
        /// integers: give the tile in shared memory, whose layout is static, and not a tile with
        /// run-time strides.
        ///
        /// ```
        /// use layout_types::prelude::*;
        /// use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
        /// use layout_types::tensor::{GetSlice, Shared};
        /// use layout_types::tiled::TiledMma;
        /// type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1))>;
        /// // SAFETY: no element is accessed.
        /// let s_a = unsafe { Tensor::<Shared<half::f16>, layout!((128,32):(32,1))>::shared(0) };
        /// let fragment = Mma::get_slice(0).partition_fragment_a(&s_a);
        /// assert_eq!(fragment.view().size::<0>(), 8); // values an atom; then 4 atoms along M, 2 along K
        /// assert_eq!((fragment.view().size::<1>(), fragment.view().size::<2>()), (4, 2));
        /// ```
        partition_fragment_a, OperandA, ValTypeA;
        /// Makes registers for this thread's part of a tensor `(N,K)`, like
        /// [`partition_fragment_a`](Self::partition_fragment_a): CuTe's `partition_fragment_B`.
        ///
        /// ```
        /// use layout_types::prelude::*;
        /// use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
        /// use layout_types::tensor::{GetSlice, Shared};
        /// use layout_types::tiled::TiledMma;
        /// type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1))>;
        /// // SAFETY: no element is accessed.
        /// let s_b = unsafe { Tensor::<Shared<half::f16>, layout!((128,32):(32,1))>::shared(0) };
        /// let fragment = Mma::get_slice(0).partition_fragment_b(&s_b);
        /// assert_eq!(fragment.view().size::<0>(), 4); // values an atom; then 8 atoms along N, 2 along K
        /// assert_eq!((fragment.view().size::<1>(), fragment.view().size::<2>()), (8, 2));
        /// ```
        partition_fragment_b, OperandB, ValTypeB;
        /// Makes the accumulators of this thread's part of a tensor `(M,N)`, zero at first: CuTe's
        /// `partition_fragment_C`.
        ///
        /// ```
        /// use layout_types::prelude::*;
        /// use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
        /// use layout_types::tensor::{GetSlice, identity_tensor};
        /// use layout_types::tiled::TiledMma;
        /// type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1))>;
        /// let d = identity_tensor::<layout!((128,128):(1@0,1@1)), 2>();
        /// let sums = Mma::get_slice(0).partition_fragment_c(&d);
        /// assert_eq!(sums.view().layout().to_string(), "((2,2),4,8):((1,2),4,16)");
        /// ```
        partition_fragment_c, OperandC, ValTypeC;
    }
    /// Returns the thread's index.
    #[inline(always)]
    #[must_use]
    pub fn thread(&self) -> u32 {
        self.thread
    }
}

impl<C> ThrCopy<C> {
    partition! {
        C;
        /// Returns the part that this thread reads, `(CPY,CPY_M,CPY_N,..)`: CuTe's `partition_S`.
        ///
        /// ```
        /// use layout_types::prelude::*;
        /// use layout_types::atom::copy::UniversalCopy;
        /// use layout_types::tensor::{GetSlice, identity_tensor};
        /// use layout_types::tiled::MakeTiledCopy;
        /// type Copy = MakeTiledCopy<UniversalCopy<u32>, f32, layout!((16,8):(8,1)), layout!((1,4))>;
        /// let tile = identity_tensor::<layout!((64,32):(1@0,1@1)), 2>();
        /// let part = Copy::get_slice(9).partition_s(&tile); // (CPY,CPY_M,CPY_N): 4 values, 4 times along M
        /// assert_eq!(part.get(((0u32, 3), 2, 0)), [1 + 2 * 16, 4 + 3]);
        /// ```
        partition_s, Source;
        /// Returns the part that this thread writes, `(CPY,CPY_M,CPY_N,..)`: CuTe's `partition_D`.
        ///
        /// ```
        /// use layout_types::prelude::*;
        /// use layout_types::atom::copy::UniversalCopy;
        /// use layout_types::tensor::{GetSlice, identity_tensor};
        /// use layout_types::tiled::MakeTiledCopy;
        /// type Copy = MakeTiledCopy<UniversalCopy<u32>, f32, layout!((16,8):(8,1)), layout!((1,4))>;
        /// let tile = identity_tensor::<layout!((16,32):(1@0,1@1)), 2>();
        /// let part = Copy::get_slice(9).partition_d(&tile);
        /// assert_eq!(part.get(((0u32, 2), 0, 0)), [1, 6]); // thread 9, value 2
        /// ```
        partition_d, Destination;
    }

    partition! {
        Predicated<C>;
        /// Partitions a tensor that the tile does not divide: CuTe's `partition_S`. The part
        /// continues past the tensor's end, for [`copy_if`](crate::algorithm::copy_if) with a
        /// predicate of the coordinates.
        ///
        /// ```
        /// use layout_types::prelude::*;
        /// use layout_types::atom::copy::UniversalCopy;
        /// use layout_types::tensor::{GetSlice, identity_tensor};
        /// use layout_types::tiled::MakeTiledCopy;
        /// type Copy = MakeTiledCopy<UniversalCopy<u32>, f32, layout!((8,4)), layout!((1,1))>;
        /// let tensor = identity_tensor::<layout!((12,4):(1@0,1@1)), 2>();
        /// let part = Copy::get_slice(5).partition_s_predicated(&tensor);
        /// assert_eq!(part.get((0u32, 1, 0)), [13, 0]); // of 12 rows
        /// ```
        partition_s_predicated, Source;
        /// Partitions a tensor that the tile does not divide, like
        /// [`partition_s_predicated`](Self::partition_s_predicated): CuTe's `partition_D`.
        ///
        /// ```
        /// use layout_types::prelude::*;
        /// use layout_types::atom::copy::UniversalCopy;
        /// use layout_types::tensor::{GetSlice, identity_tensor};
        /// use layout_types::tiled::MakeTiledCopy;
        /// type Copy = MakeTiledCopy<UniversalCopy<u32>, f32, layout!((8,4)), layout!((1,1))>;
        /// let tensor = identity_tensor::<layout!((12,4):(1@0,1@1)), 2>();
        /// let part = Copy::get_slice(5).partition_d_predicated(&tensor);
        /// let inside = part.atoms_inside([12, 4]);
        /// assert_eq!((inside(0), inside(1)), (true, false)); // rows 5 and 13 of 12
        /// ```
        partition_d_predicated, Destination;
    }

    /// Returns a fragment of the MMA that the copy was made for, as the copy reads it: CuTe's
    /// `retile_S`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::atom::copy::UniversalCopy;
    /// use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
    /// use layout_types::tensor::{GetSlice, identity_tensor};
    /// use layout_types::tiled::{MakeTiledCopyC, TiledMma};
    /// type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1))>;
    /// type ToMemory = MakeTiledCopyC<UniversalCopy<u64>, f32, Mma>; // two neighbouring sums at a time
    /// let d = identity_tensor::<layout!((128,128):(1@0,1@1)), 2>();
    /// let sums = Mma::get_slice(5).partition_fragment_c(&d);
    /// let written = ToMemory::get_slice(5).retile_s(&sums.view()); // (CPY,CPY_M,CPY_N)
    /// sums.set(((1u32, 0), 0, 0), 2.5);
    /// assert_eq!(written.get(((1u32, 0), 0, 0)), 2.5); // the same registers
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn retile_s<'a, T, R, L>(
        &self,
        fragment: &Tensor<Registers<'a, T, R>, L>,
    ) -> Tensor<Registers<'a, T, R>, RetileOf<C, L>>
    where
        T: Plain,
        R: Role + MadeFor<C::Role>,
        L: LayoutFn,
        C: Retile<L>,
    {
        Tensor::at_engine(fragment.engine())
    }

    /// Returns a fragment of the MMA that the copy was made for, as the copy writes it: CuTe's
    /// `retile_D`.
    ///
    /// ```
    /// use layout_types::prelude::*;
    /// use layout_types::atom::copy::Sm75_U32x4_LDSM_N;
    /// use layout_types::atom::mma::Sm80_16x8x16_F32F16F16F32_TN;
    /// use layout_types::tensor::{GetSlice, Shared};
    /// use layout_types::tiled::{MakeTiledCopyA, TiledMma};
    /// type Mma = TiledMma<Sm80_16x8x16_F32F16F16F32_TN, layout!((2,2,1))>;
    /// type S2r = MakeTiledCopyA<Sm75_U32x4_LDSM_N, half::f16, Mma>;
    /// // SAFETY: no element is accessed.
    /// let s_a = unsafe { Tensor::<Shared<half::f16>, layout!((128,32):(32,1))>::shared(0) };
    /// let fragment = Mma::get_slice(5).partition_fragment_a(&s_a);
    /// let read = S2r::get_slice(5).retile_d(&fragment.view()); // eight values an `ldmatrix`
    /// assert_eq!((read.size::<0>(), read.size::<1>(), read.size::<2>()), (8, 4, 2));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn retile_d<'a, T, R, L>(
        &self,
        fragment: &Tensor<Registers<'a, T, R>, L>,
    ) -> Tensor<Registers<'a, T, R>, RetileOf<C, L>>
    where
        T: Plain,
        R: Role + MadeFor<C::Role>,
        L: LayoutFn,
        C: Retile<L>,
    {
        self.retile_s(fragment)
    }

    /// Returns the thread's index.
    #[inline(always)]
    #[must_use]
    pub fn thread(&self) -> u32 {
        self.thread
    }
}

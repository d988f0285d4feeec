//! Moves a tile of D from a thread's fragment of C to global memory, through shared memory, chunk
//! by chunk. An epilogue that is generic over its tiled copies has one bound here for each role of
//! a copy.
//!
//! ```text
//!   ConvertPairs     a fragment, each pair of elements replaced by a function of it
//!   WriteChunk       chunk c of a fragment (MMA,MMA_M,MMA_N) ─► chunk j of shared memory (rows,columns,chunk)
//!   WriteChunkAs     as WriteChunk, with each pair replaced by a function of it
//!   ReadChunk        chunk j of shared memory ─► registers
//!   MatrixTiler      the tile of a matrix whose rows are contiguous
//!   LoadChunk        chunk c of such a tile ─► registers, where it is in bounds                      C, a bias
//!   StoreChunk       registers ─► chunk c of such a tile, where it is in bounds                      D
//!   StoreColumn      a column of chunks of shared memory ─► that column of such a tile
//! ```
//!
//! Law: each trait holds for all tiled copies, fragments and tiles that [`copy`] and [`copy_if`]
//! take. Chunks are the tiles of the tiled copy, counted down the rows first.
//!
//! Source: CUTLASS `cutlass/epilogue/collective/sm70_epilogue_vectorized.hpp`.

use super::copy::{CopyBy, PredicatedCopy, SameCount, copy, copy_if};
use super::{Walk, transform};
use crate::algebra::cast::RecastTo;
use crate::algebra::make::FragmentLike;
use crate::algebra::modes::Groupable;
use crate::atom::Element;
use crate::coord::Coord;
use crate::layout::{LayoutFn, Size};
use crate::num::NatCmp;
use crate::ragged::{RaggedIdentity, SliceTensorBy, TensorLayout};
use crate::tensor::{
    __, Fragment, FragmentLayout, GetSlice, Global, GlobalAccess, LocalTile, PartitionLayout,
    Plain, ReadOnly, ReadWrite, Registers, Shared, Tensor, ThrCopy, UnitStride,
};
use crate::tiled::{Destination, MadeFor, OperandC, Retile, RetileOf, Source, TiledCopyTraits};
use crate::tree::{ModeList, ModeTree, Underscore};
use crate::unroll::{Unroll, unroll_type};
use typenum::{U1, U2, U3, Unsigned};

/// A row-major matrix of run-time extents, or a part of such a matrix.
pub type RowMajor<T, A, L = Matrix> = Tensor<InRows<T, A>, L>;
type InRows<T, A> = Global<T, A, 2, UnitStride<U1>>;
type Matrix = RaggedIdentity<U2>;
/// The tile at a coordinate.
type AtTile = (u32, u32);
type TileOf<M, Tiler> = <M as LocalTile<Tiler, AtTile>>::Output;
/// Selects a chunk of `(CPY,chunk)`, a chunk of `(CPY,CPY_M,CPY_N,chunk)`, and a column of
/// `(CPY,CPY_M,CPY_N)`.
type OfChunk = (Underscore, u32);
type AtChunk = (Underscore, u32, u32, u32);
type OfColumn = (Underscore, Underscore, u32);
type SliceOf<L, C> = <L as SliceTensorBy<C>>::Output;
type ByChunk<L> = <L as Groupable<U1, U3>>::Output;
type ChunkOf<L> = SliceOf<ByChunk<L>, OfChunk>;
type Part<L, C, X> = <L as PartitionLayout<C, X>>::Part;
type Recast<L, V, T> = <L as RecastTo<<V as Element>::Bits, <T as Element>::Bits>>::Output;
type Mode1<L> =
    <<<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::Rest as ModeList>::First;
type LikeChunk<L> = <ChunkOf<L> as FragmentLike>::Output;

/// Fragments `Self` of `V`. Two elements at a time, a `VPair`, become a `WPair`, two elements of
/// `W`.
pub trait ConvertPairs<V: Plain, VPair: Plain, W: Plain, WPair: Plain>: FragmentLayout {
    /// Returns the fragment, each pair replaced by the result of `f`.
    fn convert_pairs(
        fragment: &Fragment<V, Self, OperandC>,
        f: impl Fn(VPair) -> WPair,
    ) -> Fragment<W, Self>;
}
impl<L, V: Plain, VPair: Plain, W: Plain, WPair: Plain> ConvertPairs<V, VPair, W, WPair> for L
where
    L: FragmentLayout,
    L: RecastTo<V::Bits, VPair::Bits, Output: Walk> + RecastTo<W::Bits, WPair::Bits, Output: Walk>,
    <Size<Recast<L, V, VPair>> as NatCmp>::Equals<Size<Recast<L, W, WPair>>>:
        SameCount<Size<Recast<L, V, VPair>>, Size<Recast<L, W, WPair>>>,
{
    #[inline(always)]
    fn convert_pairs(
        fragment: &Fragment<V, Self, OperandC>,
        f: impl Fn(VPair) -> WPair,
    ) -> Fragment<W, Self> {
        let converted = Fragment::new();
        let pairs = converted.view().recast::<WPair>();
        transform(&fragment.view().recast::<VPair>(), &pairs, f);
        converted
    }
}

/// Implemented if the tiled copy `Self` of an MMA's C writes chunks of a fragment `L` of C to
/// `Chunks`, `(rows,columns,chunk)`, in shared memory.
pub trait WriteChunk<T: Plain, L: FragmentLayout, Chunks: LayoutFn>: TiledCopyTraits {
    /// A thread's part of the chunks: `(CPY,CPY_M,CPY_N,chunk)`.
    type Target: LayoutFn;
    /// Returns thread `thread`'s part of the chunks.
    fn partition_written(
        chunks: &Tensor<Shared<T>, Chunks>,
        thread: u32,
    ) -> Tensor<Shared<T>, Self::Target>;
    /// Writes chunk `chunk` of the fragment to chunk `at`.
    ///
    /// # Safety
    /// The conditions of [`copy`] hold.
    unsafe fn write_chunk(
        fragment: &Fragment<T, L>,
        chunk: u32,
        target: &Tensor<Shared<T>, Self::Target>,
        at: u32,
    );
}
impl<C, T: Plain, L: FragmentLayout, Chunks: LayoutFn> WriteChunk<T, L, Chunks> for C
where
    C: TiledCopyTraits + GetSlice<Thr = ThrCopy<C>>,
    C: Retile<L, Output: Groupable<U1, U3, Output: SliceTensorBy<OfChunk, Output: LayoutFn>>>,
    Chunks:
        PartitionLayout<C, Destination, Part: LayoutFn + SliceTensorBy<AtChunk, Output: LayoutFn>>,
    C: for<'a> CopyBy<
            Registers<'a, T>,
            ChunkOf<RetileOf<C, L>>,
            Shared<T>,
            SliceOf<Part<Chunks, C, Destination>, AtChunk>,
        >,
{
    type Target = Part<Chunks, C, Destination>;
    #[inline(always)]
    fn partition_written(
        chunks: &Tensor<Shared<T>, Chunks>,
        thread: u32,
    ) -> Tensor<Shared<T>, Self::Target> {
        C::get_slice(thread).partition_d(chunks)
    }
    #[inline(always)]
    unsafe fn write_chunk(
        fragment: &Fragment<T, L>,
        chunk: u32,
        target: &Tensor<Shared<T>, Self::Target>,
        at: u32,
    ) {
        let source = C::get_slice(0).retile_s(&fragment.view()); // (CPY,CPY_M,CPY_N)
        let source = source.group_modes::<U1, U3>().slice((__, chunk)); // (CPY)
        // SAFETY: the caller guarantees that the threads of an atom execute this together.
        unsafe { copy(C::default(), &source, &target.slice((__, 0u32, 0u32, at))) };
    }
}

/// Implemented like [`WriteChunk`], for another element type. `By` is the tiled copy of the
/// fragment's pairs, whose elements have bits `B`.
pub trait WriteChunkAs<By, V: Plain, B, VPair: Plain, L: FragmentLayout, W, WPair, Chunks>:
    TiledCopyTraits
where
    W: Plain,
    WPair: Plain,
    Chunks: LayoutFn,
{
    /// A thread's part of the chunks: `(CPY,CPY_M,CPY_N,chunk)`.
    type Target: LayoutFn;
    /// Returns thread `thread`'s part of the chunks.
    fn partition_written(
        chunks: &Tensor<Shared<W>, Chunks>,
        thread: u32,
    ) -> Tensor<Shared<W>, Self::Target>;
    /// Writes chunk `chunk` of the fragment to chunk `at`, each pair replaced by the result of `f`.
    ///
    /// # Safety
    /// The conditions of [`copy`] hold.
    unsafe fn write_chunk_as(
        fragment: &Fragment<V, L, OperandC>,
        chunk: u32,
        f: impl Fn(VPair) -> WPair,
        target: &Tensor<Shared<W>, Self::Target>,
        at: u32,
    );
}
impl<C, By, V, B, VPair, L, W, WPair, Chunks> WriteChunkAs<By, V, B, VPair, L, W, WPair, Chunks>
    for C
where
    V: Plain,
    B: Plain,
    VPair: Plain,
    W: Plain,
    WPair: Plain,
    L: FragmentLayout + RecastTo<V::Bits, B::Bits>,
    Chunks: LayoutFn,
    By: TiledCopyTraits + GetSlice<Thr = ThrCopy<By>>,
    By: Retile<
            Recast<L, V, B>,
            Output: Groupable<
                U1,
                U3,
                Output: SliceTensorBy<
                    OfChunk,
                    Output: LayoutFn + RecastTo<B::Bits, VPair::Bits, Output: Walk>,
                >,
            >,
        >,
    OperandC: MadeFor<By::Role>,
    C: TiledCopyTraits + GetSlice<Thr = ThrCopy<C>>,
    C: Retile<L, Output: Groupable<U1, U3, Output: SliceTensorBy<OfChunk, Output: FragmentLike>>>,
    LikeChunk<RetileOf<C, L>>: FragmentLayout + RecastTo<W::Bits, WPair::Bits, Output: Walk>,
    <Size<Recast<ChunkOf<RetileOf<By, Recast<L, V, B>>>, B, VPair>> as NatCmp>::Equals<
        Size<Recast<LikeChunk<RetileOf<C, L>>, W, WPair>>,
    >: SameCount<
            Size<Recast<ChunkOf<RetileOf<By, Recast<L, V, B>>>, B, VPair>>,
            Size<Recast<LikeChunk<RetileOf<C, L>>, W, WPair>>,
        >,
    Chunks:
        PartitionLayout<C, Destination, Part: LayoutFn + SliceTensorBy<AtChunk, Output: LayoutFn>>,
    C: for<'a> CopyBy<
            Registers<'a, W>,
            LikeChunk<RetileOf<C, L>>,
            Shared<W>,
            SliceOf<Part<Chunks, C, Destination>, AtChunk>,
        >,
{
    type Target = Part<Chunks, C, Destination>;
    #[inline(always)]
    fn partition_written(
        chunks: &Tensor<Shared<W>, Chunks>,
        thread: u32,
    ) -> Tensor<Shared<W>, Self::Target> {
        C::get_slice(thread).partition_d(chunks)
    }
    #[inline(always)]
    unsafe fn write_chunk_as(
        fragment: &Fragment<V, L, OperandC>,
        chunk: u32,
        f: impl Fn(VPair) -> WPair,
        target: &Tensor<Shared<W>, Self::Target>,
        at: u32,
    ) {
        let source = By::get_slice(0).retile_s(&fragment.view().recast::<B>()); // (CPY,CPY_M,CPY_N)
        let source = source.group_modes::<U1, U3>().slice((__, chunk)); // (CPY)
        let converted = Fragment::<W, LikeChunk<RetileOf<C, L>>>::new(); // (CPY)
        let pairs = converted.view().recast::<WPair>();
        transform(&source.recast::<VPair>(), &pairs, f);
        let target = target.slice((__, 0u32, 0u32, at)); // (CPY)
        // SAFETY: the caller guarantees that the threads of an atom execute this together.
        unsafe { copy(C::default(), &converted.view(), &target) };
    }
}

/// Implemented if the tiled copy `Self` reads `Chunks`, `(rows,columns,chunk)`, in shared memory to
/// registers `F`.
pub trait ReadChunk<T: Plain, Chunks: LayoutFn, F: FragmentLayout>: TiledCopyTraits {
    /// A thread's part of the chunks: `(CPY,CPY_M,CPY_N,chunk)`.
    type Source: LayoutFn;
    /// Returns thread `thread`'s part of the chunks.
    fn partition_read(
        chunks: &Tensor<Shared<T>, Chunks>,
        thread: u32,
    ) -> Tensor<Shared<T>, Self::Source>;
    /// Reads chunk `at`.
    ///
    /// # Safety
    /// The conditions of [`copy`] hold.
    unsafe fn read_chunk(source: &Tensor<Shared<T>, Self::Source>, at: u32) -> Fragment<T, F>;
    /// Reads the element at `(row, column, chunk)`.
    fn read_element(chunks: &Tensor<Shared<T>, Chunks>, at: (u32, u32, u32)) -> T;
}
impl<C, T: Plain, Chunks: LayoutFn, F: FragmentLayout> ReadChunk<T, Chunks, F> for C
where
    C: TiledCopyTraits + GetSlice<Thr = ThrCopy<C>>,
    (u32, u32, u32): Coord<Chunks::Modes, u32>,
    Chunks: PartitionLayout<C, Source, Part: LayoutFn + SliceTensorBy<AtChunk, Output: LayoutFn>>,
    C: for<'a> CopyBy<Shared<T>, SliceOf<Part<Chunks, C, Source>, AtChunk>, Registers<'a, T>, F>,
{
    type Source = Part<Chunks, C, Source>;
    #[inline(always)]
    fn partition_read(
        chunks: &Tensor<Shared<T>, Chunks>,
        thread: u32,
    ) -> Tensor<Shared<T>, Self::Source> {
        C::get_slice(thread).partition_s(chunks)
    }
    #[inline(always)]
    unsafe fn read_chunk(source: &Tensor<Shared<T>, Self::Source>, at: u32) -> Fragment<T, F> {
        let (source, chunk) = (source.slice((__, 0u32, 0u32, at)), Fragment::new());
        // SAFETY: the caller guarantees that the threads of an atom execute this together.
        unsafe { copy(C::default(), &source, &chunk.view()) };
        chunk
    }
    #[inline(always)]
    fn read_element(chunks: &Tensor<Shared<T>, Chunks>, at: (u32, u32, u32)) -> T {
        chunks.get(at)
    }
}

/// Implemented if the tiler `Self` cuts a row-major matrix into tiles.
pub trait MatrixTiler<M: TensorLayout = Matrix> {
    /// The layout of a tile.
    type Layout: LayoutFn;
    /// Returns the tile at `at`.
    fn tile<T: Plain, A: GlobalAccess>(
        matrix: &RowMajor<T, A, M>,
        at: (u32, u32),
    ) -> RowMajor<T, A, Self::Layout>;
    /// Whether the element at `place` of a tile is in bounds.
    fn inside<T: Plain>(tile: &RowMajor<T, ReadWrite, Self::Layout>, place: (u32, u32)) -> bool;
    /// Returns the element at `place` of a tile.
    fn get<T: Plain>(tile: &RowMajor<T, ReadOnly, Self::Layout>, place: (u32, u32)) -> T;
    /// Writes the element at `place` of a tile.
    fn set<T: Plain>(tile: &RowMajor<T, ReadWrite, Self::Layout>, place: (u32, u32), value: T);
}
impl<Tiler, M: TensorLayout> MatrixTiler<M> for Tiler
where
    M: LocalTile<Tiler, AtTile, Output: LayoutFn>,
    AtTile: Coord<<<M as LocalTile<Tiler, AtTile>>::Rests as LayoutFn>::Modes, u32>
        + Coord<<TileOf<M, Tiler> as LayoutFn>::Modes, u32>
        + Coord<<<TileOf<M, Tiler> as TensorLayout>::Offsets as LayoutFn>::Modes, u32>,
{
    type Layout = TileOf<M, Tiler>;
    #[inline(always)]
    fn tile<T: Plain, A: GlobalAccess>(
        matrix: &RowMajor<T, A, M>,
        at: (u32, u32),
    ) -> RowMajor<T, A, Self::Layout> {
        matrix.local_tile::<Tiler, _>(at)
    }
    #[inline(always)]
    fn inside<T: Plain>(tile: &RowMajor<T, ReadWrite, Self::Layout>, place: (u32, u32)) -> bool {
        tile.inside(place)
    }
    #[inline(always)]
    fn get<T: Plain>(tile: &RowMajor<T, ReadOnly, Self::Layout>, place: (u32, u32)) -> T {
        tile.get(place)
    }
    #[inline(always)]
    fn set<T: Plain>(tile: &RowMajor<T, ReadWrite, Self::Layout>, place: (u32, u32), value: T) {
        tile.set(place, value);
    }
}

/// Implemented if the tiled copy `Self` loads chunks of a tile `L` of a row-major matrix to
/// registers `F`.
pub trait LoadChunk<T: Plain, L: LayoutFn, F: FragmentLayout>: TiledCopyTraits {
    /// A thread's part of the tile: `(CPY,chunk)`.
    type Source: LayoutFn;
    /// Returns thread `thread`'s part of the tile.
    fn partition_loaded(
        tile: &RowMajor<T, ReadOnly, L>,
        thread: u32,
    ) -> RowMajor<T, ReadOnly, Self::Source>;
    /// Loads the atoms of chunk `chunk` that are in bounds, and sets the others to zero.
    ///
    /// # Safety
    /// The conditions of [`copy_if`] hold.
    unsafe fn load_chunk(
        source: &RowMajor<T, ReadOnly, Self::Source>,
        chunk: u32,
    ) -> Fragment<T, F>;
}
impl<C, T: Plain, L: LayoutFn, F: FragmentLayout> LoadChunk<T, L, F> for C
where
    C: TiledCopyTraits + GetSlice<Thr = ThrCopy<C>>,
    L: PartitionLayout<
            C,
            Source,
            Part: LayoutFn
                      + Groupable<U1, U3, Output: LayoutFn + SliceTensorBy<OfChunk, Output: LayoutFn>>,
        >,
    C: for<'a> PredicatedCopy<
            InRows<T, ReadOnly>,
            ChunkOf<Part<L, C, Source>>,
            Registers<'a, T>,
            F,
        >,
{
    type Source = ByChunk<Part<L, C, Source>>;
    #[inline(always)]
    fn partition_loaded(
        tile: &RowMajor<T, ReadOnly, L>,
        thread: u32,
    ) -> RowMajor<T, ReadOnly, Self::Source> {
        C::get_slice(thread)
            .partition_s(tile)
            .group_modes::<U1, U3>()
    }
    #[inline(always)]
    unsafe fn load_chunk(
        source: &RowMajor<T, ReadOnly, Self::Source>,
        chunk: u32,
    ) -> Fragment<T, F> {
        let (source, registers) = (source.slice((__, chunk)), Fragment::new());
        let inside = source.atoms_inside();
        // SAFETY: the caller guarantees that the threads of an atom execute this together.
        unsafe { copy_if(C::default(), inside, &source, &registers.view()) };
        registers
    }
}

/// Implemented if the tiled copy `Self` stores registers `F` to chunks of a tile `L` of a row-major
/// matrix.
pub trait StoreChunk<T: Plain, L: LayoutFn, F: FragmentLayout>: TiledCopyTraits {
    /// A thread's part of the tile: `(CPY,chunk)`.
    type Target: LayoutFn;
    /// Returns thread `thread`'s part of the tile.
    fn partition_stored(
        tile: &RowMajor<T, ReadWrite, L>,
        thread: u32,
    ) -> RowMajor<T, ReadWrite, Self::Target>;
    /// Stores the atoms of chunk `chunk` that are in bounds.
    ///
    /// # Safety
    /// The conditions of [`copy_if`] hold.
    unsafe fn store_chunk(
        registers: &Fragment<T, F>,
        target: &RowMajor<T, ReadWrite, Self::Target>,
        chunk: u32,
    );
}
impl<C, T: Plain, L: LayoutFn, F: FragmentLayout> StoreChunk<T, L, F> for C
where
    C: TiledCopyTraits + GetSlice<Thr = ThrCopy<C>>,
    L: PartitionLayout<
            C,
            Destination,
            Part: LayoutFn
                      + Groupable<U1, U3, Output: LayoutFn + SliceTensorBy<OfChunk, Output: LayoutFn>>,
        >,
    C: for<'a> PredicatedCopy<
            Registers<'a, T>,
            F,
            InRows<T, ReadWrite>,
            ChunkOf<Part<L, C, Destination>>,
        >,
{
    type Target = ByChunk<Part<L, C, Destination>>;
    #[inline(always)]
    fn partition_stored(
        tile: &RowMajor<T, ReadWrite, L>,
        thread: u32,
    ) -> RowMajor<T, ReadWrite, Self::Target> {
        C::get_slice(thread)
            .partition_d(tile)
            .group_modes::<U1, U3>()
    }
    #[inline(always)]
    unsafe fn store_chunk(
        registers: &Fragment<T, F>,
        target: &RowMajor<T, ReadWrite, Self::Target>,
        chunk: u32,
    ) {
        let target = target.slice((__, chunk));
        // SAFETY: the caller guarantees that the threads of an atom execute this together.
        unsafe {
            copy_if(
                C::default(),
                target.atoms_inside(),
                &registers.view(),
                &target,
            )
        };
    }
}

/// Implemented if the tiled copy `Self` stores columns of `Chunks`, `(rows,columns,chunk)`, in
/// shared memory to a tile `L` of a row-major matrix.
pub trait StoreColumn<T: Plain, L: LayoutFn, Chunks: LayoutFn>: TiledCopyTraits {
    /// Stores column `column` of chunks: the atoms that are in bounds, or all atoms without
    /// `PREDICATED`.
    ///
    /// # Safety
    /// The conditions of [`copy_if`] hold. Without `PREDICATED`, the tile is in bounds.
    unsafe fn store_column<const PREDICATED: bool>(
        chunks: &Tensor<Shared<T>, Chunks>,
        tile: &RowMajor<T, ReadWrite, L>,
        thread: u32,
        column: u32,
    );
}
impl<C, T: Plain, L: LayoutFn, Chunks: LayoutFn> StoreColumn<T, L, Chunks> for C
where
    C: TiledCopyTraits + GetSlice<Thr = ThrCopy<C>>,
    L: PartitionLayout<
            C,
            Destination,
            Part: SliceTensorBy<
                OfColumn,
                Output: LayoutFn + SliceTensorBy<OfChunk, Output: LayoutFn>,
            >,
        >,
    <Mode1<SliceOf<Part<L, C, Destination>, OfColumn>> as ModeTree>::Size: Unroll + Unsigned,
    Chunks: PartitionLayout<C, Source, Part: SliceTensorBy<AtChunk, Output: LayoutFn>>,
    C: PredicatedCopy<
            Shared<T>,
            SliceOf<Part<Chunks, C, Source>, AtChunk>,
            InRows<T, ReadWrite>,
            SliceOf<SliceOf<Part<L, C, Destination>, OfColumn>, OfChunk>,
        >,
{
    #[inline(always)]
    unsafe fn store_column<const PREDICATED: bool>(
        chunks: &Tensor<Shared<T>, Chunks>,
        tile: &RowMajor<T, ReadWrite, L>,
        thread: u32,
        column: u32,
    ) {
        type Rows<L> = <Mode1<L> as ModeTree>::Size;
        type Column<L, C> = SliceOf<Part<L, C, Destination>, OfColumn>;
        let slice = C::get_slice(thread);
        let source = slice.partition_s(chunks); // (CPY,CPY_M,CPY_N,chunk)
        let target = slice.partition_d(tile).slice((__, __, column)).from_here(); // (CPY,CPY_M)
        unroll_type::<Rows<Column<L, C>>>(|row| {
            let row = row as u32;
            let chunk = column * Rows::<Column<L, C>>::U32 + row;
            let (source, target) = (
                source.slice((__, 0u32, 0u32, chunk)),
                target.slice((__, row)),
            ); // (CPY)
            // SAFETY: the caller guarantees that the threads of an atom execute this together.
            unsafe {
                if PREDICATED {
                    copy_if(C::default(), target.atoms_inside(), &source, &target);
                } else {
                    copy(C::default(), &source, &target);
                }
            }
        });
    }
}

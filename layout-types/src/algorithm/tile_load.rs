//! Loads k tiles of a matrix of run-time extents to stages in shared memory. A mainloop that is
//! generic over its tiled copies has one bound here for each role of a copy.
//!
//! ```text
//!   PartitionTile    a thread's part of a tile in global memory     (CPY,CPY_M,CPY_K)
//!   LoadTile         that part to a stage                           cp.async
//!   LoadRows         the same row by row                            where one address serves all of a thread's rows
//!   LoadTiles        the parts of all tiles along k                 (CPY,CPY_M,CPY_K,k)
//!   FetchTile        that part to registers                         then StoreTile: from registers to a stage
//! ```
//!
//! Law: each trait holds for all tiled copies, tiles and stages that [`copy_if`] and [`copy`] take.
//!
//! Source: CuTe `examples/cute/tutorial/sgemm_sm80.cu`, `gmem_thr_copy_A`.

use super::copy::{CopyBy, PredicatedCopy, copy, copy_if};
use crate::atom::copy::AtomPredicate;
use crate::coord::Coord;
use crate::layout::LayoutFn;
use crate::ragged::{RaggedIdentity, SliceTensorBy, TensorLayout};
use crate::tensor::{
    __, Fragment, FragmentLayout, GetSlice, Global, KnownStrides, LocalTile, PartitionLayout,
    Plain, ReadOnly, Registers, Role, RunTimeStrides, Shared, Tensor, ThrCopy, mode_size,
};
use crate::tiled::{
    Destination, MadeFor, Retile, RetileOf, Source, TiledCopyTraits, VectorStrides,
};
use crate::tree::{ModeList, ModeTree, Underscore};
use crate::unroll::Unroll;
use typenum::U2;

/// The layout of a matrix of run-time extents.
type Matrix = RaggedIdentity<U2>;
/// A matrix of run-time extents, or a thread's part of it.
pub type MatrixTensor<T, L = Matrix, K = RunTimeStrides> = Tensor<Global<T, ReadOnly, 2, K>, L>;

/// The coordinate of one tile, and the coordinate of all tiles along k.
type AtTile = (u32, u32);
type AlongK = (u32, Underscore);
type TileOf<M, Tile, C> = <M as LocalTile<Tile, C>>::Output;
type Rests<M, Tile, C> = <<M as LocalTile<Tile, C>>::Rests as LayoutFn>::Modes;
/// Fixes the last of four modes, and (`OfRow`) all modes except the first.
type OfStage = (Underscore, Underscore, Underscore, u32);
type OfRow = (Underscore, u32, u32);
type StageOf<L> = <L as SliceTensorBy<OfStage>>::Output;
type RowOf<L> = <L as SliceTensorBy<OfRow>>::Output;
/// The layout of a thread's part.
type Part<L, C, X> = <L as PartitionLayout<C, X>>::Part;
type SourcePart<C, Tile, M> = Part<TileOf<M, Tile, AtTile>, C, Source>;
type Mode1<L> =
    <<<<L as LayoutFn>::Modes as ModeTree>::Modes as ModeList>::Rest as ModeList>::First;

/// Implemented if the tiled copy `Self` reads tiles `Tile` of a matrix.
pub trait PartitionTile<T: Plain, Tile, M: TensorLayout = Matrix>: TiledCopyTraits {
    /// A thread's part of a tile: `(CPY,CPY_M,CPY_K)`.
    type Source: LayoutFn;
    /// Strides in which the mode of the copy's vectors has stride 1.
    type Strides: KnownStrides;
    /// Returns thread `thread`'s part of the tile at `at`.
    fn partition_tile(
        matrix: &MatrixTensor<T, M, Self::Strides>,
        at: (u32, u32),
        thread: u32,
    ) -> MatrixTensor<T, Self::Source, Self::Strides>;
    /// Returns the coordinate of the first element of the tile at `at`.
    fn coordinate_of_tile(matrix: &MatrixTensor<T, M, Self::Strides>, at: (u32, u32)) -> [u32; 2];
}
impl<C, T: Plain, Tile, M: TensorLayout> PartitionTile<T, Tile, M> for C
where
    C: TiledCopyTraits + GetSlice<Thr = ThrCopy<C>>,
    M: LocalTile<Tile, AtTile>,
    AtTile: Coord<Rests<M, Tile, AtTile>, u32>,
    TileOf<M, Tile, AtTile>: PartitionLayout<C, Source, Part: LayoutFn>,
{
    type Source = SourcePart<C, Tile, M>;
    type Strides = VectorStrides<Self::Source>;
    #[inline(always)]
    fn partition_tile(
        matrix: &MatrixTensor<T, M, Self::Strides>,
        at: (u32, u32),
        thread: u32,
    ) -> MatrixTensor<T, Self::Source, Self::Strides> {
        C::get_slice(thread).partition_s(&matrix.local_tile::<Tile, _>(at))
    }
    #[inline(always)]
    fn coordinate_of_tile(matrix: &MatrixTensor<T, M, Self::Strides>, at: (u32, u32)) -> [u32; 2] {
        matrix.local_tile::<Tile, _>(at).engine().coordinate()
    }
}

/// Implemented if the tiled copy `Self` loads tiles of a matrix to `Stages`, `(rows,k,stage)`, in
/// shared memory.
pub trait LoadTile<T: Plain, Tile, Stages: LayoutFn, M: TensorLayout = Matrix>:
    PartitionTile<T, Tile, M>
{
    /// A thread's part of the stages: `(CPY,CPY_M,CPY_K,stage)`.
    type Target: LayoutFn;
    /// A thread's part of a stage: `(CPY,CPY_M,CPY_K)`.
    type Stage: LayoutFn;
    /// The number of a thread's rows of atoms and of its columns of atoms: CPY_M and CPY_K.
    const ATOMS: [usize; 2] = [mode_size::<Self::Source>(1), mode_size::<Self::Source>(2)];
    /// Returns thread `thread`'s part of the stages.
    fn partition_stages(
        stages: &Tensor<Shared<T>, Stages>,
        thread: u32,
    ) -> Tensor<Shared<T>, Self::Target>;
    /// Returns a thread's part of stage `stage`.
    fn stage(
        target: &Tensor<Shared<T>, Self::Target>,
        stage: u32,
    ) -> Tensor<Shared<T>, Self::Stage>;
    /// Copies the atoms for whose number `predicate` holds.
    ///
    /// # Safety
    /// The conditions of [`copy_if`] hold.
    unsafe fn load_tile_if<P: AtomPredicate>(
        predicate: impl Fn(usize) -> P,
        source: &MatrixTensor<T, Self::Source, Self::Strides>,
        stage: &Tensor<Shared<T>, Self::Stage>,
    );
}
impl<C, T: Plain, Tile, Stages: LayoutFn, M: TensorLayout> LoadTile<T, Tile, Stages, M> for C
where
    C: PartitionTile<T, Tile, M> + GetSlice<Thr = ThrCopy<C>>,
    Stages:
        PartitionLayout<C, Destination, Part: LayoutFn + SliceTensorBy<OfStage, Output: LayoutFn>>,
    C: PredicatedCopy<
            Global<T, ReadOnly, 2, <C as PartitionTile<T, Tile, M>>::Strides>,
            <C as PartitionTile<T, Tile, M>>::Source,
            Shared<T>,
            StageOf<Part<Stages, C, Destination>>,
        >,
{
    type Target = Part<Stages, C, Destination>;
    type Stage = StageOf<Self::Target>;
    #[inline(always)]
    fn partition_stages(
        stages: &Tensor<Shared<T>, Stages>,
        thread: u32,
    ) -> Tensor<Shared<T>, Self::Target> {
        C::get_slice(thread).partition_d(stages)
    }
    #[inline(always)]
    fn stage(
        target: &Tensor<Shared<T>, Self::Target>,
        stage: u32,
    ) -> Tensor<Shared<T>, Self::Stage> {
        target.slice((__, __, __, stage))
    }
    #[inline(always)]
    unsafe fn load_tile_if<P: AtomPredicate>(
        predicate: impl Fn(usize) -> P,
        source: &MatrixTensor<T, Self::Source, Self::Strides>,
        stage: &Tensor<Shared<T>, Self::Stage>,
    ) {
        // SAFETY: the caller guarantees that the threads of an atom execute this together.
        unsafe { copy_if(C::default(), predicate, source, stage) };
    }
}

/// The bound of [`LoadTile`] row by row, for a thread that has one column of atoms: CPY_K is 1.
pub trait LoadRows<T: Plain, Tile, Stages: LayoutFn, M: TensorLayout = Matrix>:
    LoadTile<T, Tile, Stages, M>
{
    /// The number of a thread's rows of atoms: CPY_M.
    type Rows: Unroll;
    /// Returns the number of rows from one of a thread's rows of atoms to the next.
    fn row_distance(matrix: &MatrixTensor<T, M, Self::Strides>) -> u32;
    /// Copies a thread's first row of atoms of the matrix to row `row` of a stage, if `predicate`
    /// holds.
    ///
    /// # Safety
    /// The conditions of [`copy_if`] hold.
    unsafe fn load_row_if(
        predicate: impl Fn() -> bool,
        matrix: &MatrixTensor<T, M, Self::Strides>,
        stage: &Tensor<Shared<T>, Self::Stage>,
        row: u32,
    );
}
impl<C, T: Plain, Tile, Stages: LayoutFn, M: TensorLayout> LoadRows<T, Tile, Stages, M> for C
where
    C: LoadTile<T, Tile, Stages, M>,
    C::Source: SliceTensorBy<OfRow, Output: LayoutFn>,
    C::Stage: SliceTensorBy<OfRow, Output: LayoutFn>,
    <Mode1<C::Source> as ModeTree>::Size: Unroll,
    C: PredicatedCopy<
            Global<T, ReadOnly, 2, <C as PartitionTile<T, Tile, M>>::Strides>,
            RowOf<C::Source>,
            Shared<T>,
            RowOf<<C as LoadTile<T, Tile, Stages, M>>::Stage>,
        >,
{
    type Rows = <Mode1<C::Source> as ModeTree>::Size;
    #[inline(always)]
    fn row_distance(matrix: &MatrixTensor<T, M, Self::Strides>) -> u32 {
        let rows = C::partition_tile(matrix, (0, 0), 0); // (CPY,CPY_M,CPY_K)
        rows.slice((__, 1u32, 0u32)).engine().coordinate()[0]
    }
    #[inline(always)]
    unsafe fn load_row_if(
        predicate: impl Fn() -> bool,
        matrix: &MatrixTensor<T, M, Self::Strides>,
        stage: &Tensor<Shared<T>, Self::Stage>,
        row: u32,
    ) {
        let source = C::partition_tile(matrix, (0, 0), 0).slice((__, 0u32, 0u32)); // (CPY)
        let target = stage.slice((__, row, 0u32)); // (CPY)
        // SAFETY: the caller guarantees that the threads of an atom execute this together.
        unsafe { copy_if(C::default(), |_| predicate(), &source, &target) };
    }
}

/// The bound of [`LoadTile`] for a thread's parts of all tiles along k.
pub trait LoadTiles<T: Plain, Tile, Stages: LayoutFn, M: TensorLayout = Matrix>:
    LoadTile<T, Tile, Stages, M>
{
    /// A thread's parts: `(CPY,CPY_M,CPY_K,k)`.
    type Sources: TensorLayout;
    /// Returns thread `thread`'s parts of the tiles of rows `row`.
    fn partition_tiles(
        matrix: &MatrixTensor<T, M, Self::Strides>,
        row: u32,
        thread: u32,
    ) -> MatrixTensor<T, Self::Sources, Self::Strides>;
    /// Returns the part of tile `k_tile`.
    fn tile(
        sources: &MatrixTensor<T, Self::Sources, Self::Strides>,
        k_tile: u32,
    ) -> MatrixTensor<T, Self::Source, Self::Strides>;
}
impl<C, T: Plain, Tile, Stages: LayoutFn, M: TensorLayout> LoadTiles<T, Tile, Stages, M> for C
where
    C: LoadTile<T, Tile, Stages, M> + GetSlice<Thr = ThrCopy<C>>,
    M: LocalTile<Tile, AlongK>,
    AlongK: Coord<Rests<M, Tile, AlongK>, u32>,
    TileOf<M, Tile, AlongK>: PartitionLayout<C, Source>,
    Part<TileOf<M, Tile, AlongK>, C, Source>: SliceTensorBy<OfStage, Output = C::Source>,
{
    type Sources = Part<TileOf<M, Tile, AlongK>, C, Source>;
    #[inline(always)]
    fn partition_tiles(
        matrix: &MatrixTensor<T, M, Self::Strides>,
        row: u32,
        thread: u32,
    ) -> MatrixTensor<T, Self::Sources, Self::Strides> {
        C::get_slice(thread).partition_s(&matrix.local_tile::<Tile, _>((row, __)))
    }
    #[inline(always)]
    fn tile(
        sources: &MatrixTensor<T, Self::Sources, Self::Strides>,
        k_tile: u32,
    ) -> MatrixTensor<T, Self::Source, Self::Strides> {
        sources.slice((__, __, __, k_tile))
    }
}

/// Implemented if the tiled copy `Self` loads tiles of a matrix to a thread's registers, in the
/// order of the thread's part.
pub trait FetchTile<T: Plain, Tile, F: FragmentLayout, M: TensorLayout = Matrix>:
    PartitionTile<T, Tile, M>
{
    /// Copies the atoms of the part that are in bounds of the matrix.
    ///
    /// # Safety
    /// The conditions of [`copy_if`] hold.
    unsafe fn fetch_tile(
        source: &MatrixTensor<T, Self::Source, Self::Strides>,
        fragment: &Fragment<T, F>,
    );
}
impl<C, T: Plain, Tile, F: FragmentLayout, M: TensorLayout> FetchTile<T, Tile, F, M> for C
where
    C: PartitionTile<T, Tile, M>,
    C: for<'a> PredicatedCopy<
            Global<T, ReadOnly, 2, <C as PartitionTile<T, Tile, M>>::Strides>,
            <C as PartitionTile<T, Tile, M>>::Source,
            Registers<'a, T>,
            F,
        >,
{
    #[inline(always)]
    unsafe fn fetch_tile(
        source: &MatrixTensor<T, Self::Source, Self::Strides>,
        fragment: &Fragment<T, F>,
    ) {
        // SAFETY: the caller guarantees that the threads of an atom execute this together.
        unsafe {
            copy_if(
                C::default(),
                source.atoms_inside(),
                source,
                &fragment.view(),
            )
        };
    }
}

/// Implemented if the tiled copy `Self` stores the registers of [`FetchTile`] to `Stages` in shared
/// memory.
pub trait StoreTile<T: Plain, F: FragmentLayout, Stages: LayoutFn>: TiledCopyTraits {
    /// A thread's part of the stages: `(CPY,CPY_M,CPY_K,stage)`.
    type Target: LayoutFn;
    /// Returns thread `thread`'s part of the stages.
    fn partition_stages(
        stages: &Tensor<Shared<T>, Stages>,
        thread: u32,
    ) -> Tensor<Shared<T>, Self::Target>;
    /// Stores the fragment to stage `stage`.
    ///
    /// # Safety
    /// The conditions of [`copy`] hold.
    unsafe fn store_tile(
        fragment: &Fragment<T, F>,
        target: &Tensor<Shared<T>, Self::Target>,
        stage: u32,
    );
}
impl<C, T: Plain, F: FragmentLayout, Stages: LayoutFn> StoreTile<T, F, Stages> for C
where
    C: TiledCopyTraits + GetSlice<Thr = ThrCopy<C>> + Retile<F>,
    crate::tiled::AnyRole: Role + MadeFor<C::Role>,
    Stages:
        PartitionLayout<C, Destination, Part: LayoutFn + SliceTensorBy<OfStage, Output: LayoutFn>>,
    C: for<'a> CopyBy<
            Registers<'a, T>,
            RetileOf<C, F>,
            Shared<T>,
            StageOf<Part<Stages, C, Destination>>,
        >,
{
    type Target = Part<Stages, C, Destination>;
    #[inline(always)]
    fn partition_stages(
        stages: &Tensor<Shared<T>, Stages>,
        thread: u32,
    ) -> Tensor<Shared<T>, Self::Target> {
        C::get_slice(thread).partition_d(stages)
    }
    #[inline(always)]
    unsafe fn store_tile(
        fragment: &Fragment<T, F>,
        target: &Tensor<Shared<T>, Self::Target>,
        stage: u32,
    ) {
        let target = target.slice((__, __, __, stage)); // (CPY,CPY_M,CPY_K)
        let fragment = C::get_slice(0).retile_s(&fragment.view()); // (CPY,CPY_M,CPY_K)
        // SAFETY: the caller guarantees that the threads of an atom execute this together.
        unsafe { copy(C::default(), &fragment, &target) };
    }
}

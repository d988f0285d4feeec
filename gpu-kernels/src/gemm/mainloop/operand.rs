//! Copies the k tiles of A or B from global to shared memory, by cp.async or through registers.
//!
//! ```text
//!   CpAsync..          begin_load: cp.async of 16 or 4 bytes ────────────► stage    finish_load: nothing
//!   ThroughRegisters   begin_load: loads ──► registers  (MMAs meanwhile)     finish_load: registers ──► stage
//! ```
//!
//! Law: after `begin_load`, `finish_load` and the mainloop's wait and barrier, `stage(row, k)` is
//! the element of the matrix if row and k are in bounds, and zero otherwise.

use super::GlobalMatrix;
use layout_types::algorithm::tile_load::{
    FetchTile, LoadRows, LoadTile, LoadTiles, MatrixTensor, PartitionTile, StoreTile,
};
use layout_types::arch::mov::here;
use layout_types::arch::mov::thread_here;
use layout_types::atom::copy::Mask;
use layout_types::layout::LayoutFn;
use layout_types::tensor::{Fragment, FragmentLayout, KnownStrides, Plain, Shared, Tensor};
use layout_types::unroll::unroll_type;

/// An operand: the layout of its k tiles in shared memory, and the tiled copy that loads them.
pub trait Operand: Sized {
    /// An element's bits.
    type Bits: Plain;
    /// A k tile, `(rows, k)`.
    type Tile;
    /// The stages in shared memory, `(rows, k, stage)`.
    type Stages: LayoutFn;
    /// The tiled copy that loads a k tile.
    type Copy;
    /// Bytes of one load. All rows begin at multiples of it.
    const LOAD_BYTES: u32;
    /// Bytes of all stages.
    const BYTES: u32 = Tensor::<Shared<Self::Bits>, Self::Stages>::BYTES as u32;
}

/// An operand of a kernel, with the way in which a thread loads it.
pub trait LoadedOperand: Operand {
    /// The state that a thread holds.
    type Loader: OperandLoader<Self>;
    /// The mode along which a load of several elements runs: 0 is rows, 1 is k.
    const UNIT_MODE: Option<usize>;
}

/// Returns the mode along which the tiled copy's loads of several elements run.
#[must_use]
pub const fn unit_mode<Copy: PartitionTile<T, Tile>, T: Plain, Tile>() -> Option<usize> {
    <Copy::Strides as KnownStrides>::UNIT_MODE
}

/// The state that a thread holds to load an operand.
pub type Loader<O> = <O as LoadedOperand>::Loader;
/// The bits of an operand's elements.
pub type Bits<O> = <O as Operand>::Bits;
/// The matrix of an operand.
pub type MatrixOf<O> = GlobalMatrix<Bits<O>>;
/// The stages of an operand.
pub type StagesOf<O> = Tensor<Shared<Bits<O>>, <O as Operand>::Stages>;
/// A thread's part of the stages.
type TargetOf<O> = Tensor<
    Shared<Bits<O>>,
    <Copy<O> as LoadTile<Bits<O>, <O as Operand>::Tile, <O as Operand>::Stages>>::Target,
>;
/// A thread's part of all k tiles.
type Sources<O> = MatrixTensor<
    Bits<O>,
    <Copy<O> as LoadTiles<Bits<O>, <O as Operand>::Tile, <O as Operand>::Stages>>::Sources,
    <Copy<O> as PartitionTile<Bits<O>, <O as Operand>::Tile>>::Strides,
>;
type Copy<O> = <O as Operand>::Copy;

/// A thread's copies of an operand's k tiles, one after the other.
///
/// Law: after `begin_load`, `finish_load` and the mainloop's wait and barrier, element `(row, k)`
/// of the stage is the element of the matrix if row and k are in bounds, and zero otherwise. The
/// mainloop calls `begin_load` in the order of the k tiles, each followed by `advance`, and
/// `finish_load` before the next `begin_load`.
///
/// `examples/kernels/src/relu_gemm.rs` is a loader of another crate.
pub trait OperandLoader<O: Operand> {
    /// Returns thread `thread`'s copies from `matrix` to `stages`, for the tile of rows `at.0` and
    /// from k tile `at.1` on.
    fn new(matrix: MatrixOf<O>, stages: &StagesOf<O>, at: (u32, u32), thread: u32) -> Self;
    /// Begins to copy this thread's elements of k tile `k_tile` to stage `stage`, with predicates.
    /// A call of [`advance`](Self::advance) follows.
    ///
    /// # Safety
    /// The matrix is readable as [`GlobalMatrix::tensor`] says. Nothing else accesses the stage
    /// before the copy is finished, a wait for it, and a barrier.
    unsafe fn begin_load(&mut self, k_tile: u32, stage: u32);
    /// Begins to copy without predicates: the k tile and all of the tile's rows are in bounds.
    ///
    /// # Safety
    /// The conditions are those of [`begin_load`](Self::begin_load), and the k tile is in bounds.
    #[inline(always)]
    unsafe fn begin_load_unpredicated(&mut self, k_tile: u32, stage: u32) {
        // SAFETY: the caller keeps the stage free and the matrix readable. All predicates hold, so
        // the predicated copy is the same.
        unsafe { self.begin_load(k_tile, stage) }
    }
    /// Advances to the next k tile. After a k tile that was not copied, no further k tile is
    /// copied.
    #[inline(always)]
    fn advance(&mut self) {}
    /// Finishes the copy that was begun last, to the same stage.
    ///
    /// # Safety
    /// The conditions are those of [`begin_load`](Self::begin_load).
    #[inline(always)]
    unsafe fn finish_load(&self, _stage: u32) {}
}

/// Defines operands and checks their layouts.
///
/// ```
/// use gpu_kernels::gemm::layouts::{K32, Rows32By128};
/// use gpu_kernels::{gemm::mainloop::Operand, operand};
/// use layout_types::prelude::*;
///
/// operand! {
///     /// 96 rows, 32 deep, three stages, by 128 threads.
///     K96x32x3: u16, tile tile!(96, 32), stages K32<int!(96), int!(3)>, CpAsyncRows 16 by Rows32By128;
/// }
/// assert_eq!(K96x32x3::BYTES, 96 * 32 * 3 * 2);
/// ```
///
/// A line has the type of the elements' bits, the tile `(rows, k)`, the stages `(rows, k, stage)`,
/// the bytes of one load, and the tiled copy that loads them.
/// [`ThroughRegisters`](crate::gemm::mainloop::ThroughRegisters) also has the tiled copy from
/// registers to a stage and a thread's fragment.
#[macro_export]
macro_rules! operand {
    ($($(#[$doc:meta])* $name:ident: $bits:ty, tile $tile:ty,
       stages $stages:ty, $loader:ident $bytes:literal by $copy:ty $(, through $r2s:ty, fragment $fragment:ty)?;)+) => {$(
        $(#[$doc])*
        pub struct $name;
        $crate::operand! {
            @impl [] $name: $bits, tile $tile, stages $stages, $loader $bytes, by $copy $(, through $r2s, fragment $fragment)?
        }
    )+};
    // Implements an operand for an existing type. The attributes are those of the implementations.
    (@impl [$(#[$of:meta])*] $name:ty: $bits:ty, tile $tile:ty,
     stages $stages:ty, $loader:ident $bytes:expr, by $copy:ty $(, through $r2s:ty, fragment $fragment:ty)?) => {
        $(#[$of])*
        impl $crate::gemm::mainloop::Operand for $name {
            type Bits = $bits;
            type Tile = $tile;
            type Stages = $stages;
            type Copy = $copy;
            const LOAD_BYTES: u32 = $bytes;
        }
        // The following is asserted when the PTX is built.
        #[cfg(target_arch = "nvptx64")]
        $(#[$of])*
        impl $crate::gemm::mainloop::LoadedOperand for $name {
            type Loader = $crate::gemm::mainloop::$loader<Self $(, $r2s, $fragment)?>;
            const UNIT_MODE: Option<usize> = $crate::gemm::mainloop::unit_mode::<$copy, $bits, $tile>();
        }
        #[cfg(target_arch = "nvptx64")]
        $(#[$of])*
        const _: () = {
            $crate::gemm::scope::layout_types::assert_covers!(copy $copy);
            $crate::operand!(@write $stages, $copy $(, $r2s)?);
        };
    };
    (@write $stages:ty, $copy:ty, $r2s:ty) => { $crate::operand!(@write $stages, $r2s); };
    (@write $stages:ty, $copy:ty) => {
        $crate::gemm::scope::layout_types::assert_contiguous!(write of $stages by $copy);
        $crate::gemm::scope::layout_types::assert_bank_conflict_free!(write of $stages by $copy);
    };
}

/// A loader that holds the addresses of a thread's rows, and their predicates as a mask, which is
/// the same for all k tiles.
pub struct CpAsyncMask<O: Operand<Copy: LoadTiles<Bits<O>, O::Tile, O::Stages>>> {
    source: Sources<O>,
    target: TargetOf<O>,
    rows: Mask,
}
impl<O> OperandLoader<O> for CpAsyncMask<O>
where
    O: Operand<Copy: LoadTiles<Bits<O>, O::Tile, O::Stages>>,
{
    #[inline(always)]
    fn new(matrix: MatrixOf<O>, stages: &StagesOf<O>, at: (u32, u32), thread: u32) -> Self {
        const {
            assert!(
                matches!(O::Copy::ATOMS, [4, 1]),
                "four predicates serve all atoms"
            )
        }
        // SAFETY: the tensor is only partitioned; no element is read.
        let source = O::Copy::partition_tiles(
            &unsafe { matrix.tensor::<O::Copy, O::Tile>() },
            at.0,
            thread,
        ); // (CPY, CPY_M, CPY_K, k)
        let in_bounds = O::Copy::tile(&source, 0).atoms_inside_along::<0>();
        Self {
            source,
            target: O::Copy::partition_stages(stages, thread),
            rows: Mask::new::<4>(in_bounds),
        }
    }
    #[inline(always)]
    unsafe fn begin_load(&mut self, k_tile: u32, stage: u32) {
        let source = O::Copy::tile(&self.source, k_tile); // (CPY, CPY_M, CPY_K)
        let rows = self.rows.only_if(source.atoms_inside_along::<1>()(0));
        // SAFETY: atoms of the mask are in bounds. The caller keeps the matrix readable there and
        // the stage free.
        unsafe {
            let target = O::Copy::stage(&self.target, stage); // (CPY, CPY_M, CPY_K)
            O::Copy::load_tile_if(|atom| rows.atom(atom), &source, &target);
        }
    }
}

/// A loader that holds one address and the extents. It computes the predicates for each k tile.
pub struct CpAsync<O: Operand<Copy: LoadTile<Bits<O>, O::Tile, O::Stages>>> {
    /// The matrix from this thread's first element of the next k tile on.
    source: MatrixOf<O>,
    target: TargetOf<O>,
}
impl<O> OperandLoader<O> for CpAsync<O>
where
    O: Operand<Copy: LoadTile<Bits<O>, O::Tile, O::Stages>>,
{
    #[inline(always)]
    fn new(matrix: MatrixOf<O>, stages: &StagesOf<O>, at: (u32, u32), thread: u32) -> Self {
        Self {
            source: matrix.from_part::<O::Copy, O::Tile>(at, thread),
            target: O::Copy::partition_stages(stages, thread),
        }
    }
    #[inline(always)]
    unsafe fn begin_load(&mut self, _k_tile: u32, stage: u32) {
        // SAFETY: atoms whose predicates hold are in bounds. The caller keeps the matrix readable
        // there and the stage free.
        unsafe {
            let matrix = self
                .source
                .with_opaque_strides()
                .tensor::<O::Copy, O::Tile>();
            let source = O::Copy::partition_tile(&matrix, (0, 0), 0); // (CPY, CPY_M, CPY_K)
            let target = O::Copy::stage(&self.target, stage); // (CPY, CPY_M, CPY_K)
            O::Copy::load_tile_if(source.atoms_inside(), &source, &target);
        }
    }
    #[inline(always)]
    fn advance(&mut self) {
        self.source.advance::<O::Copy, O::Tile>();
    }
}

/// A loader that holds one address and goes from row to row. If everything is in bounds, it
/// computes no predicates. Without `KEEP` a thread computes its place in a stage again for each k
/// tile, which saves registers.
pub struct CpAsyncRows<
    O: Operand<Copy: LoadRows<Bits<O>, O::Tile, O::Stages>>,
    const KEEP: bool = true,
> {
    /// The matrix from this thread's first element of the next k tile on.
    source: MatrixOf<O>,
    /// The number of k tiles in which this thread's k coordinate is in bounds.
    k_tiles: u32,
    target: TargetOf<O>,
    stages: StagesOf<O>,
}
/// [`CpAsyncRows`] without `KEEP`.
pub type CpAsyncRowsRecompute<O> = CpAsyncRows<O, false>;

impl<O, const KEEP: bool> CpAsyncRows<O, KEEP>
where
    O: Operand<Copy: LoadRows<Bits<O>, O::Tile, O::Stages>>,
{
    /// Begins to copy this thread's rows for which `predicate` holds.
    ///
    /// # Safety
    /// The conditions are those of [`OperandLoader::begin_load`]. Rows for which `predicate` holds
    /// are in bounds.
    #[inline(always)]
    unsafe fn copy_rows(&self, stage: u32, predicate: impl Fn(u32) -> bool) {
        let target = if KEEP {
            self.target
        } else {
            O::Copy::partition_stages(&self.stages, thread_here())
        };
        let target = O::Copy::stage(&target, stage); // (CPY, CPY_M, CPY_K)
        let mut row = self.source;
        // SAFETY: rows for which the predicate holds are in bounds. The caller keeps the matrix
        // readable there and the stage free.
        unsafe {
            let distance = O::Copy::row_distance(&row.tensor::<O::Copy, O::Tile>());
            unroll_type::<<O::Copy as LoadRows<_, _, _>>::Rows>(|i| {
                let i = i as u32;
                O::Copy::load_row_if(
                    || predicate(distance * i),
                    &row.tensor::<O::Copy, O::Tile>(),
                    &target,
                    i,
                );
                row = row.skip_rows(distance);
            });
        }
    }
}
impl<O, const KEEP: bool> OperandLoader<O> for CpAsyncRows<O, KEEP>
where
    O: Operand<Copy: LoadRows<Bits<O>, O::Tile, O::Stages>>,
{
    #[inline(always)]
    fn new(matrix: MatrixOf<O>, stages: &StagesOf<O>, at: (u32, u32), thread: u32) -> Self {
        const {
            assert!(
                O::Copy::ATOMS[1] == 1,
                "one predicate along k serves all atoms"
            )
        }
        // SAFETY: only coordinates of the tensor are used; no element is read.
        let tensor = unsafe { matrix.tensor::<O::Copy, O::Tile>() };
        let first = |k_tile| {
            O::Copy::partition_tile(&tensor, (at.0, k_tile), thread)
                .engine()
                .coordinate()
        };
        let [_, tile_k] = O::Copy::coordinate_of_tile(&tensor, (0, 1));
        let k_tiles = matrix.offset_by(first(0)).extents[1].div_ceil(tile_k);
        let source = matrix.offset_by(first(at.1));
        Self {
            source,
            k_tiles,
            target: O::Copy::partition_stages(stages, thread),
            stages: *stages,
        }
    }
    #[inline(always)]
    unsafe fn begin_load(&mut self, k_tile: u32, stage: u32) {
        let rows = here(if k_tile < self.k_tiles {
            self.source.extents[0]
        } else {
            0
        });
        // SAFETY: rows below `rows` are in bounds; the caller keeps the matrix readable and the
        // stage free.
        unsafe { self.copy_rows(stage, |row| row < rows) }
    }
    #[inline(always)]
    unsafe fn begin_load_unpredicated(&mut self, _k_tile: u32, stage: u32) {
        // SAFETY: the caller says that all rows are in bounds, and keeps the matrix readable and
        // the stage free.
        unsafe { self.copy_rows(stage, |_| true) }
    }
    #[inline(always)]
    fn advance(&mut self) {
        self.source.advance::<O::Copy, O::Tile>();
    }
}

/// A loader for any alignment. It holds one address, and the elements `F` of a k tile between their
/// load and their store by `R2s`.
pub struct ThroughRegisters<O: Operand, R2s: StoreTile<Bits<O>, F, O::Stages>, F: FragmentLayout> {
    /// The matrix from this thread's first element of the next k tile on.
    source: MatrixOf<O>,
    target: Tensor<Shared<Bits<O>>, R2s::Target>,
    fragment: Fragment<Bits<O>, F>,
}
impl<O, R2s, F> OperandLoader<O> for ThroughRegisters<O, R2s, F>
where
    O: Operand<Copy: FetchTile<Bits<O>, O::Tile, F>>,
    R2s: StoreTile<Bits<O>, F, O::Stages>,
    F: FragmentLayout,
{
    #[inline(always)]
    fn new(matrix: MatrixOf<O>, stages: &StagesOf<O>, at: (u32, u32), thread: u32) -> Self {
        Self {
            source: matrix.from_part::<O::Copy, O::Tile>(at, thread),
            target: R2s::partition_stages(stages, thread),
            fragment: Fragment::new(),
        }
    }
    #[inline(always)]
    unsafe fn begin_load(&mut self, _k_tile: u32, _stage: u32) {
        self.fragment = Fragment::new();
        // SAFETY: elements whose predicates hold are in bounds, and the caller keeps the matrix
        // readable there. The fragment is this thread's own.
        unsafe {
            let source =
                O::Copy::partition_tile(&self.source.tensor::<O::Copy, O::Tile>(), (0, 0), 0); // (CPY, CPY_M, CPY_K)
            O::Copy::fetch_tile(&source, &self.fragment);
            // The matrix advances here and not in `advance`, so that no element's address outlives
            // the load: there are only registers for one address.
            self.source.advance::<O::Copy, O::Tile>();
        }
    }
    #[inline(always)]
    unsafe fn finish_load(&self, stage: u32) {
        // SAFETY: the caller keeps the stage free; each thread writes its own elements of it.
        unsafe { R2s::store_tile(&self.fragment, &self.target, stage) };
    }
}

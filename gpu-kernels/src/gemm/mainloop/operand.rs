//! How the k tiles of A or B come from global into shared memory: by cp.async, or through registers.
//!
//! ```text
//!   cp_async..   begin_load: cp.async of 16 or 4 bytes ────────────────────► stage    finish_load: nothing
//!   registers    begin_load: loads ──► registers        (MMAs meanwhile)     finish_load: registers ──► stage
//! ```
//!
//! Law: after `begin_load`, `finish_load` and the mainloop's wait and barrier, `stage(row, k)` is the matrix's element where row
//! and k are in bounds, and zero elsewhere.

use super::GlobalMatrix;
use layout_types::prelude::*;
use layout_types::tensor::{Plain, Shared};

/// How the k tiles of an operand come into shared memory, and their layout there.
pub trait Operand {
    /// An element's bits.
    type Bits: Plain;
    /// The stages in shared memory, `(rows, k, stage)`.
    type Stages: LayoutFn;
    /// Bytes of one load: all rows begin at multiples of it.
    const LOAD_BYTES: u32;
    /// Bytes of all stages.
    const BYTES: u32;
    /// Returns thread `thread`'s copies from `matrix` to `stages`: of the tile of rows `at.0`, from k tile `at.1` on.
    fn new(
        matrix: GlobalMatrix<Self::Bits>,
        stages: &Tensor<Shared<Self::Bits>, Self::Stages>,
        at: (u32, u32),
        thread: u32,
    ) -> Self;
    /// Begins to copy this thread's elements of k tile `k_tile` to stage `stage`, predicated. K tiles come one after the other:
    /// [`advance`](Self::advance) follows each.
    ///
    /// # Safety
    /// The matrix is readable as [`GlobalMatrix::tensor`] says. Nobody else accesses the stage until the copy is finished and
    /// waited for, and a barrier has passed.
    unsafe fn begin_load(&mut self, k_tile: u32, stage: u32);
    /// Begins to copy without predicates: the k tile and all of the tile's rows are in bounds.
    ///
    /// # Safety
    /// As [`begin_load`](Self::begin_load), and the k tile is in bounds.
    #[inline(always)]
    unsafe fn begin_load_unpredicated(&mut self, k_tile: u32, stage: u32) {
        // SAFETY: the stage is free by the function's contract; predicates that hold change nothing.
        unsafe { self.begin_load(k_tile, stage) }
    }
    /// Goes on to the next k tile. After a k tile that was not copied none is.
    #[inline(always)]
    fn advance(&mut self) {}
    /// Finishes the copy that was begun last, to the same stage.
    ///
    /// # Safety
    /// As [`begin_load`](Self::begin_load).
    #[inline(always)]
    unsafe fn finish_load(&self, _stage: u32) {}
}

/// Defines operands, each with its layouts' checks.
///
/// ```
/// use gpu_kernels::gemm::layouts::{K32, Rows32By128};
/// use gpu_kernels::{gemm::mainloop::Operand, operand};
/// use layout_types::prelude::*;
///
/// operand! {
///     /// 96 rows, 32 deep, three stages, by 128 threads.
///     K96x32x3: u16, tile tile!(96, 32), stages K32<int!(96), int!(3)>, cp_async_rows 16 by Rows32By128;
/// }
/// assert_eq!(K96x32x3::BYTES, 96 * 32 * 3 * 2);
/// ```
///
/// An operand has the bits of its elements, its tile `(rows, k)`, its stages `(rows, k, stage)`, the bytes of one load, and the
/// tiled copy that loads them; of the kind `registers` also the tiled copy from registers to a stage and a thread's fragment.
///
/// | kind | a thread holds |
/// |---|---|
/// | `cp_async_mask` | the addresses of its rows, and their predicates as a mask |
/// | `cp_async` | one address and the extents; predicates are computed for each k tile |
/// | `cp_async_rows` | one address, from which it goes from row to row; nothing is computed where all is in bounds |
/// | `cp_async_rows_recompute` | the same, and finds its place in a stage anew for each k tile: where registers are short |
/// | `registers` | one address, and a k tile's elements between their load and their store: for any alignment |
#[macro_export]
macro_rules! operand {
    ($($(#[$doc:meta])* $name:ident: $bits:ty, tile $tile:ty,
       stages $stages:ty, $kind:ident $bytes:literal by $g2s:ty $(, through $r2s:ty, fragment $fragment:ty)?;)+) => {$(
        $crate::operand_kind! {
            $kind [$(#[$doc])* $name, $bits, $stages, $bytes] $bits, $tile, $stages, $g2s $(, $r2s, $fragment)?
        }
    )+};
}

/// The struct of an operand and its implementation: what all kinds have, around the fields and the functions of one.
#[doc(hidden)]
#[macro_export]
macro_rules! operand_type {
    ([$(#[$doc:meta])* $name:ident, $bits:ty, $stages:ty, $bytes:literal]
     { $($(#[$field_doc:meta])* $field:ident: $field_type:ty,)+ } $($functions:tt)+) => {
        $(#[$doc])*
        pub struct $name {$(
            $(#[$field_doc])*
            #[cfg(target_arch = "nvptx64")]
            $field: $field_type,
        )+}
        const _: () = {
            use $crate::gemm::scope::*;
            impl Operand for $name {
                type Bits = $bits;
                type Stages = $stages;
                const LOAD_BYTES: u32 = $bytes;
                const BYTES: u32 = Tensor::<Shared<$bits>, $stages>::BYTES as u32;
                $($functions)+
            }
        };
    };
}

/// What one kind of operand has that others have not.
#[doc(hidden)]
#[macro_export]
macro_rules! operand_kind {
    // Where the matrix is held from the next k tile on.
    (advance $tile:ty) => {
        #[gpu_only]
        #[inline(always)]
        fn advance(&mut self) {
            // SAFETY: only a coordinate of the tensor is taken, no element is read.
            let next = unsafe { self.source.tensor() }.local_tile::<$tile, _>((0u32, 1u32));
            self.source = self.source.offset_by(next.engine().coordinate());
        }
    };
    // What holds of every tiled copy into the stages, asserted where the PTX is made.
    (assert $stages:ty, $copy:ty) => {
        // The library for the host only names the types: an import or an alias of them is used there too.
        #[cfg(not(target_arch = "nvptx64"))]
        const _: Option<($stages, $copy)> = None;
        #[cfg(target_arch = "nvptx64")]
        const _: () = {
            $crate::gemm::scope::layout_types::assert_contiguous!(write of $stages by $copy);
            $crate::gemm::scope::layout_types::assert_bank_conflict_free!(write of $stages by $copy);
        };
    };
    (assert $stages:ty, $copy:ty, covers $g2s:ty) => {
        $crate::operand_kind! { assert $stages, $copy }
        #[cfg(not(target_arch = "nvptx64"))]
        const _: Option<$g2s> = None;
        #[cfg(target_arch = "nvptx64")]
        const _: () = {
            $crate::gemm::scope::layout_types::assert_covers!(copy $g2s);
        };
    };
    (cp_async_mask $names:tt $bits:ty, $tile:ty, $stages:ty, $g2s:ty) => {
        $crate::operand_type! {
            $names {
                source: $crate::gemm::scope::KTilesSource<$bits, $tile, $g2s>,
                target: $crate::gemm::scope::StagesTarget<$bits, $g2s, $stages>,
                /// Which of the thread's rows are in bounds, a bit each: the same for all k tiles.
                rows: $crate::gemm::scope::Mask,
            }
            #[gpu_only]
            #[inline(always)]
            fn new(
                matrix: GlobalMatrix<$bits>,
                stages: &Tensor<Shared<$bits>, $stages>,
                (tile, _): (u32, u32),
                thread: u32,
            ) -> Self {
                let g2s = <$g2s>::get_slice(thread);
                // SAFETY: the tensor is partitioned only, no element is read.
                let tiles = unsafe { matrix.tensor() }.local_tile::<$tile, _>((tile, __)); // (BLK_M, BLK_K, k)
                let source = g2s.partition_s(&tiles); // (CPY, CPY_M, CPY_K, k)
                let in_bounds = source.slice((__, __, __, 0u32)).atoms_inside_along::<0>();
                Self { source, target: g2s.partition_d(stages), rows: Mask::new::<4>(in_bounds) }
            }
            #[gpu_only]
            #[inline(always)]
            unsafe fn begin_load(&mut self, k_tile: u32, stage: u32) {
                let source = self.source.slice((__, __, __, k_tile)); // (CPY, CPY_M, CPY_K)
                let target = self.target.slice((__, __, __, stage)); // (CPY, CPY_M, CPY_K)
                // CPY_K is 1 by the assertion below, so that one predicate along k serves all.
                let rows = self.rows.only_if(source.atoms_inside_along::<1>()(0));
                // SAFETY: predicated atoms are in bounds, where the matrix is readable; the stage is free.
                unsafe {
                    copy_if(<$g2s>::default(), |copy| rows.atom(copy), &source, &target);
                }
            }
        }
        $crate::operand_kind! { assert $stages, $g2s, covers $g2s }
        #[cfg(target_arch = "nvptx64")]
        const _: () = {
            use $crate::gemm::scope::*;
            type Part = CopyPartitionOf<$g2s, Destination, $stages>;
            assert!(<Slice<Part, coord!(0, _, 0, 0)>>::SIZE == 4 && <Slice<Part, coord!(0, 0, _, 0)>>::SIZE == 1);
        };
    };
    (cp_async $names:tt $bits:ty, $tile:ty, $stages:ty, $g2s:ty) => {
        $crate::operand_type! {
            $names {
                /// From this thread's first element of the next k tile on.
                source: $crate::gemm::scope::GlobalMatrix<$bits>,
                target: $crate::gemm::scope::StagesTarget<$bits, $g2s, $stages>,
            }
            #[gpu_only]
            #[inline(always)]
            fn new(
                matrix: GlobalMatrix<$bits>,
                stages: &Tensor<Shared<$bits>, $stages>,
                (tile, k_tile): (u32, u32),
                thread: u32,
            ) -> Self {
                let g2s = <$g2s>::get_slice(thread);
                // SAFETY: only a coordinate of the tensor is taken, no element is read.
                let tensor = unsafe { matrix.tensor() };
                let first = g2s.partition_s(&tensor.local_tile::<$tile, _>((tile, k_tile))).engine().coordinate();
                Self { source: matrix.offset_by(first), target: g2s.partition_d(stages) }
            }
            #[gpu_only]
            #[inline(always)]
            unsafe fn begin_load(&mut self, _k_tile: u32, stage: u32) {
                // SAFETY: predicated atoms are in bounds, where the matrix is readable; the stage is free.
                unsafe {
                    let tile = self.source.with_opaque_strides().tensor().local_tile::<$tile, _>((0u32, 0u32)); // (BLK_M, BLK_K)
                    let source = <$g2s>::get_slice(0).partition_s(&tile); // (CPY, CPY_M, CPY_K)
                    let target = self.target.slice((__, __, __, stage)); // (CPY, CPY_M, CPY_K)
                    copy_if(<$g2s>::default(), source.atoms_inside(), &source, &target);
                }
            }
            $crate::operand_kind! { advance $tile }
        }
        $crate::operand_kind! { assert $stages, $g2s, covers $g2s }
    };
    (cp_async_rows $($rest:tt)*) => { $crate::operand_kind! { rows true $($rest)* } };
    (cp_async_rows_recompute $($rest:tt)*) => { $crate::operand_kind! { rows false $($rest)* } };
    (rows $keep_target:literal [$(#[$doc:meta])* $name:ident, $($names:tt)*] $bits:ty, $tile:ty, $stages:ty, $g2s:ty) => {
        $crate::operand_type! {
            [$(#[$doc])* $name, $($names)*] {
                /// From this thread's first element of the next k tile on.
                source: $crate::gemm::scope::GlobalMatrix<$bits>,
                /// The number of k tiles in which this thread's k is in bounds.
                k_tiles: u32,
                target: $crate::gemm::scope::StagesTarget<$bits, $g2s, $stages>,
                stages: $crate::gemm::scope::Tensor<$crate::gemm::scope::Shared<$bits>, $stages>,
            }
            #[gpu_only]
            #[inline(always)]
            fn new(
                matrix: GlobalMatrix<$bits>,
                stages: &Tensor<Shared<$bits>, $stages>,
                (tile, k_tile): (u32, u32),
                thread: u32,
            ) -> Self {
                let g2s = <$g2s>::get_slice(thread);
                // SAFETY: only coordinates of the tensor are taken, no element is read.
                let tensor = unsafe { matrix.tensor() };
                let first = |k_tile| g2s.partition_s(&tensor.local_tile::<$tile, _>((tile, k_tile))).engine().coordinate();
                let [_, tile_k] = tensor.local_tile::<$tile, _>((0u32, 1u32)).engine().coordinate();
                let k_tiles = matrix.offset_by(first(0)).extents[1].div_ceil(tile_k);
                let source = matrix.offset_by(first(k_tile));
                Self { source, k_tiles, target: g2s.partition_d(stages), stages: *stages }
            }
            #[gpu_only]
            #[inline(always)]
            unsafe fn begin_load(&mut self, k_tile: u32, stage: u32) {
                let rows = here(if k_tile < self.k_tiles { self.source.extents[0] } else { 0 });
                // SAFETY: rows below `rows` are in bounds, where the matrix is readable; the stage is free.
                unsafe { self.copy_rows(stage, |row| row < rows) }
            }
            #[gpu_only]
            #[inline(always)]
            unsafe fn begin_load_unpredicated(&mut self, _k_tile: u32, stage: u32) {
                // SAFETY: all rows are in bounds by the function's contract; the stage is free.
                unsafe { self.copy_rows(stage, |_| true) }
            }
            $crate::operand_kind! { advance $tile }
        }
        #[cfg(target_arch = "nvptx64")]
        const _: () = {
            use $crate::gemm::scope::*;
            impl $name {
                /// Begins to copy those of this thread's rows for which `predicate` holds.
                ///
                /// # Safety
                /// As [`Operand::begin_load`]; rows for which `predicate` holds are in bounds.
                #[inline(always)]
                unsafe fn copy_rows(&self, stage: u32, predicate: impl Fn(u32) -> bool) {
                    let target = if $keep_target {
                        self.target
                    } else {
                        <$g2s>::get_slice(thread_here()).partition_d(&self.stages)
                    };
                    let target = target.slice((__, __, __, stage)); // (CPY, CPY_M, CPY_K)
                    let mut row = self.source;
                    // SAFETY: predicated rows are in bounds, where the matrix is readable; the stage is free.
                    unsafe {
                        let rows = <$g2s>::get_slice(0).partition_s(&row.tensor().local_tile::<$tile, _>((0u32, 0u32))); // (CPY, CPY_M, CPY_K)
                        let [distance, _] = rows.slice((__, 1u32, 0u32)).engine().coordinate();
                        unroll::<{ <Slice<CopyPartitionOf<$g2s, Destination, $stages>, coord!(0, _, 0, 0)>>::SIZE }>(|i| {
                            let i = i as u32;
                            let tile = row.tensor().local_tile::<$tile, _>((0u32, 0u32)); // (BLK_M, BLK_K)
                            let source = <$g2s>::get_slice(0).partition_s(&tile).slice((__, 0u32, 0u32)); // (CPY)
                            copy_if(<$g2s>::default(), |_| predicate(distance * i), &source, &target.slice((__, i, 0u32)));
                            row = row.skip_rows(distance);
                        });
                    }
                }
            }
        };
        $crate::operand_kind! { assert $stages, $g2s, covers $g2s }
        #[cfg(target_arch = "nvptx64")]
        const _: () = {
            use $crate::gemm::scope::*;
            // CPY_K is 1, so that one predicate along k serves all.
            assert!(<Slice<CopyPartitionOf<$g2s, Destination, $stages>, coord!(0, 0, _, 0)>>::SIZE == 1);
        };
    };
    (registers $names:tt $bits:ty, $tile:ty, $stages:ty, $g2r:ty, $r2s:ty, $fragment:ty) => {
        $crate::operand_type! {
            $names {
                /// From this thread's first element of the next k tile on.
                source: $crate::gemm::scope::GlobalMatrix<$bits>,
                target: $crate::gemm::scope::StagesTarget<$bits, $r2s, $stages>,
                fragment: $crate::gemm::scope::Fragment<$bits, $fragment>,
                r2s: $crate::gemm::scope::ThrCopy<$r2s>,
            }
            #[gpu_only]
            #[inline(always)]
            fn new(
                matrix: GlobalMatrix<$bits>,
                stages: &Tensor<Shared<$bits>, $stages>,
                at: (u32, u32),
                thread: u32,
            ) -> Self {
                // SAFETY: only a coordinate of the tensor is taken, no element is read.
                let tensor = unsafe { matrix.tensor() };
                let g2r = <$g2r>::get_slice(thread);
                let first = g2r.partition_s(&tensor.local_tile::<$tile, _>(at)).engine().coordinate();
                let r2s = <$r2s>::get_slice(thread);
                Self { source: matrix.offset_by(first), target: r2s.partition_d(stages), fragment: Fragment::new(), r2s }
            }
            #[gpu_only]
            #[inline(always)]
            unsafe fn begin_load(&mut self, _k_tile: u32, _stage: u32) {
                self.fragment = Fragment::new();
                // SAFETY: predicated elements are in bounds, where the matrix is readable; the fragment is this thread's.
                unsafe {
                    let tile = self.source.tensor().local_tile::<$tile, _>((0u32, 0u32)); // (BLK_M, BLK_K)
                    let source = <$g2r>::get_slice(0).partition_s(&tile); // (CPY, CPY_M, CPY_K)
                    copy_if(<$g2r>::default(), source.atoms_inside(), &source, &self.fragment.view());
                    // Here, and not in `advance`, so that no element's address outlives the load: there are registers for one.
                    let next = self.source.tensor().local_tile::<$tile, _>((0u32, 1u32));
                    self.source = self.source.offset_by(next.engine().coordinate());
                }
            }
            #[gpu_only]
            #[inline(always)]
            unsafe fn finish_load(&self, stage: u32) {
                let target = self.target.slice((__, __, __, stage)); // (CPY, CPY_M, CPY_K)
                // SAFETY: the stage is free; each thread writes its own elements of it.
                unsafe { copy(<$r2s>::default(), &self.r2s.retile_s(&self.fragment.view()), &target) };
            }
        }
        $crate::operand_kind! { assert $stages, $r2s, covers $g2r }
    };
}

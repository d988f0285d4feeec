//! Bringing tiles of A or B from global into shared memory: one leg of the collective.
//!
//! ```text
//!   asynchronous      begin: cp.async of 16 or 4 bytes ───────────────────────► shared    finish: nothing
//!   element by element  begin: loads ──► registers      (products meanwhile)     finish: registers ──► shared
//! ```
//!
//! Law: after `begin`, `finish` and the wait and barrier of the pipeline, `stage(row, k)` is the matrix's element where row and
//! k lie inside it, and zero where not.

use layout_types::RaggedIdentity;
use layout_types::arch::mov::here;
use layout_types::prelude::*;
use layout_types::tensor::{Global, Plain, ReadOnly, Shared};

/// A whole matrix, `(rows, k)`; its strides say which of the two lies side by side.
pub type Matrix<T> = Tensor<Global<T, ReadOnly, 2>, RaggedIdentity<int!(2)>>;

/// A matrix `(rows, k)` in global memory, from an element of it on.
///
/// A thread holds the matrix from its first element on, and moves that along k with the steps: so it holds one address, and
/// not one for each of its rows.
#[derive(Clone, Copy)]
pub struct Whole<T> {
    /// The first element.
    pub pointer: *const T,
    /// Rows, and k.
    pub extents: [u32; 2],
    /// From row to row, and along k: one of them is 1.
    pub strides: [u64; 2],
}
impl<T: Plain> Whole<T> {
    /// The matrix from the element `by` on.
    #[inline(always)]
    #[must_use]
    pub fn from(mut self, by: [u32; 2]) -> Self {
        let mut mode = 0;
        while mode < 2 {
            let offset = u64::from(by[mode]).wrapping_mul(self.strides[mode]);
            self.pointer = self.pointer.wrapping_add(offset as usize);
            self.extents[mode] = self.extents[mode].saturating_sub(by[mode]);
            mode += 1;
        }
        self
    }
    /// The same, of strides that the compiler knows only here: it would keep each row's distance in two registers. They are
    /// at most 2^31: a distance in 32 bits is multiplied in one instruction.
    #[inline(always)]
    #[must_use]
    pub fn here(mut self) -> Self {
        self.strides = self.strides.map(|stride| u64::from(here(stride as u32)));
        self
    }
    /// The matrix from `rows` rows further on, one address after the other: the compiler would multiply for each, and ptxas'
    /// 64-bit products hold up the tensor cores by 2.5 % (`docs/benchmarks.md`).
    #[inline(always)]
    #[must_use]
    pub fn down(mut self, rows: u32) -> Self {
        let offset = u64::from(rows).wrapping_mul(self.strides[0]);
        self.pointer = here(self.pointer.wrapping_add(offset as usize));
        self
    }
    /// The matrix as a tensor.
    ///
    /// # Safety
    /// What lies inside the extents is readable, and nobody writes it while the kernel runs.
    #[inline(always)]
    #[must_use]
    pub unsafe fn tensor(&self) -> Matrix<T> {
        // SAFETY: the caller's contract.
        unsafe { Tensor::global(self.pointer, self.extents, self.strides) }
    }
}

/// How the tiles of an operand come into shared memory, and how they lie there.
pub trait Operand {
    /// An element's bits.
    type Bits: Plain;
    /// The stages in shared memory, `(rows, k, stage)`.
    type Stages: LayoutFn;
    /// What one load moves, in bytes: all rows begin at multiples of it.
    const LOAD_BYTES: u32;
    /// The bytes of all stages.
    const BYTES: u32;
    /// A thread's way from a matrix to the stages: the rows of tile `at.0`, from step `at.1` on.
    fn new(
        whole: Whole<Self::Bits>,
        stages: &Tensor<Shared<Self::Bits>, Self::Stages>,
        at: (u32, u32),
        thread: u32,
    ) -> Self;
    /// Begins to copy this thread's share of step `step` to stage `stage`. Steps come one after the other: behind each stands
    /// [`advance`](Self::advance).
    ///
    /// # Safety
    /// The matrix is as [`Whole`] says. Nobody else touches the stage until the copy is finished, waited for, and a barrier has passed.
    unsafe fn begin(&mut self, step: u32, stage: u32);
    /// The same of a step that lies inside the matrix, with all rows of the tile.
    ///
    /// # Safety
    /// As [`Operand::begin`].
    #[inline(always)]
    unsafe fn begin_inside(&mut self, step: u32, stage: u32) {
        // SAFETY: the caller's contract.
        unsafe { self.begin(step, stage) }
    }
    /// Goes on to the next step. Once a step was not copied, none behind it is.
    fn advance(&mut self);
    /// Finishes the copy that was begun last, to the same stage.
    ///
    /// # Safety
    /// As [`Operand::begin`].
    unsafe fn finish(&self, stage: u32);
}

/// Defines operands, each with its layouts' checks.
///
/// ```text
/// operand! {
///     /// What it is.
///     K128x32S3: u16, tile tile!(128, 32), stages K32<int!(128), int!(3)>, asynchronous 16 by G2s;
/// }
/// ```
macro_rules! operand {
    ($($(#[$doc:meta])* $name:ident: $bits:ty, tile $tile:ty,
       stages $stages:ty, $kind:ident $bytes:literal by $g2s:ty $(, through $r2s:ty, part $part:ty)?;)+) => {$(
        $crate::gemm::operand::operand_type! {
            $kind [$(#[$doc])*] $name, $bits, $tile, $stages, $bytes, $g2s $(, $r2s, $part)?
        }
    )+};
}
pub(super) use operand;

macro_rules! operand_type {
    // Where the matrix is held from the next step on.
    (advance $tile:ty) => {
        #[cuda_std::gpu_only]
        #[inline(always)]
        fn advance(&mut self) {
            // SAFETY: nothing is read here.
            let next = unsafe { self.source.tensor() }.local_tile::<$tile, _>((0u32, 1u32));
            self.source = self.source.from(next.engine().coordinate());
        }
    };
    // What holds of every copy that goes to shared memory by itself.
    (checks $stages:ty, $g2s:ty) => {
        ::layout_types::assert_covers!(copy $g2s);
        ::layout_types::assert_contiguous!(write of $stages by $g2s);
        ::layout_types::assert_bank_conflict_free!(write of $stages by $g2s);
    };
    (asynchronous [$(#[$doc:meta])*] $name:ident, $bits:ty, $tile:ty, $stages:ty, $bytes:literal, $g2s:ty) => {
        $(#[$doc])*
        pub struct $name {
            #[cfg(target_arch = "nvptx64")]
            source: Tensor<Global<$bits, ReadOnly, 2>, <TilesOf<$tile> as PartitionLayout<$g2s, Source>>::Part>,
            #[cfg(target_arch = "nvptx64")]
            target: Tensor<Shared<$bits>, CopyPartitionOf<$g2s, Destination, $stages>>,
            /// Which of its rows the matrix has, a bit each: the same for all steps.
            #[cfg(target_arch = "nvptx64")]
            rows: ::layout_types::atom::copy::Mask,
        }
        impl Operand for $name {
            type Bits = $bits;
            type Stages = $stages;
            const LOAD_BYTES: u32 = $bytes;
            const BYTES: u32 = Tensor::<Shared<$bits>, $stages>::BYTES as u32;
            #[cuda_std::gpu_only]
            #[inline(always)]
            fn new(
                whole: Whole<$bits>,
                stages: &Tensor<Shared<$bits>, $stages>,
                (tile, _): (u32, u32),
                thread: u32,
            ) -> Self {
                let g2s = <$g2s>::get_slice(thread);
                // SAFETY: nothing is read here.
                let tiles = unsafe { whole.tensor() }.local_tile::<$tile, _>((tile, __));
                let source = g2s.partition_s(&tiles);
                let inside = source.slice((__, __, __, 0u32)).atoms_inside_along::<0>();
                Self { source, target: g2s.partition_d(stages), rows: ::layout_types::atom::copy::Mask::new::<4>(inside) }
            }
            #[cuda_std::gpu_only]
            #[inline(always)]
            unsafe fn begin(&mut self, step: u32, stage: u32) {
                let source = self.source.slice((__, __, __, step));
                let target = self.target.slice((__, __, __, stage));
                // All of a thread's copies are at the same k.
                let rows = self.rows.only_if(source.atoms_inside_along::<1>()(0));
                // SAFETY: the caller's contract; each thread copies by itself.
                unsafe {
                    copy_if(<$g2s>::default(), |copy| rows.atom(copy), &source, &target);
                }
            }
            #[inline(always)]
            fn advance(&mut self) {}
            #[cuda_std::gpu_only]
            #[inline(always)]
            unsafe fn finish(&self, _stage: u32) {}
        }
        // The library for the host, which every build makes too, checks for both.
        #[cfg(not(target_arch = "nvptx64"))]
        const _: () = {
            type Part = CopyPartitionOf<$g2s, Destination, $stages>;
            assert!(<Slice<Part, coord!(0, _, 0, 0)>>::SIZE == 4 && <Slice<Part, coord!(0, 0, _, 0)>>::SIZE == 1);
            $crate::gemm::operand::operand_type! { checks $stages, $g2s }
        };
    };
    (moved [$(#[$doc:meta])*] $name:ident, $bits:ty, $tile:ty, $stages:ty,
     $bytes:literal, $g2s:ty) => {
        $(#[$doc])*
        pub struct $name {
            /// From this thread's first element of the next step on.
            #[cfg(target_arch = "nvptx64")]
            source: Whole<$bits>,
            #[cfg(target_arch = "nvptx64")]
            target: Tensor<Shared<$bits>, CopyPartitionOf<$g2s, Destination, $stages>>,
        }
        impl Operand for $name {
            type Bits = $bits;
            type Stages = $stages;
            const LOAD_BYTES: u32 = $bytes;
            const BYTES: u32 = Tensor::<Shared<$bits>, $stages>::BYTES as u32;
            #[cuda_std::gpu_only]
            #[inline(always)]
            fn new(
                whole: Whole<$bits>,
                stages: &Tensor<Shared<$bits>, $stages>,
                (tile, step): (u32, u32),
                thread: u32,
            ) -> Self {
                let g2s = <$g2s>::get_slice(thread);
                // SAFETY: nothing is read here.
                let matrix = unsafe { whole.tensor() };
                let first = g2s.partition_s(&matrix.local_tile::<$tile, _>((tile, step))).engine().coordinate();
                Self { source: whole.from(first), target: g2s.partition_d(stages) }
            }
            #[cuda_std::gpu_only]
            #[inline(always)]
            unsafe fn begin(&mut self, _step: u32, stage: u32) {
                // SAFETY: the caller's contract; each thread copies by itself.
                unsafe {
                    let tile = self.source.here().tensor().local_tile::<$tile, _>((0u32, 0u32));
                    let source = <$g2s>::get_slice(0).partition_s(&tile);
                    let target = self.target.slice((__, __, __, stage));
                    copy_if(<$g2s>::default(), source.atoms_inside(), &source, &target);
                }
            }
            $crate::gemm::operand::operand_type! { advance $tile }
            #[cuda_std::gpu_only]
            #[inline(always)]
            unsafe fn finish(&self, _stage: u32) {}
        }
        // The library for the host, which every build makes too, checks for both.
        #[cfg(not(target_arch = "nvptx64"))]
        const _: () = {
            $crate::gemm::operand::operand_type! { checks $stages, $g2s }
        };
    };
    (rows $($rest:tt)*) => { $crate::gemm::operand::operand_type! { kept true $($rest)* } };
    // Where registers are short: a thread finds its place in a stage anew for each step.
    (rows_anew $($rest:tt)*) => { $crate::gemm::operand::operand_type! { kept false $($rest)* } };
    (kept $kept:literal [$(#[$doc:meta])*] $name:ident, $bits:ty, $tile:ty, $stages:ty,
     $bytes:literal, $g2s:ty) => {
        $(#[$doc])*
        pub struct $name {
            /// From this thread's first element of the next step on.
            #[cfg(target_arch = "nvptx64")]
            source: Whole<$bits>,
            /// The steps whose k lies inside the matrix: all that a thread copies in a step has the same k.
            #[cfg(target_arch = "nvptx64")]
            steps: u32,
            #[cfg(target_arch = "nvptx64")]
            target: Tensor<Shared<$bits>, CopyPartitionOf<$g2s, Destination, $stages>>,
            #[cfg(target_arch = "nvptx64")]
            stages: Tensor<Shared<$bits>, $stages>,
        }
        impl Operand for $name {
            type Bits = $bits;
            type Stages = $stages;
            const LOAD_BYTES: u32 = $bytes;
            const BYTES: u32 = Tensor::<Shared<$bits>, $stages>::BYTES as u32;
            #[cuda_std::gpu_only]
            #[inline(always)]
            fn new(
                whole: Whole<$bits>,
                stages: &Tensor<Shared<$bits>, $stages>,
                (tile, step): (u32, u32),
                thread: u32,
            ) -> Self {
                let g2s = <$g2s>::get_slice(thread);
                // SAFETY: nothing is read here.
                let matrix = unsafe { whole.tensor() };
                let first = |step| g2s.partition_s(&matrix.local_tile::<$tile, _>((tile, step))).engine().coordinate();
                let [_, depth] = matrix.local_tile::<$tile, _>((0u32, 1u32)).engine().coordinate();
                let steps = whole.from(first(0)).extents[1].div_ceil(depth);
                let source = whole.from(first(step));
                Self { source, steps, target: g2s.partition_d(stages), stages: *stages }
            }
            #[cuda_std::gpu_only]
            #[inline(always)]
            unsafe fn begin(&mut self, step: u32, stage: u32) {
                let rows = here(if step < self.steps { self.source.extents[0] } else { 0 });
                // SAFETY: the caller's contract.
                unsafe { self.fill(stage, |row| row < rows) }
            }
            #[cuda_std::gpu_only]
            #[inline(always)]
            unsafe fn begin_inside(&mut self, _step: u32, stage: u32) {
                // SAFETY: the caller's contract.
                unsafe { self.fill(stage, |_| true) }
            }
            $crate::gemm::operand::operand_type! { advance $tile }
            #[cuda_std::gpu_only]
            #[inline(always)]
            unsafe fn finish(&self, _stage: u32) {}
        }
        #[cfg(target_arch = "nvptx64")]
        impl $name {
            /// Begins to copy this thread's rows, those that are `inside`.
            ///
            /// # Safety
            /// As [`Operand::begin`].
            #[inline(always)]
            unsafe fn fill(&self, stage: u32, inside: impl Fn(u32) -> bool) {
                let target = if $kept {
                    self.target
                } else {
                    <$g2s>::get_slice(thread_here()).partition_d(&self.stages)
                };
                let target = target.slice((__, __, __, stage));
                let mut row = self.source;
                // SAFETY: the caller's contract; each thread copies by itself.
                unsafe {
                    let rows = <$g2s>::get_slice(0).partition_s(&row.tensor().local_tile::<$tile, _>((0u32, 0u32)));
                    let [distance, _] = rows.slice((__, 1u32, 0u32)).engine().coordinate();
                    unroll::<{ <Slice<CopyPartitionOf<$g2s, Destination, $stages>, coord!(0, _, 0, 0)>>::SIZE }>(|i| {
                        let i = i as u32;
                        let tile = row.tensor().local_tile::<$tile, _>((0u32, 0u32));
                        let source = <$g2s>::get_slice(0).partition_s(&tile).slice((__, 0u32, 0u32));
                        copy_if(<$g2s>::default(), |_| inside(distance * i), &source, &target.slice((__, i, 0u32)));
                        row = row.down(distance);
                    });
                }
            }
        }
        // The library for the host, which every build makes too, checks for both.
        #[cfg(not(target_arch = "nvptx64"))]
        const _: () = {
            // All of a thread's copies are at the same k.
            assert!(<Slice<CopyPartitionOf<$g2s, Destination, $stages>, coord!(0, 0, _, 0)>>::SIZE == 1);
            $crate::gemm::operand::operand_type! { checks $stages, $g2s }
        };
    };
    (elements [$(#[$doc:meta])*] $name:ident, $bits:ty, $tile:ty, $stages:ty,
     $bytes:literal, $g2r:ty, $r2s:ty, $part:ty) => {
        $(#[$doc])*
        pub struct $name {
            /// From this thread's first element of the next step on.
            #[cfg(target_arch = "nvptx64")]
            source: Whole<$bits>,
            #[cfg(target_arch = "nvptx64")]
            target: Tensor<Shared<$bits>, CopyPartitionOf<$r2s, Destination, $stages>>,
            #[cfg(target_arch = "nvptx64")]
            part: Fragment<$bits, $part>,
            #[cfg(target_arch = "nvptx64")]
            r2s: ThrCopy<$r2s>,
        }
        impl Operand for $name {
            type Bits = $bits;
            type Stages = $stages;
            const LOAD_BYTES: u32 = $bytes;
            const BYTES: u32 = Tensor::<Shared<$bits>, $stages>::BYTES as u32;
            #[cuda_std::gpu_only]
            #[inline(always)]
            fn new(
                whole: Whole<$bits>,
                stages: &Tensor<Shared<$bits>, $stages>,
                (tile, step): (u32, u32),
                thread: u32,
            ) -> Self {
                // SAFETY: nothing is read here.
                let matrix = unsafe { whole.tensor() };
                let g2r = <$g2r>::get_slice(thread);
                let first = g2r.partition_s(&matrix.local_tile::<$tile, _>((tile, step))).engine().coordinate();
                let r2s = <$r2s>::get_slice(thread);
                Self { source: whole.from(first), target: r2s.partition_d(stages), part: Fragment::new(), r2s }
            }
            #[cuda_std::gpu_only]
            #[inline(always)]
            unsafe fn begin(&mut self, _step: u32, _stage: u32) {
                self.part = Fragment::new();
                // SAFETY: the caller's contract; each thread copies by itself.
                unsafe {
                    let tile = self.source.tensor().local_tile::<$tile, _>((0u32, 0u32));
                    let source = <$g2r>::get_slice(0).partition_s(&tile);
                    copy_if(<$g2r>::default(), source.atoms_inside(), &source, &self.part.view());
                    // Here, and not in `advance`, so that no address of an element outlives the step: there are registers for one.
                    let next = self.source.tensor().local_tile::<$tile, _>((0u32, 1u32));
                    self.source = self.source.from(next.engine().coordinate());
                }
            }
            #[inline(always)]
            fn advance(&mut self) {}
            #[cuda_std::gpu_only]
            #[inline(always)]
            unsafe fn finish(&self, stage: u32) {
                let target = self.target.slice((__, __, __, stage));
                // SAFETY: each thread copies by itself.
                unsafe { copy(<$r2s>::default(), &self.r2s.retile_s(&self.part.view()), &target) };
            }
        }
        #[cfg(not(target_arch = "nvptx64"))]
        const _: () = {
            ::layout_types::assert_covers!(copy $g2r);
            ::layout_types::assert_contiguous!(write of $stages by $r2s);
            ::layout_types::assert_bank_conflict_free!(write of $stages by $r2s);
        };
    };
}
pub(super) use operand_type;

/// The tiles of a matrix along k, for the rows of a block: `(rows, depth, steps)`.
pub type TilesOf<Tile> =
    <RaggedIdentity<int!(2)> as layout_types::tensor::LocalTile<Tile, (u32, Underscore)>>::Output;

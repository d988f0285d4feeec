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
use layout_types::prelude::*;
use layout_types::tensor::{Global, Plain, ReadOnly, Shared};

/// A whole matrix, `(rows, k)`; its strides say which of the two lies side by side.
pub type Matrix<T> = Tensor<Global<T, ReadOnly, 2>, RaggedIdentity<int!(2)>>;

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
    /// A thread's way from the rows of tile `tile` of a matrix to the stages.
    fn new(
        matrix: &Matrix<Self::Bits>,
        stages: &Tensor<Shared<Self::Bits>, Self::Stages>,
        tile: u32,
        thread: u32,
    ) -> Self;
    /// Begins to copy this thread's share of step `step` to stage `stage`.
    ///
    /// # Safety
    /// Nobody else touches the stage until the copy is finished, waited for, and a barrier has passed.
    unsafe fn begin(&mut self, step: u32, stage: u32);
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
///     K128x32S3: u16, tile tile!(128, 32), copies 4, stages K32<int!(128), int!(3)>, asynchronous 16 by G2s;
/// }
/// ```
macro_rules! operand {
    ($($(#[$doc:meta])* $name:ident: $bits:ty, tile $tile:ty, copies $copies:literal,
       stages $stages:ty, $kind:ident $bytes:literal by $g2s:ty $(, through $r2s:ty, part $part:ty)?;)+) => {$(
        $crate::gemm::operand::operand_type! {
            $kind [$(#[$doc])*] $name, $bits, $tile, $copies, $stages, $bytes, $g2s $(, $r2s, $part)?
        }
        const _: () = {
            ::layout_types::assert_covers!(copy $g2s);
            ::layout_types::assert_contiguous!(write of $stages by $g2s);
            ::layout_types::assert_bank_conflict_free!(write of $stages by $g2s);
        };
    )+};
}
pub(super) use operand;

macro_rules! operand_type {
    (asynchronous [$(#[$doc:meta])*] $name:ident, $bits:ty, $tile:ty, $copies:literal, $stages:ty,
     $bytes:literal, $g2s:ty) => {
        $(#[$doc])*
        pub struct $name {
            source: Tensor<Global<$bits, ReadOnly, 2>, <TilesOf<$tile> as PartitionLayout<$g2s, Source>>::Part>,
            target: Tensor<Shared<$bits>, CopyPartitionOf<$g2s, Destination, $stages>>,
            /// Which rows the matrix has: the same for all steps.
            rows: [bool; $copies],
        }
        impl Operand for $name {
            type Bits = $bits;
            type Stages = $stages;
            const LOAD_BYTES: u32 = $bytes;
            const BYTES: u32 = Tensor::<Shared<$bits>, $stages>::BYTES as u32;
            #[inline(always)]
            fn new(matrix: &Matrix<$bits>, stages: &Tensor<Shared<$bits>, $stages>, tile: u32, thread: u32) -> Self {
                let g2s = <$g2s>::get_slice(thread);
                let tiles = matrix.local_tile::<$tile, _>((tile, __));
                let source = g2s.partition_s(&tiles);
                let inside = source.slice((__, __, __, 0u32)).atoms_inside_along::<0>();
                let mut rows = [false; $copies];
                unroll::<$copies>(|copy| rows[copy] = inside(copy));
                Self { source, target: g2s.partition_d(stages), rows }
            }
            #[inline(always)]
            unsafe fn begin(&mut self, step: u32, stage: u32) {
                let source = self.source.slice((__, __, __, step));
                let target = self.target.slice((__, __, __, stage));
                let inside = source.atoms_inside_along::<1>();
                // SAFETY: each thread copies by itself.
                unsafe {
                    copy_if(<$g2s>::default(), |copy| self.rows[copy] & inside(copy), &source, &target);
                }
            }
            #[inline(always)]
            unsafe fn finish(&self, _stage: u32) {}
        }
    };
    (elements [$(#[$doc:meta])*] $name:ident, $bits:ty, $tile:ty, $copies:literal, $stages:ty,
     $bytes:literal, $g2r:ty, $r2s:ty, $part:ty) => {
        $(#[$doc])*
        pub struct $name {
            source: Tensor<Global<$bits, ReadOnly, 2>, <TilesOf<$tile> as PartitionLayout<$g2r, Source>>::Part>,
            target: Tensor<Shared<$bits>, CopyPartitionOf<$r2s, Destination, $stages>>,
            part: Fragment<$bits, $part>,
            r2s: ThrCopy<$r2s>,
        }
        impl Operand for $name {
            type Bits = $bits;
            type Stages = $stages;
            const LOAD_BYTES: u32 = $bytes;
            const BYTES: u32 = Tensor::<Shared<$bits>, $stages>::BYTES as u32;
            #[inline(always)]
            fn new(matrix: &Matrix<$bits>, stages: &Tensor<Shared<$bits>, $stages>, tile: u32, thread: u32) -> Self {
                let r2s = <$r2s>::get_slice(thread);
                let tiles = matrix.local_tile::<$tile, _>((tile, __));
                Self {
                    source: <$g2r>::get_slice(thread).partition_s(&tiles),
                    target: r2s.partition_d(stages),
                    part: Fragment::new(),
                    r2s,
                }
            }
            #[inline(always)]
            unsafe fn begin(&mut self, step: u32, _stage: u32) {
                let source = self.source.slice((__, __, __, step));
                self.part = Fragment::new();
                // SAFETY: each thread copies by itself.
                unsafe { copy_if(<$g2r>::default(), source.atoms_inside(), &source, &self.part.view()) };
            }
            #[inline(always)]
            unsafe fn finish(&self, stage: u32) {
                let target = self.target.slice((__, __, __, stage));
                // SAFETY: each thread copies by itself.
                unsafe { copy(<$r2s>::default(), &self.r2s.retile_s(&self.part.view()), &target) };
            }
        }
    };
}
pub(super) use operand_type;

/// The tiles of a matrix along k, for the rows of a block: `(rows, depth, steps)`.
pub type TilesOf<Tile> =
    <RaggedIdentity<int!(2)> as layout_types::tensor::LocalTile<Tile, (u32, Underscore)>>::Output;

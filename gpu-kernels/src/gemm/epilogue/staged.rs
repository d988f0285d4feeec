//! The identity epilogue in two parts: the tile is rounded into a staging buffer, and stored from there, column by column.
//!
//! ```text
//!   stage          accumulator ─ round ─► R2s ─► Sw<3,3,3> o (32,64), all chunks     at a tile's end
//!   store_column   ─► S2g, 128 bits ─► D                                             at once, or beside the next tile's mainloop
//! ```
//!
//! Law: that of `store`, for a D of 16-bit elements whose rows are aligned.

use crate::gemm::config::GemmKernel;
use crate::gemm::params::EpiloguePointers;
use kernel_abi::gemm::GemmParams;
use layout_types::unroll::unroll_type;
use typenum::Unsigned;

/// A staged tile, stored column by column.
pub struct StagedTile<'a> {
    /// D.
    pub epilogue: EpiloguePointers,
    /// D's extents and leading dimension.
    pub params: &'a GemmParams,
    /// The staging buffer.
    pub shared: u32,
    /// The tile's row and column.
    pub at: (u32, u32),
    /// The columns of chunks that were stored; all of them, if there is no tile.
    pub stored: u32,
}

impl StagedTile<'_> {
    /// Whether there are columns that were not stored.
    #[inline(always)]
    pub fn is_left<C: GemmKernel>(&self) -> bool {
        self.stored < C::StagingColumns::U32
    }

    /// Stores the next column, if there is one left.
    ///
    /// # Safety
    /// A barrier has passed since the tile was staged; without predicates it is in bounds of D.
    #[inline(always)]
    pub unsafe fn store_next<C: GemmKernel, const PREDICATED: bool>(&mut self) {
        if self.is_left::<C>() {
            // SAFETY: the caller passed a barrier behind `stage`; this CTA alone stores its tiles, by the tile scheduler.
            unsafe { self.store_column::<C, PREDICATED>(self.stored) };
            self.stored += 1;
        }
    }

    /// Stores all columns that are left.
    ///
    /// # Safety
    /// As [`store_next`](Self::store_next).
    #[inline(always)]
    pub unsafe fn store_rest<C: GemmKernel, const PREDICATED: bool>(&mut self) {
        while self.is_left::<C>() {
            // SAFETY: the caller passed a barrier behind `stage`; column `stored` is one of the tile's, by the loop's condition.
            unsafe { self.store_next::<C, PREDICATED>() };
        }
    }

    /// Stores all columns, without a loop.
    ///
    /// # Safety
    /// As [`store_next`](Self::store_next).
    #[inline(always)]
    pub unsafe fn store_all<C: GemmKernel, const PREDICATED: bool>(&self) {
        // SAFETY: the caller passed a barrier behind `stage`; the columns are the tile's, by their number.
        unroll_type::<C::StagingColumns>(|column| unsafe {
            self.store_column::<C, PREDICATED>(column as u32);
        });
    }

    #[inline(always)]
    unsafe fn store_column<C: GemmKernel, const PREDICATED: bool>(&self, column: u32) {
        // SAFETY: `store_next` and `store_all` ask their callers for a barrier behind `stage`, and name columns of the tile.
        unsafe {
            C::store_column::<PREDICATED>(self.epilogue, self.params, self.at, self.shared, column)
        };
    }
}

/// The items of [`GemmConfig`] that stage a tile, for chunks of (32, 64) by 256 threads; none where no number of chunks is given.
#[doc(hidden)]
#[macro_export]
macro_rules! staged_epilogue {
    ([]; $($rest:tt)*) => {};
    ([$chunks:literal]; $mma:ty, $accumulator:ty, $element_d:ty, $m:literal, $n:literal) => {
        #[inline(always)]
        unsafe fn stage(&self, shared: u32) {
            type R2s = MakeTiledCopyC<StorePairs, u16, $mma>;
            let r2s = R2s::get_slice(thread_here());
            let rounded = Fragment::<u16, AccumulatorOf<$mma, layout!(($m,$n):(1@0,1@1))>>::new();
            transform(
                &self.accumulator.view().recast::<<$accumulator as ElementAccumulator>::Pair>(),
                &rounded.view().recast::<u32>(),
                <$accumulator as RoundPairs<$element_d>>::round,
            );
            let from = r2s.retile_s(&rounded.view()).group_modes::<int!(1), int!(3)>(); // (CPY, chunk)
            // SAFETY: the driver's `staging` names room for the chunks that nobody else accesses between two of its barriers.
            unsafe {
                let s_c = Tensor::<Shared<u16>, Chunks32x64<int!($chunks)>>::shared(shared);
                let to = r2s.partition_d(&s_c); // (CPY, CPY_M, CPY_N, chunk)
                unroll::<$chunks>(|chunk| {
                    let chunk = chunk as u32;
                    copy(R2s::default(), &from.slice((__, chunk)), &to.slice((__, 0u32, 0u32, chunk)));
                });
            }
        }
        #[inline(always)]
        unsafe fn store_column<const PREDICATED: bool>(
            pointers: EpiloguePointers,
            params: &GemmParams,
            tile: (u32, u32),
            shared: u32,
            column: u32,
        ) {
            type S2g = MakeTiledCopy<UniversalCopy<u128>, u16, layout!((32,8):(8,1)), layout!((1, 8))>;
            const ROWS: usize = $m / 32;
            let s2g = S2g::get_slice(thread_here());
            // SAFETY: the caller passed a barrier behind `stage`. By the plan D is writable within its extents, by the tile scheduler no
            // other CTA stores the tile, and the driver asks for no predicates only where all tiles are in bounds.
            unsafe {
                let s_c = Tensor::<Shared<u16>, Chunks32x64<int!($chunks)>>::shared(shared);
                let extents = [params.m, params.n];
                let strides = (u64::from(params.ldd as u32), Int::<1>);
                let d = Tensor::global_mut(pointers.d.cast::<u16>(), extents, strides)
                    .local_tile::<tile!($m, $n), _>(tile);
                let from = s2g.partition_s(&s_c); // (CPY, CPY_M, CPY_N, chunk)
                let to = s2g.partition_d(&d).slice((__, __, column)).from_here(); // (CPY, CPY_M)
                unroll::<ROWS>(|row| {
                    let row = row as u32;
                    let from = from.slice((__, 0u32, 0u32, column * ROWS as u32 + row));
                    let to = to.slice((__, row));
                    if PREDICATED {
                        copy_if(S2g::default(), to.atoms_inside(), &from, &to);
                    } else {
                        copy(S2g::default(), &from, &to);
                    }
                });
            }
        }
    };
}
/// The columns of chunks of a staged tile.
#[doc(hidden)]
#[macro_export]
macro_rules! staging_columns {
    ([] $n:literal) => {
        int!(0)
    };
    ([$chunks:literal] $n:literal) => {
        <int!($n) as core::ops::Shr<int!(6)>>::Output
    };
}

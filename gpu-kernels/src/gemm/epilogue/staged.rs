//! The identity epilogue in two parts: the tile is rounded into a staging buffer, and stored from there, column by column.
//!
//! ```text
//!   stage          accumulator ─ round ─► R2s ─► Sw<3,3,3> o (32,64), all chunks     at a tile's end
//!   store_column   ─► S2g, 128 bits ─► D                                             at once, or beside the next tile's mainloop
//! ```
//!
//! Law: that of `store`, for a D of 16-bit elements whose rows are aligned.

use crate::gemm::config::GemmConfig;
use crate::gemm::params::EpiloguePointers;
use kernel_abi::gemm::GemmParams;
use layout_types::unroll::Unroll;
use typenum::Unsigned;

/// A configuration whose epilogue can round a tile into a staging buffer, and store it from there column by column.
pub trait StagedEpilogue: GemmConfig {
    /// The columns of chunks of a tile of D, each 64 elements wide.
    type StagingColumns: Unroll + Unsigned;
    /// Writes the rounded accumulator to the staging buffer, from `shared` on.
    ///
    /// # Safety
    /// Every thread of the CTA calls it; nobody else accesses the buffer, and a barrier has passed since somebody did.
    unsafe fn stage(&self, shared: u32);
    /// Stores a column of a staged tile, predicated where `PREDICATED`.
    ///
    /// # Safety
    /// A barrier has passed since [`stage`](Self::stage); D is writable as `params` says, and no other CTA stores the tile. Without
    /// predicates the tile is in bounds of D.
    unsafe fn store_column<const PREDICATED: bool>(
        pointers: EpiloguePointers,
        params: &GemmParams,
        tile: (u32, u32),
        shared: u32,
        column: u32,
    );
}

/// Implements [`StagedEpilogue`], for chunks of (32, 64) by 256 threads.
#[doc(hidden)]
#[macro_export]
macro_rules! staged_epilogue {
    ($name:ident, $mma:ty, $accumulator:ty, $element_d:ty, $m:literal, $n:literal, $chunks:literal) => {
        const _: () = {
            use $crate::gemm::scope::*;
            impl StagedEpilogue for $name {
                type StagingColumns = <int!($n) as core::ops::Shr<int!(6)>>::Output;
                #[gpu_only]
                #[inline(always)]
                unsafe fn stage(&self, shared: u32) {
                    type R2s = MakeTiledCopyC<StorePairs, u16, $mma>;
                    let r2s = R2s::get_slice(thread_here());
                    let rounded =
                        Fragment::<u16, AccumulatorOf<$mma, layout!(($m,$n):(1@0,1@1))>>::new();
                    transform(
                        &self
                            .accumulator
                            .view()
                            .recast::<<$accumulator as ElementAccumulator>::Pair>(),
                        &rounded.view().recast::<u32>(),
                        <$accumulator as RoundPairs<$element_d>>::round,
                    );
                    let from = r2s
                        .retile_s(&rounded.view())
                        .group_modes::<int!(1), int!(3)>(); // (CPY, chunk)
                    // SAFETY: the buffer holds the chunks and is this CTA's until the next barrier, by the function's contract.
                    unsafe {
                        // (CPY, CPY_M, CPY_N, chunk)
                        let to = r2s.partition_d(
                            &Tensor::<Shared<u16>, Chunks32x64<int!($chunks)>>::shared(shared),
                        );
                        unroll::<$chunks>(|chunk| {
                            let chunk = chunk as u32;
                            copy(
                                R2s::default(),
                                &from.slice((__, chunk)),
                                &to.slice((__, 0u32, 0u32, chunk)),
                            );
                        });
                    }
                }
                #[gpu_only]
                #[inline(always)]
                unsafe fn store_column<const PREDICATED: bool>(
                    pointers: EpiloguePointers,
                    params: &GemmParams,
                    tile: (u32, u32),
                    shared: u32,
                    column: u32,
                ) {
                    type S2g = MakeTiledCopy<
                        UniversalCopy<u128>,
                        u16,
                        layout!((32,8):(8,1)),
                        layout!((1, 8)),
                    >;
                    const ROWS: usize = $m / 32;
                    let s2g = S2g::get_slice(thread_here());
                    // SAFETY: the tile was staged, D is writable within its extents, and no other CTA writes the tile; unpredicated, the
                    // tile is in bounds: all by the function's contract.
                    unsafe {
                        let s_c = Tensor::<Shared<u16>, Chunks32x64<int!($chunks)>>::shared(shared);
                        let d = Tensor::global_mut(
                            pointers.d.cast::<u16>(),
                            [params.m, params.n],
                            [u64::from(params.ldd as u32), 1],
                        )
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
            }
        };
        #[cfg(not(target_arch = "nvptx64"))]
        const _: () = assert!(
            $chunks * 32 * 64 == $m * $n
                && <$mma as $crate::gemm::scope::TiledMmaTraits>::THREADS == 256
        );
    };
}

//! From sums to D in two parts: all of a tile is rounded into shared memory at once, and stored from there, column by column.
//!
//! ```text
//!   round     sums ─ round ─► R2s ─► Sw<3,3,3> o (32,64), all chunks        at a tile's end
//!   send      .. ─► S2g, 128 bits ─► D                                               then, or in the steps of the next tile
//! ```
//!
//! Law: that of [`super::epilogue_store`], for D of 16-bit elements whose rows are aligned.

/// Implements `Rounded`, for chunks of (32, 64) by 256 threads.
macro_rules! rounded {
    ($name:ident, $mma:ty, $sum:ty, $narrow:ty, $m:literal, $n:literal, $chunks:literal) => {
        impl $crate::gemm::config::Rounded for $name {
            type Columns = <int!($n) as core::ops::Shr<int!(6)>>::Output;
            #[cuda_std::gpu_only]
            #[inline(always)]
            unsafe fn round(&self, shared: u32) {
                type R2s = MakeTiledCopyC<StorePairs, u16, $mma>;
                let r2s = R2s::get_slice(thread_here());
                let rounded = Fragment::<u16, SumsOf<$mma, layout!(($m,$n):(1@0,1@1))>>::new();
                transform(
                    &self.sums.view().recast::<<$sum as Sum>::Pair>(),
                    &rounded.view().recast::<u32>(),
                    <$sum as RoundPairs<$narrow>>::round,
                );
                let from = r2s.retile_s(&rounded.view()).group_modes::<int!(1), int!(3)>();
                // SAFETY: the caller's contract.
                unsafe {
                    let to = r2s.partition_d(&Tensor::<Shared<u16>, Chunks32x64<int!($chunks)>>::shared(shared));
                    unroll::<$chunks>(|chunk| {
                        let chunk = chunk as u32;
                        copy(R2s::default(), &from.slice((__, chunk)), &to.slice((__, 0u32, 0u32, chunk)));
                    });
                }
            }
            #[cuda_std::gpu_only]
            #[inline(always)]
            unsafe fn send<const INSIDE: bool>(
                outputs: Outputs,
                parameters: &GemmParams,
                tile: (u32, u32),
                shared: u32,
                column: u32,
            ) {
                type S2g = MakeTiledCopy<UniversalCopy<u128>, u16, layout!((32,8):(8,1)), layout!((1,8))>;
                const ROWS: usize = $m / 32;
                let s2g = S2g::get_slice(thread_here());
                // SAFETY: the caller's contract.
                unsafe {
                    let s_c = Tensor::<Shared<u16>, Chunks32x64<int!($chunks)>>::shared(shared);
                    let d = Tensor::global_mut(outputs.d.cast::<u16>(), [parameters.m, parameters.n], [u64::from(parameters.ldd as u32), 1])
                        .local_tile::<tile!($m, $n), _>(tile);
                    let from = s2g.partition_s(&s_c);
                    let to = s2g.partition_d(&d).slice((__, __, column)).from_here();
                    unroll::<ROWS>(|row| {
                        let row = row as u32;
                        let from = from.slice((__, 0u32, 0u32, column * ROWS as u32 + row));
                        let to = to.slice((__, row));
                        if INSIDE {
                            copy(S2g::default(), &from, &to);
                        } else {
                            copy_if(S2g::default(), to.atoms_inside(), &from, &to);
                        }
                    });
                }
            }
        }
        #[cfg(not(target_arch = "nvptx64"))]
        const _: () = assert!($chunks * 32 * 64 == $m * $n && <$mma as TiledMmaTraits>::THREADS == 256);
    };
}
pub(super) use rounded;

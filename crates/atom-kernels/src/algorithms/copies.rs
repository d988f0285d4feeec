//! Copies of a tile through swizzled shared memory.
//!
//! ```text
//!   source (32,32) ─► Sw<2,3,3> o (32,32) ─► one warp's fragments ─► result (32,32)
//! ```
//!
//! Law: `result == source`, element by element; the ragged copy writes zeros where the source has
//! no element.

use cuda_std::kernel;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{block_idx_x, block_idx_y, sync_threads, thread_idx_x};
use layout_types::algorithm::{
    cooperative_copy, copy, copy_if, cp_async_fence, cp_async_wait, prefetch,
};
use layout_types::atom::copy::*;
use layout_types::atom::mma::Sm80_16x8x16_F16F16F16F16_TN;
use layout_types::prelude::*;
use layout_types::tensor::{Fragment, Shared, make_fragment_like};
#[cfg(any(target_feature = "sm_90", not(target_arch = "nvptx64")))]
use layout_types::tiled::MakeTiledCopyC;
use layout_types::tiled::{MakeTiledCopy, MakeTiledCopyA, MakeTiledCopyB, TiledMma};

/// A tile whose rows follow each other.
type Rows = layout!((32,32):(32,1));
layouts! {
    /// Eight rows, which are read without bank conflicts.
    type Atom = composition(Swizzle<2, 3, 3>, (8,32):(32,1));
    /// The tile in shared memory, row-major.
    type SharedRows = tile_to_shape(Atom, (32,32));
    /// Eight columns of the tile.
    type ColumnAtom = composition(Swizzle<2, 3, 3>, (32,8):(1,32));
    /// The tile in shared memory, column-major.
    type SharedColumns = tile_to_shape(ColumnAtom, (32,32));
}
/// The tiled MMA of one warp, with a tile of (16,16,16): two atoms along N.
type Mma = TiledMma<Sm80_16x8x16_F16F16F16F16_TN, layout!((1, 1, 1)), tile!(16, 16, 16)>;

macro_rules! through_matrices {
    ($($name:ident, $make:ident, $partition:ident, $fragment:ident, $load:ty, $shared:ty;)*) => {$(
        /// Copies a tile from shared memory to fragments by matrices, and from there to global
        /// memory by pairs.
        ///
        /// # Safety
        /// One warp executes it. Both tiles are (32,32), begin at multiples of 16 bytes, and do not
        /// overlap; shared memory holds one tile.
        #[kernel]
        pub unsafe fn $name(result: *mut half::f16, source: *const half::f16) {
            type Load = $make<$load, half::f16, Mma>;
            type Store = $make<UniversalCopy<u32>, half::f16, Mma>;
            let thread = thread_idx_x();
            // SAFETY: the caller guarantees one warp, and all (32,32) elements of both arrays,
            // 16-byte aligned and without overlap; the dynamic shared memory holds the tile. The
            // barrier is between the writes and the loads.
            unsafe {
                let source = Tensor::<_, Rows>::global_static(source);
                let result = Tensor::<_, Rows>::global_static_mut(result);
                let shared = Tensor::<Shared<half::f16>, $shared>::shared(dynamic_shared_offset());
                cooperative_copy::<32, _, _, _, _>(thread, &source, &shared);
                sync_threads();
                let held = Mma::get_slice(thread).$fragment(&source);
                let (load, store) = (Load::get_slice(thread), Store::get_slice(thread));
                copy(Load::default(), &load.partition_s(&shared), &load.retile_d(&held.view()));
                copy(Store::default(), &store.retile_s(&held.view()), &store.partition_d(&result));
            }
        }
    )*};
}
through_matrices! {
    tensor_ldmatrix_a_x4, MakeTiledCopyA, partition_a, partition_fragment_a, Sm75_U32x4_LDSM_N, SharedRows;
    tensor_ldmatrix_a_x2, MakeTiledCopyA, partition_a, partition_fragment_a, Sm75_U32x2_LDSM_N, SharedRows;
    tensor_ldmatrix_a_x1, MakeTiledCopyA, partition_a, partition_fragment_a, Sm75_U32x1_LDSM_N, SharedRows;
    tensor_ldmatrix_b_x4, MakeTiledCopyB, partition_b, partition_fragment_b, Sm75_U32x4_LDSM_N, SharedRows;
    tensor_ldmatrix_b_x2, MakeTiledCopyB, partition_b, partition_fragment_b, Sm75_U32x2_LDSM_N, SharedRows;
    tensor_ldmatrix_a_t, MakeTiledCopyA, partition_a, partition_fragment_a, Sm75_U16x8_LDSM_T, SharedColumns;
    tensor_ldmatrix_b_t, MakeTiledCopyB, partition_b, partition_fragment_b, Sm75_U16x4_LDSM_T, SharedColumns;
}

#[cfg(any(target_feature = "sm_90", not(target_arch = "nvptx64")))]
macro_rules! from_matrices {
    ($($name:ident, $load:ty, $store:ty, $shared:ty;)*) => {$(
        /// Copies a tile from global memory to fragments of C by pairs, and from there to shared
        /// memory by matrices.
        ///
        /// # Safety
        /// One warp executes it. Both tiles are (32,32), begin at multiples of 16 bytes, and do not
        /// overlap; shared memory holds one tile.
        #[kernel]
        pub unsafe fn $name(result: *mut half::f16, source: *const half::f16) {
            type Load = $load;
            type Store = $store;
            let thread = thread_idx_x();
            // SAFETY: the caller guarantees one warp, and all (32,32) elements of both arrays,
            // 16-byte aligned and without overlap; the dynamic shared memory holds the tile. The
            // barrier is between the stores and the reads.
            unsafe {
                let source = Tensor::<_, Rows>::global_static(source);
                let result = Tensor::<_, Rows>::global_static_mut(result);
                let shared = Tensor::<Shared<half::f16>, $shared>::shared(dynamic_shared_offset());
                let held = Mma::get_slice(thread).partition_fragment_c(&source);
                let (load, store) = (Load::get_slice(thread), Store::get_slice(thread));
                copy(Load::default(), &load.partition_s(&source), &load.retile_d(&held.view()));
                copy(Store::default(), &store.retile_s(&held.view()), &store.partition_d(&shared));
                sync_threads();
                cooperative_copy::<32, _, _, _, _>(thread, &shared, &result);
            }
        }
    )*};
}
#[cfg(any(target_feature = "sm_90", not(target_arch = "nvptx64")))]
type PairsOfC = MakeTiledCopyC<UniversalCopy<u32>, half::f16, Mma>;
#[cfg(any(target_feature = "sm_90", not(target_arch = "nvptx64")))]
from_matrices! {
    tensor_stmatrix_x4, PairsOfC, MakeTiledCopyC<Sm90_U32x4_STSM_N, half::f16, Mma>, SharedRows;
    tensor_stmatrix_x2, PairsOfC, MakeTiledCopyC<Sm90_U32x2_STSM_N, half::f16, Mma>, SharedRows;
    tensor_stmatrix_t, PairsOfC, MakeTiledCopyC<Sm90_U16x4_STSM_T, half::f16, Mma>, SharedColumns;
}

/// The copy of a tile of a ragged matrix, by 128 threads.
type G2s = MakeTiledCopy<
    Sm80_CP_ASYNC_CACHEGLOBAL_ZFILL<u128>,
    u16,
    layout!((32,4):(4,1)),
    layout!((1, 8)),
>;

/// Copies tile (y, x) of the (m,n) matrix to shared memory by `cp.async`, with zeros past the
/// matrix's end, and from there to tile (y, x) of the result, whose extents are multiples of the
/// tile's.
///
/// # Safety
/// Each tile has one block of 128 threads; n is a multiple of 8, both matrices begin at a multiple
/// of 16 bytes, and shared memory holds a tile.
#[kernel]
pub unsafe fn tensor_cp_async(result: *mut u16, source: *const u16, m: u32, n: u32) {
    let (thread, at) = (thread_idx_x(), (block_idx_y(), block_idx_x()));
    let whole = [m.next_multiple_of(32), n.next_multiple_of(32)];
    // SAFETY: the caller guarantees a block of 128 threads for each tile, n a multiple of 8, both
    // matrices 16-byte aligned, and shared memory for a tile. `atoms_inside` leaves out what the
    // source does not have, and the result has whole tiles. The wait and the barrier are between
    // the copies and the reads.
    unsafe {
        let source = Tensor::global(source, [m, n], (n.into(), Int::<1>));
        let result = Tensor::global_mut(result, whole, (whole[1].into(), Int::<1>));
        let shared = Tensor::<Shared<u16>, SharedRows>::shared(dynamic_shared_offset());
        let g2s = G2s::get_slice(thread);
        let part = g2s.partition_s(&source.local_tile::<tile!(32, 32), _>(at));
        copy_if(
            G2s::default(),
            part.atoms_inside(),
            &part,
            &g2s.partition_d(&shared),
        );
        cp_async_fence();
        cp_async_wait::<0>();
        sync_threads();
        type S2g = MakeTiledCopy<UniversalCopy<u128>, u16, layout!((32,4):(4,1)), layout!((1, 8))>;
        let s2g = S2g::get_slice(thread);
        let tile = result.local_tile::<tile!(32, 32), _>(at);
        copy(
            S2g::default(),
            &s2g.partition_s(&shared),
            &s2g.partition_d(&tile),
        );
    }
}

/// Copies a (64,40) tile, whose columns follow each other, to swizzled shared memory and back by 96
/// threads, which do not divide its 320 vectors.
///
/// # Safety
/// One block of 96 threads executes it; both arrays and shared memory hold the tile at multiples of
/// 16 bytes.
#[kernel]
pub unsafe fn tensor_cooperative(result: *mut u16, source: *const u16) {
    type Tile = layout!((64, 40));
    type Through = TileToShape<Composition<Swizzle<3, 3, 3>, layout!((64, 8))>, shape!((64, 40))>;
    let thread = thread_idx_x();
    // SAFETY: the caller guarantees one block of 96 threads, and the tile's elements in both arrays
    // and in shared memory, 16-byte aligned. The barrier is between the writes and the reads.
    unsafe {
        let source = Tensor::<_, Tile>::global_static(source);
        let result = Tensor::<_, Tile>::global_static_mut(result);
        let shared = Tensor::<Shared<u16>, Through>::shared(dynamic_shared_offset());
        cooperative_copy::<96, _, _, _, _>(thread, &source, &shared);
        sync_threads();
        cooperative_copy::<96, _, _, _, _>(thread, &shared, &result);
    }
}

/// Copies eight elements per thread from global memory to registers and on to shared memory. Then
/// copies the elements that the neighbouring thread wrote to shared memory back to global memory.
/// Each of these copies is one access of 128 bits.
///
/// # Safety
/// One block of 64 threads executes it; both arrays and shared memory hold 512 elements at
/// multiples of 16 bytes.
#[kernel]
pub unsafe fn tensor_auto(result: *mut u16, source: *const u16) {
    type Threads = layout!((64,8):(8,1));
    let (thread, other) = (thread_idx_x(), thread_idx_x() ^ 1);
    let by = AutoVectorizingCopy::default;
    // SAFETY: the caller guarantees one block of 64 threads, and 512 aligned elements in both
    // arrays and in shared memory, 8 for each thread. The barrier is between the writes and the
    // reads.
    unsafe {
        let source = Tensor::<_, Threads>::global_static(source).slice((thread, __));
        let result = Tensor::<_, Threads>::global_static_mut(result).slice((other, __));
        let shared = Tensor::<Shared<u16>, Threads>::shared(dynamic_shared_offset());
        let held = Fragment::<u16, layout!((8))>::new();
        copy(by(), &source, &held.view());
        copy(by(), &held.view(), &shared.slice((thread, __)));
        sync_threads();
        copy(by(), &shared.slice((other, __)), &held.view());
        copy(by(), &held.view(), &result);
    }
}

/// Prefetches a thread's 64 elements, and then copies them.
///
/// # Safety
/// One block of 32 threads executes it; both arrays hold 2048 elements at multiples of 16 bytes.
#[kernel]
pub unsafe fn tensor_prefetch(result: *mut u16, source: *const u16) {
    type Threads = layout!((32,(8,8)):(8,(1,256)));
    let thread = thread_idx_x();
    // SAFETY: the caller guarantees one block of 32 threads, and 64 elements of both arrays for
    // each thread, at multiples of 16 bytes.
    unsafe {
        let source = Tensor::<_, Threads>::global_static(source).slice((thread, __));
        let result = Tensor::<_, Threads>::global_static_mut(result).slice((thread, __));
        prefetch(&source);
        let held = make_fragment_like(&source);
        copy(AutoVectorizingCopy::default(), &source, &held.view());
        copy(AutoVectorizingCopy::default(), &held.view(), &result);
    }
}

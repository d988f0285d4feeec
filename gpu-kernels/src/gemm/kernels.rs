//! The entry points: one kernel for each pair of element types and each way to load.
//!
//! ```text
//!   gemm_<in>_<out>       K a multiple of 8, A and B on 16-byte boundaries
//!   gemm_<in>_<out>_any   any K, any alignment of elements
//! ```
//!
//! Law: that of [`super`]. Launch them as [`super::Problem::contract`] says.

use super::epilogue::Out;
use super::layouts::{Element, Stages, TileD, TileK, TileMn};
use super::load::{Async16, Elementwise, Load};
use super::{mainloop, raster};
use cuda_std::kernel;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{block_idx_x, block_idx_y, grid_dim_x, grid_dim_y, thread_idx_x};
use half::{bf16, f16};
use layout_types::prelude::*;

/// A GEMM of one block.
///
/// # Safety
/// The launch is as [`super::Problem::contract`] says.
#[inline(always)]
unsafe fn gemm<E: Element, O: Out, L: Load>(
    d: *mut O,
    a: *const E,
    b: *const E,
    [m, n, k]: [u32; 3],
) {
    let (tile_m, tile_n) =
        raster::tile((block_idx_x(), block_idx_y()), (grid_dim_x(), grid_dim_y()));
    let thread = thread_idx_x();
    // SAFETY: the contract gives the block its shared memory, the matrices their extents and alignment, and
    // each block a tile of D of its own.
    unsafe {
        let g_a = Tensor::global(a.cast::<u16>(), [m, k], [k.into(), 1]);
        let g_b = Tensor::global(b.cast::<u16>(), [n, k], [k.into(), 1]);
        let g_d = Tensor::global_mut(d.cast::<O::Bits>(), [m, n], [n.into(), 1]);
        let s_a = Stages::shared(dynamic_shared_offset());
        let s_b = Stages::shared(dynamic_shared_offset() + Stages::BYTES as u32);

        let a_tiles = g_a.local_tile::<TileK, _>((tile_m, __));
        let b_tiles = g_b.local_tile::<TileK, _>((tile_n, __));
        let d_tile: TileD<O::Bits> = g_d.local_tile::<TileMn, _>((tile_m, tile_n));
        let sums = mainloop::sum::<E, L>(&a_tiles, &b_tiles, &s_a, &s_b, thread);
        O::store(&sums, &d_tile, n.is_multiple_of(2), thread);
    }
}

macro_rules! gemm_kernels {
    ($($name:ident: $input:ty => $output:ty, $load:ty;)+) => {$(
        /// D = A·Bᵀ; see [the module](super).
        ///
        /// # Safety
        /// The launch is as [`super::Problem::contract`] says.
        #[cfg(feature = "all-kernels")]
        #[kernel]
        pub unsafe fn $name(d: *mut $output, a: *const $input, b: *const $input, m: u32, n: u32, k: u32) {
            // SAFETY: the caller's contract.
            unsafe { gemm::<$input, $output, $load>(d, a, b, [m, n, k]) }
        }
    )+};
}

gemm_kernels! {
    gemm_f16_f16: f16 => f16, Async16;
    gemm_f16_f32: f16 => f32, Async16;
    gemm_bf16_bf16: bf16 => bf16, Async16;
    gemm_bf16_f32: bf16 => f32, Async16;
    gemm_f16_f16_any: f16 => f16, Elementwise;
    gemm_f16_f32_any: f16 => f32, Elementwise;
    gemm_bf16_bf16_any: bf16 => bf16, Elementwise;
    gemm_bf16_f32_any: bf16 => f32, Elementwise;
}

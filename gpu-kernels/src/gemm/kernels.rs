//! The entry points: one kernel for each pair of element types and each way to load.
//!
//! ```text
//!   gemm_<in>_<out>       K a multiple of 8, A and B on 16-byte boundaries
//!   gemm_<in>_<out>_any   any K, any alignment of elements
//! ```
//!
//! Law: that of [`super`]. Launch them as [`super::Problem::contract`] says.

use super::layouts::{Element, Out};
use super::load::{Async16, Elementwise, Load, Operand};
use super::{TILE_M, TILE_N, epilogue, mainloop, raster};
use cuda_std::kernel;
use cuda_std::shared::dynamic_shared_offset;
use cuda_std::thread::{block_idx_x, block_idx_y, grid_dim_x, grid_dim_y, thread_idx_x};
use half::{bf16, f16};

/// A GEMM of one block.
///
/// # Safety
/// The launch is as [`super::Problem::contract`] says.
#[inline(always)]
unsafe fn gemm<E: Element, O: Out, L: Load>(
    d: *mut O,
    a: *const E,
    b: *const E,
    m: u32,
    n: u32,
    k: u32,
) {
    let (tile_m, tile_n) =
        raster::tile((block_idx_x(), block_idx_y()), (grid_dim_x(), grid_dim_y()));
    let (row, column) = (tile_m * TILE_M, tile_n * TILE_N);
    let thread = thread_idx_x();
    let a = Operand {
        base: a.cast(),
        row,
        rows: m,
        k,
    };
    let b = Operand {
        base: b.cast(),
        row: column,
        rows: n,
        k,
    };
    // SAFETY: the contract gives the block its shared memory, the matrices their extents and alignment, and
    // each block a tile of D of its own.
    unsafe {
        let acc = mainloop::sum::<E, L>(dynamic_shared_offset(), a, b, thread);
        epilogue::store(&acc, d, (row, column), (m, n), thread);
    }
}

macro_rules! gemm_kernels {
    ($($name:ident: $input:ty => $output:ty, $load:ty;)+) => {$(
        /// D = A·Bᵀ; see [the module](super).
        ///
        /// # Safety
        /// The launch is as [`super::Problem::contract`] says.
        #[kernel]
        pub unsafe fn $name(d: *mut $output, a: *const $input, b: *const $input, m: u32, n: u32, k: u32) {
            // SAFETY: the caller's contract.
            unsafe { gemm::<$input, $output, $load>(d, a, b, m, n, k) }
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

//! Clears the f32 sums of dQ before the kernel of tiles, and scales and rounds them after it.
//!
//! ```text
//!   sums      for each head and each 64 rows in turn: (64 rows, 64 columns) for each 64 columns, in the staged order
//!   128 threads     a block of 64 rows; a thread reads 16 bytes for each eight columns, its part of the product's accumulator
//! ```
//!
//! Law: each row that is a query is stored once. Other rows are not stored.

use super::super::super::tile_scheduler::QueryTiles;
use super::staging::{GROUP_BYTES, StagedPart};
use cuda_std::thread::{block_idx_x, grid_dim_x, thread_idx_x};
use gpu_kernels::attention::epilogue;
use gpu_kernels::attention::value::AttentionValue;
use kernel_abi::attention::AttentionBackwardParams;
use layout_types::prelude::*;
use layout_types::tensor::Fragment;
use layout_types::typenum::U2;
use layout_types::unroll::unroll;

/// Returns the place where a query head's sums, of `dim` columns, begin for row `row`. The number
/// of heads of all batches fits 32 bits, since the number of their tiles does.
#[inline(always)]
pub fn sums_at(
    params: &AttentionBackwardParams,
    (head, batch): (u32, u32),
    row: u32,
    dim: u32,
) -> usize {
    let head = batch * (params.of.heads * params.streamed_heads) + head;
    let row = u64::from(head) * u64::from(params.value_rows) + u64::from(row);
    (row * u64::from(dim)) as usize
}

/// Scales and rounds the sums of dQ, for `DIM` columns, and stores dQ.
///
/// # Safety
/// The launch is the plan's: it has 128 threads; the sums are readable and dQ is writable as its
/// parameters say.
#[inline(always)]
pub unsafe fn run<T: AttentionValue, const DIM: u32>(
    dq: *mut T,
    sums: *const f32,
    params: &AttentionBackwardParams,
) {
    let (of, thread) = (&params.of, thread_idx_x());
    let mut tiles = QueryTiles::default();
    while let Some(tile) = tiles.next(of, 64) {
        let from = sums.wrapping_add(sums_at(params, (tile.head, tile.batch), tile.row, DIM));
        let to = dq.wrapping_add(tile.offset_of_o(of));
        let mut columns = 0;
        while columns < DIM {
            let part = from.wrapping_add((columns / 64 * (GROUP_BYTES / 4)) as usize);
            // SAFETY: whole warps are here, since all threads of the CTA have the same tile. The
            // sums include padded rows, and rows below `queries` are writable, by the function's
            // contract.
            unsafe {
                let values = Fragment::<f32, layout!((4, 8))>::new(); // (row and column of a pair,eight columns)
                unroll::<8>(|i| {
                    let at: u32 = StagedPart::at((thread, i as u32));
                    let four = *part.wrapping_add(4 * at as usize).cast::<u128>();
                    unroll::<4>(|j| {
                        let sum = f32::from_bits((four >> (32 * j)) as u32);
                        values.set((j as u32, i as u32), sum * params.scale);
                    });
                });
                epilogue::store_rows::<_, U2>(
                    to.wrapping_add(columns as usize),
                    (of.queries, 64, of.row_o),
                    (tile.row / 64, || thread),
                    |row, block| {
                        let [low, high] =
                            [0, 1].map(|i| values.get((2 * row + i, block)).to_bits());
                        u64::from(low) | u64::from(high) << 32
                    },
                );
            }
            columns += 64;
        }
    }
}

/// Clears the sums of all padded rows of `DIM` columns.
///
/// # Safety
/// The launch is the plan's: it has 128 threads, and the sums are writable as its parameters say.
#[inline(always)]
pub unsafe fn clear<const DIM: u32>(sums: *mut f32, params: &AttentionBackwardParams) {
    // The number of blocks of (64 rows, 64 columns).
    let blocks = params.value_rows / 64 * params.value_heads * (DIM / 64);
    let mut block = block_idx_x();
    while block < blocks {
        let of_block = sums.wrapping_add(block as usize * (64 * 64));
        // SAFETY: the sums have whole blocks of 64 rows, because rows are padded to multiples of
        // 128.
        unsafe {
            unroll::<8>(|i| {
                let at = 4 * (128 * i + thread_idx_x() as usize);
                *of_block.wrapping_add(at).cast::<u128>() = 0;
            });
        }
        block += grid_dim_x();
    }
}

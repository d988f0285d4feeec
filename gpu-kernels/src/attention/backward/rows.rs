//! Computes the values of each query: its log-sum-exp in powers of two, and δ, the sum of its row
//! of dO ∘ O.
//!
//! ```text
//!   128 threads     64 rows in blocks of 32 columns; a thread has eight columns of a row and of the row eight below
//! ```
//!
//! Law: a query that sees no key, and each row that pads a head, has the log-sum-exp infinity, so
//! that its probabilities are 0, and δ is 0. If the log-sum-exp of a query is beyond
//! [`EXPONENTS_OF_GRADIENTS`] in powers of two, f32 has too few digits for it, and it becomes NaN.

use super::super::epilogue::R2g;
use super::super::tile_scheduler::QueryTiles;
use super::sequences::ValueSequences;
use crate::gemm::epilogue::element::ElementAccumulator;
use cuda_std::thread::thread_idx_x;
use cuda_std::warp::warp_shuffle_xor;
use half::{bf16, f16};
use kernel_abi::attention::{AttentionBackwardParams, EXPONENTS_OF_GRADIENTS};
use layout_types::algorithm::copy_if;
use layout_types::arch::mma::fma_f32;
use layout_types::prelude::*;
use layout_types::tensor::{__, Fragment, GetSlice};
use layout_types::unroll::{Unroll, unroll, unroll_type};

/// An element whose pairs convert to two f32.
pub trait WidenPairs {
    /// Returns both elements, the lower half first.
    fn widen(pair: u32) -> [f32; 2];
}
impl WidenPairs for f16 {
    #[inline(always)]
    fn widen(pair: u32) -> [f32; 2] {
        let both = <f16 as ElementAccumulator>::widen(pair);
        [
            f32::from_bits(both as u32),
            f32::from_bits((both >> 32) as u32),
        ]
    }
}
impl WidenPairs for bf16 {
    #[inline(always)]
    fn widen(pair: u32) -> [f32; 2] {
        [
            f32::from_bits(pair << 16),
            f32::from_bits(pair & 0xffff_0000),
        ]
    }
}

/// Runs the kernel for rows of `DIM` columns, in `BlocksOf32` blocks of 32 columns. The last block
/// may be half a block.
///
/// # Safety
/// The launch is the plan's: it has 128 threads; O, dO and the log-sum-exp are readable and the
/// values writable as its parameters say.
#[inline(always)]
pub unsafe fn run<T: WidenPairs, BlocksOf32: Unroll, const DIM: u32>(
    [o, d_o]: [*const T; 2],
    lse: *const f32,
    values: *mut f32,
    (params, sequences): (&AttentionBackwardParams, impl ValueSequences),
) {
    let (of, thread) = (&params.of, thread_idx_x());
    let padded = sequences.padded(params);
    let mut tiles = QueryTiles::default();
    while let Some(of_values) = tiles.next(&padded, 64) {
        let (tile, queries) = sequences.rows_of(params, of_values);
        let second = sequences.second_at(params, tile);
        let tile_64 = tile.row / 64;
        // SAFETY: rows below `queries` are readable, and the values' rows below `value_rows` are
        // writable, by the function's contract. The whole warp is here for the shuffles, since all
        // threads of the CTA have the same tile.
        unsafe {
            let rows_of = |from: *const T, offset: usize, stride: u64| {
                let from = from.cast::<u16>().wrapping_add(offset);
                let rows = Tensor::global(from, [queries, DIM], (stride, Int::<1>))
                    .local_tile::<tile!(64, 32), _>((tile_64, __)); // (64,32,D/32)
                R2g::get_slice(thread).partition_s(&rows) // (CPY,CPY_M,CPY_N,D/32)
            };
            let t_go = rows_of(o, sequences.o_at(of, tile), of.row_o);
            let t_gd = rows_of(d_o, second, params.row_second);
            let sums = Fragment::<f32, layout!((2))>::new();
            unroll_type::<BlocksOf32>(|block| {
                let half = block as u32 == DIM / 32;
                // The fragments begin with zeros, which add nothing in places that the copy skips.
                let row_o = Fragment::<u16, layout!(((8, 2), 1, 1))>::new();
                let row_d = Fragment::<u16, layout!(((8, 2), 1, 1))>::new();
                let t_go = t_go.slice((__, __, __, block as u32)); // (CPY,CPY_M,CPY_N)
                let t_gd = t_gd.slice((__, __, __, block as u32)); // (CPY,CPY_M,CPY_N)
                let (row, column) = (
                    t_go.atoms_inside_along::<0>(),
                    t_go.atoms_inside_along::<1>(),
                );
                let inside = |i| row(i) && (!half || column(i));
                copy_if(R2g::default(), inside, &t_go, &row_o.view());
                copy_if(R2g::default(), inside, &t_gd, &row_d.view());
                let (row_o, row_d) = (row_o.view().recast::<u32>(), row_d.view().recast::<u32>());
                unroll::<2>(|row| {
                    unroll::<4>(|i| {
                        let at = ((i as u32, row as u32), 0u32, 0u32);
                        let ([a, b], [c, d]) = (T::widen(row_o.get(at)), T::widen(row_d.get(at)));
                        let sum = fma_f32(b, d, fma_f32(a, c, sums.get(row as u32)));
                        sums.set(row as u32, sum);
                    });
                });
            });
            let lse = lse.wrapping_add(sequences.lse_at(of, tile));
            // All columns have the same value, by the stride 0.
            let g_lse = Tensor::global(lse, [queries, 32], [1, 0])
                .local_tile::<tile!(64, 32), _>((tile_64, 0u32)); // (64,32)
            let t_gl = R2g::get_slice(thread).partition_s(&g_lse); // (CPY,CPY_M,CPY_N)
            let values_of = |which: u32| {
                let at = params.value_at(which, (of_values.head, of_values.batch), 0);
                let to = values.wrapping_add(at);
                let rows = Tensor::global_mut(to, [params.value_rows, 32], [1, 0])
                    .local_tile::<tile!(64, 32), _>((of_values.row / 64, 0u32)); // (64,32)
                R2g::get_slice(thread).partition_d(&rows) // (CPY,CPY_M,CPY_N)
            };
            let (t_vl, t_vd) = (values_of(0), values_of(1));
            unroll::<2>(|row| {
                let at = ((0u32, row as u32), 0u32, 0u32);
                let sum = sums.get(row as u32);
                let sum = sum + warp_shuffle_xor(u32::MAX, sum, 1, 32).0;
                let sum = sum + warp_shuffle_xor(u32::MAX, sum, 2, 32).0;
                if thread.is_multiple_of(4) {
                    let is_query = t_gl.inside(at);
                    let lse = if is_query {
                        t_gl.get(at)
                    } else {
                        f32::INFINITY
                    };
                    let sees = is_query & (lse != f32::NEG_INFINITY);
                    let exponent = lse * core::f32::consts::LOG2_E;
                    let exponent = if !sees {
                        f32::INFINITY
                    } else if exponent.abs() <= EXPONENTS_OF_GRADIENTS {
                        exponent
                    } else {
                        f32::NAN
                    };
                    t_vl.set(at, exponent);
                    t_vd.set(at, if sees { sum } else { 0.0 });
                }
            });
        }
    }
}

//! The parts of a head's O that several CTAs computed, combined.
//!
//! ```text
//!   m = maximum of the parts' LSE     weight = e^(LSE - m)     O = sum of weight O / sum of weight     LSE = m + ln(sum of weight)
//!
//!   a CTA: a head of keys of a sequence       a warp: a row, of which a lane has a column of each 32
//! ```
//!
//! Law: parts are added in the order of their keys. A head that one CTA computed is left as it is;
//! one without keys has a row of zeros and the log-sum-exp -inf.

use super::super::config::{AttentionConfig, Results};
use super::super::tile_scheduler::TileAt;
use super::pages::{Lengths, share, slot};
use core::f32::consts::{LN_2, LOG2_E};
use cuda_std::float::approx::{exp2_ftz, log2, rcp};
use cuda_std::thread::{block_idx_x, thread_idx_x};
use cuda_std::warp::{lane_id, warp_shuffle_xor};
use gpu_kernels::gemm::epilogue::element::ElementD;
use gpu_kernels::gemm::tile_scheduler::divide;
use kernel_abi::attention::{AttentionParams, COMBINE_THREADS, DecodeParams, flags};
use layout_types::arch::mma::fma_f32;
use layout_types::prelude::*;
use layout_types::tensor::Fragment;
use layout_types::unroll::unroll_type;

/// `f` of the values of a warp's threads.
///
/// # Safety
/// The whole warp executes it.
#[inline(always)]
unsafe fn across_warp(mut value: f32, f: impl Fn(f32, f32) -> f32) -> f32 {
    let mut mask = 16;
    while mask > 0 {
        // SAFETY: the whole warp is here by the function's contract.
        value = f(value, unsafe {
            warp_shuffle_xor(u32::MAX, value, mask, 32).0
        });
        mask /= 2;
    }
    value
}

/// The kernel of a configuration, whose blocks have `BLOCK` keys.
///
/// # Safety
/// The launch is the plan's, behind the one that computed the parts: whole warps, lengths and parts
/// readable, O and, where the flag says so, the log-sum-exp writable as the parameters say.
#[inline(always)]
pub unsafe fn combine<C: AttentionConfig<OutputElement: ElementD<Bits = u16>>, const BLOCK: u32>(
    (o, lse): Results<C>,
    (part_o, part_lse): (*const f32, *const f32),
    lengths: *const u32,
    params: &AttentionParams,
    of: DecodeParams,
) {
    let lengths = Lengths::<BLOCK> {
        of: lengths,
        most: of.most_keys(),
    };
    let (sequence, head) = divide(block_idx_x(), params.heads);
    // SAFETY: whole warps are here, the same way through all branches but those of lanes; slots are
    // those that `PagedSequences` of the same lengths has written, and rows are below the heads
    // that share a key head, by the function's contract.
    unsafe {
        let own = lengths.blocks(sequence);
        let begin = lengths.blocks_before(sequence) * params.heads + head * own;
        let share = share(
            lengths.blocks_before(params.batches) * params.heads,
            of.ctas,
        );
        let first = divide(begin, share).0;
        let end = if own == 0 {
            first
        } else {
            divide(begin + own - 1, share).0 + 1
        };
        if end - first == 1 {
            return;
        }
        let rows = params.queries;
        let slots = 2 * of.ctas;
        let columns = u64::from(C::DIM);
        let g_parts = Tensor::global(
            part_o,
            [slots, rows, C::DIM],
            [u64::from(rows) * columns, columns, 1],
        );
        let g_lses = Tensor::global(part_lse, [slots, rows], [rows.into(), 1]);
        let tile = TileAt {
            row: 0,
            head,
            key_head: head,
            batch: sequence,
            part: (),
        };
        let o = o.wrapping_add(tile.offset_of_o(params)).cast::<u16>();
        let g_o = Tensor::global_mut(o, [rows, C::DIM], [params.row_o, 1]);
        let lse = lse.wrapping_add(tile.offset_of_lse(params));
        let g_lse = Tensor::global_mut(lse, [rows], [1]);
        let lane = lane_id();
        let mut row = thread_idx_x() / 32;
        while row < rows {
            let lse_of = |cta: u32| {
                let at = (slot(cta, cta == first), row);
                g_lses.local_tile::<tile!(1, 1), _>(at).get((0u32, 0u32))
            };
            let mut maximum = f32::NEG_INFINITY;
            let mut cta = first + lane;
            while cta < end {
                maximum = maximum.max(lse_of(cta));
                cta += 32;
            }
            let maximum = across_warp(maximum, f32::max);
            let sums = Fragment::<f32, layout!((8))>::new();
            let mut of_weights = 0.0;
            let mut cta = first;
            while cta < end {
                // A part without keys weighs nothing; of a part that is NaN, the row is NaN.
                let lse = lse_of(cta);
                let weight = if lse == f32::NEG_INFINITY {
                    0.0
                } else {
                    exp2_ftz((lse - maximum) * LOG2_E)
                };
                of_weights += weight;
                unroll_type::<C::BlocksOf32>(|block| {
                    let at = (slot(cta, cta == first), row, block as u32);
                    let part = g_parts.local_tile::<tile!(1, 1, 32), _>(at); // (1,1,32)
                    let part = part.get((0u32, 0u32, lane));
                    let sum = fma_f32(weight, part, sums.get(block as u32));
                    sums.set(block as u32, sum);
                });
                cta += 1;
            }
            let inverse = if of_weights == 0.0 {
                0.0
            } else {
                rcp(of_weights)
            };
            unroll_type::<C::BlocksOf32>(|block| {
                let value = if inverse == 0.0 {
                    0.0
                } else {
                    sums.get(block as u32) * inverse
                };
                let g_o = g_o.local_tile::<tile!(1, 32), _>((row, block as u32)); // (1,32)
                g_o.set((0u32, lane), <C::OutputElement as ElementD>::round(value));
            });
            if (params.flags & flags::LSE != 0) & (lane == 0) {
                let g_lse = g_lse.local_tile::<tile!(1), _>((row,)); // (1)
                g_lse.set((0u32,), maximum + log2(of_weights) * LN_2);
            }
            row += COMBINE_THREADS / 32;
        }
    }
}

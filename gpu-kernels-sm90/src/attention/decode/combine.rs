//! Combines the parts of a head's O that several CTAs computed.
//!
//! ```text
//!   m = maximum of the parts' LSE     weight = e^(LSE - m)     O = sum of weight O / sum of weight     LSE = m + ln(sum of weight)
//!
//!   CTAs along x: a key head of a sequence         along y, and warps: one row at a time
//!   a lane: one column of each 32, and the weight of one of 32 parts
//! ```
//!
//! Law: parts are added in the order of their keys. A head that a single CTA computed is not
//! changed. A head without keys has rows of zeros and the log-sum-exp -inf.

use super::super::tile_scheduler::TileAt;
use super::pages::{Lengths, least, share, slot};
use core::f32::consts::{LN_2, LOG2_E};
use cuda_std::float::approx::{exp2_ftz, log2, rcp};
use cuda_std::thread::{block_idx_x, block_idx_y, grid_dim_y, thread_idx_x};
use cuda_std::warp::{lane_id, warp_shuffle_idx, warp_shuffle_xor};
use gpu_kernels::gemm::epilogue::element::ElementD;
use gpu_kernels::gemm::tile_scheduler::divide;
use kernel_abi::attention::{AttentionParams, COMBINE_THREADS, DecodeParams, flags};
use layout_types::arch::mma::fma_f32;
use layout_types::prelude::*;
use layout_types::tensor::Fragment;
use layout_types::typenum::Unsigned;
use layout_types::unroll::{Unroll, unroll, unroll_type};

/// The number of parts that a warp loads at a time and waits for together, a divisor of 32.
const AHEAD: usize = 4;
/// A lane's columns of a row.
type Columns = Fragment<f32, layout!((16))>;

/// Reduces the values of a warp's threads by `f`.
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

/// Returns the index of the first CTA that has keys of a head, and one more than the index of the
/// last.
///
/// # Safety
/// The lengths of all sequences are readable.
#[inline(always)]
unsafe fn ctas_of<const BLOCK: u32>(
    lengths: &Lengths<BLOCK>,
    (sequence, head): (u32, u32),
    params: &AttentionParams,
    of: DecodeParams,
) -> (u32, u32) {
    // SAFETY: the lengths of all sequences are readable by the function's contract.
    unsafe {
        let own = lengths.blocks(sequence);
        let begin = lengths.blocks_before(sequence) * params.heads + head * own;
        let all = lengths.blocks_before(params.batches) * params.heads;
        let share = share(all, of.ctas);
        let first = divide(begin, share).0;
        let end = if own == 0 {
            first
        } else {
            divide(begin + own - 1, share).0 + 1
        };
        (first, end)
    }
}

/// Returns the weight of a part with log-sum-exp `lse`, where `maximum` is the largest of all
/// parts.
#[inline(always)]
fn weight(lse: f32, maximum: f32) -> f32 {
    if lse == f32::NEG_INFINITY {
        0.0
    } else {
        exp2_ftz((lse - maximum) * LOG2_E)
    }
}

/// Combines the parts of O, for an element type of O. A row of O has `BlocksOf32` blocks of 32
/// columns, and a block of keys has `BLOCK` keys.
///
/// # Safety
/// The launch is the plan's and follows the launch that computed the parts. It has whole warps;
/// lengths and parts are readable; O and, if the flag is set, the log-sum-exp are writable as the
/// parameters say.
#[inline(always)]
pub unsafe fn combine<T: ElementD<Bits = u16>, BlocksOf32: Unroll + Unsigned, const BLOCK: u32>(
    (o, lse): (*mut T, *mut f32),
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
    // SAFETY: whole warps are here, and only branches on the lane diverge. The slots are those that
    // `PagedSequences` of the same lengths wrote, and rows are below the number of heads that share
    // a key head, by the function's contract.
    unsafe {
        let (first, end) = ctas_of(&lengths, (sequence, head), params, of);
        if end - first == 1 {
            return;
        }
        let rows = params.queries;
        let slots = 2 * of.ctas;
        let dim = const { 32 * BlocksOf32::U32 };
        let columns = u64::from(dim);
        let g_parts = Tensor::global(
            part_o,
            [slots, rows, dim],
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
        let g_o = Tensor::global_mut(o, [rows, dim], [params.row_o, 1]);
        let lse = lse.wrapping_add(tile.offset_of_lse(params));
        let g_lse = Tensor::global_mut(lse, [rows], [1]);
        let lane = lane_id();
        let warps = COMBINE_THREADS / 32;
        let mut row = block_idx_y() * warps + thread_idx_x() / 32;
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
            const { assert!(BlocksOf32::U32 <= 16, "a lane has room for 16 columns") }
            let sums = Columns::new();
            let mut of_weights = 0.0;
            let mut chunk = first;
            while chunk < end {
                // A part without keys has weight 0. A part that is NaN makes the row NaN.
                let cta = chunk + lane;
                let lse = if cta < end {
                    lse_of(cta)
                } else {
                    f32::NEG_INFINITY
                };
                let own = weight(lse, maximum);
                let mut part = chunk;
                while part < least(chunk + 32, end) {
                    // After the last part these are zeros with weight 0.
                    let parts: [Columns; AHEAD] = core::array::from_fn(|_| Columns::new());
                    unroll::<AHEAD>(|i| {
                        let cta = part + i as u32;
                        if cta < end {
                            unroll_type::<BlocksOf32>(|block| {
                                let at = (slot(cta, cta == first), row, block as u32);
                                let part = g_parts.local_tile::<tile!(1, 1, 32), _>(at); // (1,1,32)
                                parts[i].set(block as u32, part.get((0u32, 0u32, lane)));
                            });
                        }
                    });
                    unroll::<AHEAD>(|i| {
                        let of_chunk = part - chunk + i as u32;
                        let weight = warp_shuffle_idx(u32::MAX, own, of_chunk, 32).0;
                        of_weights += weight;
                        unroll_type::<BlocksOf32>(|block| {
                            let block = block as u32;
                            sums.set(block, fma_f32(weight, parts[i].get(block), sums.get(block)));
                        });
                    });
                    part += AHEAD as u32;
                }
                chunk += 32;
            }
            let inverse = if of_weights == 0.0 {
                0.0
            } else {
                rcp(of_weights)
            };
            unroll_type::<BlocksOf32>(|block| {
                let value = if inverse == 0.0 {
                    0.0
                } else {
                    sums.get(block as u32) * inverse
                };
                let g_o = g_o.local_tile::<tile!(1, 32), _>((row, block as u32)); // (1,32)
                g_o.set((0u32, lane), <T as ElementD>::round(value));
            });
            if (params.flags & flags::LSE != 0) & (lane == 0) {
                let g_lse = g_lse.local_tile::<tile!(1), _>((row,)); // (1)
                g_lse.set((0u32,), maximum + log2(of_weights) * LN_2);
            }
            row += grid_dim_y() * warps;
        }
    }
}

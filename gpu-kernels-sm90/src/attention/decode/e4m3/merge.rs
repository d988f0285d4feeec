//! The end of a tile: merges and stores O and the log-sum-exp of the warps that had the tile's
//! keys.
//!
//! ```text
//!   LSE of each warp ─ shared memory ─► m = maximum LSE       weight = e^(LSE - m)     LSE = m + ln(sum of weights)
//!
//!   O of each warp times its weight / sum of weights, 32 columns at a time:
//!     registers ─► (4 columns, row, warp) in shared memory ─ barrier ─► a thread adds four columns of a row ─► O, rounded, or a part in f32
//! ```
//!
//! Law: warps are added in the order of their keys, so every run gives the same bits. Rows that are
//! not queries are not stored.

use super::super::super::sequences::Sequences;
use super::super::super::softmax::finish_rows;
use super::super::super::tile_scheduler::TileAt;
use super::super::super::value::AttentionValue;
use super::super::pages::{PagedSequences, Part};
use super::config::{CacheAttention, MERGED, OutputOf, ROWS};
use super::kernel::CacheSmem;
use super::mainloop::{ResultsOf, lane};
use crate::warp_group::consumer_thread;
use core::f32::consts::{LN_2, LOG2_E};
use cuda_std::float::approx::{exp2_ftz, log2, rcp};
use gpu_kernels::attention::fragments::AccumulatorAtoms;
use kernel_abi::attention::{AttentionParams, flags};
use layout_types::arch::barrier::named_barrier_sync;
use layout_types::prelude::*;
use layout_types::unroll::{unroll, unroll_type};

/// The named barrier of all consumers.
const MERGE_BARRIER: u32 = 1;

/// The layout of the warps' O in shared memory, with four columns per element: (4 columns, row,
/// warp). Eight threads at a time write two rows of four elements, and read one row of eight
/// elements, both without bank conflicts.
pub type Merged = Composition<Swizzle<1, 2, 1>, layout!((8,16,8):(1,8,128))>;
/// The layout of the warps' log-sum-exps: (row, warp).
pub type MergedLse = layout!((16,8):(1,16));

/// A tile after the warp has finished its part of the tile.
pub struct Merge<'a, const BLOCK: u32> {
    /// The parameters of all sequences.
    pub params: &'a AttentionParams,
    /// The sequences.
    pub sequences: PagedSequences<BLOCK>,
    /// The tile.
    pub tile: TileAt<Part>,
    /// The first row of the warp.
    pub row: u32,
    /// The warp's slice of the keys.
    pub slice: u32,
}

/// Returns two f32 as a pair.
#[inline(always)]
fn pair(low: f32, high: f32) -> u64 {
    u64::from(low.to_bits()) | u64::from(high.to_bits()) << 32
}

/// Merges and stores a tile. `finished` has the factors and the log-sum-exps of this thread's two
/// rows.
///
/// # Safety
/// All consumers execute it, after their last use of the merge's places in shared memory. O, the
/// log-sum-exp and the partial results are writable as the launch says.
#[inline(always)]
pub unsafe fn merge<C: CacheAttention, const BLOCK: u32>(
    (o, lse): ResultsOf<C>,
    of: Merge<'_, BLOCK>,
    smem: &CacheSmem<C>,
    output: &OutputOf<C>,
    finished: [(f32, f32); 2],
) {
    let threads = 32 * C::WARPS;
    // SAFETY: all consumers are here by the function's contract, and all pass the same number of
    // barriers. A barrier separates each write from its reads, and these reads from the next write.
    let barrier = || unsafe { named_barrier_sync(MERGE_BARRIER, threads) };
    let lane = lane();
    let (row, column) = (lane / 4, lane % 4);
    let row_tile = of.row / ROWS;
    let warp_of = |slice: u32, row_tile: u32| slice * C::ROW_TILES + row_tile;
    let own = warp_of(of.slice, row_tile);
    let queries = of.params.queries;
    // This has no branch: values that only a branch computes would be kept in registers through the
    // next tile's mainloop.
    let ((part_o, part_lse), is_part) = of.sequences.part(of.params, of.tile);

    // ---- the warps' weights
    if column == 0 {
        unroll::<2>(|i| smem.lse.set((row + 8 * i as u32, own), finished[i].1));
    }
    barrier();
    let mut factors = finished;
    unroll::<2>(|i| {
        let of_slice = |slice| smem.lse.get((row + 8 * i as u32, warp_of(slice, row_tile)));
        let mut maximum = f32::NEG_INFINITY;
        let mut slice = 0;
        while slice < C::SLICES {
            maximum = f32::max(maximum, of_slice(slice));
            slice += 1;
        }
        // If the row sees none of a warp's keys, that warp has weight 0. A part that is NaN makes
        // the row NaN.
        let weight = |lse: f32| {
            if lse == f32::NEG_INFINITY {
                0.0
            } else {
                exp2_ftz((lse - maximum) * LOG2_E)
            }
        };
        let (mut sum, mut slice) = (0.0, 0);
        while slice < C::SLICES {
            sum += weight(of_slice(slice));
            slice += 1;
        }
        let (factor, own_lse) = finished[i];
        let joined = maximum + log2(sum) * LN_2;
        factors[i] = if sum == 0.0 {
            (0.0, f32::NEG_INFINITY)
        } else {
            (factor * weight(own_lse) * rcp(sum), joined)
        };
    });
    finish_rows(C::Output::rows(output, 0), factors);

    // ---- the log-sum-exp, stored by the warps of the first slice of keys
    let stored = is_part | (of.params.flags & flags::LSE != 0);
    if stored & (of.slice == 0) & (column == 0) {
        let to = if is_part {
            part_lse
        } else {
            lse.wrapping_add(of.sequences.offset_of_lse(of.params, of.tile))
        };
        unroll::<2>(|i| {
            let row = of.row + row + 8 * i as u32;
            if row < queries {
                // SAFETY: the log-sum-exp of a row below `queries` is writable by the function's
                // contract.
                unsafe { *to.wrapping_add(row as usize) = factors[i].1 };
            }
        });
    }

    // ---- O
    unroll_type::<C::BlocksOf32>(|block| {
        unroll::<2>(|chunk| {
            // The even columns of 16 are one block of eight, the odd columns another.
            let even = 2 * (2 * block as u32 + chunk as u32);
            unroll::<2>(|i| {
                let pair = |block| C::Output::pair(output, 0, i as u32, block);
                let (even, odd) = (pair(even), pair(even + 1));
                let of_four = [even, odd, even >> 32, odd >> 32];
                let mut four = 0;
                unroll::<4>(|i| four |= u128::from(of_four[i] as u32) << (32 * i));
                smem.o
                    .set((4 * chunk as u32 + column, row + 8 * i as u32, own), four);
            });
        });
        barrier();
        let mut at = consumer_thread();
        while at < 8 * C::TILE[0] {
            let (four, row) = (at % 8, at / 8);
            at += threads;
            if row >= queries {
                continue;
            }
            let mut sums = [0.0; 4];
            let mut slice = 0;
            while slice < C::SLICES {
                let part = smem.o.get((four, row % ROWS, warp_of(slice, row / ROWS)));
                unroll::<4>(|i| sums[i] += f32::from_bits((part >> (32 * i)) as u32));
                slice += 1;
            }
            let column = (MERGED * block as u32 + 4 * four) as usize;
            let (low, high) = (pair(sums[0], sums[1]), pair(sums[2], sums[3]));
            // SAFETY: four columns of a row below `queries`, 8 or 16 aligned bytes, are writable by
            // the function's contract.
            unsafe {
                if is_part {
                    let to = part_o.wrapping_add((row * C::DIM) as usize + column);
                    *to.cast::<u128>() = u128::from(low) | u128::from(high) << 64;
                } else {
                    let before = of.sequences.offset_of_o(of.params, of.tile);
                    let of_row = (u64::from(row) * of.params.row_o) as usize;
                    let to = o.wrapping_add(before + of_row + column);
                    let [low, high] = [low, high].map(C::Element::round);
                    *to.cast::<u64>() = u64::from(low) | u64::from(high) << 32;
                }
            }
        }
        barrier();
    });
}

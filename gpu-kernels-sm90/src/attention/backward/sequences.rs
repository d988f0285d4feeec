//! Sequences of the gradients: where the values of a query are, beside what [`Sequences`] says.
//!
//! ```text
//!   values of a head     ├ 0 ────────┼ 1 ──────────────┼ 2 ───┤     each sequence from a multiple of 128 rows on, with 128 rows at least:
//!                        0          128               384  512      from (rows before it / 128 + its number) 128 on
//! ```
//!
//! Law: the padded rows of two sequences do not overlap, since the starts do not decrease. Whatever the starts say, they are inside the buffer
//! of values; rows of it that are of no query have values as if their query saw no key. Sequences of one length have a head of the buffer
//! each, whatever type says that they are of one length.

use super::super::sequences::{PackedSequences, Sequences, Uniform};
use super::super::tile_scheduler::TileAt;
use cuda_std::warp::sync_warp;
use gpu_kernels::attention::backward::sequences::ValueSequences;
use kernel_abi::attention::{AttentionBackwardParams, AttentionParams};
use layout_types::arch::mov::here;

/// How the tensors of the gradients are made of sequences.
pub trait GradientSequences: Sequences<Part = ()> {
    /// The elements of the kernel's second tensor before the sequence's head.
    fn offset_of_second(self, params: &AttentionBackwardParams, tile: TileAt) -> usize;
    /// Where the log-sum-exp (`which` 0) or δ (1) of a row of a query head begins: the row of the tile's sequence, whose tile is of keys or of
    /// queries.
    fn value_at(
        self,
        params: &AttentionBackwardParams,
        which: (u32, bool),
        head: (u32, TileAt),
        row: u32,
    ) -> usize;
    /// Brings a warp together behind the stores of a tile, where the scheduler has numbers that go on to the next: LLVM else writes them in each
    /// arm of the last store, and they are not known to be the same in all threads.
    ///
    /// # Safety
    /// The whole warp executes it.
    #[inline(always)]
    unsafe fn join(self) {}
}

impl GradientSequences for Uniform {
    #[inline(always)]
    fn offset_of_second(self, params: &AttentionBackwardParams, tile: TileAt) -> usize {
        ().second_at(params, tile)
    }
    #[inline(always)]
    fn value_at(
        self,
        params: &AttentionBackwardParams,
        (which, _): (u32, bool),
        (head, tile): (u32, TileAt),
        row: u32,
    ) -> usize {
        params.value_at(which, (head, tile.batch), row)
    }
}

impl ValueSequences for Uniform {
    #[inline(always)]
    fn padded(self, params: &AttentionBackwardParams) -> AttentionParams {
        ().padded(params)
    }
    #[inline(always)]
    fn rows_of(self, params: &AttentionBackwardParams, of_values: TileAt) -> (TileAt, u32) {
        ().rows_of(params, of_values)
    }
    #[inline(always)]
    fn o_at(self, params: &AttentionParams, tile: TileAt) -> usize {
        ().o_at(params, tile)
    }
    #[inline(always)]
    fn second_at(self, params: &AttentionBackwardParams, tile: TileAt) -> usize {
        self.offset_of_second(params, tile)
    }
    #[inline(always)]
    fn lse_at(self, params: &AttentionParams, tile: TileAt) -> usize {
        ().lse_at(params, tile)
    }
}

impl<const OR_UNIFORM: bool> GradientSequences for PackedSequences<OR_UNIFORM> {
    #[inline(always)]
    fn offset_of_second(self, params: &AttentionBackwardParams, tile: TileAt) -> usize {
        let ([first, _], batch) = self.place(&params.of, tile);
        let of_rows = u64::from(first) * params.row_second + u64::from(batch) * params.batch_second;
        (of_rows + u64::from(tile.head) * params.head_second) as usize
    }
    #[inline(always)]
    fn value_at(
        self,
        params: &AttentionBackwardParams,
        (which, of_keys): (u32, bool),
        (head, tile): (u32, TileAt),
        row: u32,
    ) -> usize {
        // A batch of sequences of one length has heads of its own and no rows before it; packed ones are all of batch 0.
        let (firsts, batch) = self.place(&params.of, tile);
        let before = firsts[of_keys as usize];
        let first = AttentionBackwardParams::packed_row(before, tile.batch - batch);
        params.value_at(which, (head, batch), first + row)
    }
    #[inline(always)]
    unsafe fn join(self) {
        // SAFETY: the whole warp is here by the function's contract.
        unsafe { sync_warp(u32::MAX) };
    }
}

impl ValueSequences for PackedSequences {
    #[inline(always)]
    fn padded(self, params: &AttentionBackwardParams) -> AttentionParams {
        AttentionParams {
            queries: params.value_rows,
            batches: 1,
            ..params.of
        }
    }
    #[inline(always)]
    fn rows_of(self, params: &AttentionBackwardParams, of_values: TileAt) -> (TileAt, u32) {
        let first_of = |sequence: u32| {
            let at = TileAt {
                batch: sequence,
                ..of_values
            };
            let ([first, _], _) = self.place(&params.of, at);
            AttentionBackwardParams::packed_row(first, sequence)
        };
        // The last sequence whose rows begin here or before: between `low` and `high`.
        let (mut low, mut high) = (0, here(params.of.batches));
        while low + 1 < high {
            let middle = low + (high - low) / 2;
            if first_of(middle) <= of_values.row {
                low = middle;
            } else {
                high = middle;
            }
        }
        let first = first_of(low);
        let tile = TileAt {
            batch: low,
            ..of_values
        };
        if of_values.row < first {
            // Before the first sequence, or starts that decrease.
            return (TileAt { row: 0, ..tile }, 0);
        }
        let row = of_values.row - first;
        (
            TileAt { row, ..tile },
            self.params(&params.of, tile).queries,
        )
    }
    #[inline(always)]
    fn second_at(self, params: &AttentionBackwardParams, tile: TileAt) -> usize {
        self.offset_of_second(params, tile)
    }
    #[inline(always)]
    fn o_at(self, params: &AttentionParams, tile: TileAt) -> usize {
        self.offset_of_o(params, tile)
    }
    #[inline(always)]
    fn lse_at(self, params: &AttentionParams, tile: TileAt) -> usize {
        self.offset_of_lse(params, tile)
    }
}

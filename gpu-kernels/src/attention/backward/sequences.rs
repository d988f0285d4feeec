//! Locates the rows of O, dO and the log-sum-exp for the kernel of the rows, and sequences for
//! tiles of gradients by `mma.sync`.
//!
//! ```text
//!   (), Uniform        sequences of one length, one per batch
//!   PackedSequences    one after the other; the values of each begin at row (rows before it / 128 + its index) 128
//! ```
//!
//! Law: each tile of padded rows belongs to one sequence, and each padded row is in one tile.

use super::super::sequences::{PackedSequences, SequenceTiles, Uniform};
use super::super::tile_scheduler::TileAt;
use kernel_abi::attention::{AttentionBackwardParams, AttentionParams};
use layout_types::arch::mov::here;

/// Locates the sequences in the rows that have values.
pub trait ValueSequences: Copy {
    /// Returns parameters whose queries are the rows that have values, for the kernel of the rows.
    fn padded(self, params: &AttentionBackwardParams) -> AttentionParams;
    /// Returns the place, in its sequence, of a tile of the rows that have values, and the number
    /// of queries of that sequence.
    fn rows_of(self, params: &AttentionBackwardParams, of_values: TileAt) -> (TileAt, u32);
    /// Returns the number of elements of the kernel's first tensor before the sequence's head.
    fn o_at(self, params: &AttentionParams, tile: TileAt) -> usize;
    /// Returns the number of elements of the kernel's second tensor before the sequence's head.
    fn second_at(self, params: &AttentionBackwardParams, tile: TileAt) -> usize;
    /// Returns the number of log-sum-exps before the sequence's head.
    fn lse_at(self, params: &AttentionParams, tile: TileAt) -> usize;
}

/// Sequences of one length, one per batch.
impl ValueSequences for () {
    #[inline(always)]
    fn padded(self, params: &AttentionBackwardParams) -> AttentionParams {
        AttentionParams {
            queries: params.value_rows,
            ..params.of
        }
    }
    #[inline(always)]
    fn rows_of(self, params: &AttentionBackwardParams, of_values: TileAt) -> (TileAt, u32) {
        (of_values, params.of.queries)
    }
    #[inline(always)]
    fn o_at(self, params: &AttentionParams, tile: TileAt) -> usize {
        tile.offset_of_o(params)
    }
    #[inline(always)]
    fn second_at(self, params: &AttentionBackwardParams, tile: TileAt) -> usize {
        let batch = u64::from(tile.batch) * params.batch_second;
        (batch + u64::from(tile.head) * params.head_second) as usize
    }
    #[inline(always)]
    fn lse_at(self, params: &AttentionParams, tile: TileAt) -> usize {
        tile.offset_of_lse(params)
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
        ().second_at(params, tile)
    }
    #[inline(always)]
    fn lse_at(self, params: &AttentionParams, tile: TileAt) -> usize {
        ().lse_at(params, tile)
    }
}

/// Locates the sequences of the tiles of gradients, in addition to [`SequenceTiles`].
pub trait GradientTiles: SequenceTiles {
    /// Returns the number of elements of the kernel's second tensor before the sequence's head.
    fn offset_of_second(self, params: &AttentionBackwardParams, tile: TileAt) -> usize;
    /// Returns the first rows of the sequence, in the resident and in the streamed tensors.
    fn firsts(self, params: &AttentionParams, tile: TileAt) -> [u32; 2];
    /// Returns one of the first rows as a value that the compiler knows only from here on, so that
    /// no product with it is held during the mainloop.
    fn first_here(self, first: u32) -> u32;
    /// Returns the sequence's batch in the tensors.
    fn batch(self, params: &AttentionParams, tile: TileAt) -> u32;
    /// Returns the first row of the tile's sequence in a head of the buffer of values. `first` is
    /// the sequence's first query.
    fn first_value_row(self, params: &AttentionParams, first: u32, tile: TileAt) -> u32;
}

impl GradientTiles for Uniform {
    #[inline(always)]
    fn offset_of_second(self, params: &AttentionBackwardParams, tile: TileAt) -> usize {
        ().second_at(params, tile)
    }
    #[inline(always)]
    fn firsts(self, _: &AttentionParams, _: TileAt) -> [u32; 2] {
        [0; 2]
    }
    #[inline(always)]
    fn first_here(self, _: u32) -> u32 {
        0
    }
    #[inline(always)]
    fn batch(self, _: &AttentionParams, tile: TileAt) -> u32 {
        tile.batch
    }
    #[inline(always)]
    fn first_value_row(self, _: &AttentionParams, _: u32, _: TileAt) -> u32 {
        0
    }
}

impl<const OR_UNIFORM: bool> GradientTiles for PackedSequences<OR_UNIFORM> {
    #[inline(always)]
    fn offset_of_second(self, params: &AttentionBackwardParams, tile: TileAt) -> usize {
        offset_of_second(self, params, tile)
    }
    #[inline(always)]
    fn firsts(self, params: &AttentionParams, tile: TileAt) -> [u32; 2] {
        self.place(params, tile).0
    }
    #[inline(always)]
    fn first_here(self, first: u32) -> u32 {
        here(first)
    }
    #[inline(always)]
    fn batch(self, params: &AttentionParams, tile: TileAt) -> u32 {
        if Self::are_uniform(params) {
            tile.batch
        } else {
            0
        }
    }
    #[inline(always)]
    fn first_value_row(self, params: &AttentionParams, first: u32, tile: TileAt) -> u32 {
        if Self::are_uniform(params) {
            0
        } else {
            AttentionBackwardParams::packed_row(here(first), here(tile.batch))
        }
    }
}

/// Returns the number of elements of the kernel's second tensor before the head of a tile's
/// sequence.
#[inline(always)]
pub fn offset_of_second(
    sequences: impl SequenceTiles,
    params: &AttentionBackwardParams,
    tile: TileAt,
) -> usize {
    let ([first, _], batch) = sequences.place(&params.of, tile);
    let of_rows = u64::from(first) * params.row_second + u64::from(batch) * params.batch_second;
    (of_rows + u64::from(tile.head) * params.head_second) as usize
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
        // Searches for the last sequence whose rows begin here or before. Its index is at least
        // `low` and less than `high`.
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
            // The row is before the first sequence, or the starts decrease.
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
        offset_of_second(self, params, tile)
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

//! Where the rows of O, dO and the log-sum-exp are that the kernel of the rows reads.
//!
//! ```text
//!   ()     sequences of one length, a batch each; Hopper's kernels have packed ones, too
//! ```
//!
//! Law: a tile of padded rows is of one sequence, and each of them is in one tile.

use super::super::tile_scheduler::TileAt;
use kernel_abi::attention::{AttentionBackwardParams, AttentionParams};

/// How the rows that have values are made of sequences.
pub trait ValueSequences: Copy {
    /// The rows that have values, as the queries of the kernel of the rows.
    fn padded(self, params: &AttentionBackwardParams) -> AttentionParams;
    /// The sequence of a tile of those rows, where the tile is in it, and how many queries it has.
    fn rows_of(self, params: &AttentionBackwardParams, of_values: TileAt) -> (TileAt, u32);
    /// The elements of the kernel's first tensor before the sequence's head.
    fn o_at(self, params: &AttentionParams, tile: TileAt) -> usize;
    /// The elements of the kernel's second tensor before the sequence's head.
    fn second_at(self, params: &AttentionBackwardParams, tile: TileAt) -> usize;
    /// The log-sum-exps before the sequence's head.
    fn lse_at(self, params: &AttentionParams, tile: TileAt) -> usize;
}

/// Sequences of one length, a batch each.
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

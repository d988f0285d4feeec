//! Sequences of the gradients: where the values of a query are, beside what [`Sequences`] says.
//!
//! ```text
//!   values of a head     ├ 0 ────────┼ 1 ──────────────┼ 2 ───┤     each sequence from a multiple of 128 rows on, with 128 rows at least:
//!                        0          128               384  512      from (rows before it / 128 + its number) 128 on
//! ```
//!
//! Law: the padded rows of two sequences do not overlap, since the starts do not decrease. Whatever
//! the starts say, they are inside the buffer of values; rows of it that are of no query have
//! values as if their query saw no key. Sequences of one length have a head of the buffer each,
//! whatever type says that they are of one length.

use super::super::sequences::{PackedSequences, Sequences, Uniform};
use super::super::tile_scheduler::TileAt;
use cuda_std::warp::sync_warp;
use gpu_kernels::attention::backward::sequences::{ValueSequences, offset_of_second};
use kernel_abi::attention::AttentionBackwardParams;

/// How the tensors of the gradients are made of sequences.
pub trait GradientSequences: Sequences<Part = ()> {
    /// The elements of the kernel's second tensor before the sequence's head.
    fn offset_of_second(self, params: &AttentionBackwardParams, tile: TileAt) -> usize;
    /// Where the log-sum-exp (`which` 0) or δ (1) of a row of a query head begins: the row of the
    /// tile's sequence, whose tile is of keys or of queries.
    fn value_at(
        self,
        params: &AttentionBackwardParams,
        which: (u32, bool),
        head: (u32, TileAt),
        row: u32,
    ) -> usize;
    /// Brings a warp together behind the stores of a tile, where the scheduler has numbers that go
    /// on to the next: LLVM else writes them in each arm of the last store, and they are not known
    /// to be the same in all threads.
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

impl<const OR_UNIFORM: bool> GradientSequences for PackedSequences<OR_UNIFORM> {
    #[inline(always)]
    fn offset_of_second(self, params: &AttentionBackwardParams, tile: TileAt) -> usize {
        offset_of_second(self, params, tile)
    }
    #[inline(always)]
    fn value_at(
        self,
        params: &AttentionBackwardParams,
        (which, of_keys): (u32, bool),
        (head, tile): (u32, TileAt),
        row: u32,
    ) -> usize {
        // A batch of sequences of one length has heads of its own and no rows before it; packed
        // ones are all of batch 0.
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

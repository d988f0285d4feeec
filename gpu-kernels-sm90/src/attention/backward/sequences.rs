//! Sequences for the gradients. In addition to [`Sequences`], they locate the values (LSE, δ) of a
//! query.
//!
//! ```text
//!   values of a head     ├ 0 ────────┼ 1 ──────────────┼ 2 ───┤     each sequence begins at a multiple of 128 rows and has at least 128:
//!                        0          128               384  512      it begins at row (rows before it / 128 + its index) 128
//! ```
//!
//! Law: the padded rows of two sequences do not overlap, since the starts do not decrease. The rows
//! are inside the buffer of values, whatever the starts are. Rows of the buffer that belong to no
//! query have the values of a query that sees no key. If all sequences have one length, each
//! sequence has its own head of the buffer, with [`Uniform`] and with [`PackedSequences`].

use super::super::sequences::{PackedSequences, Sequences, Uniform};
use super::super::tile_scheduler::TileAt;
use cuda_std::warp::sync_warp;
use gpu_kernels::attention::backward::sequences::{ValueSequences, offset_of_second};
use kernel_abi::attention::AttentionBackwardParams;

/// Locates each sequence in the tensors of the gradients.
pub trait GradientSequences: Sequences<Part = ()> {
    /// Returns the number of elements of the kernel's second tensor before the sequence's head.
    fn offset_of_second(self, params: &AttentionBackwardParams, tile: TileAt) -> usize;
    /// Returns the place of the log-sum-exp (`which.0` is 0) or δ (1) of row `row` of the tile's
    /// sequence, in a query head. `which.1` is true if the tile is of keys, false if it is of
    /// queries.
    fn value_at(
        self,
        params: &AttentionBackwardParams,
        which: (u32, bool),
        head: (u32, TileAt),
        row: u32,
    ) -> usize;
    /// Synchronises a warp after the stores of a tile if the scheduler carries values over to the
    /// next tile. Without it, LLVM writes these values in each arm of the last store, and then they
    /// are not known to be equal in all threads.
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
        // With sequences of one length, a batch has its own heads and no rows before it. Packed
        // sequences are all in batch 0.
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

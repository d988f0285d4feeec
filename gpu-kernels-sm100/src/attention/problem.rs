//! A CTA's view of the problem: its tiles, and the blocks of keys of each tile.
//!
//! ```text
//!   next ─► tile of 256 queries ─► blocks of 128 keys: masked ones, then the others
//! ```
//!
//! Law: every role goes through the same tiles and blocks, in the same order.

use super::config::{AttentionConfig, TILE};
use core::borrow::Borrow;
use gpu_kernels_sm90::attention::sequences::Sequences;
use gpu_kernels_sm90::attention::tile_scheduler::{KeyBlocks, TileAt};
use kernel_abi::attention::AttentionParams;

/// A tile of a configuration.
pub type TileOf<C> = TileAt<<<C as AttentionConfig>::Sequences as Sequences>::Part>;
/// A thread's position in the tiles of its CTA.
pub type TilesOf<C> = <<C as AttentionConfig>::Sequences as Sequences>::Scheduler;

/// The problem of a launch: parameters, score function and sequences.
pub struct CtaProblem<'a, C: AttentionConfig> {
    /// The parameters of all sequences.
    pub params: &'a AttentionParams,
    /// The function that is applied to a score before the softmax.
    pub score: C::Score,
    /// The sequences, which say which rows belong together.
    pub sequences: C::Sequences,
}

impl<C: AttentionConfig> Clone for CtaProblem<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<C: AttentionConfig> Copy for CtaProblem<'_, C> {}

impl<C: AttentionConfig> CtaProblem<'_, C> {
    /// Returns the CTA's next tile, or `None` if the CTA has no further tile.
    #[inline(always)]
    pub fn next(&self, tiles: &mut TilesOf<C>) -> Option<TileOf<C>> {
        self.sequences.next(tiles, self.params, TILE[0])
    }

    /// Returns the blocks of keys that a tile sees.
    #[inline(always)]
    pub fn blocks(&self, tile: TileOf<C>) -> KeyBlocks {
        let of = self.sequences.params(self.params, tile);
        KeyBlocks::of(of.borrow(), tile.row, TILE[0], TILE[1])
    }
}

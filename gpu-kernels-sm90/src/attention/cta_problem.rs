//! The problem of a CTA: its tiles, the blocks of keys of each tile, and the functions that are
//! applied to a block's scores.
//!
//! ```text
//!   next ─► tile ─► blocks: masked blocks, then the others
//!                     └─ scores ─ score function ─ mask ─ softmax ─► probabilities
//! ```
//!
//! Law: a score function is applied to the scaled score, before the mask. In a block without a
//! mask, only a score function needs the block's place.

use super::config::AttentionConfig;
use super::fragments::{Accumulator, AccumulatorLayout, OperandElement};
use super::score::ScoreFunction;
use super::sequences::{Sequences, TileOf};
use super::softmax::Softmax;
use super::tile_scheduler::KeyBlocks;
use super::value::{ScoreCoordinates, own_key};
use crate::warp_group::consumer_thread;
use core::borrow::Borrow;
use core::f32::consts::{LN_2, LOG2_E};
use kernel_abi::attention::AttentionParams;

/// A thread's position in the tiles of its CTA.
pub type TilesOf<C> = <<C as AttentionConfig>::Sequences as Sequences>::Scheduler;

/// The correction factors of a thread's two rows, and whether each of them has to be applied.
pub type Corrections = ([f32; 2], [bool; 2]);

/// The arguments of the launch: parameters, score function and sequences.
pub struct CtaProblem<'a, C: AttentionConfig> {
    /// The parameters of all sequences.
    pub params: &'a AttentionParams,
    /// The function that is applied to a score before the softmax.
    pub score: C::Score,
    /// The rows of each sequence.
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
        self.sequences.next(tiles, self.params, C::TILE[0])
    }

    /// Finds the CTA's next tile. If [`locate`](Self::locate) computes its place while the products
    /// run, the result has the place of `tile` until then.
    #[inline(always)]
    pub fn find(&self, tiles: &mut TilesOf<C>, tile: TileOf<C>) -> Option<TileOf<C>> {
        if const { C::LOCATES_UNDER_PRODUCTS } {
            let found = self.sequences.find(tiles, self.params, C::TILE[0]);
            if found { Some(tile) } else { None }
        } else {
            self.next(tiles)
        }
    }

    /// Returns the tile that [`find`](Self::find) found.
    #[inline(always)]
    pub fn locate(&self, tiles: TilesOf<C>, found: TileOf<C>) -> TileOf<C> {
        if const { C::LOCATES_UNDER_PRODUCTS }
            && let Some(tile) = self.sequences.locate(tiles, self.params, C::TILE[0])
        {
            return tile;
        }
        found
    }

    /// Returns the blocks of keys that a tile sees.
    #[inline(always)]
    pub fn blocks(&self, tile: TileOf<C>) -> KeyBlocks {
        let [rows, keys] = C::TILE;
        let of = self.sequences.params(self.params, tile);
        KeyBlocks::of(of.borrow(), tile.row, rows, keys)
    }

    /// Returns the number of keys in a tile's first block if this is the last block of the sequence
    /// and is not full, or 0 otherwise. If a tile sees the last block of its sequence, that block
    /// comes first.
    #[inline(always)]
    pub fn keys_of_last(&self, tile: TileOf<C>, blocks: &KeyBlocks) -> u32 {
        let keys = self.sequences.params(self.params, tile).borrow().keys;
        if const { C::Sequences::ALL_KEYS } {
            return keys % C::TILE[1];
        }
        let first = blocks.key(0, C::TILE[1]);
        if first + C::TILE[1] > keys {
            keys - first
        } else {
            0
        }
    }

    /// Returns the place of the scores of block `i`, which is `MASKED` or not.
    #[inline(always)]
    pub fn at<const MASKED: bool>(
        &self,
        tile: TileOf<C>,
        blocks: &KeyBlocks,
        i: u32,
    ) -> (TileOf<C>, u32) {
        if const { MASKED || !C::Score::IDENTITY } {
            (tile, blocks.key(i, C::TILE[1]))
        } else {
            (tile, 0)
        }
    }

    /// Returns a tile's softmax before its first block. With a score function the scores already
    /// contain the scale.
    #[inline(always)]
    pub fn softmax(&self, tile: TileOf<C>) -> Softmax {
        let scale = if const { C::Score::IDENTITY } {
            self.sequences.scale_log2(self.params, tile)
        } else {
            LOG2_E
        };
        Softmax::new(scale, C::Element::TOP)
    }

    /// Applies the score function to the scores of a tile and the block whose first key is `key`.
    #[inline(always)]
    fn change(&self, scores: &Accumulator<C::Scores>, (tile, key): (TileOf<C>, u32)) {
        if const { !C::Score::IDENTITY } {
            let scale_log2 = self.sequences.scale_log2(self.params, tile);
            let (function, scale) = (self.score, scale_log2 * LN_2);
            let own = if const { C::Score::USES_DISTANCE } {
                own_key(self.sequences.params(self.params, tile).borrow())
            } else {
                0
            };
            let first = (tile.score_at(key), own);
            C::Qk::change(scores, consumer_thread(), first, |score, at| {
                function.score(score * scale, at)
            });
        }
    }

    /// Converts a tile's first block of scores to probabilities.
    ///
    /// # Safety
    /// The whole warp executes it, and no product is in flight.
    #[inline(always)]
    pub unsafe fn begin(
        &self,
        scores: &Accumulator<C::Scores>, // ((2,2,N/8),1,1)
        softmax: &mut Softmax,
        tile: TileOf<C>,
        (blocks, group): (&KeyBlocks, u32),
    ) {
        // SAFETY: the whole warp is here by the function's contract, and it takes each branch as a
        // whole, because the branches depend only on the tile.
        unsafe {
            if blocks.masked > 0 {
                let at = self.at::<true>(tile, blocks, 0);
                if const { C::HALVES } {
                    self.begin_halves(scores, softmax, at, group);
                } else {
                    self.update::<true>(scores, softmax, at);
                }
            } else {
                self.update::<false>(scores, softmax, self.at::<false>(tile, blocks, 0));
            }
        }
    }

    /// Does what [`update`](Self::update) does for a tile's first block, which is masked. It skips
    /// the second half if the group does not see it.
    ///
    /// # Safety
    /// The whole warp executes it, and no product is in flight.
    #[inline(always)]
    unsafe fn begin_halves(
        &self,
        scores: &Accumulator<C::Scores>, // ((2,2,N/8),1,1)
        softmax: &mut Softmax,
        (tile, key): (TileOf<C>, u32),
        group: u32,
    ) {
        self.change(scores, (tile, key));
        let of = self.sequences.params(self.params, tile);
        let (first, rows_and_keys) = ((tile.row, key), ([64 * group, 64], C::TILE[1]));
        let thread = consumer_thread();
        let whole = C::Qk::mask_halves(scores, thread, of.borrow(), first, rows_and_keys);
        // SAFETY: the whole warp is here by the function's contract.
        unsafe { softmax.begin_halves(C::Scores::rows(scores), whole) };
    }

    /// Converts the scores of a tile and the block whose first key is `key` to probabilities, by
    /// the score function and, if the block is `MASKED`, the mask.
    ///
    /// # Safety
    /// The whole warp executes it.
    #[inline(always)]
    pub unsafe fn update<const MASKED: bool>(
        &self,
        scores: &Accumulator<C::Scores>, // ((2,2,N/8),1,1)
        softmax: &mut Softmax,
        (tile, key): (TileOf<C>, u32),
    ) -> Corrections {
        self.change(scores, (tile, key));
        if MASKED {
            let of = self.sequences.params(self.params, tile);
            C::Qk::mask(scores, consumer_thread(), of.borrow(), (tile.row, key));
        }
        let rows = C::Scores::rows(scores);
        // SAFETY: the whole warp is here by the function's contract.
        unsafe {
            if const { C::Score::MASKS } {
                softmax.update::<true, _>(rows, C::LAZY)
            } else {
                softmax.update::<MASKED, _>(rows, C::LAZY)
            }
        }
    }
}

//! The problem as a CTA sees it: its tiles, the blocks of keys of each, and what becomes of a
//! block's scores.
//!
//! ```text
//!   next ─► tile ─► blocks: masked ones, then the others
//!                     └─ scores ─ score function ─ mask ─ softmax ─► probabilities
//! ```
//!
//! Law: a score function is computed before the mask, of the scaled score. Only a function asks for
//! the place of a block without a mask.

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

/// A thread's place in the tiles of its CTA.
pub type TilesOf<C> = <<C as AttentionConfig>::Sequences as Sequences>::Scheduler;

/// The rows' corrections, and which of the two are to be made.
pub type Corrections = ([f32; 2], [bool; 2]);

/// What the launch gives: parameters, score function and sequences.
pub struct CtaProblem<'a, C: AttentionConfig> {
    /// The parameters of all sequences.
    pub params: &'a AttentionParams,
    /// What becomes of a score before the softmax.
    pub score: C::Score,
    /// Which rows are of one sequence.
    pub sequences: C::Sequences,
}

impl<C: AttentionConfig> Clone for CtaProblem<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<C: AttentionConfig> Copy for CtaProblem<'_, C> {}

impl<C: AttentionConfig> CtaProblem<'_, C> {
    /// The CTA's next tile.
    #[inline(always)]
    pub fn next(&self, tiles: &mut TilesOf<C>) -> Option<TileOf<C>> {
        self.sequences.next(tiles, self.params, C::TILE[0])
    }

    /// The CTA's next tile, of which [`locate`](Self::locate) computes the place under the
    /// products: until then it is that of `tile`.
    #[inline(always)]
    pub fn find(&self, tiles: &mut TilesOf<C>, tile: TileOf<C>) -> Option<TileOf<C>> {
        if const { C::LOCATES_UNDER_PRODUCTS } {
            let found = self.sequences.find(tiles, self.params, C::TILE[0]);
            if found { Some(tile) } else { None }
        } else {
            self.next(tiles)
        }
    }

    /// The tile that [`find`](Self::find) found.
    #[inline(always)]
    pub fn locate(&self, tiles: TilesOf<C>, found: TileOf<C>) -> TileOf<C> {
        if const { C::LOCATES_UNDER_PRODUCTS }
            && let Some(tile) = self.sequences.locate(tiles, self.params, C::TILE[0])
        {
            return tile;
        }
        found
    }

    /// The blocks of keys that a tile sees.
    #[inline(always)]
    pub fn blocks(&self, tile: TileOf<C>) -> KeyBlocks {
        let [rows, keys] = C::TILE;
        let of = self.sequences.params(self.params, tile);
        KeyBlocks::of(of.borrow(), tile.row, rows, keys)
    }

    /// The keys of a tile's first block, where that is the last one of its sequence and not full;
    /// else 0. Of the blocks that a tile sees, the last one of the sequence comes first.
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

    /// Where the scores of block `i` are, which is `MASKED` or not.
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

    /// A tile's softmax before its first block: a score function has made the scale a part of the
    /// score.
    #[inline(always)]
    pub fn softmax(&self, tile: TileOf<C>) -> Softmax {
        let scale = if const { C::Score::IDENTITY } {
            self.sequences.scale_log2(self.params, tile)
        } else {
            LOG2_E
        };
        Softmax::new(scale, C::Element::TOP)
    }

    /// Applies the score function to the scores of a tile and of the block whose first key is
    /// `key`.
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

    /// Makes probabilities of a tile's first block of scores.
    ///
    /// # Safety
    /// The whole warp executes it, and no product is under way.
    #[inline(always)]
    pub unsafe fn begin(
        &self,
        scores: &Accumulator<C::Scores>, // ((2,2,N/8),1,1)
        softmax: &mut Softmax,
        tile: TileOf<C>,
        (blocks, group): (&KeyBlocks, u32),
    ) {
        // SAFETY: the whole warp is here by the function's contract, and so it is in each branch:
        // they are the tile's.
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

    /// [`update`](Self::update) of a tile's first block, a masked one: without the second half
    /// where the group does not see it.
    ///
    /// # Safety
    /// The whole warp executes it, and no product is under way.
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

    /// Makes probabilities of the scores of a tile and of the block whose first key is `key`, by
    /// the score function and, where it is `MASKED`, the mask.
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

//! The mainloop of a warp, for 16 rows and the warp's own keys of each block.
//!
//! ```text
//!   block      wait K ─┬ S of 16 keys ─ softmax ─ wait V ─ P V ─┬─ free K, V
//!                      └────────── the next 16 keys ◄───────────┘
//! ```
//!
//! Law: after the last block a warp has O and the softmax of its own keys of the tile, as if the
//! tile had no other keys.

use super::super::super::pipelines::ConsumerEnd;
use super::super::super::score::ScoreFunction;
use super::super::super::sequences::Sequences;
use super::super::super::softmax::{Softmax, scale_row};
use super::super::super::tile_scheduler::TileAt;
use super::super::super::value::{AttentionValue, ScoreCoordinates, own_key};
use super::super::pages::{PagedSequences, Part};
use super::config::{CacheAttention, KEYS, OutputOf, QueriesOf, ROWS, ScoresOf};
use super::kernel::{CacheScales, CacheSmem, Pipelines};
use super::merge::{Merge, merge};
use super::operands::{bytes_below, interleave, load_keys, load_values, widen};
use super::queries::load_queries;
use crate::warp_group::consumer_thread;
use core::f32::consts::{LN_2, LOG2_E};
use gpu_kernels::attention::fragments::AccumulatorAtoms;
use half::f16;
use kernel_abi::attention::AttentionParams;
use layout_types::algorithm::pipeline_tma::PipelineTmaAsync;
use layout_types::arch::mma_sm80::mma_16x8x16_f32_f16;
use layout_types::arch::mov::here;
use layout_types::tensor::{Fragment, FragmentLayout};
use layout_types::tiled::OperandC;
use layout_types::unroll::{unroll, unroll_type};

/// The pointers to a configuration's results, O and the log-sum-exp.
pub type ResultsOf<C> = (*mut <C as CacheAttention>::Element, *mut f32);

/// Adds the product of a block of eight columns to an accumulator.
///
/// # Safety
/// The whole warp executes it.
#[inline(always)]
unsafe fn multiply<L: FragmentLayout>(
    accumulator: &Fragment<f32, L, OperandC>, // ((2,2),1,columns/8)
    block: u32,
    a: &[u32; 4],
    b: &[u32; 2],
) where
    u32: layout_types::coord::Coord<L::Modes, u32>,
{
    let at = |i: u32| 4 * block + i;
    let mut of = [0, 1, 2, 3].map(|i| accumulator.get(at(i)));
    // SAFETY: the whole warp is here by the function's contract.
    unsafe { mma_16x8x16_f32_f16(&mut of, a, b) };
    unroll::<4>(|i| accumulator.set(at(i as u32), of[i]));
}

/// A thread of a warp that multiplies.
pub struct CacheConsumer<
    'a,
    C: CacheAttention,
    F,
    const BLOCK: u32,
    const Q: u32,
    const THREADS: u32,
    const KV: u32,
> {
    params: &'a AttentionParams,
    score: F,
    sequences: PagedSequences<BLOCK>,
    scales: CacheScales,
    smem: CacheSmem<C>,
    q: ConsumerEnd<Q, THREADS>,
    k: ConsumerEnd<KV, THREADS>,
    /// The pipeline of V, which is always at the same stage as K's.
    v: PipelineTmaAsync<KV, THREADS>,
}

/// Returns the first row of this thread's warp. It is computed again for each use, so that no
/// register holds it.
#[inline(always)]
fn first_row<C: CacheAttention>() -> u32 {
    consumer_thread() / 32 % C::ROW_TILES * ROWS
}

/// Returns this thread's lane in its warp, computed again for each use.
#[inline(always)]
pub(super) fn lane() -> u32 {
    consumer_thread() % 32
}

/// Returns the index of the slice of a block's keys that this thread's warp has, computed again for
/// each use.
#[inline(always)]
fn slice<C: CacheAttention>() -> u32 {
    if const { C::SLICES == 1 } {
        0
    } else {
        consumer_thread() / 32 / C::ROW_TILES
    }
}

impl<
    'a,
    C: CacheAttention,
    F: ScoreFunction,
    const BLOCK: u32,
    const Q: u32,
    const THREADS: u32,
    const KV: u32,
> CacheConsumer<'a, C, F, BLOCK, Q, THREADS, KV>
{
    /// Returns a consumer thread before the first tile.
    #[inline(always)]
    pub fn new(
        params: &'a AttentionParams,
        (score, sequences, scales): (F, PagedSequences<BLOCK>, CacheScales),
        smem: CacheSmem<C>,
        pipelines: Pipelines<Q, THREADS, KV>,
    ) -> Self {
        Self {
            params,
            score,
            sequences,
            scales,
            smem,
            q: ConsumerEnd::of_each_thread(pipelines.q),
            k: ConsumerEnd::of_each_thread(pipelines.k),
            v: pipelines.v,
        }
    }

    /// Computes S for 16 keys of the current stage, from `key` on.
    ///
    /// # Safety
    /// The whole warp executes it, after the wait for K.
    #[inline(always)]
    unsafe fn scores(&self, queries: &QueriesOf<C>, key: u32) -> ScoresOf<C> {
        // Two chains of products, each with every other block of 16 columns, are half as long as
        // one.
        let sums = [ScoresOf::<C>::new(), ScoresOf::<C>::new()];
        let chain = |half: usize| if const { C::TWO_CHAINS } { half } else { 0 };
        let stage = self.k.state().stage();
        unroll_type::<C::BlocksOf32>(|pair| {
            // SAFETY: the whole warp is here, after the wait for K, by the function's contract.
            unsafe {
                let words = load_keys(&self.smem.k, (key, 32 * pair as u32, stage));
                unroll::<2>(|half| {
                    let first = 4 * (2 * pair as u32 + half as u32);
                    let a = [0, 1, 2, 3].map(|i| queries.get(first + i));
                    unroll::<2>(|of_8| {
                        let b = widen(words[2 * half + of_8]);
                        multiply(&sums[chain(half)], of_8 as u32, &a, &b);
                    });
                });
            }
        });
        if const { C::TWO_CHAINS } {
            unroll::<8>(|i| {
                let i = i as u32;
                sums[0].set(i, sums[0].get(i) + sums[1].get(i));
            });
        }
        let [scores, _] = sums;
        scores
    }

    /// Adds P V of 16 keys of the current stage, from `key` on, to O. In a `MASKED` block it uses
    /// only keys before `end`; the other keys may hold any bytes.
    ///
    /// # Safety
    /// The whole warp executes it, after the wait for V.
    #[inline(always)]
    unsafe fn add_values<const MASKED: bool>(
        &self,
        probabilities: &ScoresOf<C>,
        output: &OutputOf<C>,
        key: u32,
        end: u32,
    ) {
        let pair_of = |row, block| C::Scores::pair(probabilities, 0, row, block);
        let round = |row, block| <f16 as AttentionValue>::round(pair_of(row, block));
        let a = [round(0, 0), round(1, 0), round(0, 1), round(1, 1)];
        let stage = self.k.state().stage();
        let kept = if MASKED {
            bytes_below(lane() % 4, end.saturating_sub(key))
        } else {
            [u32::MAX; 2]
        };
        unroll_type::<C::BlocksOf32>(|pair| {
            // SAFETY: the whole warp is here, after the wait for V, by the function's contract.
            unsafe {
                let words = load_values(&self.smem.v, (key, 32 * pair as u32, stage));
                unroll::<2>(|half| {
                    let word = |of_8: usize| {
                        let word = words[2 * half + of_8];
                        let kept = if MASKED { word & kept[of_8] } else { word };
                        widen(interleave(kept))
                    };
                    let (low, high) = (word(0), word(1));
                    unroll::<2>(|odd| {
                        let block = 2 * (2 * pair + half) + odd;
                        multiply(output, block as u32, &a, &[low[odd], high[odd]]);
                    });
                });
            }
        });
    }

    /// Attends to the warp's own keys of a block, which is the first block of the tile's last
    /// `left` keys.
    ///
    /// # Safety
    /// All consumer warps execute it as a whole, for the block that the producers load next.
    #[inline(always)]
    unsafe fn step<const MASKED: bool>(
        &mut self,
        queries: &QueriesOf<C>,
        output: &OutputOf<C>,
        softmax: &mut Softmax,
        (tile, left, scale): (TileAt<Part>, u32, f32),
    ) {
        let of_tile = self.sequences.params(self.params, tile);
        let first = of_tile.keys - left;
        // SAFETY: the whole warp is here. Each `wait` orders the loads after the copies into their
        // stage, and `release` frees the stage after the loads.
        unsafe {
            self.k.wait();
            // If a warp has the keys of several instructions, this stays a loop: unrolled, the
            // loads of all of them would occupy registers at the same time.
            let keys = if const { C::SLICE == KEYS } {
                KEYS
            } else {
                here(C::SLICE)
            };
            let mut done = 0;
            while done < keys {
                let key = slice::<C>() * C::SLICE + done;
                let scores = self.scores(queries, key);
                let at = first + key;
                if const { !F::IDENTITY } {
                    let own = if const { F::USES_DISTANCE } {
                        own_key(&of_tile)
                    } else {
                        0
                    };
                    let mut place = tile.score_at(at);
                    place.query = first_row::<C>();
                    let function = self.score;
                    C::Mma::change(&scores, lane(), (place, own), |score, at| {
                        function.score(score * scale, at)
                    });
                }
                if MASKED {
                    C::Mma::mask(&scores, lane(), &of_tile, (first_row::<C>(), at));
                }
                let rows = C::Scores::rows(&scores, 0); // (2,2)
                let (corrections, corrected) = softmax.update::<MASKED, _>(rows, true);
                let of_output = C::Output::rows(output, 0); // (2,D/8)
                if corrected[0] {
                    scale_row(&of_output[0], corrections[0]);
                }
                if corrected[1] {
                    scale_row(&of_output[1], corrections[1]);
                }
                if done == 0 {
                    self.v.consumer_wait(self.k.state());
                }
                self.add_values::<MASKED>(&scores, output, key, left);
                done += KEYS;
            }
            self.v.consumer_release_if(self.k.state(), 1);
            self.k.release();
        }
    }

    /// Computes and stores all tiles of the CTA.
    ///
    /// # Safety
    /// All consumers execute it. O and, if the flag is set, the log-sum-exp are writable as the
    /// parameters say, and the partial results as the plan says.
    #[inline(always)]
    pub unsafe fn attend(&mut self, results: ResultsOf<C>) {
        let mut tiles = Default::default();
        while let Some(tile) = self.sequences.next(&mut tiles, self.params, C::TILE[0]) {
            // SAFETY: all consumers are here, because all threads of the CTA have the same tiles.
            // Each tile's Q and blocks come in the producers' order, and each stage is released
            // after a wait for it.
            unsafe {
                self.q.wait();
                let stage = self.q.state().stage();
                let (queries, inverse) = load_queries::<C>(&self.smem.q, first_row::<C>(), stage);
                self.q.release();
                let scale = self.params.scale_log2 * self.scales.of_k(tile.key_head) * inverse;
                let (of_softmax, of_score) = if const { F::IDENTITY } {
                    (scale, 0.0)
                } else {
                    (LOG2_E, scale * LN_2)
                };
                let mut softmax = Softmax::new(of_softmax, 0.0);
                let output = OutputOf::<C>::new();
                let mut left = self.sequences.params(self.params, tile).keys;
                while left >= C::TILE[1] {
                    let of = (tile, left, of_score);
                    self.step::<false>(&queries, &output, &mut softmax, of);
                    left -= C::TILE[1];
                }
                if left > 0 {
                    let of = (tile, left, of_score);
                    self.step::<true>(&queries, &output, &mut softmax, of);
                }
                let finished = softmax.finish(self.scales.of_v(tile.key_head));
                let of = Merge {
                    params: self.params,
                    sequences: self.sequences,
                    tile,
                    row: first_row::<C>(),
                    slice: slice::<C>(),
                };
                merge::<C, BLOCK>(results, of, &self.smem, &output, finished);
            }
        }
    }
}

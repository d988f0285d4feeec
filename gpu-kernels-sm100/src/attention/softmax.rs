//! The softmax of a tile. One thread computes each row, without shuffles.
//!
//! ```text
//!   S, a row of 128 scores ─ score function, mask ─ maximum ─► correction, for the correction group
//!                                                     └─► 2^(scale (score - maximum)), rounded ─► P, over S        then their sum
//! ```
//!
//! Law: the law of [`gpu_kernels::attention::softmax`] holds, except that a maximum lags: it is
//! raised only if a probability would be above 2^[`LAG`], so that most blocks leave O unchanged.
//! Such a probability is finite in 16 bits.
//!
//! Source: FlashAttention-4 (arXiv 2603.05451).

use super::config::{AttentionConfig, ROWS};
use super::mainloop::TmemTiles;
use super::pipelines::Pipelines;
use super::problem::{CtaProblem, TileOf};
use core::borrow::Borrow;
use core::f32::consts::{LN_2, LOG2_E};
use cuda_std::float::GpuFloat;
use cuda_std::float::approx::exp2_ftz;
use cuda_std::warp::sync_warp;
use gpu_kernels::attention::mask::Seen;
use gpu_kernels_sm90::attention::fragments::OperandElement;
use gpu_kernels_sm90::attention::score::{ScoreAt, ScoreFunction};
use gpu_kernels_sm90::attention::sequences::Sequences;
use gpu_kernels_sm90::attention::value::{AttentionValue, own_key};
use gpu_kernels_sm90::warp_group::thread_in_group;
use layout_types::algorithm::pipeline_tma::PipelineState;
use layout_types::arch::copy_sm100::tmem_wait_stores;
use layout_types::arch::mma::fma_f32;
use layout_types::arch::mma_sm100_umma::tcgen05_before_thread_sync;
use layout_types::arch::mov::here;
use layout_types::atom::copy::Sm100_TMEM_LOAD_32dp32b32x as LoadPart;
use layout_types::atom::copy::Sm100_TMEM_STORE_32dp32b32x as StorePart;
use layout_types::prelude::*;
use layout_types::tensor::{Shared, Tensor, Tmem};
use layout_types::unroll::unroll;

/// The number of keys in a row of scores.
const KEYS: usize = ROWS as usize;
/// A row of scores, then of probabilities.
type RowOfScores = [f32; KEYS];
/// The number of columns that a load or a store moves: a quarter of S's columns, half of P's. The
/// sum is computed from the probabilities after the stores, so they stay in registers and there are
/// no registers for all words of P. ptxas refuses a load of all columns of S: it would need 146
/// registers at a limit of 128.
const PART: usize = KEYS / 4;
/// The layout of these columns in a warp's 32 lanes, in the order in which they are moved.
type Words = layout!((32,32):(1,65536));
/// The corrections of both tiles in shared memory: (row, number, tile).
pub type Corrections = Tensor<Shared<f32>, layout!((128,2,2):(1,128,256))>;

/// The most by which a row's maximum may lag, as an exponent of 2.
pub const LAG: f32 = 8.0;
/// One of each `POLYNOMIAL_OF` probabilities is computed by a polynomial, the others by
/// `ex2.approx`. On compute capability 10.0 the unit of `ex2.approx` has an eighth of the
/// multipliers' throughput.
pub const POLYNOMIAL_OF: usize = 5;

/// Returns `2^x` for an `x` below 128, by multiplications and additions. The relative error is
/// 2^-22.
///
/// ```
/// use gpu_kernels_sm100::attention::softmax::exp2_by_polynomial;
/// for i in -2000..200 {
///     let x = i as f32 / 16.1;
///     let (found, expected) = (f64::from(exp2_by_polynomial(x)), f64::from(x).exp2());
///     let allowed = expected * f64::powi(2.0, -22) + f64::powi(2.0, -126);
///     assert!((found - expected).abs() <= allowed, "2^{x} is {expected}, not {found}");
/// }
/// assert_eq!((exp2_by_polynomial(f32::NEG_INFINITY), exp2_by_polynomial(0.0)), (0.0, 1.0));
/// // What is no number stays none, or becomes one that no sum of a row may have.
/// let of = exp2_by_polynomial(f32::NAN);
/// assert!(of.is_nan() || of > 1e38);
/// ```
#[inline(always)]
#[must_use]
pub fn exp2_by_polynomial(x: f32) -> f32 {
    // 1.5 2^23. After the addition of this number, the integer part of `x` is in the lowest bits.
    const SHIFT: f32 = 12_582_912.0;
    let x = if x < -127.0 { -127.0 } else { x };
    let shifted = x + SHIFT;
    let fraction = x - (shifted - SHIFT);
    // The coefficients minimise the largest relative error on [-1/2, 1/2] if the constant is 1.
    let mut power = COEFFICIENTS[4];
    power = GpuFloat::mul_add(power, fraction, COEFFICIENTS[3]);
    power = GpuFloat::mul_add(power, fraction, COEFFICIENTS[2]);
    power = GpuFloat::mul_add(power, fraction, COEFFICIENTS[1]);
    power = GpuFloat::mul_add(power, fraction, COEFFICIENTS[0]);
    power = GpuFloat::mul_add(power, fraction, 1.0);
    f32::from_bits(power.to_bits().wrapping_add(shifted.to_bits() << 23))
}
/// The coefficients of the polynomial, without the constant, which is 1.
#[allow(
    clippy::approx_constant,
    reason = "the first is that of the least maximum, not ln 2"
)]
const COEFFICIENTS: [f32; 5] = [
    0.693_147,
    0.240_222_42,
    0.055_507_336,
    0.009_671_513,
    0.001_326_472_7,
];

/// The state of a row.
#[derive(Clone, Copy)]
pub struct RowSoftmax {
    maximum: f32,
    sum: f32,
    /// The scale of the scores times log2(e).
    scale: f32,
}

impl RowSoftmax {
    /// Returns the state before the first block.
    #[inline(always)]
    #[must_use]
    pub fn new(scale: f32) -> Self {
        Self {
            maximum: f32::NEG_INFINITY,
            sum: 0.0,
            scale,
        }
    }

    /// Raises the maximum to that of a block's scores if it would lag by more than [`LAG`]
    /// otherwise. Returns the factor of the row of O, which is 1 if the maximum does not change.
    #[inline(always)]
    fn raise(&mut self, scores: &RowOfScores) -> f32 {
        let mut of = [self.maximum; 4];
        unroll::<KEYS>(|i| of[i % 4] = of[i % 4].max(scores[i]));
        let maximum = of[0].max(of[1]).max(of[2].max(of[3]));
        let exponent = (self.maximum - maximum) * self.scale;
        // This is false for a row that has seen no key, whose exponent is NaN.
        let is_raised = exponent < -LAG;
        self.maximum = if is_raised { maximum } else { self.maximum };
        if is_raised { exp2_ftz(exponent) } else { 1.0 }
    }

    /// Replaces the scores of one half of the row, part 0 or 1, by probabilities.
    #[inline(always)]
    fn exponentiate(&self, scores: &mut RowOfScores, part: usize) {
        let (scale, maximum) = (self.scale, self.maximum);
        // A row that has seen no key has the maximum -inf.
        let base = if maximum == f32::NEG_INFINITY {
            0.0
        } else {
            -(maximum * scale)
        };
        unroll::<{ 2 * PART }>(|i| {
            let i = 2 * PART * part + i;
            let exponent = fma_f32(scores[i], scale, base);
            scores[i] = if i % POLYNOMIAL_OF == POLYNOMIAL_OF - 1 {
                exp2_by_polynomial(exponent)
            } else {
                exp2_ftz(exponent)
            };
        });
    }

    /// Multiplies the sum by `correction`, as the row of O is, and adds a block's probabilities.
    #[inline(always)]
    fn add(&mut self, probabilities: &RowOfScores, correction: f32) {
        let mut of = [self.sum * correction, 0.0, 0.0, 0.0];
        unroll::<KEYS>(|i| of[i % 4] += probabilities[i]);
        self.sum = (of[0] + of[1]) + (of[2] + of[3]);
    }
}

/// A thread of a softmax group. It has one row of a tile.
pub struct SoftmaxThread<'a, C: AttentionConfig, const STAGES: u32> {
    problem: CtaProblem<'a, C>,
    pipelines: Pipelines<STAGES>,
    corrections: Corrections,
    /// The tile, 0 or 1.
    tile: u32,
    /// The addresses of S and of P in the warp's lanes.
    scores: u32,
    probabilities: u32,
    of_scores: PipelineState<1>,
    of_corrections: PipelineState<1>,
}

impl<'a, C: AttentionConfig, const STAGES: u32> SoftmaxThread<'a, C, STAGES> {
    /// Returns a thread of tile `tile`'s group. All threads of a warp have the same tile.
    #[inline(always)]
    pub fn new(
        problem: CtaProblem<'a, C>,
        pipelines: Pipelines<STAGES>,
        corrections: Corrections,
        (tile, tmem): (u32, TmemTiles),
    ) -> Self {
        let lanes = first_lane();
        let of = |tiles: [u32; 2]| (if tile == 0 { tiles[0] } else { tiles[1] }) + lanes;
        Self {
            problem,
            pipelines,
            corrections,
            tile,
            scores: of(tmem.scores),
            probabilities: of(tmem.probabilities),
            of_scores: PipelineState::consumer(),
            of_corrections: PipelineState::producer(),
        }
    }

    /// Sends the factor of the row of O to the correction group or, after a tile's last block, the
    /// row's sum and maximum.
    ///
    /// # Safety
    /// All four warps of the group execute it, as often as the correction group receives.
    #[inline(always)]
    unsafe fn send(&mut self, numbers: [f32; 2]) {
        let pipeline = if self.tile == 0 {
            self.pipelines.corrections[0]
        } else {
            self.pipelines.corrections[1]
        };
        let row = thread_in_group();
        // SAFETY: only this thread writes the row's numbers, and it writes them after the wait. The
        // warp's barrier orders the writes of all lanes before the arrival of the first lane.
        unsafe {
            pipeline.producer_acquire(&self.of_corrections);
            self.corrections.set((row, 0u32, self.tile), numbers[0]);
            self.corrections.set((row, 1u32, self.tile), numbers[1]);
            sync_warp(u32::MAX);
            pipeline.producer_commit_if(&self.of_corrections, u32::from(row.is_multiple_of(32)));
        }
        self.of_corrections.advance();
    }

    /// Applies the score function to the row's scores of the block whose first key is `key`.
    #[inline(always)]
    fn change(&self, scores: &mut RowOfScores, (tile, query, key): (TileOf<C>, u32, u32)) {
        if const { C::Score::IDENTITY } {
            return;
        }
        let CtaProblem {
            params,
            score: function,
            sequences,
        } = self.problem;
        let scale = sequences.scale_log2(params, tile) * LN_2;
        let own = if const { C::Score::USES_DISTANCE } {
            own_key(sequences.params(params, tile).borrow())
        } else {
            0
        };
        let distance = (key.wrapping_sub(query) as i32).wrapping_sub(own) as f32;
        let first = tile.score_at(key);
        unroll::<KEYS>(|j| {
            let at = ScoreAt {
                query,
                key: key + j as u32,
                distance: distance + j as f32,
                ..first
            };
            scores[j] = function.score(scores[j] * scale, at);
        });
    }

    /// Replaces S of a block by P, after the mask if the block is `MASKED`. Sends the factor of O
    /// to the correction group, unless the block is the tile's first.
    ///
    /// # Safety
    /// All four warps of the group execute it, for the block that the MMA thread multiplies next.
    #[inline(always)]
    unsafe fn step<const MASKED: bool>(
        &mut self,
        softmax: &mut RowSoftmax,
        (tile, key): (TileOf<C>, u32),
        is_first: bool,
    ) {
        let pipeline = if self.tile == 0 {
            self.pipelines.scores[0]
        } else {
            self.pipelines.scores[1]
        };
        let query = tile.row + ROWS * self.tile + thread_in_group();
        let mut scores = [0.0; KEYS];
        // SAFETY: whole warps are here, each with its own lanes. S is complete after the wait. P
        // overlaps scores that this warp has already loaded. One lane arrives after the stores of
        // all lanes.
        unsafe {
            pipeline.consumer_wait(&self.of_scores);
            let part = |i: u32| {
                let from = self.scores + PART as u32 * i;
                LoadPart::copy(&Tensor::<Tmem<f32>, Words>::tmem(from))
            };
            let parts = [part(0), part(1), part(2), part(3)];
            unroll::<4>(|part| {
                let words = parts[part].wait();
                unroll::<PART>(|i| scores[PART * part + i] = f32::from_bits(words[i]));
            });
            self.change(&mut scores, (tile, query, key));
            if MASKED {
                let of = self.problem.sequences.params(self.problem.params, tile);
                let seen = Seen::from(of.borrow(), query, key);
                unroll::<KEYS>(|j| {
                    if !seen.sees([0, j as u32]) {
                        scores[j] = f32::NEG_INFINITY;
                    }
                });
            }
            let correction = softmax.raise(&scores);
            if !is_first {
                self.send([correction, 0.0]);
            }
            unroll::<2>(|part| {
                softmax.exponentiate(&mut scores, part);
                let mut words = [0; PART];
                unroll::<PART>(|i| {
                    let at = 2 * (PART * part + i);
                    let low = u64::from(scores[at].to_bits());
                    let high = u64::from(scores[at + 1].to_bits());
                    words[i] = <C::Element as AttentionValue>::round(low | high << 32);
                });
                let to = self.probabilities + (PART * part) as u32;
                StorePart::copy(words, &Tensor::<Tmem<f32>, Words>::tmem(to));
            });
            tmem_wait_stores();
            tcgen05_before_thread_sync();
            sync_warp(u32::MAX);
            let lane = thread_in_group() % 32;
            pipeline.consumer_release_if(&self.of_scores, u32::from(lane == 0));
            self.of_scores.advance();
            softmax.add(&scores, correction);
        }
    }

    /// Computes P of all tiles of the CTA.
    ///
    /// # Safety
    /// All four warps of the group execute it, after the initialisation of the barriers.
    #[inline(always)]
    pub unsafe fn run(&mut self) {
        const { assert!(C::Element::TOP == 0.0, "elements of 16 bits") }
        let (problem, mut tiles) = (self.problem, Default::default());
        while let Some(tile) = problem.next(&mut tiles) {
            let blocks = problem.blocks(tile);
            // A score function includes the scale in the score.
            let mut softmax = RowSoftmax::new(if const { C::Score::IDENTITY } {
                problem.sequences.scale_log2(problem.params, tile)
            } else {
                LOG2_E
            });
            let mut i = 0;
            // SAFETY: the whole group is here, and goes through the blocks in the order of the MMA
            // thread.
            unsafe {
                while i < blocks.masked {
                    let at = (tile, blocks.key(i, ROWS));
                    self.step::<true>(&mut softmax, at, i == 0);
                    i += 1;
                }
                while i < blocks.count {
                    let at = (tile, blocks.key(i, ROWS));
                    self.step::<false>(&mut softmax, at, i == 0);
                    i += 1;
                }
                self.send([softmax.sum, softmax.maximum]);
            }
        }
    }
}

/// Returns the first lane of tensor memory that the thread's warp reaches, in the form of an
/// address.
#[inline(always)]
pub fn first_lane() -> u32 {
    (here(thread_in_group()) / 32 * 32) << 16
}

//! The online softmax of a tile's rows. Each thread has parts of two rows.
//!
//! ```text
//!   scores of a key block ─ row maximum so far ─► 2^(scale (score - maximum))     this thread's part of the row's sum
//!                                └─► 2^(scale (maximum before - maximum)): the factor of the row of O and of its sum
//! ```
//!
//! Law: after the last block, the `sum`s of a row's four threads add up to the sum of
//! `2^(scale (score - maximum) + top)` over all keys; `top` is 0 for elements of 16 bits. A row
//! that sees no key has the maximum -inf and the sum 0, and its row of O is 0.

use core::f32::consts::{LN_2, LOG2_E};
use cuda_std::float::approx::{exp2_ftz, log2, rcp};
use cuda_std::warp::{warp_shuffle_xor, warp_vote_any};
use kernel_abi::attention::{EXPONENTS_OF_FP8, EXPONENTS_OF_HALF, SUMS};
use layout_types::algorithm::{Walk, reduce, transform_in_place};
use layout_types::arch::mma::fma_f32;
use layout_types::arch::mov::here;
use layout_types::tensor::{Registers, Tensor};
use layout_types::tiled::OperandC;
use layout_types::typenum::Unsigned;
use layout_types::unroll::{Unroll, unroll_type};

/// A thread's registers for one row of an accumulator: the columns of the row that the thread
/// holds.
pub type Row<'a, L> = Tensor<Registers<'a, f32, OperandC>, L>;

/// Combines by `f` the values of the four threads that have a row.
///
/// # Safety
/// The whole warp executes it.
#[inline(always)]
unsafe fn across_row(value: f32, f: impl Fn(f32, f32) -> f32) -> f32 {
    // SAFETY: the shuffles name all threads of the warp, and the whole warp is here by the
    // function's contract.
    unsafe {
        let value = f(value, warp_shuffle_xor(u32::MAX, value, 1, 32).0);
        f(value, warp_shuffle_xor(u32::MAX, value, 2, 32).0)
    }
}

/// One half of a list that is in the order of the keys: of all scores that a thread has, or of the
/// scores that it has in one row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// The first half.
    First,
    /// The second half.
    Second,
}

impl Half {
    /// Calls `body` with each index of the half, where both halves together have `Count` indices.
    #[inline(always)]
    pub fn each<Count: Unroll + Unsigned>(self, mut body: impl FnMut(usize)) {
        unroll_type::<Count>(|i| {
            if (i < Count::USIZE / 2) == (self == Half::First) {
                body(i);
            }
        });
    }

    /// Reduces this half of a row by `f`, as [`reduce`] does a whole row.
    #[inline(always)]
    fn reduce<L: Walk<Count: Unsigned>>(
        self,
        row: &Row<'_, L>,
        start: f32,
        f: impl Fn(f32, f32) -> f32,
    ) -> f32 {
        let mut of = start;
        self.each::<L::Count>(|i| of = f(of, row.get(i as u32)));
        of
    }
}

/// The state of a thread's two rows.
#[derive(Clone, Copy)]
pub struct Softmax {
    maximum: [f32; 2],
    /// This thread's part of each row's sum.
    sum: [f32; 2],
    /// The scale of the scores times log2(e).
    scale: f32,
    /// The base-2 logarithm of a row's largest probability. It is 0 for 16-bit floats.
    top: f32,
}

impl Softmax {
    /// Returns the state before the first block.
    #[inline(always)]
    pub fn new(scale: f32, top: f32) -> Self {
        Self {
            maximum: [f32::NEG_INFINITY; 2],
            sum: [0.0; 2],
            scale,
            top,
        }
    }

    /// Replaces the scores of a key block by the probabilities, where the row's maximum so far
    /// becomes 2^top. Returns for each row the factor that corrects its row of O, and whether this
    /// row of O needs the correction, as [`raise`](Self::raise) says. Only a `MASKED` block can
    /// leave a row without any key.
    ///
    /// # Safety
    /// The whole warp executes it.
    #[inline(always)]
    pub unsafe fn update<const MASKED: bool, L: Walk>(
        &mut self,
        rows: [Row<'_, L>; 2],
        lazily: bool,
    ) -> ([f32; 2], [bool; 2]) {
        // SAFETY: the whole warp is here by the function's contract.
        let (before, corrected) = unsafe { self.raise(&rows, lazily) };
        // `exponentiate` is called once per row, not by `array::map`: the compiler does not always
        // inline `array::map` and closures. If it does not, fragments are in local memory.
        let corrections = [
            self.exponentiate::<MASKED, L>(&rows[0], 0, before[0]),
            self.exponentiate::<MASKED, L>(&rows[1], 1, before[1]),
        ];
        (corrections, corrected)
    }

    /// Does what [`update`](Self::update) does for a tile's first block, which is masked. If
    /// `whole` is false, no query of the warp sees a key of the block's second half: the
    /// probabilities there are 0, whatever the scores are.
    ///
    /// The function branches, so no product may be in flight: otherwise `ptxas` serialises all of
    /// them (C7511).
    ///
    /// # Safety
    /// The whole warp executes it.
    #[inline(always)]
    pub unsafe fn begin_halves<L: Walk<Count: Unsigned>>(
        &mut self,
        rows: [Row<'_, L>; 2],
        whole: bool,
    ) {
        let mut maxima = [
            Half::First.reduce(&rows[0], f32::NEG_INFINITY, f32::max),
            Half::First.reduce(&rows[1], f32::NEG_INFINITY, f32::max),
        ];
        if whole {
            maxima = [
                Half::Second.reduce(&rows[0], maxima[0], f32::max),
                Half::Second.reduce(&rows[1], maxima[1], f32::max),
            ];
        }
        // SAFETY: the whole warp is here by the function's contract.
        self.maximum = unsafe {
            [
                across_row(maxima[0], f32::max),
                across_row(maxima[1], f32::max),
            ]
        };
        let bases = [self.base::<true>(0), self.base::<true>(1)];
        self.exponentiate_half(&rows, bases, Half::First);
        if whole {
            self.exponentiate_half(&rows, bases, Half::Second);
        } else {
            // `here` makes the zeros in this arm of the branch. Without `here`, the compiler would
            // make the zeros before the branch, and the scores would then need registers of their
            // own, with copies between the products of the next tile (C7519).
            let zero = |row: &Row<'_, L>| {
                Half::Second.each::<L::Count>(|i| row.set(i as u32, f32::from_bits(here(0))));
            };
            zero(&rows[0]);
            zero(&rows[1]);
        }
    }

    /// Replaces the scores in one half of both rows by probabilities, and adds them to the rows'
    /// sums.
    #[inline(always)]
    fn exponentiate_half<L: Walk<Count: Unsigned>>(
        &mut self,
        rows: &[Row<'_, L>; 2],
        bases: [f32; 2],
        half: Half,
    ) {
        let (scale, bases) = (
            self.scale,
            [self.with_top(bases[0]), self.with_top(bases[1])],
        );
        let exponentiate = |row: &Row<'_, L>, base| {
            half.each::<L::Count>(|i| {
                row.set(i as u32, exp2_ftz(fma_f32(row.get(i as u32), scale, base)));
            });
        };
        exponentiate(&rows[0], bases[0]);
        exponentiate(&rows[1], bases[1]);
        self.sum = [
            half.reduce(&rows[0], self.sum[0], |sum, p| sum + p),
            half.reduce(&rows[1], self.sum[1], |sum, p| sum + p),
        ];
    }

    /// Returns the base of row `i`: without `top`, the probability of a score is 2^(scaled score +
    /// base). The base is minus the scaled maximum or, if `MASKED`, 0 for a row that has seen no
    /// key.
    #[inline(always)]
    fn base<const MASKED: bool>(&self, i: usize) -> f32 {
        let maximum = self.maximum[i];
        let seen = !MASKED || maximum != f32::NEG_INFINITY;
        if seen { -(maximum * self.scale) } else { 0.0 }
    }

    /// Returns `base + top`. A `top` of 0 is not added: since -0 + 0 is 0, the compiler would keep
    /// the addition.
    #[inline(always)]
    fn with_top(&self, base: f32) -> f32 {
        if self.top == 0.0 {
            base
        } else {
            base + self.top
        }
    }

    /// Raises the maxima to those of a key block's scores, before
    /// [`exponentiate`](Self::exponentiate). Returns the previous maxima, and for each of the
    /// thread's two rows whether its row of O needs a correction. If not `lazily`, both rows do. If
    /// `lazily`, row `i` does if the maximum grows in any of the eight rows that the warp's threads
    /// have as row `i`.
    ///
    /// No maximum is below its row's scores so far: the largest probability of a row is 1, which no
    /// rounding changes. If maxima were below, the error of O would be 2 to 16 % larger
    /// (`docs/benchmarks/attention.md`).
    ///
    /// # Safety
    /// The whole warp executes it.
    #[inline(always)]
    pub unsafe fn raise<L: Walk>(
        &mut self,
        rows: &[Row<'_, L>; 2],
        lazily: bool,
    ) -> ([f32; 2], [bool; 2]) {
        let before = self.maximum;
        // SAFETY: the shuffles of `maximum` and the votes name all threads of the warp, and the
        // whole warp is here by the function's contract.
        unsafe {
            self.maximum = [maximum(&rows[0], before[0]), maximum(&rows[1], before[1])];
            let grows = |i: usize| self.maximum[i] > before[i];
            let corrected = [
                !lazily || warp_vote_any(u32::MAX, grows(0)),
                !lazily || warp_vote_any(u32::MAX, grows(1)),
            ];
            (before, corrected)
        }
    }

    /// Replaces the scores of row `i` by the probabilities and adds them to the row's sum. Returns
    /// the factor of the row of O, whose maximum was `before`.
    #[inline(always)]
    pub fn exponentiate<const MASKED: bool, L: Walk>(
        &mut self,
        row: &Row<'_, L>,
        i: usize,
        before: f32,
    ) -> f32 {
        // The code of `base` and `with_top` is repeated here, not called: the order of the
        // variables below decides whether Ampere's kernel for d 128 spills registers when ptxas
        // compiles it for sm_90.
        let (scale, maximum) = (self.scale, self.maximum[i]);
        let seen = !MASKED || maximum != f32::NEG_INFINITY;
        let base = if seen { -(maximum * scale) } else { 0.0 };
        let correction = exp2_ftz(fma_f32(before, scale, base));
        // A `top` of 0 is not added: since -0 + 0 is 0, the compiler would keep the addition.
        let base = if self.top == 0.0 {
            base
        } else {
            base + self.top
        };
        transform_in_place(row, |score| exp2_ftz(fma_f32(score, scale, base)));
        self.sum[i] = reduce(row, self.sum[i] * correction, |sum, p| sum + p);
        correction
    }

    /// Returns the maxima of the two rows so far.
    #[inline(always)]
    #[must_use]
    pub fn maxima(&self) -> [f32; 2] {
        self.maximum
    }

    /// Takes over the maxima of keys that other threads have processed; no maximum is below this
    /// state's. Returns for each row the factor that corrects its row of O, and whether this row of
    /// O needs the correction, as [`update`](Self::update) does if `lazily`.
    ///
    /// # Safety
    /// The whole warp executes it.
    #[inline(always)]
    pub unsafe fn follow(&mut self, maxima: [f32; 2]) -> ([f32; 2], [bool; 2]) {
        let before = self.maximum;
        self.maximum = maxima;
        let bases = [self.base::<true>(0), self.base::<true>(1)];
        let corrections = [
            exp2_ftz(fma_f32(before[0], self.scale, bases[0])),
            exp2_ftz(fma_f32(before[1], self.scale, bases[1])),
        ];
        self.sum = [self.sum[0] * corrections[0], self.sum[1] * corrections[1]];
        let grows = |i: usize| maxima[i] > before[i];
        // SAFETY: the whole warp is here by the function's contract.
        let corrected = unsafe {
            [
                warp_vote_any(u32::MAX, grows(0)),
                warp_vote_any(u32::MAX, grows(1)),
            ]
        };
        (corrections, corrected)
    }

    /// Returns this thread's parts of the two rows' sums.
    #[inline(always)]
    #[must_use]
    pub fn sums(&self) -> [f32; 2] {
        self.sum
    }

    /// Adds the sums of keys that other threads have processed, relative to the same maxima.
    #[inline(always)]
    pub fn add_sums(&mut self, sums: [f32; 2]) {
        self.sum = [self.sum[0] + sums[0], self.sum[1] + sums[1]];
    }

    /// Returns two numbers for each row: the factor of the row of O, which is `by` (above 0)
    /// divided by the row's sum, and the log-sum-exp. They are 0 and -inf for a row that sees no
    /// key. Both are NaN if f32 has too few digits for the row's exponents, so that no wrong row
    /// passes for a right one.
    ///
    /// # Safety
    /// The whole warp executes it.
    #[inline(always)]
    pub unsafe fn finish(&self, by: f32) -> [(f32, f32); 2] {
        // SAFETY: `finish_row` shuffles among the whole warp, which is here by the function's
        // contract.
        unsafe { [self.finish_row(0, by), self.finish_row(1, by)] }
    }

    /// Returns the numbers of [`finish`](Self::finish) for row `i`.
    ///
    /// # Safety
    /// The whole warp executes it.
    #[inline(always)]
    unsafe fn finish_row(&self, i: usize, by: f32) -> (f32, f32) {
        // SAFETY: `across_row` shuffles among the whole warp, which is here by the function's
        // contract.
        let sum = unsafe { across_row(self.sum[i], |a, b| a + b) };
        finished_row((self.maximum[i], sum), (self.scale, self.top), by)
    }
}

/// Returns the two numbers of [`Softmax::finish`] for a row with this maximum and this sum. `scale`
/// is the scale of the scores times log2(e). The row's largest probability is 2^top.
#[inline(always)]
#[must_use]
pub fn finished_row((maximum, sum): (f32, f32), (scale, top): (f32, f32), by: f32) -> (f32, f32) {
    let log = log2(sum);
    let log = if top == 0.0 { log } else { log - top };
    let exponent = maximum * scale;
    let lse = (exponent + log) * LN_2;
    let factor = rcp(sum) * by;
    let most = if top == 0.0 {
        EXPONENTS_OF_HALF
    } else {
        EXPONENTS_OF_FP8
    };
    // The results of both arms are computed before the `if`, which only selects one. If an arm
    // computed something, there would be a branch, and the values around it would need registers
    // that kernels for heads of 256 do not have.
    let has_digits = (exponent.abs() <= most) & SUMS.contains(&sum);
    let seen = if has_digits {
        (factor, lse)
    } else {
        (f32::NAN, f32::NAN)
    };
    let sees_no_key = (sum == 0.0) & (exponent == f32::NEG_INFINITY);
    if sees_no_key { (0.0, lse) } else { seen }
}

/// Adds a logit to the denominator of a row, from [`Softmax::finish`]'s numbers: returns the factor
/// of O's row, and the log-sum-exp of its scores and the logit. A row without keys gets the logit
/// as its log-sum-exp, and zeros in O; a logit of -inf changes nothing.
///
/// Law: the new factor is `e^(lse - joined)` times the old one, where `joined` is the new
/// log-sum-exp. This holds both if `sink` is larger than `lse` and if it is not.
#[inline(always)]
#[must_use]
pub fn join_sink((factor, lse): (f32, f32), sink: f32) -> (f32, f32) {
    // The weight of the smaller of `sink` and `lse`, where the larger has the weight 1.
    let over = (sink - lse) * LOG2_E;
    let weight = exp2_ftz(-over.abs());
    let (most, of_keys) = if over > 0.0 {
        (sink, weight)
    } else {
        (lse, 1.0)
    };
    let sum = 1.0 + weight;
    let joined = (factor * of_keys * rcp(sum), most + log2(sum) * LN_2);
    if sink == f32::NEG_INFINITY {
        (factor, lse)
    } else {
        joined
    }
}

/// Returns the maximum of a row so far.
///
/// # Safety
/// The whole warp executes it.
#[inline(always)]
unsafe fn maximum<L: Walk>(row: &Row<'_, L>, before: f32) -> f32 {
    // SAFETY: `across_row` shuffles among the whole warp, which is here by the function's contract.
    unsafe { across_row(reduce(row, before, f32::max), f32::max) }
}

/// Multiplies a row by a number.
#[inline(always)]
pub fn scale_row<L: Walk>(row: &Row<'_, L>, by: f32) {
    transform_in_place(row, |value| value * by);
}

/// Multiplies a thread's two rows by the factors of [`Softmax::finish`]. A row whose factor is 0
/// becomes 0, even where it has infinities or NaN, which come from V with weights of 0.
#[inline(always)]
pub fn finish_rows<L: Walk>(rows: [Row<'_, L>; 2], by: [(f32, f32); 2]) {
    finish_row(&rows[0], by[0].0);
    finish_row(&rows[1], by[1].0);
}

/// Does what [`finish_rows`] does for one row.
#[inline(always)]
fn finish_row<L: Walk>(row: &Row<'_, L>, by: f32) {
    transform_in_place(row, |value| if by == 0.0 { 0.0 } else { value * by });
}

/// Multiplies each of a thread's two rows by its number.
#[inline(always)]
pub fn scale_rows<L: Walk>(rows: [Row<'_, L>; 2], by: [f32; 2]) {
    scale_row(&rows[0], by[0]);
    scale_row(&rows[1], by[1]);
}

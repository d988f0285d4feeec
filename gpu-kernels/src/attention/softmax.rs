//! The online softmax of a tile's rows, of which a thread has parts of two.
//!
//! ```text
//!   scores of a key block ─ row maximum so far ─► 2^(scale (score - maximum))     sum of a row's, this thread's part of it
//!                                └─► 2^(scale (maximum before - maximum)): what the row of O, and its sum, are multiplied with
//! ```
//!
//! Law: behind the last block `sum` of a row over its four threads is that of `2^(scale (score - maximum) + top)` over all keys; `top` is 0
//! for elements of 16 bits. A row that sees no key has the maximum -inf and the sum 0, and its row of O is 0.

use cuda_std::float::approx::{exp2_ftz, log2, rcp};
use cuda_std::warp::{warp_shuffle_xor, warp_vote_any};
use layout_types::algorithm::{Walk, reduce, transform_in_place};
use layout_types::arch::mma::fma_f32;
use layout_types::tensor::{Registers, Tensor};
use layout_types::tiled::OperandC;

/// A thread's part of a row of an accumulator: its columns.
pub type Row<'a, L> = Tensor<Registers<'a, f32, OperandC>, L>;

/// `f` of the values of the four threads that have a row.
///
/// # Safety
/// The whole warp executes it.
#[inline(always)]
unsafe fn across_row(value: f32, f: impl Fn(f32, f32) -> f32) -> f32 {
    // SAFETY: the shuffles name all threads of the warp, which the consumers and the epilogue bring here.
    unsafe {
        let value = f(value, warp_shuffle_xor(u32::MAX, value, 1, 32).0);
        f(value, warp_shuffle_xor(u32::MAX, value, 2, 32).0)
    }
}

/// The state of a thread's two rows.
#[derive(Clone, Copy)]
pub struct Softmax {
    maximum: [f32; 2],
    /// This thread's part.
    sum: [f32; 2],
    /// The scale of the scores times log2(e).
    scale: f32,
    /// The exponent of 2 of the largest probability, 0 for 16-bit floats.
    top: f32,
}

impl Softmax {
    /// Before the first block.
    #[inline(always)]
    pub fn new(scale: f32, top: f32) -> Self {
        Self {
            maximum: [f32::NEG_INFINITY; 2],
            sum: [0.0; 2],
            scale,
            top,
        }
    }

    /// Replaces the scores of a key block by the probabilities, the row's maximum so far being 2^top, and returns the rows' corrections, and
    /// which are to be made: as of [`raise`](Self::raise). Only a `MASKED` block can leave a row without any key.
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
        // Calls of functions: what `array::map` and closures contain is not always inlined, and fragments are in local memory then.
        let corrections = [
            self.exponentiate::<MASKED, L>(&rows[0], 0, before[0]),
            self.exponentiate::<MASKED, L>(&rows[1], 1, before[1]),
        ];
        (corrections, corrected)
    }

    /// Raises the maxima to those of a key block's scores, in front of [`exponentiate`](Self::exponentiate). Returns those before, and which
    /// rows of O are to be corrected: both, or, `lazily`, where one of the warp's eight has a larger maximum.
    ///
    /// No maximum lags behind: the largest probability of a row is 1, which no rounding changes. Where maxima lag, the error of O is 2 to 16 %
    /// larger (docs/benchmarks.md).
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
        // SAFETY: `maximum` shuffles among the whole warp, which the consumers bring here, and the votes are that warp's.
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

    /// The probabilities of row `i`, and their sum; returns what the row of O is multiplied with, whose maximum was `before`.
    #[inline(always)]
    pub fn exponentiate<const MASKED: bool, L: Walk>(
        &mut self,
        row: &Row<'_, L>,
        i: usize,
        before: f32,
    ) -> f32 {
        let (scale, maximum) = (self.scale, self.maximum[i]);
        let seen = !MASKED || maximum != f32::NEG_INFINITY;
        let base = if seen { -(maximum * scale) } else { 0.0 };
        let correction = exp2_ftz(fma_f32(before, scale, base));
        // Not an addition of 0, which is not nothing to the compiler: -0 + 0 is 0.
        let base = if self.top == 0.0 {
            base
        } else {
            base + self.top
        };
        transform_in_place(row, |score| exp2_ftz(fma_f32(score, scale, base)));
        self.sum[i] = reduce(row, self.sum[i] * correction, |sum, p| sum + p);
        correction
    }

    /// What the rows of O are divided by, inverted and multiplied `by` a number above 0, and the log-sum-exp of each; 0 and -inf for a
    /// row that sees no key.
    ///
    /// # Safety
    /// The whole warp executes it.
    #[inline(always)]
    pub unsafe fn finish(&self, by: f32) -> [(f32, f32); 2] {
        // SAFETY: `finish_row` shuffles among the whole warp, which the consumers and the epilogue bring here.
        unsafe { [self.finish_row(0, by), self.finish_row(1, by)] }
    }

    /// [`finish`](Self::finish) of row `i`.
    ///
    /// # Safety
    /// As of [`finish`](Self::finish).
    #[inline(always)]
    unsafe fn finish_row(&self, i: usize, by: f32) -> (f32, f32) {
        // SAFETY: `across_row` shuffles among the whole warp, which the consumers and the epilogue bring here.
        let sum = unsafe { across_row(self.sum[i], |a, b| a + b) };
        let log = log2(sum);
        let log = if self.top == 0.0 { log } else { log - self.top };
        let lse = (self.maximum[i] * self.scale + log) * core::f32::consts::LN_2;
        (if sum == 0.0 { 0.0 } else { rcp(sum) * by }, lse)
    }
}

/// The maximum of a row so far.
///
/// # Safety
/// The whole warp executes it.
#[inline(always)]
unsafe fn maximum<L: Walk>(row: &Row<'_, L>, before: f32) -> f32 {
    // SAFETY: `across_row` shuffles among the whole warp, which the consumers and the epilogue bring here.
    unsafe { across_row(reduce(row, before, f32::max), f32::max) }
}

/// Multiplies a row.
#[inline(always)]
pub fn scale_row<L: Walk>(row: &Row<'_, L>, by: f32) {
    transform_in_place(row, |value| value * by);
}

/// Multiplies a thread's two rows by what [`Softmax::finish`] says. A row of a factor of 0 becomes 0, infinities and NaN too: V's, with
/// weights of 0.
#[inline(always)]
pub fn finish_rows<L: Walk>(rows: [Row<'_, L>; 2], by: [(f32, f32); 2]) {
    finish_row(&rows[0], by[0].0);
    finish_row(&rows[1], by[1].0);
}

/// [`finish_rows`] of one row.
#[inline(always)]
fn finish_row<L: Walk>(row: &Row<'_, L>, by: f32) {
    transform_in_place(row, |value| if by == 0.0 { 0.0 } else { value * by });
}

/// Multiplies a thread's two rows.
#[inline(always)]
pub fn scale_rows<L: Walk>(rows: [Row<'_, L>; 2], by: [f32; 2]) {
    scale_row(&rows[0], by[0]);
    scale_row(&rows[1], by[1]);
}

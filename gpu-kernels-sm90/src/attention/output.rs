//! Accumulates and corrects a tile's O over the blocks of keys.
//!
//! ```text
//!   in the accumulator     O += P V; a row that has a correction is multiplied by it after the product, or each row while the next scores are computed
//!   promoted               product = P V of a block ─► sums = sums correction + product, in f32, under the scores of a later block
//! ```
//!
//! Law: in both cases [`finish`](OutputSums::finish) returns the sum of P V over all blocks,
//! relative to the last maximum.

use super::config::{AttentionConfig, DescriptorsV, ProbabilitiesOf};
use super::fragments::{Accumulator, AccumulatorLayout, OutputProduct};
use super::softmax::{scale_row, scale_rows};
use layout_types::algorithm::pipeline_tma::PipelineState;
use layout_types::algorithm::warpgroup::{InFlight, fence_operand};

/// The output O of a tile, and its corrections.
pub struct OutputSums<C: AttentionConfig> {
    /// The sums of the blocks before the block of the product, if products are promoted.
    sums: Accumulator<C::Output>,
    /// The factors of the sums before the product is added, then the factors before the next
    /// product is added. If O is in the accumulator, only the latter are used.
    corrections: [[f32; 2]; 2],
}

impl<C: AttentionConfig> OutputSums<C> {
    /// Returns O before the first block.
    #[inline(always)]
    pub fn zero() -> Self {
        Self {
            sums: Accumulator::new(),
            corrections: [[0.0; 2]; 2],
        }
    }

    /// Makes the accumulator ready for the next product. It is called after the previous product
    /// has ended and before [`issue`](Self::issue). If products are promoted, the accumulator is
    /// free afterwards; otherwise it is corrected.
    #[inline(always)]
    pub fn promote(&self, product: &Accumulator<C::Output>) {
        if const { C::PROMOTES } {
            C::Output::scale_and_add(&self.sums, self.corrections[0], product);
            // The fence keeps the compiler from moving the addition after the next product, which
            // would keep this product's registers occupied.
            fence_operand(&self.sums);
        } else if const { C::CORRECTS_UNDER_SCORES } {
            scale_rows(C::Output::rows(product), self.corrections[1]);
        }
    }

    /// Issues P V of a block.
    ///
    /// # Safety
    /// The conditions are those of [`OutputProduct::issue_scaled`]. The call follows
    /// [`promote`](Self::promote).
    #[inline(always)]
    pub unsafe fn issue<const STAGES: u32>(
        probabilities: &ProbabilitiesOf<C>,
        t_rv: &DescriptorsV<C>, // (1,MMA_N,MMA_K,stages)
        state: &PipelineState<STAGES>,
        product: Accumulator<C::Output>,
    ) -> InFlight<C::PvAtom, C::Output> {
        let adds = if const { C::PROMOTES } { 0 } else { 1 };
        // SAFETY: by the function's contract whole warp groups are here, and the probabilities and
        // the stage of V are not written before the product has ended.
        unsafe { C::Pv::issue_scaled(probabilities, t_rv, state, product, adds) }
    }

    /// Corrects O by the corrections of a block. It is called after the product of the previous
    /// block.
    #[inline(always)]
    pub fn correct(
        &mut self,
        product: &Accumulator<C::Output>,
        (corrections, corrected): ([f32; 2], [bool; 2]),
    ) {
        if const { C::PROMOTES } {
            self.corrections = [self.corrections[1], corrections];
        } else if const { C::CORRECTS_UNDER_SCORES } {
            self.corrections[1] = corrections;
        } else {
            let rows = C::Output::rows(product);
            if corrected[0] {
                scale_row(&rows[0], corrections[0]);
            }
            if corrected[1] {
                scale_row(&rows[1], corrections[1]);
            }
        }
    }

    /// Returns O after its last product.
    #[inline(always)]
    pub fn finish(mut self, product: Accumulator<C::Output>) -> Accumulator<C::Output> {
        if const { C::PROMOTES } {
            self.corrections[0] = self.corrections[1];
            self.promote(&product);
            self.sums
        } else {
            product
        }
    }
}

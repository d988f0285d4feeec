//! The second result, dV += P dO, which only a tile of keys has. [`ScoreGradients`] computes P and
//! dS from a thread's scores.

use super::super::config::{AttentionConfig, DescriptorsV, ProbabilitiesOf, STAGES};
use super::super::epilogue::store_rows;
use super::super::fragments::{Accumulator, AccumulatorLayout, OutputProduct};
use layout_types::algorithm::pipeline_tma::PipelineState;
use layout_types::algorithm::warpgroup::InFlight;

pub use gpu_kernels::attention::backward::gradients::{BlockAt, ScoreGradients, differentiate};

/// A thread's part of the second result.
pub trait SecondResult<C: AttentionConfig> {
    /// The second result while a product adds to it.
    type UnderWay;
    /// Returns zeros.
    fn zeros() -> Self;
    /// Issues the product of the probabilities and a stage, as a group of `wgmma`.
    ///
    /// # Safety
    /// The conditions are those of [`OutputProduct::issue`].
    unsafe fn issue(
        self,
        probabilities: &ProbabilitiesOf<C>,
        t_rt: &DescriptorsV<C>,
        state: &PipelineState<STAGES>,
    ) -> Self::UnderWay;
    /// Waits for the product; the newest group of `wgmma` may stay in flight.
    ///
    /// # Safety
    /// The whole consumer group executes it, after [`issue`](Self::issue) and after a group of
    /// `wgmma` for another accumulator.
    unsafe fn finish_leaving_one(under_way: Self::UnderWay) -> Self;
    /// Stores the rows of a tile, as [`store_rows`] does.
    ///
    /// # Safety
    /// The conditions are those of [`store_rows`].
    unsafe fn store(&self, to: *mut C::OutputElement, rows: (u32, u64), tile: u32);
}
impl<C: AttentionConfig> SecondResult<C> for Accumulator<<C as AttentionConfig>::Output> {
    type UnderWay = InFlight<C::PvAtom, C::Output>;
    #[inline(always)]
    fn zeros() -> Self {
        Accumulator::new()
    }
    #[inline(always)]
    unsafe fn issue(
        self,
        probabilities: &ProbabilitiesOf<C>,
        t_rt: &DescriptorsV<C>,
        state: &PipelineState<STAGES>,
    ) -> Self::UnderWay {
        // SAFETY: the mainloop's `step` brings the whole group here, with the stage of `t_rt` full,
        // and keeps it and `probabilities` until the product has ended.
        unsafe { C::Pv::issue(probabilities, t_rt, state, self) }
    }
    #[inline(always)]
    unsafe fn finish_leaving_one(under_way: Self::UnderWay) -> Self {
        // SAFETY: the mainloop's `step` brings the whole group here, and has committed one product
        // after the product of `issue`.
        unsafe { under_way.finish_leaving::<1>() }
    }
    #[inline(always)]
    unsafe fn store(&self, to: *mut C::OutputElement, rows: (u32, u64), tile: u32) {
        // SAFETY: `attend` brings the whole group here, and the rows are writable by the contract
        // of `kernel::run`.
        unsafe { store_rows::<C>(to, rows, tile, &C::Output::copied(self)) };
    }
}
/// The absence of a second result, for a tile of queries.
impl<C: AttentionConfig> SecondResult<C> for () {
    type UnderWay = ();
    #[inline(always)]
    fn zeros() {}
    #[inline(always)]
    unsafe fn issue(self, _: &ProbabilitiesOf<C>, _: &DescriptorsV<C>, _: &PipelineState<STAGES>) {}
    #[inline(always)]
    unsafe fn finish_leaving_one((): ()) {}
    #[inline(always)]
    unsafe fn store(&self, _: *mut C::OutputElement, _: (u32, u64), _: u32) {}
}

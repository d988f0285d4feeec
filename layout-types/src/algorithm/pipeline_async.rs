//! CUTLASS's `PipelineAsync`: stages that some warps of a block fill and other warps free, without
//! a copy engine or a tensor core between them.
//!
//! ```text
//!   producers   wait empty ─ write the stage ─ arrive on full        consumers   wait full ─ read ─ arrive on empty
//! ```
//!
//! Law: a stage is read when all `PRODUCERS` warps have written their part of it, and written again
//! when all `CONSUMERS` warps have read it. [`PipelineState`] has the positions of producer and
//! consumer.
//!
//! Source: CUTLASS `cutlass/pipeline/sm90_pipeline.hpp`.

use super::pipeline_stages::{PipelineState, StageBarriers};
use crate::arch::barrier::mbarrier_arrive_if;

/// The barriers of `STAGES` stages that `PRODUCERS` warps fill and `CONSUMERS` warps free.
///
/// ```
/// use layout_types::algorithm::pipeline_async::PipelineAsync;
/// assert_eq!(PipelineAsync::<2, 4, 4>::BYTES, 32);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PipelineAsync<const STAGES: u32, const PRODUCERS: u32, const CONSUMERS: u32> {
    barriers: StageBarriers<STAGES>,
}

impl<const STAGES: u32, const PRODUCERS: u32, const CONSUMERS: u32>
    PipelineAsync<STAGES, PRODUCERS, CONSUMERS>
{
    /// The number of bytes of the barriers.
    pub const BYTES: u32 = StageBarriers::<STAGES>::BYTES;

    /// Returns the pipeline whose barriers are at `barriers`.
    ///
    /// # Safety
    /// `barriers` is a multiple of 8 and names [`BYTES`](Self::BYTES) bytes of the block's shared
    /// memory that nothing else uses.
    #[inline(always)]
    #[must_use]
    pub const unsafe fn at(barriers: u32) -> Self {
        // SAFETY: the caller guarantees that `barriers` is a multiple of 8 and names `BYTES` unused
        // bytes.
        let barriers = unsafe { StageBarriers::at(barriers) };
        Self { barriers }
    }

    /// Initialises the barriers.
    ///
    /// # Safety
    /// One thread of the block executes it, once, before a barrier of the block at which all
    /// threads of the pipeline arrive.
    #[inline(always)]
    pub unsafe fn init(self) {
        // SAFETY: the caller guarantees that one thread executes this, once, before the block's
        // barrier; both sides have a warp.
        unsafe { self.barriers.init(PRODUCERS, CONSUMERS) };
    }

    /// Waits until the stage is free.
    ///
    /// # Safety
    /// It is called after [`init`](Self::init), with the thread's own state.
    #[inline(always)]
    pub unsafe fn producer_acquire(self, state: &PipelineState<STAGES>) {
        // SAFETY: the caller guarantees that `init` has initialised the barriers; a state waits for
        // the current phase or the one before.
        unsafe { self.barriers.wait_empty(state) };
    }

    /// Makes one warp's arrival if `predicate` is not 0: the warp's part of the stage is written.
    ///
    /// # Safety
    /// It is called after [`producer_acquire`](Self::producer_acquire) with the same state.
    /// `predicate` is not 0 in one lane of each of the `PRODUCERS` warps. All lanes of the warp
    /// have arrived at a barrier of the warp since they wrote.
    #[inline(always)]
    pub unsafe fn producer_commit_if(self, state: &PipelineState<STAGES>, predicate: u32) {
        // SAFETY: the caller guarantees that `init` has initialised the barriers, and that each
        // warp arrives once a phase.
        unsafe { mbarrier_arrive_if(self.barriers.full(state.stage()), predicate) };
    }

    /// Waits until the stage is written.
    ///
    /// # Safety
    /// The conditions of [`producer_acquire`](Self::producer_acquire) hold.
    #[inline(always)]
    pub unsafe fn consumer_wait(self, state: &PipelineState<STAGES>) {
        // SAFETY: the caller guarantees that `init` has initialised the barriers; a state waits for
        // the current phase or the one before.
        unsafe { self.barriers.wait_full(state) };
    }

    /// Makes one warp's arrival that frees the stage, if `predicate` is not 0.
    ///
    /// # Safety
    /// It is called after [`consumer_wait`](Self::consumer_wait) with the same state. `predicate`
    /// is not 0 in one lane of each of the `CONSUMERS` warps. All lanes of the warp have arrived at
    /// a barrier of the warp since they read.
    #[inline(always)]
    pub unsafe fn consumer_release_if(self, state: &PipelineState<STAGES>, predicate: u32) {
        // SAFETY: the caller guarantees that `init` has initialised the barriers, and that each
        // warp arrives once a phase.
        unsafe { mbarrier_arrive_if(self.barriers.empty(state.stage()), predicate) };
    }
}

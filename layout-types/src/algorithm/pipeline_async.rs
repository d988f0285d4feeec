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

use super::pipeline_tma::PipelineState;
use crate::arch::barrier::{
    MBARRIER_BYTES, fence_mbarrier_init, mbarrier_arrive_if, mbarrier_init, mbarrier_wait,
};

/// The barriers of `STAGES` stages that `PRODUCERS` warps fill and `CONSUMERS` warps free.
///
/// ```
/// use layout_types::algorithm::pipeline_async::PipelineAsync;
/// assert_eq!(PipelineAsync::<2, 4, 4>::BYTES, 32);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PipelineAsync<const STAGES: u32, const PRODUCERS: u32, const CONSUMERS: u32> {
    barriers: u32,
}

impl<const STAGES: u32, const PRODUCERS: u32, const CONSUMERS: u32>
    PipelineAsync<STAGES, PRODUCERS, CONSUMERS>
{
    /// The number of bytes of the barriers.
    pub const BYTES: u32 = 2 * STAGES * MBARRIER_BYTES;

    /// Returns the pipeline whose barriers are at `barriers`.
    ///
    /// # Safety
    /// `barriers` is a multiple of 8 and names [`BYTES`](Self::BYTES) bytes of the block's shared
    /// memory that nothing else uses.
    #[inline(always)]
    #[must_use]
    pub const unsafe fn at(barriers: u32) -> Self {
        Self { barriers }
    }

    /// Initialises the barriers.
    ///
    /// # Safety
    /// One thread of the block executes it, once, before a barrier of the block at which all
    /// threads of the pipeline arrive.
    #[inline(always)]
    pub unsafe fn init(self) {
        let mut stage = 0;
        while stage < STAGES {
            // SAFETY: the caller of `at` guarantees that the barriers are this pipeline's, and the
            // caller of this function that they are used only after the barrier that follows.
            unsafe {
                mbarrier_init(self.full(stage), PRODUCERS);
                mbarrier_init(self.empty(stage), CONSUMERS);
            }
            stage += 1;
        }
        fence_mbarrier_init();
    }

    #[inline(always)]
    const fn full(self, stage: u32) -> u32 {
        self.barriers + stage * MBARRIER_BYTES
    }
    #[inline(always)]
    const fn empty(self, stage: u32) -> u32 {
        self.barriers + (STAGES + stage) * MBARRIER_BYTES
    }

    /// Waits until the stage is free.
    ///
    /// # Safety
    /// It is called after [`init`](Self::init), with the thread's own state.
    #[inline(always)]
    pub unsafe fn producer_acquire(self, state: &PipelineState<STAGES>) {
        // SAFETY: the caller guarantees that `init` has initialised the barriers; a state waits for
        // the current phase or the one before.
        unsafe { mbarrier_wait(self.empty(state.stage()), state.phase()) };
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
        unsafe { mbarrier_arrive_if(self.full(state.stage()), predicate) };
    }

    /// Waits until the stage is written.
    ///
    /// # Safety
    /// The conditions of [`producer_acquire`](Self::producer_acquire) hold.
    #[inline(always)]
    pub unsafe fn consumer_wait(self, state: &PipelineState<STAGES>) {
        // SAFETY: the caller guarantees that `init` has initialised the barriers; a state asks for
        // the current phase or the one before.
        unsafe { mbarrier_wait(self.full(state.stage()), state.phase()) };
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
        unsafe { mbarrier_arrive_if(self.empty(state.stage()), predicate) };
    }
}

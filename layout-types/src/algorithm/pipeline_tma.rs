//! CUTLASS's `PipelineTmaAsync`: stages of shared memory. A producer fills a stage by bulk copies,
//! and consumers free the stage.
//!
//! ```text
//!   barriers   full 0 .. full S-1, empty 0 .. empty S-1        8 bytes each
//!   producer   wait empty ─ expect bytes on full ─ copies      consumer   wait full ─ products ─ arrive on empty
//! ```
//!
//! Law: a stage is filled again only after `CONSUMERS` arrivals since it was filled, and is read
//! only after all its bytes have arrived.
//!
//! Source: CUTLASS `cutlass/pipeline/sm90_pipeline.hpp`.

use super::pipeline_stages::StageBarriers;
use crate::arch::barrier::{
    mbarrier_arrive_cluster_if, mbarrier_arrive_expect_tx, mbarrier_arrive_if,
};

pub use super::pipeline_stages::PipelineState;

/// The barriers of `STAGES` stages. `CONSUMERS` arrivals free a stage.
#[derive(Clone, Copy, Debug)]
pub struct PipelineTmaAsync<const STAGES: u32, const CONSUMERS: u32> {
    barriers: StageBarriers<STAGES>,
}
impl<const STAGES: u32, const CONSUMERS: u32> PipelineTmaAsync<STAGES, CONSUMERS> {
    /// The number of bytes of the barriers.
    pub const BYTES: u32 = StageBarriers::<STAGES>::BYTES;

    /// Returns the pipeline whose barriers are at `barriers`.
    ///
    /// ```
    /// use layout_types::algorithm::pipeline_tma::PipelineTmaAsync;
    /// // The barriers after 48 KiB of stages.
    /// // SAFETY: no barrier is used.
    /// let pipeline = unsafe { PipelineTmaAsync::<4, 2>::at(48 * 1024) };
    /// assert_eq!(pipeline.full(0), 48 * 1024);
    /// ```
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

    /// Initialises the mbarriers. One thread calls this function. Then all threads of the pipeline
    /// synchronise at a barrier of the block, such as `bar.sync`, before they use the mbarriers.
    ///
    /// # Safety
    /// One thread of the block executes it, once.
    #[inline(always)]
    pub unsafe fn init(self) {
        // SAFETY: the caller guarantees that one thread executes this function, once. `CONSUMERS`
        // is at least 1, because a pipeline has a consumer.
        unsafe { self.init_for(CONSUMERS) }
    }

    /// Initialises the barriers like [`init`](Self::init), for a number of consumers that is known
    /// only at run time. `CONSUMERS` is not used.
    ///
    /// # Safety
    /// The conditions of [`init`](Self::init) hold, and `consumers` is at least 1.
    #[inline(always)]
    pub unsafe fn init_for(self, consumers: u32) {
        // SAFETY: the caller guarantees that one thread executes this function, once, and that
        // `consumers` is at least 1. All threads of the pipeline arrive at a barrier of the block
        // before they use the mbarriers.
        unsafe { self.barriers.init(1, consumers) };
    }

    /// Returns the barrier that counts the bytes of a stage.
    ///
    /// ```
    /// use layout_types::algorithm::pipeline_tma::PipelineTmaAsync;
    /// // SAFETY: no barrier is used.
    /// let pipeline = unsafe { PipelineTmaAsync::<4, 2>::at(1024) };
    /// assert_eq!(pipeline.full(3), 1024 + 3 * 8);
    /// assert_eq!(PipelineTmaAsync::<4, 2>::BYTES, 2 * 4 * 8);
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn full(self, stage: u32) -> u32 {
        self.barriers.full(stage)
    }

    /// Waits until the stage is free and expects `bytes` bytes in it. The copies complete at the
    /// barrier [`full`](Self::full) of the state's stage.
    ///
    /// # Safety
    /// The only producing thread executes it, with its state, after [`init`](Self::init); copies of
    /// `bytes` bytes in total follow.
    #[inline(always)]
    pub unsafe fn producer_acquire(self, state: &PipelineState<STAGES>, bytes: u32) {
        // SAFETY: the caller guarantees that the barriers are initialised; a state waits for the
        // current phase or the one before.
        unsafe {
            self.barriers.wait_empty(state);
            mbarrier_arrive_expect_tx(self.full(state.stage()), bytes);
        }
    }

    /// Waits until the consumers have released every stage that the producer has filled. `state`
    /// is that of the stage which the producer would fill next.
    ///
    /// A block whose stages are released by the consumers of other blocks must not exit before, for
    /// their arrivals would come to a barrier that is no more. CUTLASS's `producer_tail`.
    ///
    /// # Safety
    /// The only producing thread executes it, with its state, after [`init`](Self::init). It
    /// fills no stage afterwards.
    #[inline(always)]
    pub unsafe fn producer_tail(self, mut state: PipelineState<STAGES>) {
        let mut stages = 0;
        while stages < STAGES {
            // SAFETY: the caller guarantees that the barriers are initialised. The state of a stage
            // that was never filled does not wait, since the first phase of a producer is free.
            unsafe { self.barriers.wait_empty(&state) };
            state.advance();
            stages += 1;
        }
    }

    /// Waits until the stage is full.
    ///
    /// # Safety
    /// It is called after [`init`](Self::init), with the thread's own state.
    #[inline(always)]
    pub unsafe fn consumer_wait(self, state: &PipelineState<STAGES>) {
        // SAFETY: the caller guarantees that `init` came before, so the barrier is initialised; a
        // state waits for the current phase or the one before.
        unsafe { self.barriers.wait_full(state) };
    }

    /// Makes one of the `CONSUMERS` arrivals that free the stage, if `predicate` is not 0. The
    /// predicate is inside the instruction, because `.aligned` instructions follow, which the
    /// compiler must not copy into the arms of a branch.
    ///
    /// # Safety
    /// It is called after [`consumer_wait`](Self::consumer_wait) with the same state. This arrival
    /// is one of the stage's `CONSUMERS` arrivals. If it stands for several threads, all of these
    /// have finished their reads of the stage.
    #[inline(always)]
    pub unsafe fn consumer_release_if(self, state: &PipelineState<STAGES>, predicate: u32) {
        // SAFETY: the caller guarantees that the barrier is initialised and has an arrival pending.
        unsafe { mbarrier_arrive_if(self.barriers.empty(state.stage()), predicate) };
    }

    /// Makes the arrival of [`consumer_release_if`](Self::consumer_release_if) in the block of rank
    /// `cta` of the cluster. If the blocks of a cluster load into each other, a stage is free when
    /// the consumers of all these blocks have released it.
    ///
    /// # Safety
    /// The conditions of [`consumer_release_if`](Self::consumer_release_if) hold in that block,
    /// which has initialised its barriers and has not exited. If `predicate` is not 0, `cta` is a
    /// rank of the cluster.
    #[inline(always)]
    pub unsafe fn consumer_release_in_cluster_if(
        self,
        state: &PipelineState<STAGES>,
        cta: u32,
        predicate: u32,
    ) {
        // SAFETY: the barriers are at the same offset in every block; the caller guarantees that
        // they are initialised and have an arrival pending. Only asynchronous copies write the
        // stage that is freed.
        unsafe { mbarrier_arrive_cluster_if(self.barriers.empty(state.stage()), cta, predicate) };
    }
}

//! CUTLASS's `PipelineTmaAsync`: stages of shared memory that a producer fills by bulk copies and
//! consumers free.
//!
//! ```text
//!   barriers   full 0 .. full S-1, empty 0 .. empty S-1        8 bytes each
//!   producer   wait empty ─ expect bytes on full ─ copies      consumer   wait full ─ products ─ arrive on empty
//!   state      stage 0 1 2 3 0 1 ..   phase 0 0 0 0 1 1 ..     a producer begins with phase 1: all stages are free
//! ```
//!
//! Law: a stage is filled again only after `CONSUMERS` arrivals since it was filled, and is read
//! only after all its bytes have arrived. A state's stage is below `STAGES`, and its phase flips at
//! each lap, so it only waits for the current phase or the one before.
//!
//! Source: CUTLASS `cutlass/pipeline/sm90_pipeline.hpp`.

use crate::arch::barrier::{
    MBARRIER_BYTES, fence_mbarrier_init, mbarrier_arrive_cluster_if, mbarrier_arrive_expect_tx,
    mbarrier_arrive_if, mbarrier_init, mbarrier_wait,
};

/// A position in the ring of stages. CUTLASS's `PipelineState`.
///
/// ```
/// use layout_types::algorithm::pipeline_tma::PipelineState;
/// let mut state = PipelineState::<3>::consumer();
/// let mut seen = Vec::new();
/// for _ in 0..7 {
///     seen.push((state.stage(), state.phase()));
///     state.advance();
/// }
/// assert_eq!(seen, [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (0, 0)]);
/// assert_eq!(PipelineState::<3>::producer().phase(), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PipelineState<const STAGES: u32> {
    stage: u32,
    phase: u32,
}
impl<const STAGES: u32> PipelineState<STAGES> {
    const FIRST: Self = {
        assert!(STAGES > 0, "a pipeline has at least one stage");
        Self { stage: 0, phase: 0 }
    };

    /// Returns the state at the first stage, for a consumer, which waits until the stage is full.
    ///
    /// ```
    /// use layout_types::algorithm::pipeline_tma::PipelineState;
    /// let state = PipelineState::<4>::consumer();
    /// assert_eq!((state.stage(), state.phase()), (0, 0));
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn consumer() -> Self {
        Self::FIRST
    }

    /// Returns the state at the first stage, for a producer. The stage is free, because the phase
    /// before the barriers' first has parity 1.
    ///
    /// ```
    /// use layout_types::algorithm::pipeline_tma::PipelineState;
    /// let state = PipelineState::<4>::producer();
    /// assert_eq!((state.stage(), state.phase()), (0, 1)); // does not wait for stages that were never filled
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn producer() -> Self {
        Self {
            phase: 1,
            ..Self::FIRST
        }
    }

    /// Returns the stage, which is below `STAGES`.
    ///
    /// ```
    /// use layout_types::algorithm::pipeline_tma::PipelineState;
    /// let mut state = PipelineState::<3>::consumer();
    /// state.advance_by(5);
    /// assert_eq!(state.stage(), 2);
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn stage(&self) -> u32 {
        self.stage
    }

    /// Returns the parity of the phase to wait for.
    ///
    /// ```
    /// use layout_types::algorithm::pipeline_tma::PipelineState;
    /// let mut state = PipelineState::<3>::consumer();
    /// state.advance_by(3); // a lap
    /// assert_eq!(state.phase(), 1);
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn phase(&self) -> u32 {
        self.phase
    }

    /// Advances to the next stage.
    ///
    /// ```
    /// use layout_types::algorithm::pipeline_tma::PipelineState;
    /// let mut state = PipelineState::<2>::consumer();
    /// state.advance();
    /// state.advance();
    /// assert_eq!((state.stage(), state.phase()), (0, 1));
    /// ```
    #[inline(always)]
    pub const fn advance(&mut self) {
        self.stage += 1;
        if self.stage == STAGES {
            self.stage = 0;
            self.phase ^= 1;
        }
    }

    /// Advances by `stages`, like `stages` calls of [`advance`](Self::advance). CUTLASS's
    /// `PipelineState::advance`.
    ///
    /// ```
    /// use layout_types::algorithm::pipeline_tma::PipelineState;
    /// let (mut once, mut often) = (PipelineState::<3>::consumer(), PipelineState::<3>::consumer());
    /// once.advance_by(7);
    /// (0..7).for_each(|_| often.advance());
    /// assert_eq!(once, often);
    /// ```
    #[inline(always)]
    pub const fn advance_by(&mut self, stages: u32) {
        let stage = self.stage + stages;
        self.stage = stage % STAGES;
        self.phase ^= (stage / STAGES) & 1;
    }
}

/// The barriers of `STAGES` stages. `CONSUMERS` arrivals free a stage.
#[derive(Clone, Copy, Debug)]
pub struct PipelineTmaAsync<const STAGES: u32, const CONSUMERS: u32> {
    barriers: u32,
}
impl<const STAGES: u32, const CONSUMERS: u32> PipelineTmaAsync<STAGES, CONSUMERS> {
    /// The number of bytes of the barriers.
    pub const BYTES: u32 = 2 * STAGES * MBARRIER_BYTES;

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
        Self { barriers }
    }

    /// Initialises the barriers. One thread calls it before a barrier of the block at which all
    /// threads of the pipeline arrive.
    ///
    /// # Safety
    /// One thread of the block executes it, once.
    #[inline(always)]
    pub unsafe fn init(self) {
        // SAFETY: the caller guarantees that one thread executes this, once; a pipeline has a
        // consumer.
        unsafe { self.init_for(CONSUMERS) }
    }

    /// Initialises the barriers like [`init`](Self::init), for a number of consumers that is known
    /// only at run time. `CONSUMERS` is not used.
    ///
    /// # Safety
    /// The conditions of [`init`](Self::init) hold, and `consumers` is at least 1.
    #[inline(always)]
    pub unsafe fn init_for(self, consumers: u32) {
        let mut stage = 0;
        while stage < STAGES {
            // SAFETY: the caller of `at` guarantees that the barriers are this pipeline's; they are
            // used only after the block's barrier.
            unsafe {
                mbarrier_init(self.full(stage), 1);
                mbarrier_init(self.empty(stage), consumers);
            }
            stage += 1;
        }
        fence_mbarrier_init();
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
        self.barriers + stage * MBARRIER_BYTES
    }
    #[inline(always)]
    const fn empty(self, stage: u32) -> u32 {
        self.barriers + (STAGES + stage) * MBARRIER_BYTES
    }

    /// Waits until the stage is free and expects `bytes` bytes in it. The copies name
    /// [`full`](Self::full) of the state's stage.
    ///
    /// # Safety
    /// The only producing thread executes it, with its state, after [`init`](Self::init); copies of
    /// `bytes` bytes in total follow.
    #[inline(always)]
    pub unsafe fn producer_acquire(self, state: &PipelineState<STAGES>, bytes: u32) {
        // SAFETY: the caller guarantees that the barriers are initialised; a state waits for the
        // current phase or the one before.
        unsafe {
            mbarrier_wait(self.empty(state.stage()), state.phase());
            mbarrier_arrive_expect_tx(self.full(state.stage()), bytes);
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
        unsafe { mbarrier_wait(self.full(state.stage()), state.phase()) };
    }

    /// Makes one of the `CONSUMERS` arrivals that free the stage, if `predicate` is not 0. The
    /// predicate is inside the instruction, because `.aligned` instructions follow, which the
    /// compiler must not copy into the arms of a branch.
    ///
    /// # Safety
    /// It is called after [`consumer_wait`](Self::consumer_wait) with the same state. This arrival
    /// is one of the stage's `CONSUMERS` arrivals, and the threads for which it is made no longer
    /// read the stage.
    #[inline(always)]
    pub unsafe fn consumer_release_if(self, state: &PipelineState<STAGES>, predicate: u32) {
        // SAFETY: the caller guarantees that the barrier is initialised and has an arrival pending.
        unsafe { mbarrier_arrive_if(self.empty(state.stage()), predicate) };
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
        unsafe { mbarrier_arrive_cluster_if(self.empty(state.stage()), cta, predicate) };
    }
}

//! The stages of a pipeline: a thread's position among them, and their mbarriers. Each stage has
//! one mbarrier for the event that it is full, and one for the event that it is free.
//!
//! ```text
//!   full 0 .. full S-1, empty 0 .. empty S-1        8 bytes each
//!   state      stage 0 1 2 3 0 1 ..   phase 0 0 0 0 1 1 ..     a producer begins with phase 1: all stages are free
//!
//!   fill     wait empty ─ write the stage ─ arrive on full      free     wait full ─ read the stage ─ arrive on empty
//! ```
//!
//! Law: the barriers of different stages and events do not overlap, and all lie in
//! [`BYTES`](StageBarriers::BYTES) bytes. A state's stage is below `STAGES`, and its phase flips at
//! each lap, so it only waits for the current phase or the one before. Every pipeline of this
//! folder has these barriers; a pipeline adds who arrives at them, and how.
//!
//! Source: CUTLASS `cutlass/pipeline/sm90_pipeline.hpp`.

use crate::arch::barrier::{MBARRIER_BYTES, fence_mbarrier_init, mbarrier_init, mbarrier_wait};

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

/// The barriers of `STAGES` stages, stored as the offset of the first barrier in shared memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct StageBarriers<const STAGES: u32>(u32);

impl<const STAGES: u32> StageBarriers<STAGES> {
    /// The number of bytes of the barriers.
    pub(super) const BYTES: u32 = 2 * STAGES * MBARRIER_BYTES;

    /// Returns the barriers at `barriers`.
    ///
    /// # Safety
    /// `barriers` is a multiple of 8 and names [`BYTES`](Self::BYTES) bytes of the block's shared
    /// memory that nothing else uses.
    #[inline(always)]
    pub(super) const unsafe fn at(barriers: u32) -> Self {
        Self(barriers)
    }

    /// Initialises the barriers: `filling` arrivals fill a stage, `freeing` arrivals free it.
    ///
    /// # Safety
    /// One thread of the block executes it, once, before a barrier of the block at which all
    /// threads that use these mbarriers arrive. Both numbers are at least 1.
    #[inline(always)]
    pub(super) unsafe fn init(self, filling: u32, freeing: u32) {
        let mut stage = 0;
        while stage < STAGES {
            // SAFETY: the caller of `at` guarantees that nothing else uses these bytes, and the
            // caller of this function that the barriers are used only after the block's barrier and
            // that both numbers are at least 1.
            unsafe {
                mbarrier_init(self.full(stage), filling);
                mbarrier_init(self.empty(stage), freeing);
            }
            stage += 1;
        }
        fence_mbarrier_init();
    }

    /// Returns the barrier for the event that a stage is full.
    #[inline(always)]
    pub(super) const fn full(self, stage: u32) -> u32 {
        self.0 + stage * MBARRIER_BYTES
    }

    /// Returns the barrier for the event that a stage is free.
    #[inline(always)]
    pub(super) const fn empty(self, stage: u32) -> u32 {
        self.0 + (STAGES + stage) * MBARRIER_BYTES
    }

    /// Waits until the stage is full.
    ///
    /// # Safety
    /// It is called after [`init`](Self::init) and the block's barrier, with the thread's own
    /// state.
    #[inline(always)]
    pub(super) unsafe fn wait_full(self, state: &PipelineState<STAGES>) {
        // SAFETY: the caller guarantees that the barrier is initialised; a state waits for the
        // current phase or the one before.
        unsafe { mbarrier_wait(self.full(state.stage()), state.phase()) };
    }

    /// Waits until the stage is free.
    ///
    /// # Safety
    /// The conditions of [`wait_full`](Self::wait_full) hold.
    #[inline(always)]
    pub(super) unsafe fn wait_empty(self, state: &PipelineState<STAGES>) {
        // SAFETY: the caller guarantees that the barrier is initialised; a state waits for the
        // current phase or the one before.
        unsafe { mbarrier_wait(self.empty(state.stage()), state.phase()) };
    }
}

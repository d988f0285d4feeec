//! How producers and consumer groups wait for each other.
//!
//! ```text
//!   Q  one or two stages   K, V  two or more stages each     filled by TMA, freed by every consumer warp, or by every consumer thread
//!   turns    group 0 ─► 1 ─► .. ─► 0        a group issues its products while the products of other groups run
//! ```
//!
//! Law: a stage is read after [`ConsumerEnd::wait`]. It is filled again after `CONSUMERS` arrivals
//! by [`release`](ConsumerEnd::release): one arrival per consumer warp in the forward pass, one per
//! consumer thread in gradients. The turn of a group begins after the previous group's turn has
//! ended.

use super::config::STAGES;
use cuda_std::thread::thread_idx_x;
use layout_types::algorithm::pipeline_tma::{PipelineState, PipelineTmaAsync};
use layout_types::arch::barrier::{named_barrier_arrive, named_barrier_sync};

/// The first of the named barriers that order the consumer groups' products. Each group has one
/// barrier.
const ORDER_BARRIER: u32 = 4;

/// The pipelines of the three operands. `CONSUMERS` arrivals free a stage: one per consumer warp,
/// or one per consumer thread.
#[derive(Clone, Copy)]
pub struct Pipelines<const Q_STAGES: u32, const CONSUMERS: u32, const K_STAGES: u32 = STAGES> {
    /// The pipeline of Q.
    pub q: PipelineTmaAsync<Q_STAGES, CONSUMERS>,
    /// The pipeline of K.
    pub k: PipelineTmaAsync<K_STAGES, CONSUMERS>,
    /// The pipeline of V.
    pub v: PipelineTmaAsync<K_STAGES, CONSUMERS>,
}

impl<const Q_STAGES: u32, const CONSUMERS: u32, const K_STAGES: u32>
    Pipelines<Q_STAGES, CONSUMERS, K_STAGES>
{
    /// The bytes of all barriers.
    pub const BYTES: u32 = PipelineTmaAsync::<Q_STAGES, CONSUMERS>::BYTES
        + 2 * PipelineTmaAsync::<K_STAGES, CONSUMERS>::BYTES;

    /// Returns the pipelines whose barriers are at `barriers`.
    ///
    /// # Safety
    /// `barriers` is a multiple of 8 and names [`BYTES`](Self::BYTES) bytes of the CTA's shared
    /// memory that nothing else uses.
    #[inline(always)]
    pub unsafe fn at(barriers: u32) -> Self {
        let k = barriers + PipelineTmaAsync::<Q_STAGES, CONSUMERS>::BYTES;
        // SAFETY: the three pipelines follow each other in the `BYTES` bytes after the tiles, which
        // `kernel::run` passes.
        unsafe {
            Self {
                q: PipelineTmaAsync::at(barriers),
                k: PipelineTmaAsync::at(k),
                v: PipelineTmaAsync::at(k + PipelineTmaAsync::<K_STAGES, CONSUMERS>::BYTES),
            }
        }
    }

    /// Initialises all barriers.
    ///
    /// # Safety
    /// One thread of the CTA executes it, once.
    #[inline(always)]
    pub unsafe fn init(self) {
        // SAFETY: one thread is here, once: `kernel::run` calls it in thread 0, before
        // `sync_threads`.
        unsafe {
            self.q.init();
            self.k.init();
            self.v.init();
        }
    }
}

/// A consumer thread's end of a pipeline, with the thread's position in it.
pub struct ConsumerEnd<const STAGES: u32, const CONSUMERS: u32> {
    pipeline: PipelineTmaAsync<STAGES, CONSUMERS>,
    state: PipelineState<STAGES>,
    /// 1 if this thread arrives, else 0. Either the first thread of each warp arrives, or every
    /// thread.
    arrives: u32,
}

impl<const STAGES: u32, const CONSUMERS: u32> ConsumerEnd<STAGES, CONSUMERS> {
    /// Returns a consumer's end before the first stage. The first thread of each warp arrives for
    /// its warp. Use it for stages that only `wgmma` reads: the whole warp waits for the end of a
    /// `wgmma`.
    #[inline(always)]
    pub fn new(pipeline: PipelineTmaAsync<STAGES, CONSUMERS>) -> Self {
        const { assert!(CONSUMERS <= 12, "an arrival of each warp") }
        Self {
            pipeline,
            state: PipelineState::consumer(),
            arrives: u32::from(thread_idx_x().is_multiple_of(32)),
        }
    }

    /// Returns a consumer's end before the first stage. Every thread arrives for itself. Use it for
    /// stages that threads read by loads of their own: `compute-sanitizer --tool racecheck`
    /// (2025.3.1) does not know that a warp barrier before one thread's arrival orders the loads of
    /// the other threads.
    #[inline(always)]
    pub fn of_each_thread(pipeline: PipelineTmaAsync<STAGES, CONSUMERS>) -> Self {
        const {
            assert!(
                CONSUMERS.is_multiple_of(128) && CONSUMERS > 0,
                "an arrival of each thread of whole warp groups"
            )
        }
        Self {
            pipeline,
            state: PipelineState::consumer(),
            arrives: 1,
        }
    }

    /// Returns the stage that is read.
    #[inline(always)]
    pub fn state(&self) -> &PipelineState<STAGES> {
        &self.state
    }

    /// Waits until the stage is full.
    ///
    /// # Safety
    /// The pipeline's barriers are initialised.
    #[inline(always)]
    pub unsafe fn wait(&self) {
        // SAFETY: `kernel::run` initialised the barriers and passed `sync_threads` before it made a
        // consumer; the state is this thread's.
        unsafe { self.pipeline.consumer_wait(&self.state) };
    }

    /// Frees the stage for this warp or this thread, and advances to the next stage.
    ///
    /// # Safety
    /// It follows [`wait`](Self::wait) for the stage, and the products of this warp group that read
    /// the stage have ended. The whole warp executes it, and so do all warps that read the stage.
    #[inline(always)]
    pub unsafe fn release(&mut self) {
        // SAFETY: `CONSUMERS` threads arrive, either one per consumer warp or each consumer thread,
        // and all consumers consume each stage. The mainloop releases a stage after the `finish` of
        // the products that read it.
        unsafe { self.pipeline.consumer_release_if(&self.state, self.arrives) };
        self.state.advance();
    }
}

/// The turns of `groups` consumer groups to issue products. A group that is the only one does not
/// wait for turns. This is CUTLASS's `OrderedSequenceBarrier`.
#[derive(Clone, Copy)]
pub struct Turns {
    group: u32,
    groups: u32,
}

impl Turns {
    /// Returns the turns of group `group` of `groups`.
    #[inline(always)]
    pub fn of(group: u32, groups: u32) -> Self {
        Self { group, groups }
    }

    /// Returns the turns of group `group` of `groups`, and lets the first group take the first
    /// turn.
    ///
    /// # Safety
    /// Every consumer group executes it once. Before [`last`](Self::last) all groups take equally
    /// many turns.
    #[inline(always)]
    pub unsafe fn first(group: u32, groups: u32) -> Self {
        let turns = Self::of(group, groups);
        if groups > 1 && group + 1 == groups {
            // SAFETY: the first group waits for this `end` in its first turn, or in `last`.
            unsafe { turns.end() };
        }
        turns
    }

    /// Lets the first group wait for the turn that the last group ended without a group after it.
    ///
    /// # Safety
    /// The conditions are those of [`first`](Self::first).
    #[inline(always)]
    pub unsafe fn last(self) {
        if self.groups > 1 && self.group == 0 {
            // SAFETY: since `first`, the last group has called `end` once more than the first group
            // has called `begin`.
            unsafe { self.begin() };
        }
    }

    /// Returns the group's index.
    #[inline(always)]
    pub fn group(self) -> u32 {
        self.group
    }

    /// Waits for the end of the previous group's turn.
    ///
    /// # Safety
    /// The whole group executes it, and the previous group executes [`end`](Self::end) equally
    /// often.
    #[inline(always)]
    pub unsafe fn begin(self) {
        if self.groups == 1 {
            return;
        }
        // SAFETY: the 256 threads are those of this group, which the mainloop brings here as a
        // whole, and those of the previous group. That group executes `end` equally often, because
        // every group takes a turn for each block of keys.
        unsafe { named_barrier_sync(ORDER_BARRIER + self.group, 256) };
    }

    /// Lets the next group begin.
    ///
    /// # Safety
    /// The whole group executes it, and the next group executes [`begin`](Self::begin) equally
    /// often.
    #[inline(always)]
    pub unsafe fn end(self) {
        if self.groups == 1 {
            return;
        }
        let is_last = self.group + 1 == self.groups;
        let next = if is_last { 0 } else { self.group + 1 };
        // SAFETY: the 256 threads are those of this group, which the mainloop brings here as a
        // whole, and those of the next group. That group executes `begin` equally often, because
        // every group takes a turn for each block of keys.
        unsafe { named_barrier_arrive(ORDER_BARRIER + next, 256) };
    }
}

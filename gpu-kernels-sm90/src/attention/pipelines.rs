//! How producers and consumer groups wait for each other.
//!
//! ```text
//!   Q        one or two stages, K, V   two and more each     filled by TMA, freed by every consumer warp, or by every consumer thread
//!   turns    group 0 ─► 1 ─► .. ─► 0        a group issues its products while the others have theirs under way
//! ```
//!
//! Law: a stage is read behind [`ConsumerEnd::wait`] and filled again behind `CONSUMERS` arrivals
//! of [`release`](ConsumerEnd::release), one of each consumer warp in the forward pass, one of each
//! consumer thread in gradients; a turn begins behind the end of the group before.

use super::config::STAGES;
use cuda_std::thread::thread_idx_x;
use layout_types::algorithm::pipeline_tma::{PipelineState, PipelineTmaAsync};
use layout_types::arch::barrier::{named_barrier_arrive, named_barrier_sync};

/// The named barriers that order the consumer groups' products, one a group.
const ORDER_BARRIER: u32 = 4;

/// The pipelines of the three operands, whose stages `CONSUMERS` arrivals free: one of each
/// consumer's warp, or of each thread.
#[derive(Clone, Copy)]
pub struct Pipelines<const Q_STAGES: u32, const CONSUMERS: u32, const K_STAGES: u32 = STAGES> {
    /// Q's.
    pub q: PipelineTmaAsync<Q_STAGES, CONSUMERS>,
    /// K's.
    pub k: PipelineTmaAsync<K_STAGES, CONSUMERS>,
    /// V's.
    pub v: PipelineTmaAsync<K_STAGES, CONSUMERS>,
}

impl<const Q_STAGES: u32, const CONSUMERS: u32, const K_STAGES: u32>
    Pipelines<Q_STAGES, CONSUMERS, K_STAGES>
{
    /// Bytes of the barriers.
    pub const BYTES: u32 = PipelineTmaAsync::<Q_STAGES, CONSUMERS>::BYTES
        + 2 * PipelineTmaAsync::<K_STAGES, CONSUMERS>::BYTES;

    /// The pipelines whose barriers are at `barriers`.
    ///
    /// # Safety
    /// `barriers` is a multiple of 8 and names [`BYTES`](Self::BYTES) bytes of the CTA's shared
    /// memory that nothing else uses.
    #[inline(always)]
    pub unsafe fn at(barriers: u32) -> Self {
        let k = barriers + PipelineTmaAsync::<Q_STAGES, CONSUMERS>::BYTES;
        // SAFETY: the three are one behind the other in the `BYTES` bytes that `kernel::run` gives:
        // those behind the tiles.
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

/// A consumer thread's end of a pipeline: where it is.
pub struct ConsumerEnd<const STAGES: u32, const CONSUMERS: u32> {
    pipeline: PipelineTmaAsync<STAGES, CONSUMERS>,
    state: PipelineState<STAGES>,
    /// 1 where this thread arrives: the first of each warp, or every thread; else 0.
    arrives: u32,
}

impl<const STAGES: u32, const CONSUMERS: u32> ConsumerEnd<STAGES, CONSUMERS> {
    /// Before the first stage; the first thread of each warp arrives for its warp. For stages that
    /// `wgmma` alone reads, whose end the whole warp waits for.
    #[inline(always)]
    pub fn new(pipeline: PipelineTmaAsync<STAGES, CONSUMERS>) -> Self {
        const { assert!(CONSUMERS <= 12, "an arrival of each warp") }
        Self {
            pipeline,
            state: PipelineState::consumer(),
            arrives: u32::from(thread_idx_x().is_multiple_of(32)),
        }
    }

    /// Before the first stage; every thread arrives for itself. For stages that threads read by
    /// loads of their own: of a barrier of the warp in front of one thread's arrival
    /// `compute-sanitizer --tool racecheck` (2025.3.1) does not know that it orders the others'
    /// loads.
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

    /// The stage that is read.
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

    /// Frees the stage for this warp, or this thread, and goes on to the next.
    ///
    /// # Safety
    /// Behind [`wait`](Self::wait) for the stage, whose products of this warp group have ended; the
    /// whole warp executes it, and so do all that read the stage.
    #[inline(always)]
    pub unsafe fn release(&mut self) {
        // SAFETY: `CONSUMERS` threads arrive, one of each warp or each of the consumers, which all
        // consume each stage; the mainloop releases a stage behind the `finish` of the products
        // that read it.
        unsafe { self.pipeline.consumer_release_if(&self.state, self.arrives) };
        self.state.advance();
    }
}

/// The turns of `groups` consumer groups to issue products; one alone has no turns. CUTLASS's
/// `OrderedSequenceBarrier`.
#[derive(Clone, Copy)]
pub struct Turns {
    group: u32,
    groups: u32,
}

impl Turns {
    /// The turns of group `group` of `groups`.
    #[inline(always)]
    pub fn of(group: u32, groups: u32) -> Self {
        Self { group, groups }
    }

    /// The turns of group `group` of `groups`, which the first group begins.
    ///
    /// # Safety
    /// Every consumer group executes it once, and takes as many turns as the others before
    /// [`last`](Self::last).
    #[inline(always)]
    pub unsafe fn first(group: u32, groups: u32) -> Self {
        let turns = Self::of(group, groups);
        if groups > 1 && group + 1 == groups {
            // SAFETY: the first group waits for it: in its first turn, or in `last`.
            unsafe { turns.end() };
        }
        turns
    }

    /// Takes the turn that the last group has ended for nobody.
    ///
    /// # Safety
    /// As of [`first`](Self::first).
    #[inline(always)]
    pub unsafe fn last(self) {
        if self.groups > 1 && self.group == 0 {
            // SAFETY: the last group has ended a turn more than the first has begun, counted from
            // `first` on.
            unsafe { self.begin() };
        }
    }

    /// The group.
    #[inline(always)]
    pub fn group(self) -> u32 {
        self.group
    }

    /// Waits for the end of the turn of the group before.
    ///
    /// # Safety
    /// The whole group executes it, and the group before [`end`](Self::end) as often.
    #[inline(always)]
    pub unsafe fn begin(self) {
        if self.groups == 1 {
            return;
        }
        // SAFETY: the 256 threads are those of this group, which the mainloop brings here whole,
        // and of the one before, whose `end` is as often: every group takes a turn for each block
        // of keys.
        unsafe { named_barrier_sync(ORDER_BARRIER + self.group, 256) };
    }

    /// Lets the next group begin.
    ///
    /// # Safety
    /// The whole group executes it, and the next group [`begin`](Self::begin) as often.
    #[inline(always)]
    pub unsafe fn end(self) {
        if self.groups == 1 {
            return;
        }
        let is_last = self.group + 1 == self.groups;
        let next = if is_last { 0 } else { self.group + 1 };
        // SAFETY: the 256 threads are those of this group, which the mainloop brings here whole,
        // and of the next, whose `begin` is as often: every group takes a turn for each block of
        // keys.
        unsafe { named_barrier_arrive(ORDER_BARRIER + next, 256) };
    }
}

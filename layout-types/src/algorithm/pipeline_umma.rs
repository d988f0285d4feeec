//! CUTLASS's pipelines around `tcgen05.mma`: stages of operands that TMA fills and a commit frees,
//! and accumulators that a commit fills and threads free.
//!
//! ```text
//!   PipelineTmaUmmaAsync   producer   wait empty ─ expect bytes on full ─ TMA     MMA         wait full ─ products ─ commit to empty
//!   PipelineUmmaAsync      MMA        wait empty ─ products ─ commit to full      epilogue    wait full ─ tcgen05.ld ─ arrive on empty
//!
//!   a pair of CTAs         operands   full of the leader counts the bytes of both; a commit arrives on empty of both
//!                          sums       a commit arrives on full of both; the epilogues of both arrive on empty of the leader
//! ```
//!
//! Law: a stage is filled again only when the products that read it are done, and an accumulator
//! is written again only when all threads have loaded it. The leader is the CTA of the even rank:
//! it alone multiplies. [`PipelineState`] has the places of both.
//!
//! No card has run these: they are assembled for `sm_100a` by `ptxas` and executed by the emulator.
//!
//! Source: CUTLASS `cutlass/pipeline/sm100_pipeline.hpp`.

use super::pipeline_tma::PipelineState;
use crate::arch::barrier::{
    MBARRIER_BYTES, fence_mbarrier_init, mbarrier_arrive_expect_tx, mbarrier_arrive_if,
    mbarrier_arrive_remote_if, mbarrier_init, mbarrier_wait,
};
use crate::arch::cluster_sm90::{block_rank_in_cluster, mapa};
use crate::arch::mma_sm100_umma::{tcgen05_after_thread_sync, umma_arrive, umma_arrive_multicast};
use crate::atom::tmem::fragment::CtaGroup;
use crate::num::Bool;
use core::fmt;
use core::marker::PhantomData;
use typenum::Unsigned;

/// The place of a CTA in its group: which one leads, and which ones there are.
///
/// ```
/// use layout_types::algorithm::pipeline_umma::GroupPlace;
/// use layout_types::atom::tmem::fragment::TwoSm;
/// let peer = GroupPlace::<TwoSm>::of_rank(3);
/// assert_eq!((peer.leader(), peer.is_leader(), peer.ctas()), (2, false, 0b1100));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupPlace<G> {
    rank: u32,
    group: PhantomData<G>,
}
impl<G: CtaGroup> GroupPlace<G> {
    const IS_PAIR: bool = <G::IsPair as Bool>::VALUE;

    /// The place of the calling thread's CTA.
    #[inline(always)]
    #[must_use]
    pub fn of_this_cta() -> Self {
        Self::of_rank(if const { Self::IS_PAIR } {
            block_rank_in_cluster()
        } else {
            0
        })
    }

    /// The place of the CTA of this rank in the cluster.
    #[inline(always)]
    #[must_use]
    pub const fn of_rank(rank: u32) -> Self {
        Self {
            rank,
            group: PhantomData,
        }
    }

    /// The rank of the CTA that multiplies.
    #[inline(always)]
    #[must_use]
    pub const fn leader(self) -> u32 {
        if Self::IS_PAIR {
            self.rank & !1
        } else {
            self.rank
        }
    }

    /// Whether this CTA multiplies.
    #[inline(always)]
    #[must_use]
    pub const fn is_leader(self) -> bool {
        self.leader() == self.rank
    }

    /// The multicast mask of the group's CTAs.
    #[inline(always)]
    #[must_use]
    pub const fn ctas(self) -> u16 {
        (if Self::IS_PAIR { 3 } else { 1 }) << self.leader()
    }

    /// Commits the thread's products: one arrival at the mbarrier at this offset in every CTA of
    /// the group.
    ///
    /// # Safety
    /// The leader's thread that issued the products executes it; an mbarrier with an arrival
    /// pending is there in every CTA of the group, and none of them ends before it.
    #[inline(always)]
    unsafe fn commit(self, barrier: u32) {
        // SAFETY: the thread issued the products, and the mbarriers expect the arrival, by the
        // caller's contract; the mask has the group's ranks.
        unsafe {
            if const { Self::IS_PAIR } {
                umma_arrive_multicast::<G>(barrier, self.ctas());
            } else {
                umma_arrive::<G>(barrier);
            }
        }
    }
}

/// The barriers of `STAGES` stages of operands, CUTLASS's `PipelineTmaUmmaAsync`: TMA fills a stage
/// and a commit of the CTAs of `G` frees it.
pub struct PipelineTmaUmmaAsync<const STAGES: u32, G> {
    barriers: u32,
    place: GroupPlace<G>,
}
/// The barriers of `STAGES` accumulators, CUTLASS's `PipelineUmmaAsync`: a commit of the CTAs of
/// `G` fills one, and `WARPS` warps of each of them free it.
pub struct PipelineUmmaAsync<const STAGES: u32, const WARPS: u32, G> {
    barriers: u32,
    place: GroupPlace<G>,
}

macro_rules! pipelines {
    ($($name:ident [$($parameter:ident)*] $full:literal $empty:expr;)+) => {$(
        impl<const STAGES: u32, $(const $parameter: u32,)* G: CtaGroup> Clone for $name<STAGES, $($parameter,)* G> {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<const STAGES: u32, $(const $parameter: u32,)* G: CtaGroup> Copy for $name<STAGES, $($parameter,)* G> {}
        impl<const STAGES: u32, $(const $parameter: u32,)* G: CtaGroup> fmt::Debug for $name<STAGES, $($parameter,)* G> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{STAGES} stages with barriers at {:#x}, {:?}", self.barriers, self.place)
            }
        }
        impl<const STAGES: u32, $(const $parameter: u32,)* G: CtaGroup> $name<STAGES, $($parameter,)* G> {
            /// The bytes of the barriers.
            pub const BYTES: u32 = 2 * STAGES * MBARRIER_BYTES;

            /// The pipeline whose barriers are at `barriers`, in a CTA at `place` of its group.
            ///
            /// # Safety
            /// `barriers` is a multiple of 8 and names [`BYTES`](Self::BYTES) bytes of the CTA's
            /// shared memory that nothing else uses, at the same offset in each CTA of the group.
            #[inline(always)]
            #[must_use]
            pub const unsafe fn at(barriers: u32, place: GroupPlace<G>) -> Self {
                Self { barriers, place }
            }

            /// Initialises the barriers of this CTA.
            ///
            /// # Safety
            /// One thread of each CTA executes it, once, before a barrier of the group's CTAs that
            /// all threads of the pipeline come to.
            #[inline(always)]
            pub unsafe fn init(self) {
                let mut stage = 0;
                while stage < STAGES {
                    // SAFETY: the barriers are this pipeline's (`at`), and in use only behind the
                    // barrier that the caller has behind this.
                    unsafe {
                        mbarrier_init(self.full(stage), $full);
                        mbarrier_init(self.empty(stage), $empty);
                    }
                    stage += 1;
                }
                fence_mbarrier_init();
            }

            /// This CTA's barrier that says that a stage is full.
            #[inline(always)]
            #[must_use]
            const fn full(self, stage: u32) -> u32 {
                self.barriers + stage * MBARRIER_BYTES
            }
            #[inline(always)]
            const fn empty(self, stage: u32) -> u32 {
                self.barriers + (STAGES + stage) * MBARRIER_BYTES
            }

            /// Waits until the stage is full.
            ///
            /// # Safety
            /// Behind [`init`](Self::init), with the thread's own state.
            #[inline(always)]
            unsafe fn wait_full(self, state: &PipelineState<STAGES>) {
                // SAFETY: the barrier is initialised by the caller's contract; a state asks for
                // the current phase or the one before.
                unsafe { mbarrier_wait(self.full(state.stage()), state.phase()) };
            }

            /// Waits until the stage is free.
            ///
            /// # Safety
            /// As of [`wait_full`](Self::wait_full).
            #[inline(always)]
            unsafe fn wait_empty(self, state: &PipelineState<STAGES>) {
                // SAFETY: the barrier is initialised by the caller's contract; a state asks for
                // the current phase or the one before.
                unsafe { mbarrier_wait(self.empty(state.stage()), state.phase()) };
            }
        }
    )+};
}
pipelines! {
    PipelineTmaUmmaAsync [] 1 1;
    PipelineUmmaAsync [WARPS] 1 WARPS * <G::Size as Unsigned>::U32;
}

impl<const STAGES: u32, G: CtaGroup> PipelineTmaUmmaAsync<STAGES, G> {
    /// Waits until the stage is free, and expects in the leader the bytes that each CTA of the
    /// group loads, `bytes` by this one. Returns the address of the barrier that the loads name.
    ///
    /// # Safety
    /// The CTA's one producing thread executes it, with its state, behind [`init`](Self::init);
    /// loads of `bytes` bytes in all follow, in every CTA of the group.
    #[inline(always)]
    pub unsafe fn producer_acquire(self, state: &PipelineState<STAGES>, bytes: u32) -> u32 {
        let full = self.full(state.stage());
        // SAFETY: initialised by the caller's contract. The leader's arrival is the one of the
        // phase, which so does not end before the bytes of all have come.
        unsafe {
            self.wait_empty(state);
            if const { GroupPlace::<G>::IS_PAIR } {
                if self.place.is_leader() {
                    mbarrier_arrive_expect_tx(full, bytes * const { <G::Size as Unsigned>::U32 });
                }
                mapa(full, self.place.leader())
            } else {
                mbarrier_arrive_expect_tx(full, bytes);
                full
            }
        }
    }

    /// Waits until all stages are free. A CTA that ended before would leave its barriers to
    /// commits that are still to arrive.
    ///
    /// # Safety
    /// As of [`producer_acquire`](Self::producer_acquire), behind the last load.
    #[inline(always)]
    pub unsafe fn producer_tail(self, state: &mut PipelineState<STAGES>) {
        let mut stage = 0;
        while stage < STAGES {
            // SAFETY: the caller guarantees that `init` has initialised the barriers.
            unsafe { self.wait_empty(state) };
            state.advance();
            stage += 1;
        }
    }

    /// Waits until the stage is full.
    ///
    /// # Safety
    /// The leader's multiplying thread executes it, with its state, behind [`init`](Self::init).
    #[inline(always)]
    pub unsafe fn consumer_wait(self, state: &PipelineState<STAGES>) {
        // SAFETY: the caller guarantees that `init` has initialised the barriers.
        unsafe { self.wait_full(state) };
    }

    /// Frees the stage in every CTA of the group when the thread's products are done.
    ///
    /// # Safety
    /// As of [`consumer_wait`](Self::consumer_wait), behind the products that read the stage.
    #[inline(always)]
    pub unsafe fn consumer_release(self, state: &PipelineState<STAGES>) {
        // SAFETY: the thread issued the products, by the caller's contract. Each CTA's barrier
        // expects this one arrival, and its producer waits for it in `producer_acquire` or
        // `producer_tail`.
        unsafe { self.place.commit(self.empty(state.stage())) };
    }
}

impl<const STAGES: u32, const WARPS: u32, G: CtaGroup> PipelineUmmaAsync<STAGES, WARPS, G> {
    /// Waits until all warps have loaded the accumulator.
    ///
    /// # Safety
    /// The leader's multiplying thread executes it, with its state, behind [`init`](Self::init).
    #[inline(always)]
    pub unsafe fn producer_acquire(self, state: &PipelineState<STAGES>) {
        // SAFETY: the caller guarantees that `init` has initialised the barriers.
        unsafe { self.wait_empty(state) };
        tcgen05_after_thread_sync();
    }

    /// Says in every CTA of the group that the accumulator is there when the thread's products are
    /// done.
    ///
    /// # Safety
    /// As of [`producer_acquire`](Self::producer_acquire), behind the products.
    #[inline(always)]
    pub unsafe fn producer_commit(self, state: &PipelineState<STAGES>) {
        // SAFETY: the thread issued the products, by the caller's contract. Each CTA's barrier
        // expects this one arrival, and its epilogue waits for it.
        unsafe { self.place.commit(self.full(state.stage())) };
    }

    /// Waits until the accumulator is there.
    ///
    /// # Safety
    /// Behind [`init`](Self::init), with the thread's own state.
    #[inline(always)]
    pub unsafe fn consumer_wait(self, state: &PipelineState<STAGES>) {
        // SAFETY: the caller guarantees that `init` has initialised the barriers.
        unsafe { self.wait_full(state) };
        tcgen05_after_thread_sync();
    }

    /// One warp's arrival that frees the accumulator, in the leader, where `predicate` is not 0.
    ///
    /// # Safety
    /// Behind [`consumer_wait`](Self::consumer_wait) of the state; `predicate` is not 0 in one lane
    /// of each of the `WARPS` warps. All lanes of the warp have waited for their loads and come to
    /// a barrier of the warp since, with `tcgen05.fence::before_thread_sync` between the two.
    #[inline(always)]
    pub unsafe fn consumer_release_if(self, state: &PipelineState<STAGES>, predicate: u32) {
        let empty = self.empty(state.stage());
        // SAFETY: the leader's barrier expects one arrival of each warp, by `init`. The leader
        // does not end before all CTAs of the group have come to the kernel's last barrier.
        unsafe {
            if const { GroupPlace::<G>::IS_PAIR } {
                mbarrier_arrive_remote_if(empty, self.place.leader(), predicate);
            } else {
                mbarrier_arrive_if(empty, predicate);
            }
        }
    }
}

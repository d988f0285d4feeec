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
//! Law: a stage is filled again only when the products that read it are done, and an accumulator is
//! written again only when all threads have loaded it. The leader is the CTA of the even rank, and
//! only the leader multiplies. [`PipelineState`] has the positions of producer and consumer.
//!
//! No GPU has run these pipelines: `ptxas` assembles them for `sm_100a`, and the emulator executes
//! them.
//!
//! Source: CUTLASS `cutlass/pipeline/sm100_pipeline.hpp`.

use super::pipeline_stages::{PipelineState, StageBarriers};
use crate::arch::barrier::{
    mbarrier_arrive_expect_tx, mbarrier_arrive_if, mbarrier_arrive_remote_if,
};
use crate::arch::cluster_sm90::{block_rank_in_cluster, mapa};
use crate::arch::mma_sm100_umma::{tcgen05_after_thread_sync, umma_arrive, umma_arrive_multicast};
use crate::atom::tmem::fragment::CtaGroup;
use crate::num::Bool;
use core::fmt;
use core::marker::PhantomData;
use typenum::Unsigned;

/// The place of a CTA in its group: which CTA leads, and which CTAs the group has.
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

    /// Returns the place of the calling thread's CTA.
    #[inline(always)]
    #[must_use]
    pub fn of_this_cta() -> Self {
        Self::of_rank(if const { Self::IS_PAIR } {
            block_rank_in_cluster()
        } else {
            0
        })
    }

    /// Returns the place of the CTA with rank `rank` in the cluster.
    #[inline(always)]
    #[must_use]
    pub const fn of_rank(rank: u32) -> Self {
        Self {
            rank,
            group: PhantomData,
        }
    }

    /// Returns the rank of the CTA that multiplies.
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

    /// Returns the multicast mask of the group's CTAs.
    #[inline(always)]
    #[must_use]
    pub const fn ctas(self) -> u16 {
        (if Self::IS_PAIR { 3 } else { 1 }) << self.leader()
    }

    /// Commits the thread's products: they make one arrival at the mbarrier at this offset in every
    /// CTA of the group.
    ///
    /// # Safety
    /// The leader's thread that issued the products executes it. Every CTA of the group has an
    /// mbarrier with an arrival pending at this offset, and does not end before the arrival.
    #[inline(always)]
    unsafe fn commit(self, barrier: u32) {
        // SAFETY: the caller guarantees that this thread issued the products, and that the
        // mbarriers expect the arrival; the mask has the group's ranks.
        unsafe {
            if const { Self::IS_PAIR } {
                umma_arrive_multicast::<G>(barrier, self.ctas());
            } else {
                umma_arrive::<G>(barrier);
            }
        }
    }
}

/// The barriers of `STAGES` stages of operands, CUTLASS's `PipelineTmaUmmaAsync`. TMA fills a
/// stage, and a commit of the CTAs of `G` frees it.
pub struct PipelineTmaUmmaAsync<const STAGES: u32, G> {
    barriers: StageBarriers<STAGES>,
    place: GroupPlace<G>,
}
/// The barriers of `STAGES` accumulators, CUTLASS's `PipelineUmmaAsync`. A commit of the CTAs of
/// `G` fills an accumulator, and `WARPS` warps of each of these CTAs free it.
pub struct PipelineUmmaAsync<const STAGES: u32, const WARPS: u32, G> {
    barriers: StageBarriers<STAGES>,
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
                write!(f, "{STAGES} stages with barriers at {:#x}, {:?}", self.barriers.full(0), self.place)
            }
        }
        impl<const STAGES: u32, $(const $parameter: u32,)* G: CtaGroup> $name<STAGES, $($parameter,)* G> {
            /// The number of bytes of the barriers.
            pub const BYTES: u32 = StageBarriers::<STAGES>::BYTES;

            /// Returns the pipeline whose barriers are at `barriers`, in a CTA at `place` of its
            /// group.
            ///
            /// # Safety
            /// `barriers` is a multiple of 8 and names [`BYTES`](Self::BYTES) bytes of the CTA's
            /// shared memory that nothing else uses, at the same offset in each CTA of the group.
            #[inline(always)]
            #[must_use]
            pub const unsafe fn at(barriers: u32, place: GroupPlace<G>) -> Self {
                // SAFETY: the caller guarantees that `barriers` is a multiple of 8 and names
                // `BYTES` bytes that nothing else uses.
                let barriers = unsafe { StageBarriers::at(barriers) };
                Self { barriers, place }
            }

            /// Initialises the barriers of this CTA.
            ///
            /// # Safety
            /// One thread of each CTA executes it, once, before a barrier of the group's CTAs at
            /// which all threads of the pipeline arrive.
            #[inline(always)]
            pub unsafe fn init(self) {
                // SAFETY: the caller guarantees that one thread executes this, once, before a
                // barrier at which all threads of the pipeline arrive.
                unsafe { self.barriers.init($full, $empty) };
            }
        }
    )+};
}
pipelines! {
    PipelineTmaUmmaAsync [] 1 1;
    PipelineUmmaAsync [WARPS] 1 WARPS * <G::Size as Unsigned>::U32;
}

impl<const STAGES: u32, G: CtaGroup> PipelineTmaUmmaAsync<STAGES, G> {
    /// Waits until the stage is free. Then the leader's barrier expects the bytes that each CTA of
    /// the group loads; this CTA loads `bytes`. Returns the address of the barrier that the loads
    /// name.
    ///
    /// # Safety
    /// The CTA's only producing thread executes it, with its state, after [`init`](Self::init).
    /// Loads of `bytes` bytes in total follow, in every CTA of the group.
    #[inline(always)]
    pub unsafe fn producer_acquire(self, state: &PipelineState<STAGES>, bytes: u32) -> u32 {
        let full = self.barriers.full(state.stage());
        // SAFETY: the caller guarantees that the barriers are initialised. The leader's arrival is
        // the only one of the phase, so the phase does not end before the bytes of all CTAs have
        // arrived.
        unsafe {
            self.barriers.wait_empty(state);
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

    /// Waits until all stages are free. Without this wait, a CTA could end before the last commits
    /// arrive at its barriers.
    ///
    /// # Safety
    /// The conditions of [`producer_acquire`](Self::producer_acquire) hold, and the last load was
    /// issued.
    #[inline(always)]
    pub unsafe fn producer_tail(self, state: &mut PipelineState<STAGES>) {
        let mut stage = 0;
        while stage < STAGES {
            // SAFETY: the caller guarantees that `init` has initialised the barriers.
            unsafe { self.barriers.wait_empty(state) };
            state.advance();
            stage += 1;
        }
    }

    /// Waits until the stage is full.
    ///
    /// # Safety
    /// The leader's multiplying thread executes it, with its state, after [`init`](Self::init).
    #[inline(always)]
    pub unsafe fn consumer_wait(self, state: &PipelineState<STAGES>) {
        // SAFETY: the caller guarantees that `init` has initialised the barriers.
        unsafe { self.barriers.wait_full(state) };
    }

    /// Frees the stage in every CTA of the group when the thread's products are done.
    ///
    /// # Safety
    /// The conditions of [`consumer_wait`](Self::consumer_wait) hold, and the products that read
    /// the stage were issued before.
    #[inline(always)]
    pub unsafe fn consumer_release(self, state: &PipelineState<STAGES>) {
        // SAFETY: the caller guarantees that this thread issued the products. Each CTA's barrier
        // expects this one arrival, and its producer waits for it in `producer_acquire` or
        // `producer_tail`.
        unsafe { self.place.commit(self.barriers.empty(state.stage())) };
    }
}

impl<const STAGES: u32, const WARPS: u32, G: CtaGroup> PipelineUmmaAsync<STAGES, WARPS, G> {
    /// Waits until all warps have loaded the accumulator.
    ///
    /// # Safety
    /// The leader's multiplying thread executes it, with its state, after [`init`](Self::init).
    #[inline(always)]
    pub unsafe fn producer_acquire(self, state: &PipelineState<STAGES>) {
        // SAFETY: the caller guarantees that `init` has initialised the barriers.
        unsafe { self.barriers.wait_empty(state) };
        tcgen05_after_thread_sync();
    }

    /// Signals in every CTA of the group that the accumulator is full, when the thread's products
    /// are done.
    ///
    /// # Safety
    /// The conditions of [`producer_acquire`](Self::producer_acquire) hold, and the products were
    /// issued before.
    #[inline(always)]
    pub unsafe fn producer_commit(self, state: &PipelineState<STAGES>) {
        // SAFETY: the caller guarantees that this thread issued the products. Each CTA's barrier
        // expects this one arrival, and its epilogue waits for it.
        unsafe { self.place.commit(self.barriers.full(state.stage())) };
    }

    /// Waits until the accumulator is full.
    ///
    /// # Safety
    /// It is called after [`init`](Self::init), with the thread's own state.
    #[inline(always)]
    pub unsafe fn consumer_wait(self, state: &PipelineState<STAGES>) {
        // SAFETY: the caller guarantees that `init` has initialised the barriers.
        unsafe { self.barriers.wait_full(state) };
        tcgen05_after_thread_sync();
    }

    /// Makes one warp's arrival that frees the accumulator, in the leader, if `predicate` is not 0.
    ///
    /// # Safety
    /// It is called after [`consumer_wait`](Self::consumer_wait) with the same state. `predicate`
    /// is not 0 in one lane of each of the `WARPS` warps. Since then, all lanes of the warp have
    /// waited for their loads, executed `tcgen05.fence::before_thread_sync`, and arrived at a
    /// barrier of the warp.
    #[inline(always)]
    pub unsafe fn consumer_release_if(self, state: &PipelineState<STAGES>, predicate: u32) {
        let empty = self.barriers.empty(state.stage());
        // SAFETY: by `init`, the leader's barrier expects one arrival of each warp. The leader does
        // not end before all CTAs of the group have arrived at the kernel's last barrier.
        unsafe {
            if const { GroupPlace::<G>::IS_PAIR } {
                mbarrier_arrive_remote_if(empty, self.place.leader(), predicate);
            } else {
                mbarrier_arrive_if(empty, predicate);
            }
        }
    }
}

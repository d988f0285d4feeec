//! Passes P from the group of dV to the group of dK.
//!
//! ```text
//!   dV's group     wait empty ─ store ─ full          dK's group     wait full ─ load ─ empty          between equal thread indices
//! ```
//!
//! Law: a thread reads a stage after the stores of the thread with the same index, which writes it
//! again after these loads.

use super::super::super::fragments::Accumulator;
use crate::warp_group::{WARP_GROUP, thread_in_group};
use layout_types::algorithm::pipeline_tma::PipelineState;
use layout_types::algorithm::{SameCount, Walk, transform};
use layout_types::arch::barrier::{
    fence_mbarrier_init, mbarrier_arrive, mbarrier_init, mbarrier_wait,
};
use layout_types::layout::Size;
use layout_types::num::NatCmp;
use layout_types::prelude::*;
use layout_types::ragged::SliceTensorBy;
use layout_types::tensor::{__, FragmentLayout, Shared, Tensor};
use layout_types::tree::Underscore;
use layout_types::unroll::unroll;

/// The number of stages. The group of dV may be this many blocks ahead.
pub const EXCHANGE_STAGES: u32 = 2;
/// The layout of a stage: (thread, value). The elements that a warp stores for one value are
/// neighbours.
pub type Exchanged = layout!((128,32):(1,128));
/// The layout of the values of a thread.
type ValuesOf = <Exchanged as SliceTensorBy<(u32, Underscore)>>::Output;

/// A thread's scores. They all fit a stage.
pub trait ExchangedScores: FragmentLayout {
    /// Stores the scores.
    fn store(of: &Accumulator<Self>, to: &Tensor<Shared<f32>, ValuesOf>);
    /// Loads the scores.
    fn load(from: &Tensor<Shared<f32>, ValuesOf>) -> Accumulator<Self>;
}
impl<L> ExchangedScores for L
where
    L: FragmentLayout + Walk,
    <Size<L> as NatCmp>::Equals<Size<ValuesOf>>: SameCount<Size<L>, Size<ValuesOf>>,
    <Size<ValuesOf> as NatCmp>::Equals<Size<L>>: SameCount<Size<ValuesOf>, Size<L>>,
{
    #[inline(always)]
    fn store(of: &Accumulator<L>, to: &Tensor<Shared<f32>, ValuesOf>) {
        transform(&of.view(), to, |value| value);
    }
    #[inline(always)]
    fn load(from: &Tensor<Shared<f32>, ValuesOf>) -> Accumulator<L> {
        let of = Accumulator::new();
        transform(from, &of.view(), |value| value);
        of
    }
}

/// The stages, with barriers for when a stage is full and when it has been read.
#[derive(Clone, Copy)]
pub struct Exchange {
    stages: u32,
    barriers: u32,
}

impl Exchange {
    /// Bytes of a stage.
    const STAGE_BYTES: u32 = 4 * 128 * 32;
    /// Bytes of the stages and of the barriers after them.
    pub const BYTES: u32 = EXCHANGE_STAGES * (Self::STAGE_BYTES + 16);

    /// Returns the stages and barriers from address `at` on.
    ///
    /// # Safety
    /// `at` is a multiple of 8 and names `BYTES` bytes of the CTA's shared memory that nothing else
    /// uses.
    #[inline(always)]
    pub const unsafe fn at(at: u32) -> Self {
        Self {
            stages: at,
            barriers: at + EXCHANGE_STAGES * Self::STAGE_BYTES,
        }
    }
    #[inline(always)]
    const fn full(self, stage: u32) -> u32 {
        self.barriers + 8 * stage
    }
    #[inline(always)]
    const fn empty(self, stage: u32) -> u32 {
        self.barriers + 8 * (EXCHANGE_STAGES + stage)
    }

    /// Initialises the barriers.
    ///
    /// # Safety
    /// One thread of the CTA executes it, once, before a barrier of the CTA.
    #[inline(always)]
    pub unsafe fn init(self) {
        // SAFETY: nothing else uses the barriers' bytes (`at`), and the barriers are used only
        // after the CTA's barrier.
        unsafe {
            unroll::<{ EXCHANGE_STAGES as usize }>(|stage| {
                mbarrier_init(self.full(stage as u32), WARP_GROUP);
                mbarrier_init(self.empty(stage as u32), WARP_GROUP);
            });
        }
        fence_mbarrier_init();
    }

    /// Returns this thread's values in a stage.
    ///
    /// # Safety
    /// The conditions are those of [`send`](Self::send) or [`receive`](Self::receive).
    #[inline(always)]
    unsafe fn values(self, stage: u32) -> Tensor<Shared<f32>, ValuesOf> {
        // SAFETY: a stage has the bytes of its layout, by `at`'s contract; `send` and `receive`
        // wait before they access it.
        let all: Tensor<Shared<f32>, Exchanged> =
            unsafe { Tensor::shared(self.stages + stage * Self::STAGE_BYTES) }; // (thread,value)
        all.slice((thread_in_group(), __)) // (value)
    }

    /// Sends a block's probabilities to the other group.
    ///
    /// # Safety
    /// The whole group of dV executes it for each block, after [`init`](Self::init), with its own
    /// producer state.
    #[inline(always)]
    pub unsafe fn send<L: ExchangedScores>(
        self,
        state: &PipelineState<EXCHANGE_STAGES>,
        probabilities: &Accumulator<L>,
    ) {
        // SAFETY: the wait for `empty` ends when the stage has been read. Each thread writes its
        // own values, before its arrival.
        unsafe {
            mbarrier_wait(self.empty(state.stage()), state.phase());
            L::store(probabilities, &self.values(state.stage()));
            mbarrier_arrive(self.full(state.stage()));
        }
    }

    /// Receives a block's probabilities from the other group.
    ///
    /// # Safety
    /// The whole group of dK executes it for each block, after [`init`](Self::init), with its own
    /// consumer state.
    #[inline(always)]
    pub unsafe fn receive<L: ExchangedScores>(
        self,
        state: &PipelineState<EXCHANGE_STAGES>,
    ) -> Accumulator<L> {
        // SAFETY: the wait for `full` ends when the stage is written. Each thread arrives after its
        // loads.
        unsafe {
            mbarrier_wait(self.full(state.stage()), state.phase());
            let probabilities = L::load(&self.values(state.stage()));
            mbarrier_arrive(self.empty(state.stage()));
            probabilities
        }
    }
}

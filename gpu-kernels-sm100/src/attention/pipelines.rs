//! Who waits for whom.
//!
//! ```text
//!   load    ─ q, k, v ───►  MMA           bytes ─ commit               stages of Q (one a tile), K and V in shared memory
//!   MMA     ─ scores ────►  softmax       commit ─ four warps          S is there ─ P is there, over S
//!   MMA     ─ outputs ───►  correction    commit ─ four warps          P V is done ─ O is corrected, or stored
//!   softmax ─ corrections ► correction    four warps ─ four warps      what rows of O are multiplied with ─ it is read
//! ```
//!
//! Law: S of the next block is written behind the product that reads P of this one: both are the
//! MMA thread's, which issues them in this order. O is added to behind its correction, and
//! corrected behind the product before. A tile's first product replaces O, behind the store of the
//! tile before.

use super::config::GROUP_WARPS;
use layout_types::algorithm::pipeline_async::PipelineAsync;
use layout_types::algorithm::pipeline_umma::{GroupPlace, PipelineTmaUmmaAsync, PipelineUmmaAsync};
use layout_types::atom::tmem::fragment::OneSm;
use layout_types::unroll::unroll;

/// Stages of one operand that the MMA warp reads.
pub type OperandPipeline<const STAGES: u32> = PipelineTmaUmmaAsync<STAGES, OneSm>;
/// What the MMA warp writes into tensor memory for four warps.
pub type TmemPipeline = PipelineUmmaAsync<1, GROUP_WARPS, OneSm>;
/// What a softmax group writes for the correction group.
pub type CorrectionPipeline = PipelineAsync<1, GROUP_WARPS, GROUP_WARPS>;

/// Bytes of the barriers of a stage of K and of V.
pub const KV_BARRIERS: u32 = 2 * OperandPipeline::<1>::BYTES;

/// All pipelines of a CTA.
#[derive(Clone, Copy)]
pub struct Pipelines<const STAGES: u32> {
    /// Q's: a stage for each of the two tiles.
    pub q: OperandPipeline<2>,
    /// K's.
    pub k: OperandPipeline<STAGES>,
    /// V's.
    pub v: OperandPipeline<STAGES>,
    /// S and P of each tile.
    pub scores: [TmemPipeline; 2],
    /// O of each tile.
    pub outputs: [TmemPipeline; 2],
    /// The corrections of each tile.
    pub corrections: [CorrectionPipeline; 2],
}

impl<const STAGES: u32> Pipelines<STAGES> {
    /// Bytes of the barriers.
    pub const BYTES: u32 = OperandPipeline::<2>::BYTES
        + 2 * (OperandPipeline::<STAGES>::BYTES
            + 2 * TmemPipeline::BYTES
            + CorrectionPipeline::BYTES);

    /// The pipelines whose barriers are at `barriers`.
    ///
    /// # Safety
    /// `barriers` is a multiple of 8 and names [`BYTES`](Self::BYTES) bytes of the CTA's shared
    /// memory that nothing else uses.
    #[inline(always)]
    pub unsafe fn at(barriers: u32) -> Self {
        let cta = GroupPlace::of_this_cta();
        let k = barriers + OperandPipeline::<2>::BYTES;
        let v = k + OperandPipeline::<STAGES>::BYTES;
        let scores = v + OperandPipeline::<STAGES>::BYTES;
        let outputs = scores + 2 * TmemPipeline::BYTES;
        let corrections = outputs + 2 * TmemPipeline::BYTES;
        // SAFETY: the barriers are one behind the other in the caller's `BYTES` bytes.
        unsafe {
            Self {
                q: PipelineTmaUmmaAsync::at(barriers, cta),
                k: PipelineTmaUmmaAsync::at(k, cta),
                v: PipelineTmaUmmaAsync::at(v, cta),
                scores: [
                    PipelineUmmaAsync::at(scores, cta),
                    PipelineUmmaAsync::at(scores + TmemPipeline::BYTES, cta),
                ],
                outputs: [
                    PipelineUmmaAsync::at(outputs, cta),
                    PipelineUmmaAsync::at(outputs + TmemPipeline::BYTES, cta),
                ],
                corrections: [
                    PipelineAsync::at(corrections),
                    PipelineAsync::at(corrections + CorrectionPipeline::BYTES),
                ],
            }
        }
    }

    /// Initialises all barriers.
    ///
    /// # Safety
    /// One thread of the CTA executes it, once, before a barrier of all threads.
    #[inline(always)]
    pub unsafe fn init(self) {
        // SAFETY: the caller guarantees that one thread executes this, once, before a barrier of
        // the CTA that all threads of the pipelines come to.
        unsafe {
            self.q.init();
            self.k.init();
            self.v.init();
            unroll::<2>(|tile| {
                self.scores[tile].init();
                self.outputs[tile].init();
                self.corrections[tile].init();
            });
        }
    }
}

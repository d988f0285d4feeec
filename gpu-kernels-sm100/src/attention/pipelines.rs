//! The pipelines, which say which role waits for which.
//!
//! ```text
//!   load    ─ q, k, v ───►  MMA           bytes ─ commit               stages of Q (one a tile), K and V in shared memory
//!   MMA     ─ scores ────►  softmax       commit ─ four warps          S is there ─ P is there, over S
//!   MMA     ─ outputs ───►  correction    commit ─ four warps          P V is done ─ O is corrected, or stored
//!   softmax ─ corrections ► correction    four warps ─ four warps      the factors of O's rows are there ─ they are read
//! ```
//!
//! Law: the MMA thread issues the product that writes S of the next block after the product that
//! reads P of this block. A product is added to O after O's correction, and O is corrected after
//! the previous product. A tile's first product replaces O, after the previous tile was stored.

use super::config::GROUP_WARPS;
use layout_types::algorithm::pipeline_async::PipelineAsync;
use layout_types::algorithm::pipeline_umma::{GroupPlace, PipelineTmaUmmaAsync, PipelineUmmaAsync};
use layout_types::atom::tmem::fragment::OneSm;
use layout_types::unroll::unroll;

/// The pipeline of one operand's stages, which the MMA warp reads.
pub type OperandPipeline<const STAGES: u32> = PipelineTmaUmmaAsync<STAGES, OneSm>;
/// The pipeline of results that the MMA warp writes to tensor memory for four warps.
pub type TmemPipeline = PipelineUmmaAsync<1, GROUP_WARPS, OneSm>;
/// The pipeline of numbers that a softmax group writes for the correction group.
pub type CorrectionPipeline = PipelineAsync<1, GROUP_WARPS, GROUP_WARPS>;

/// The number of bytes in the barriers for one stage of both K and V.
pub const KV_BARRIERS: u32 = 2 * OperandPipeline::<1>::BYTES;

/// All pipelines of a CTA.
#[derive(Clone, Copy)]
pub struct Pipelines<const STAGES: u32> {
    /// The pipeline of Q, which has a stage for each of the two tiles.
    pub q: OperandPipeline<2>,
    /// The pipeline of K.
    pub k: OperandPipeline<STAGES>,
    /// The pipeline of V.
    pub v: OperandPipeline<STAGES>,
    /// The pipelines of S and P of each tile.
    pub scores: [TmemPipeline; 2],
    /// The pipelines of O of each tile.
    pub outputs: [TmemPipeline; 2],
    /// The pipelines of the corrections of each tile.
    pub corrections: [CorrectionPipeline; 2],
}

impl<const STAGES: u32> Pipelines<STAGES> {
    /// The number of bytes of the barriers.
    pub const BYTES: u32 = OperandPipeline::<2>::BYTES
        + 2 * (OperandPipeline::<STAGES>::BYTES
            + 2 * TmemPipeline::BYTES
            + CorrectionPipeline::BYTES);

    /// Returns the pipelines whose barriers begin at `barriers`.
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
        // SAFETY: the barriers follow one another in the caller's `BYTES` bytes.
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
        // SAFETY: by the function's contract one thread executes this, once, before a barrier of
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

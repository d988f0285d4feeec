//! The tensors and fragments of a thread that computes a tile.
//!
//! ```text
//!   stages ─ load_fragments ─► r_a, r_b ─ mma ─► accumulator
//! ```
//!
//! Law: `mma` adds the products of the k block that `load_fragments` loaded to the accumulator.

use super::config::{AccumulatorOf, GemmKernel};
use super::mainloop::{Bits, Operand, StagesOf};
use layout_types::algorithm::k_block::{LoadKBlock, MultiplyKBlock};
use layout_types::tensor::{Fragment, Shared, Tensor};
use layout_types::tiled::{OperandA, OperandB};

/// A thread's part of an operand's stages, partitioned for reads by `Load`: `(CPY, CPY_M, CPY_K,
/// stage)`.
type StagesSource<O, Load, V, L, R> =
    Tensor<Shared<Bits<O>>, <Load as LoadKBlock<Bits<O>, <O as Operand>::Stages, V, L, R>>::Source>;

/// A thread's tensors and fragments.
pub struct Collective<C: GemmKernel> {
    t_sa: StagesSource<C::A, C::S2rA, C::Value, C::FragmentA, OperandA>,
    t_sb: StagesSource<C::B, C::S2rB, C::Value, C::FragmentB, OperandB>,
    r_a: Fragment<C::Value, C::FragmentA, OperandA>,
    r_b: Fragment<C::Value, C::FragmentB, OperandB>,
    /// The accumulator.
    pub accumulator: AccumulatorOf<C>,
}

impl<C: GemmKernel> Collective<C> {
    /// Returns thread `thread`'s tensors and fragments; the accumulator is zero.
    #[inline(always)]
    pub fn new(thread: u32, a: &StagesOf<C::A>, b: &StagesOf<C::B>) -> Self {
        Self {
            t_sa: C::S2rA::partition_stages(a, thread),
            t_sb: C::S2rB::partition_stages(b, thread),
            r_a: Fragment::new(),
            r_b: Fragment::new(),
            accumulator: Fragment::new(),
        }
    }
    /// Loads the fragments of k block `k_block` from stage `stage`.
    ///
    /// # Safety
    /// All lanes of each warp execute it; the stage is complete, and nothing writes it before the
    /// next barrier.
    #[inline(always)]
    pub unsafe fn load_fragments(&self, k_block: u32, stage: u32) {
        // SAFETY: the caller brings all lanes of each warp, and keeps the stage complete until the
        // next barrier.
        unsafe {
            C::S2rA::load_k_block(&self.t_sa, &self.r_a, k_block, stage);
            C::S2rB::load_k_block(&self.t_sb, &self.r_b, k_block, stage);
        }
    }
    /// Adds the products of k block `k_block` to the accumulator.
    ///
    /// # Safety
    /// All lanes of each warp execute it.
    #[inline(always)]
    pub unsafe fn mma(&self, k_block: u32) {
        if let Some(prepare) = C::PREPARE {
            C::S2rA::transform_k_block(&self.r_a, k_block, prepare);
            C::S2rB::transform_k_block(&self.r_b, k_block, prepare);
        }
        // SAFETY: the caller brings all lanes of each warp.
        unsafe { C::Mma::multiply_k_block(&self.r_a, &self.r_b, &self.accumulator, k_block) };
    }
}

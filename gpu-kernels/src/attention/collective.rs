//! The tensors and fragments of a thread that computes a tile of queries, and the two products.
//!
//! ```text
//!   Q, K ─ ldmatrix ─► fragments ─ mma ─► scores            V ─ ldmatrix.trans ─► fragments ─ mma with probabilities ─► output
//! ```
//!
//! Law: the fragments of the next k block are loaded while those of the current k block are
//! multiplied.

use super::config::*;
use crate::gemm::mainloop::{LoadedOperand, Loader, MatrixOf, OperandLoader, StagesOf};
use cuda_std::shared::dynamic_shared_offset;
use layout_types::algorithm::k_block::{LoadKBlock, MultiplyKBlock};
use layout_types::arch::mov::thread_here;
use layout_types::tensor::{Fragment, Tensor};
use layout_types::unroll::unroll_type;
use typenum::Unsigned;

/// Begins to copy the rows from `row` on of a matrix to a stage.
///
/// # Safety
/// The conditions are those of [`OperandLoader::begin_load`], or of
/// [`begin_load_unpredicated`](OperandLoader::begin_load_unpredicated).
#[inline(always)]
unsafe fn load<O: LoadedOperand>(
    from: MatrixOf<O>,
    stages: &StagesOf<O>,
    row: u32,
    stage: u32,
    predicated: bool,
) {
    let mut loader = Loader::<O>::new(from.offset_by([row, 0]), stages, (0, 0), thread_here());
    // SAFETY: the caller keeps the matrix readable and the stage free, and `predicated` is false
    // only if all rows exist.
    unsafe {
        if predicated {
            loader.begin_load(0, stage);
        } else {
            loader.begin_load_unpredicated(0, stage);
        }
    }
}

/// A thread's tensors.
pub struct AttentionCollective<C: MultistageAttentionKernel> {
    s_q: QueryStages<C>,  // (M,D,1)
    s_k: KeyStages<C>,    // (N,D,stages)
    s_v: FilledStages<C>, // (N,D,stages)
    t_sq: QuerySource<C>, // (CPY,CPY_M,D/16,1)
    t_sk: KeySource<C>,   // (CPY,CPY_N,D/16,stages)
    t_sv: ValueSource<C>, // (CPY,CPY_D,N/16,stages)
}

impl<C: MultistageAttentionKernel> AttentionCollective<C> {
    /// Returns thread `thread`'s tensors.
    ///
    /// # Safety
    /// The launch has `SHARED_BYTES` of dynamic shared memory.
    #[inline(always)]
    pub unsafe fn new(thread: u32) -> Self {
        let shared = dynamic_shared_offset();
        // SAFETY: the offsets leave each operand its bytes within `SHARED_BYTES`, by their
        // definition.
        unsafe { Self::at(thread, [shared, shared + C::K_OFFSET, shared + C::V_OFFSET]) }
    }

    /// Returns thread `thread`'s tensors at these places in shared memory. K and V may have the
    /// same place, which is then a block that both products read.
    ///
    /// # Safety
    /// From each place on there is shared memory for the stages of its operand.
    #[inline(always)]
    pub unsafe fn at(thread: u32, [q, k, v]: [u32; 3]) -> Self {
        // SAFETY: each operand has its bytes, by the function's contract. Each configuration
        // asserts that `SmemV` has the places of K's stages. The mainloop's barriers order a
        // stage's writers before its readers.
        unsafe {
            let s_q = Tensor::shared(q);
            let s_k = Tensor::shared(k);
            let s_v = Tensor::shared(v);
            let read_v: ValueStages<C> = Tensor::shared(v); // (D,N,stages)
            Self {
                s_q,
                s_k,
                s_v,
                t_sq: C::S2rQ::partition_stages(&s_q, thread),
                t_sk: C::S2rK::partition_stages(&s_k, thread),
                t_sv: C::S2rV::partition_stages(&read_v, thread),
            }
        }
    }

    /// Begins to copy the tile of Q from row `row` on. Rows after the last become zeros.
    ///
    /// # Safety
    /// The matrix is readable. Nothing reads the tile before a wait for the copy and a barrier
    /// after it.
    #[inline(always)]
    pub unsafe fn load_q(&self, q: MatrixOf<C::Q>, row: u32) {
        // SAFETY: the caller keeps the matrix readable and the tile free.
        unsafe { load::<C::Q>(q, &self.s_q, row, 0, true) }
    }
    /// Begins to copy the block of K from row `key` on to a stage. If `predicated`, rows after the
    /// last become zeros.
    ///
    /// # Safety
    /// The conditions are those of [`load_q`](Self::load_q), for the stage. If not `predicated`,
    /// the block has no row after the last.
    #[inline(always)]
    pub unsafe fn load_k(&self, k: MatrixOf<C::K>, key: u32, stage: u32, predicated: bool) {
        // SAFETY: the caller keeps the matrix readable and the stage free, and `predicated` is
        // false only if all rows exist.
        unsafe { load::<C::K>(k, &self.s_k, key, stage, predicated) }
    }
    /// Does for V what [`load_k`](Self::load_k) does for K.
    ///
    /// # Safety
    /// The conditions are those of [`load_k`](Self::load_k).
    #[inline(always)]
    pub unsafe fn load_v(&self, v: MatrixOf<C::V>, key: u32, stage: u32, predicated: bool) {
        // SAFETY: the caller keeps the matrix readable and the stage free, and `predicated` is
        // false only if all rows exist.
        unsafe { load::<C::V>(v, &self.s_v, key, stage, predicated) }
    }

    /// Loads the whole fragment of Q.
    ///
    /// # Safety
    /// Whole warps execute it; the tile of Q is complete.
    #[inline(always)]
    pub unsafe fn load_fragment_q(&self, r_q: &QueryFragment<C>) {
        // SAFETY: the caller brings whole warps, and the tile is complete.
        unroll_type::<C::BlocksOfD>(|k| unsafe {
            C::S2rQ::load_k_block(&self.t_sq, r_q, k as u32, 0);
        });
    }

    /// Computes S = Q Kᵀ for a stage of K.
    ///
    /// # Safety
    /// Whole warps execute it; the tile of Q and the stage are complete, and nothing writes them
    /// before the next barrier.
    #[inline(always)]
    pub unsafe fn scores(&self, r_q: &QueryFragment<C>, stage: u32) -> ScoreFragment<C> {
        let scores = Fragment::new();
        let r_k = KeyFragment::<C>::new();
        let (t_sq, t_sk) = (self.t_sq.here(), self.t_sk.here());
        // SAFETY: the caller brings whole warps, and keeps tile and stage complete.
        let load = |k: u32| unsafe {
            if !C::Q_IN_REGISTERS {
                C::S2rQ::load_k_block(&t_sq, r_q, k, 0);
            }
            C::S2rK::load_k_block(&t_sk, &r_k, k, stage);
        };
        unroll_type::<C::BlocksOfD>(|k| {
            let k = k as u32;
            load(k);
            // SAFETY: the caller brings whole warps.
            unsafe { C::Mma::multiply_k_block(r_q, &r_k, &scores, k) };
        });
        scores
    }

    /// Computes O += P V for a stage of V.
    ///
    /// # Safety
    /// Whole warps execute it; the stage is complete, and nothing writes it before the next
    /// barrier.
    #[inline(always)]
    pub unsafe fn add_values(
        &self,
        probabilities: &ProbabilityFragment<C>,
        output: &OutputFragment<C>,
        stage: u32,
    ) {
        let r_v = ValueFragment::<C>::new();
        let t_sv = self.t_sv.here();
        // SAFETY: the caller brings whole warps, and keeps the stage complete.
        let load = |k: u32| unsafe { C::S2rV::load_k_block(&t_sv, &r_v, k, stage) };
        load(0);
        unroll_type::<C::BlocksOfN>(|k| {
            let k = k as u32;
            if k + 1 < C::BlocksOfN::U32 {
                load(k + 1);
            }
            // SAFETY: the caller brings whole warps.
            unsafe { C::Mma::multiply_k_block(probabilities, &r_v, output, k) };
        });
    }
}

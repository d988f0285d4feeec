//! The mainloop's two threads: one thread loads, the other issues all products.
//!
//! ```text
//!   load   Q0 K0 Q1 V0 K1 V1 K2 ..
//!   MMA    S0 = Q0 K0ᵀ   S1 = Q1 K0ᵀ  │  O0 += P0 V0   S0 = Q0 K1ᵀ   O1 += P1 V0   S1 = Q1 K1ᵀ  │  ..  │  O0 += P0 Vn   O1 += P1 Vn
//! ```
//!
//! Law: a stage is free when the products that read it are complete. The products of a tile are
//! added in the order of its blocks; the first product replaces the previous contents of O.

use super::config::{
    AttentionConfig, BlockOfP, LayoutOfO, LayoutOfP, LayoutOfS, Q_TILES, ROWS, columns,
};
use super::pipelines::Pipelines;
use super::problem::{CtaProblem, TileOf};
use gpu_kernels_sm90::attention::sequences::{Place, Sequences};
use gpu_kernels_sm90::attention::tile_scheduler::TileAt;
use gpu_kernels_sm90::attention::tiles::{LoadK, LoadQ, LoadV, OperandTiles, Smem};
use layout_types::algorithm::pipeline_tma::PipelineState;
use layout_types::arch::copy_sm90_tma::TensorMap;
use layout_types::arch::mov::here;
use layout_types::atom::mma::{MajorK, MajorMn, TmemA, UmmaPlainOp};
use layout_types::atom::tmem::allocation::TmemAllocation;
use layout_types::atom::tmem::fragment::OneSm;
use layout_types::atom::umma::UmmaOperand;
use layout_types::tensor::{Tensor, Tmem};
use layout_types::typenum::{U128, U512};
use layout_types::unroll::unroll;

/// Loads Q of all tiles of the CTA, and K and V of their blocks.
///
/// # Safety
/// One thread of the CTA executes it, after the initialisation of the barriers. The maps have the
/// configuration's boxes, and `shared` is the CTA's dynamic shared memory of `SHARED_BYTES`,
/// aligned to 1024 bytes.
#[inline(always)]
pub unsafe fn load<C: AttentionConfig, const STAGES: u32>(
    problem: CtaProblem<'_, C>,
    pipelines: Pipelines<STAGES>,
    shared: u32,
    [map_q, map_k, map_v]: [&TensorMap; 3],
) {
    let mut tiles = Default::default();
    let mut of_q = PipelineState::<Q_TILES>::producer();
    let mut of_k = PipelineState::<STAGES>::producer();
    let mut of_v = PipelineState::<STAGES>::producer();
    let sequences = problem.sequences;
    let smem = || {
        // SAFETY: the caller guarantees that the launch has the plan's shared memory from `shared`
        // on, in which the stages lie.
        unsafe { Smem::<C>::at(here(shared)) }
    };
    let mut load_q = |tile: TileOf<C>, place: Place| {
        let tile = TileAt {
            row: tile.row + ROWS * of_q.stage(),
            ..tile
        };
        // SAFETY: only this thread uses the state, and the copy has the bytes that the stage's
        // barrier expects.
        unsafe {
            let full = pipelines.q.producer_acquire(&of_q, LoadQ::<C>::BYTES);
            sequences.load_q(map_q, (tile, place), &smem(), (of_q.stage(), full));
        }
        of_q.advance();
    };
    let mut load_k = |tile, place, key| {
        // SAFETY: only this thread loads K and uses this state, and the copy has the bytes that the
        // stage's barrier expects.
        unsafe {
            let full = pipelines.k.producer_acquire(&of_k, LoadK::<C>::BYTES);
            sequences.load_k(map_k, (tile, place, key), &smem(), (of_k.stage(), full));
        }
        of_k.advance();
    };
    let mut load_v = |tile, place, key| {
        // SAFETY: only this thread loads V and uses this state, and the copy has the bytes that the
        // stage's barrier expects.
        unsafe {
            let full = pipelines.v.producer_acquire(&of_v, LoadV::<C>::BYTES);
            sequences.load_v(map_v, (tile, place, key), &smem(), (of_v.stage(), full));
        }
        of_v.advance();
    };
    while let Some(tile) = problem.next(&mut tiles) {
        let blocks = problem.blocks(tile);
        let place = sequences.place(problem.params, tile);
        let mut i = 0;
        while i < blocks.count {
            let key = blocks.key(i, ROWS);
            if i == 0 {
                load_q(tile, place);
            }
            load_k(tile, place, key);
            if i == 0 {
                load_q(tile, place);
            }
            load_v(tile, place, key);
            i += 1;
        }
    }
    // If the CTA ended earlier, commits that are still outstanding would arrive at barriers that no
    // longer exist.
    // SAFETY: only this thread uses the states, and it has issued its last loads.
    unsafe {
        pipelines.q.producer_tail(&mut of_q);
        pipelines.k.producer_tail(&mut of_k);
        pipelines.v.producer_tail(&mut of_v);
    }
}

/// Q's stages as operands of `tcgen05.mma`.
type OperandQ<C> =
    UmmaOperand<<C as OperandTiles>::SmemQ, <C as OperandTiles>::Element, MajorK, U128>;
/// K's stages as operands of `tcgen05.mma`.
type OperandK<C> =
    UmmaOperand<<C as OperandTiles>::SmemK, <C as OperandTiles>::Element, MajorK, U128>;
/// V's stages as operands of `tcgen05.mma`.
type OperandV<C> = UmmaOperand<
    <C as OperandTiles>::SmemV,
    <C as OperandTiles>::Element,
    MajorMn,
    <C as AttentionConfig>::Dim,
>;
/// The number of elements of an instruction along k.
const K_BLOCK: u32 = 16;
/// The number of columns that a k block of P takes, with two elements in each column.
const COLUMNS_OF_BLOCK: u32 = K_BLOCK / 2;

/// The CTA's tensor memory.
pub type Columns = TmemAllocation<U512, OneSm>;

/// The addresses of S, P and O of the two tiles.
#[derive(Clone, Copy)]
pub struct TmemTiles {
    /// The addresses of S.
    pub scores: [u32; 2],
    /// The addresses of P.
    pub probabilities: [u32; 2],
    /// The addresses of O.
    pub outputs: [u32; 2],
}

impl TmemTiles {
    /// Returns the addresses for a configuration. A tensor that exceeds the allocation does not
    /// compile.
    #[inline(always)]
    pub fn of<C: AttentionConfig>(of: Columns) -> Self {
        use columns::{O, P, S};
        Self {
            scores: [
                of.tensor::<f32, LayoutOfS<C>, { S[0] }>().address(),
                of.tensor::<f32, LayoutOfS<C>, { S[1] }>().address(),
            ],
            probabilities: [
                of.tensor::<C::Element, LayoutOfP<C>, { P[0] }>().address(),
                of.tensor::<C::Element, LayoutOfP<C>, { P[1] }>().address(),
            ],
            outputs: [
                of.tensor::<f32, LayoutOfO<C>, { O[0] }>().address(),
                of.tensor::<f32, LayoutOfO<C>, { O[1] }>().address(),
            ],
        }
    }
}

/// Issues the products of all tiles of the CTA.
///
/// # Safety
/// One thread of the CTA executes it, elected once for all its products, after the barriers are
/// initialised. `shared` is the same as for [`load`], and `tmem` belongs to the CTA's allocation.
#[inline(always)]
pub unsafe fn multiply<C: AttentionConfig, const STAGES: u32>(
    problem: CtaProblem<'_, C>,
    pipelines: Pipelines<STAGES>,
    shared: u32,
    tmem: TmemTiles,
) {
    let mut tiles = Default::default();
    let mut of_q = PipelineState::<Q_TILES>::consumer();
    let mut of_k = PipelineState::<STAGES>::consumer();
    let mut of_v = PipelineState::<STAGES>::consumer();
    let mut of_scores = [PipelineState::<1>::producer(); 2];
    let mut of_outputs = [PipelineState::<1>::producer(); 2];
    // Computes S for a tile and the block of K that is full. Addresses are computed again for each
    // product, because the thread has no registers for the descriptors of all k blocks.
    let issue_scores = |t: usize, stage: u32| {
        // SAFETY: S is within the allocation, by `TmemTiles::of`.
        let s = unsafe { Tensor::<Tmem<f32>, LayoutOfS<C>>::tmem(tmem.scores[t]) };
        let shared = here(shared);
        let q = OperandQ::<C>::descriptor(shared, (0, 0), t as u32);
        let k = OperandK::<C>::descriptor(shared + C::OFFSET_OF_K, (0, 0), stage);
        let mut block = 0;
        while block < const { C::DIM / K_BLOCK } {
            let q = q.advance(OperandQ::<C>::offset((0, block), 0));
            let k = k.advance(OperandK::<C>::offset((0, block), 0));
            // SAFETY: one thread is here, after the waits for both stages. S is free, because the
            // previous product has read P, which overlaps S.
            unsafe { C::QkAtom::fma(&s, q, k, u32::from(block > 0)) };
            block += 1;
        }
    };
    // Adds P V to a tile's O, for the block of V that is full.
    let issue_output = |t: usize, stage: u32, adds: u32| {
        // SAFETY: O is within the allocation, by `TmemTiles::of`.
        let o = unsafe { Tensor::<Tmem<f32>, LayoutOfO<C>>::tmem(tmem.outputs[t]) };
        let v = OperandV::<C>::descriptor(here(shared) + C::OFFSET_OF_V, (0, 0), stage);
        let p = here(tmem.probabilities[t]);
        let mut block = 0;
        while block < const { ROWS / K_BLOCK } {
            let at = p + COLUMNS_OF_BLOCK * block;
            let v = v.advance(OperandV::<C>::offset((0, block), 0));
            // SAFETY: one thread is here, after the wait for the stage. After the waits for their
            // warps, P is written, and O is corrected or stored. P is within the allocation, by
            // `TmemTiles::of`.
            unsafe {
                let p = Tensor::<Tmem<C::Element>, BlockOfP<C>>::tmem(at);
                let p = TmemA::<C::PvAtom>::of(&p);
                C::PvAtom::fma(&o, p, v, adds | u32::from(block > 0));
            }
            block += 1;
        }
    };
    while let Some(tile) = problem.next(&mut tiles) {
        let count = problem.blocks(tile).count;
        // SAFETY: only this thread uses the states, and it commits only its own products. Stages
        // are released after the last product that reads them.
        unsafe {
            let mut read = of_q;
            pipelines.k.consumer_wait(&of_k);
            unroll::<2>(|t| {
                pipelines.q.consumer_wait(&of_q);
                issue_scores(t, of_k.stage());
                pipelines.scores[t].producer_commit(&of_scores[t]);
                of_scores[t].advance();
                of_q.advance();
            });
            pipelines.k.consumer_release(&of_k);
            of_k.advance();
            let mut i = 0;
            while i < count {
                let is_last = i + 1 == count;
                if !is_last {
                    pipelines.k.consumer_wait(&of_k);
                }
                pipelines.v.consumer_wait(&of_v);
                unroll::<2>(|t| {
                    // Waits until P is written.
                    pipelines.scores[t].producer_acquire(&of_scores[t]);
                    pipelines.outputs[t].producer_acquire(&of_outputs[t]);
                    issue_output(t, of_v.stage(), u32::from(i > 0));
                    pipelines.outputs[t].producer_commit(&of_outputs[t]);
                    of_outputs[t].advance();
                    if !is_last {
                        issue_scores(t, of_k.stage());
                        pipelines.scores[t].producer_commit(&of_scores[t]);
                        of_scores[t].advance();
                    }
                });
                pipelines.v.consumer_release(&of_v);
                of_v.advance();
                if !is_last {
                    pipelines.k.consumer_release(&of_k);
                    of_k.advance();
                }
                i += 1;
            }
            unroll::<2>(|_| {
                pipelines.q.consumer_release(&read);
                read.advance();
            });
        }
    }
}

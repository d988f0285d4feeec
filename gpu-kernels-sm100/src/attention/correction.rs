//! The correction group multiplies the rows of O whose maximum was raised, and stores O.
//!
//! ```text
//!   block 1 ..     wait for the row's correction ─ wait for the product before ─ O: ld, multiply, st, where one of the warp's rows has one
//!   after them     wait for the row's sum and maximum ─ wait for the last product ─ O: ld, divide, round ─► global        and the log-sum-exp
//! ```
//!
//! Law: the group divides O by the sums of the softmax. Each row of the tile that is a query is
//! stored once, other rows are not stored.

use super::config::{AttentionConfig, ROWS, Results};
use super::mainloop::TmemTiles;
use super::pipelines::{Pipelines, TmemPipeline};
use super::problem::{CtaProblem, TileOf};
use super::softmax::{Corrections, first_lane};
use core::borrow::Borrow;
use core::f32::consts::LOG2_E;
use cuda_std::warp::{sync_warp, warp_shuffle_idx, warp_vote_any};
use gpu_kernels::attention::epilogue::store_rows;
use gpu_kernels::attention::softmax::{finished_row, join_sink};
use gpu_kernels_sm90::attention::score::ScoreFunction;
use gpu_kernels_sm90::attention::sequences::Sequences;
use gpu_kernels_sm90::warp_group::thread_in_group;
use kernel_abi::attention::flags;
use layout_types::algorithm::pipeline_tma::PipelineState;
use layout_types::arch::copy_sm100::tmem_wait_stores;
use layout_types::arch::mma_sm100_umma::tcgen05_before_thread_sync;
use layout_types::atom::copy::Sm100_TMEM_LOAD_16dp256b4x as LoadFragment;
use layout_types::atom::copy::Sm100_TMEM_LOAD_32dp32b32x as LoadRow;
use layout_types::atom::copy::Sm100_TMEM_STORE_32dp32b32x as StoreRow;
use layout_types::prelude::*;
use layout_types::tensor::{Tensor, Tmem};
use layout_types::typenum::U1;
use layout_types::unroll::unroll;

/// The number of columns of O that are corrected, or stored, at a time.
const COLUMNS: u32 = 32;
/// The layout of these columns in a warp's 32 lanes, in the order in which a load moves them.
type WordsOfRows = layout!((32,32):(1,65536));
/// The layout of these columns in 16 lanes.
type WordsOfFragment = layout!((32,16):(1,65536));

/// A thread of the correction group. It has one row of each tile.
pub struct CorrectionThread<'a, C: AttentionConfig, const STAGES: u32> {
    problem: CtaProblem<'a, C>,
    pipelines: Pipelines<STAGES>,
    corrections: Corrections,
    tmem: TmemTiles,
    /// The states of both tiles' pipelines.
    of_corrections: [PipelineState<1>; 2],
    of_outputs: [PipelineState<1>; 2],
}

impl<'a, C: AttentionConfig, const STAGES: u32> CorrectionThread<'a, C, STAGES> {
    /// Returns a thread of the group.
    #[inline(always)]
    pub fn new(
        problem: CtaProblem<'a, C>,
        pipelines: Pipelines<STAGES>,
        corrections: Corrections,
        tmem: TmemTiles,
    ) -> Self {
        Self {
            problem,
            pipelines,
            corrections,
            tmem,
            of_corrections: [PipelineState::consumer(); 2],
            of_outputs: [PipelineState::consumer(); 2],
        }
    }

    /// Receives the two numbers that the row's softmax thread sent for tile `t`.
    ///
    /// # Safety
    /// All four warps execute it, as often as the softmax group sends.
    #[inline(always)]
    unsafe fn receive(&mut self, t: usize) -> [f32; 2] {
        let row = thread_in_group();
        // SAFETY: the numbers were written before the wait ends, and the warp's barrier orders all
        // lanes' reads before the arrival of the first lane.
        unsafe {
            self.pipelines.corrections[t].consumer_wait(&self.of_corrections[t]);
            let numbers = [
                self.corrections.get((row, 0u32, t as u32)),
                self.corrections.get((row, 1u32, t as u32)),
            ];
            sync_warp(u32::MAX);
            let first = u32::from(row.is_multiple_of(32));
            self.pipelines.corrections[t].consumer_release_if(&self.of_corrections[t], first);
            self.of_corrections[t].advance();
            numbers
        }
    }

    /// Gives O of tile `t` back to the MMA thread.
    ///
    /// # Safety
    /// All four warps execute it, after the wait for O and for their accesses of O.
    #[inline(always)]
    unsafe fn release(&mut self, t: usize) {
        let pipeline: TmemPipeline = self.pipelines.outputs[t];
        tcgen05_before_thread_sync();
        let first = u32::from(thread_in_group().is_multiple_of(32));
        // SAFETY: the warp's barrier orders all lanes' accesses before the arrival of the first
        // lane.
        unsafe {
            sync_warp(u32::MAX);
            pipeline.consumer_release_if(&self.of_outputs[t], first);
        }
        self.of_outputs[t].advance();
    }

    /// Multiplies each row of O of tile `t` by its correction.
    ///
    /// # Safety
    /// All four warps execute it, for a block after the tile's first.
    #[inline(always)]
    unsafe fn correct(&mut self, t: usize) {
        // SAFETY: whole warps are here, each with its own lanes. The previous product is complete
        // after the wait, and the MMA thread issues the next one after the release.
        unsafe {
            let [by, _] = self.receive(t);
            self.pipelines.outputs[t].consumer_wait(&self.of_outputs[t]);
            // Most maxima do not change, and then the factor is 1.
            if warp_vote_any(u32::MAX, by != 1.0) {
                let first = self.tmem.outputs[t] + first_lane();
                let mut column = 0;
                while column < C::DIM {
                    let o = Tensor::<Tmem<f32>, WordsOfRows>::tmem(first + column);
                    let mut words = LoadRow::copy(&o).wait();
                    unroll::<{ COLUMNS as usize }>(|i| {
                        words[i] = (f32::from_bits(words[i]) * by).to_bits();
                    });
                    StoreRow::copy(words, &o);
                    column += COLUMNS;
                }
                tmem_wait_stores();
            }
            self.release(t);
        }
    }

    /// Stores O of tile `t`, and the log-sum-exps.
    ///
    /// # Safety
    /// All four warps execute it, after the tile's last block. O and, if the flag says so, the
    /// log-sum-exps are writable as the parameters say.
    #[inline(always)]
    unsafe fn store(&mut self, t: usize, (o, lse): Results<C>, tile: TileOf<C>) {
        let CtaProblem {
            params,
            score,
            sequences,
        } = self.problem;
        // SAFETY: whole warps are here, each with its own lanes, and the last product is complete
        // after the wait. Rows below `queries` are writable by the caller's contract.
        unsafe {
            let [sum, maximum] = self.receive(t);
            let scale = if const { C::Score::IDENTITY } {
                sequences.scale_log2(params, tile)
            } else {
                LOG2_E
            };
            let by = sequences.output_scale(params, tile);
            let mut finished = finished_row((maximum, sum), (scale, 0.0), by);
            if const { C::Score::SINKS } {
                finished = join_sink(finished, score.sink(tile.head));
            }
            let queries = sequences.params(params, tile).borrow().queries;
            let first = tile.row + ROWS * t as u32;
            let row = first + thread_in_group();
            if params.flags & flags::LSE != 0 && row < queries {
                let lse = lse.wrapping_add(sequences.offset_of_lse(params, tile));
                *lse.wrapping_add(row as usize) = finished.1;
            }
            let o = o.wrapping_add(sequences.offset_of_o(params, tile));
            self.pipelines.outputs[t].consumer_wait(&self.of_outputs[t]);
            let (warp, lane) = (thread_in_group() / 32, thread_in_group() % 32);
            let mut half = 0;
            while half < 2 {
                // The two rows that this thread has of the fragment are lanes `lane / 4` and
                // `lane / 4 + 8`.
                let factor = |row: u32| {
                    let of =
                        warp_shuffle_idx(u32::MAX, finished.0, 16 * half + 8 * row + lane / 4, 32);
                    of.0
                };
                let factors = [factor(0), factor(1)];
                let sixteen = 2 * warp + half;
                let from = self.tmem.outputs[t] + ((16 * sixteen) << 16);
                let mut column = 0;
                while column < C::DIM {
                    let of = Tensor::<Tmem<f32>, WordsOfFragment>::tmem(from + column);
                    let mut words = LoadFragment::copy(&of).wait();
                    unroll::<16>(|i| {
                        let by = factors[i / 2 % 2];
                        // If the factor is 0, so is the result, even if O has an infinity or NaN,
                        // which V gives with weights of 0.
                        let value = f32::from_bits(words[i]) * by;
                        words[i] = (if by == 0.0 { 0.0 } else { value }).to_bits();
                    });
                    let pair = |row: u32, block: u32| {
                        let at = (4 * block + 2 * row) as usize;
                        u64::from(words[at]) | u64::from(words[at + 1]) << 32
                    };
                    let of = (queries, COLUMNS, params.row_o);
                    // Four warps of 16 rows store 64.
                    let place = (first / 64 + sixteen / 4, || 32 * (sixteen % 4) + lane);
                    store_rows::<C::Element, U1>(o.wrapping_add(column as usize), of, place, pair);
                    column += COLUMNS;
                }
                half += 1;
            }
            self.release(t);
        }
    }

    /// Corrects and stores O of all tiles of the CTA.
    ///
    /// # Safety
    /// All four warps of the group execute it, after the initialisation of the barriers. O and, if
    /// the flag says so, the log-sum-exps are writable as the parameters say.
    #[inline(always)]
    pub unsafe fn run(&mut self, results: Results<C>) {
        let (problem, mut tiles) = (self.problem, Default::default());
        while let Some(tile) = problem.next(&mut tiles) {
            let count = problem.blocks(tile).count;
            // SAFETY: the whole group is here, and goes through the blocks in the order of the
            // softmax groups.
            unsafe {
                let mut i = 1;
                while i < count {
                    unroll::<2>(|t| self.correct(t));
                    i += 1;
                }
                unroll::<2>(|t| self.store(t, results, tile));
            }
        }
    }
}

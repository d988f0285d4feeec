//! The mainloop: the loads of the producers for a tile, and the computation of a consumer group.
//!
//! ```text
//!   producers   x 0 and x 1, once per tile        y 0 in stages       y 1 in stages       one thread for each column
//!   consumer    S, T issued ─ wait for S ─ P ─ wait for T ─ dS ─ P y 1, dS y 0 issued ─ wait for both ─ stages freed
//! ```
//!
//! Law: a thread releases a stage only when the products that read the stage have ended, and the
//! thread itself has read the values (LSE, δ) in the stage.

use super::super::config::{AttentionConfig, ProbabilitiesOf, STAGES};
use super::super::epilogue::store_rows;
use super::super::fragments::{Accumulator, AccumulatorLayout, OutputProduct, ScoresProduct};
use super::super::pipelines::{ConsumerEnd, Pipelines};
use super::super::score::{DifferentiableScore, ScoreAt, ScoreFunction};
use super::super::sequences::{Place, Sequences};
use super::super::softmax::scale_rows;
use super::super::tile_scheduler::{KeyBlocks, TileAt};
use super::super::value::{ScoreCoordinates, own_key};
use super::config::{GradientConfig, GradientSmem};
use super::gradients::{BlockAt, ScoreGradients, SecondResult, differentiate};
use super::sequences::GradientSequences;
use crate::warp_group::{consumer_thread, first_consumer_thread};
use core::borrow::Borrow;
use core::f32::consts::LOG2_E;
use core::marker::PhantomData;
use kernel_abi::attention::AttentionBackwardParams;
use layout_types::algorithm::pipeline_tma::{PipelineState, PipelineTmaAsync};
use layout_types::algorithm::warpgroup::fence_operand;
use layout_types::arch::mov::here;
use layout_types::tensor::GetSlice;

/// The data that one load copies: a tile's resident tensors, or the block of a streamed head that
/// begins at `row`.
#[derive(Clone, Copy)]
pub struct Block {
    /// The tile.
    pub tile: TileAt,
    /// The place of the tile's sequence in the tensors: the number of rows before the sequence in
    /// the resident and in the streamed tensors, and the batch.
    pub place: Place,
    /// The streamed head, which is in the tile's batch.
    pub head: u32,
    /// The first row, counted in the sequence.
    pub row: u32,
}

impl Block {
    /// Returns the same numbers, but hides them from the compiler. So values that depend on them
    /// are computed again for each block, and no register holds them from block to block.
    #[inline(always)]
    pub fn here(self) -> Self {
        let TileAt {
            row,
            head,
            key_head,
            batch,
            part,
        } = self.tile;
        Self {
            tile: TileAt {
                row: here(row),
                head: here(head),
                key_head: here(key_head),
                batch: here(batch),
                part,
            },
            head: here(self.head),
            ..self
        }
    }
}

/// Fills the stages of a pipeline, of `bytes` bytes each, for all tiles of a CTA. Calls `load` with
/// (block, stage, barrier) once per tile or once per block of each streamed head. `LEAN` needs
/// fewer registers.
///
/// # Safety
/// One thread executes it, on the initialised pipeline. `load` copies `bytes` bytes into the stage,
/// and the barrier counts them.
#[inline(always)]
pub unsafe fn produce<
    C: GradientConfig,
    const STAGES: u32,
    const CONSUMERS: u32,
    const LEAN: bool,
>(
    pipeline: PipelineTmaAsync<STAGES, CONSUMERS>,
    (bytes, once_a_tile): (u32, bool),
    (params, sequences): (&AttentionBackwardParams, C::Sequences),
    load: impl Fn(Block, u32, u32),
) {
    let [rows, streamed] = C::TILE;
    let mut tiles = <C::Sequences as Sequences>::Scheduler::default();
    let mut state = PipelineState::<STAGES>::producer();
    while let Some(tile) = sequences.next(&mut tiles, &params.of, rows) {
        let own = sequences.params(&params.of, tile);
        let blocks = KeyBlocks::of(own.borrow(), tile.row, rows, streamed);
        let place = sequences.place(&params.of, tile);
        let (heads, count) = if once_a_tile {
            (1, 1)
        } else {
            (params.streamed_heads, blocks.count)
        };
        for head in 0..heads {
            let head = tile.key_head * params.streamed_heads + head;
            let mut i = 0;
            while LEAN || i < count {
                let block = Block {
                    tile,
                    place,
                    head,
                    row: tile.row,
                };
                let block = if LEAN { block.here() } else { block };
                let (row, place) = if LEAN {
                    let own = sequences.params(&params.of, block.tile);
                    let blocks = KeyBlocks::of(own.borrow(), block.tile.row, rows, streamed);
                    if i == if once_a_tile { 1 } else { blocks.count } {
                        break;
                    }
                    let row = if once_a_tile {
                        block.tile.row
                    } else {
                        blocks.key(i, streamed)
                    };
                    (row, sequences.place(&params.of, block.tile))
                } else if once_a_tile {
                    (tile.row, place)
                } else {
                    (blocks.key(i, streamed), place)
                };
                // SAFETY: the state is this thread's own, and `kernel::run` passes a `load` that
                // copies `bytes` bytes.
                unsafe { pipeline.producer_acquire(&state, bytes) };
                let stage = state.stage();
                let block = Block {
                    place,
                    row,
                    ..block
                };
                load(block, stage, pipeline.full(stage));
                i += 1;
                state.advance();
            }
        }
    }
}

/// Returns the place of a block's scores, which a score function needs. The block is given by its
/// tile, the index of a head among the tile's streamed heads, and the block's first row in that
/// head.
#[inline(always)]
pub(super) fn block_at<C: GradientConfig>(
    (params, sequences): (&AttentionBackwardParams, C::Sequences),
    (tile, [head, row]): (TileAt, [u32; 2]),
) -> BlockAt {
    let head = if C::OF_KEYS {
        tile.key_head * params.streamed_heads + head
    } else {
        tile.head
    };
    BlockAt {
        first: ScoreAt {
            head,
            ..tile.score_at(row)
        },
        own: if const { C::Score::USES_DISTANCE } {
            own_key(sequences.params(&params.of, tile).borrow())
        } else {
            0
        },
        of_keys: C::OF_KEYS,
    }
}

/// A thread's fragments that a block passes to the next block: the registers of S and T, and the
/// results.
struct Registers<C: GradientConfig> {
    scores: Accumulator<C::Scores>,
    of_p: Accumulator<C::Scores>,
    first: Accumulator<C::Output>,
    second: C::Second,
}

/// A thread of a consumer group. Descriptors and places of values are computed again for each
/// block, so that no register holds them during the mainloop.
pub struct Consumer<'a, C: GradientConfig, const CONSUMERS: u32> {
    params: &'a AttentionBackwardParams,
    score: C::Score,
    sequences: C::Sequences,
    shared: u32,
    group: u32,
    stays: ConsumerEnd<1, CONSUMERS>,
    streamed: (
        ConsumerEnd<STAGES, CONSUMERS>,
        ConsumerEnd<STAGES, CONSUMERS>,
    ),
    of: PhantomData<C>,
}

impl<'a, C: GradientConfig, const CONSUMERS: u32> Consumer<'a, C, CONSUMERS> {
    /// Returns a thread of the consumer group `group`. The tiles begin at the offset `shared` in
    /// shared memory. All threads of a warp pass the same `group`.
    ///
    /// # Safety
    /// The conditions are those of [`GradientSmem::at`].
    #[inline(always)]
    pub unsafe fn new(
        (params, score, sequences): (&'a AttentionBackwardParams, C::Score, C::Sequences),
        pipelines: Pipelines<1, CONSUMERS>,
        shared: u32,
        group: u32,
    ) -> Self {
        Self {
            params,
            score,
            sequences,
            shared,
            group,
            stays: ConsumerEnd::of_each_thread(pipelines.q),
            streamed: (
                ConsumerEnd::of_each_thread(pipelines.k),
                ConsumerEnd::of_each_thread(pipelines.v),
            ),
            of: PhantomData,
        }
    }

    /// Applies the score function to the scores of a block. `at` is the tile, its streamed head and
    /// the row in that head.
    #[inline(always)]
    fn differentiate(
        &self,
        scores_and_derivatives: [&Accumulator<C::Scores>; 2],
        thread: u32,
        at: (TileAt, [u32; 2]),
    ) {
        let at = block_at::<C>((self.params, self.sequences), at);
        let by = (self.params.scale, self.score);
        differentiate::<C::Qk, C::TileS, _, _>(scores_and_derivatives, thread, at, by);
    }

    /// Computes one block and adds it to the results. `at` is the tile, and the streamed head and
    /// row of the first score.
    ///
    /// # Safety
    /// The whole consumer group executes it, after the wait for the resident tensors. The calls are
    /// for the blocks in the order in which the producers load them.
    #[inline(always)]
    unsafe fn step<const MASKED: bool>(
        &mut self,
        registers: Registers<C>,
        (probabilities, gradients): (&ProbabilitiesOf<C>, &ProbabilitiesOf<C>), // ((2,2,2),1,N/16)
        at: (TileAt, [u32; 2]),
    ) -> Registers<C> {
        let Registers {
            scores,
            of_p,
            first,
            second,
        } = registers;
        let thread = consumer_thread();
        let thr_qk = <C as AttentionConfig>::Qk::get_slice(first_consumer_thread(self.group));
        let thr_pv = <C as AttentionConfig>::Pv::get_slice(first_consumer_thread(self.group));
        // SAFETY: the whole group is here: `attend` goes through the blocks with all of its
        // threads. Each `wait` orders the products and the reads of values after the copies into
        // their stage. `release` frees the stage after the `finish` of these products.
        unsafe {
            let smem = GradientSmem::<C>::at(here(self.shared));
            let x = self.stays.state();
            let t_rx = thr_qk.partition_descriptors_a(&smem.stays[0]); // (1,MMA_M,MMA_K,1)
            let t_ry = thr_qk.partition_descriptors_b(&smem.streamed[0]); // (1,MMA_N,MMA_K,stages)
            self.streamed.0.wait();
            let y = (&t_ry, self.streamed.0.state());
            let scores = C::Qk::issue((&t_rx, x), y, scores);
            let t_rx = thr_qk.partition_descriptors_a(&smem.stays[1]); // (1,MMA_M,MMA_K,1)
            let t_ry = thr_qk.partition_descriptors_b(&smem.streamed[1]); // (1,MMA_N,MMA_K,stages)
            self.streamed.1.wait();
            let y = (&t_ry, self.streamed.1.state());
            let of_p = C::Qk::issue((&t_rx, x), y, of_p);
            let smem = GradientSmem::<C>::at(here(self.shared));
            let stage = |of: &PipelineState<STAGES>| if C::OF_KEYS { of.stage() } else { 0 };
            let lse = smem.values(0, stage(self.streamed.0.state()));
            let delta = smem.values(1, stage(self.streamed.1.state()));
            let scores = scores.finish_leaving::<1>();
            let mask = || {
                if MASKED {
                    let (tile, [_, streamed]) = at;
                    let own = self.sequences.params(&self.params.of, tile);
                    C::Qk::mask(&scores, thread, own.borrow(), (tile.row, streamed));
                }
            };
            if const { C::Score::IDENTITY } {
                mask();
                C::Gradients::probabilities(&scores, &lse, thread, self.params.of.scale_log2);
            } else {
                let derivatives = Accumulator::<C::Scores>::new();
                self.differentiate([&scores, &derivatives], thread, at);
                mask();
                C::Gradients::probabilities(&scores, &lse, thread, LOG2_E);
                if const { !C::Score::SHIFTS } {
                    // The second result needs P itself, so P is rounded here. `multiply` then
                    // replaces P by the product of P and the derivatives, which dS needs.
                    C::Pv::round(&scores, probabilities);
                    C::Gradients::multiply(&derivatives, &scores);
                }
            }
            fence_operand(&scores);
            let of_p = of_p.finish();
            // dS replaces dP before the roundings below. If P were rounded first, a thread would
            // hold P both in 16 bits and in f32, and it does not have the registers for this.
            C::Gradients::gradients(&scores, &of_p, &delta, thread);
            if const { C::Score::SHIFTS } {
                C::Pv::round(&scores, probabilities);
            }
            C::Pv::round(&of_p, gradients);
            let smem = GradientSmem::<C>::at(here(self.shared));
            let t_rt = thr_pv.partition_descriptors_b(&smem.transposed[1]); // (1,MMA_N,MMA_K,stages)
            let second = second.issue(probabilities, &t_rt, self.streamed.1.state());
            let t_rt = thr_pv.partition_descriptors_b(&smem.transposed[0]); // (1,MMA_N,MMA_K,stages)
            let first = C::Pv::issue(gradients, &t_rt, self.streamed.0.state(), first);
            let second = C::Second::finish_leaving_one(second);
            fence_operand(probabilities);
            self.streamed.1.release();
            let first = first.finish();
            fence_operand(gradients);
            self.streamed.0.release();
            Registers {
                scores,
                of_p,
                first,
                second,
            }
        }
    }

    /// Scales and stores the first result of a tile.
    ///
    /// # Safety
    /// The whole consumer group executes it; the result is writable as the parameters say.
    #[inline(always)]
    unsafe fn store_first(
        &self,
        to: *mut C::OutputElement,
        tile: TileAt,
        first: &Accumulator<C::Output>,
    ) {
        let (of, sequences) = (&self.params.of, self.sequences);
        scale_rows(C::Output::rows(first), [self.params.scale; 2]);
        let queries = sequences.params(of, tile).borrow().queries;
        let to = to.wrapping_add(sequences.offset_of_o(of, tile));
        // SAFETY: `attend` brings the whole group here, and the stored rows are the tile's own.
        unsafe { store_rows::<C>(to, (queries, of.row_o), tile.row, first) };
    }

    /// Computes and stores all tiles of the CTA.
    ///
    /// # Safety
    /// All consumer groups execute it as a whole. The first result is writable as the parameters
    /// say. If the tiles are of keys, the second result is also writable as they say.
    #[inline(always)]
    pub unsafe fn attend(&mut self, results: (*mut C::OutputElement, *mut C::OutputElement)) {
        let [rows, streamed] = C::TILE;
        let of = &self.params.of;
        let sequences = self.sequences;
        let mut tiles = <C::Sequences as Sequences>::Scheduler::default();
        let operands = (&ProbabilitiesOf::<C>::new(), &ProbabilitiesOf::<C>::new());
        let mut registers = Registers::<C> {
            scores: Accumulator::new(),
            of_p: Accumulator::new(),
            first: Accumulator::new(),
            second: C::Second::zeros(),
        };
        while let Some(tile) = sequences.next(&mut tiles, of, rows) {
            registers.first = Accumulator::new();
            registers.second = C::Second::zeros();
            // SAFETY: the whole group is here. Tiles and blocks come in the producers' order. Each
            // stage is released after the waits for it and for the products that read it. The
            // stored rows are the tile's own.
            unsafe {
                self.stays.wait();
                let mut head = 0;
                while head < self.params.streamed_heads {
                    let own = sequences.params(of, tile);
                    let blocks = KeyBlocks::of(own.borrow(), tile.row, rows, streamed);
                    let mut i = 0;
                    while i < blocks.masked {
                        let at = (tile, [head, blocks.key(i, streamed)]);
                        registers = self.step::<true>(registers, operands, at);
                        i += 1;
                    }
                    while i < blocks.count {
                        let at = (tile, [head, blocks.key(i, streamed)]);
                        registers = self.step::<false>(registers, operands, at);
                        i += 1;
                    }
                    head += 1;
                }
                self.stays.release();
                self.store_first(results.0, tile, &registers.first);
                let queries = sequences.params(of, tile).borrow().queries;
                let to = sequences.offset_of_second(self.params, tile);
                let to = results.1.wrapping_add(to);
                let rows = (queries, self.params.row_second);
                registers.second.store(to, rows, tile.row);
                sequences.join();
            }
        }
    }
}

// The mainloop: what the producer loads for a tile of queries, and what a consumer group makes of it.
//
//   producers   Q        K 0 ─ K 1 ─ ..        V 0 ─ V 1 ─ ..      a thread each
//   consumer    S 0 ─ softmax ─┬ S 1 issued ─ P 0 V 0 issued ─ wait for S ─ softmax ─ wait for O ─ correct O ─┬ ..
//                              └─────────────────────────────────────────────────────────────────────────────┘
//               .. P n V n issued ─ S 0 of the next tile issued ─ wait for O ─ store O ─ wait for S ─ softmax ─ ..
//
// Law: a stage is released by each warp behind the wait for the products that read it. P is rounded behind the wait for the products
// that read the P before.

/// The tiles in shared memory.
#[derive(Clone, Copy)]
struct Smem {
    q: Tensor<Shared<T>, SmemQ>,
    k: Tensor<Shared<T>, SmemK>,
    v: Tensor<Shared<T>, SmemV>,
}

/// The pipelines of the three operands.
#[derive(Clone, Copy)]
struct Pipelines {
    q: PipelineTmaAsync<1, WARPS>,
    k: PipelineTmaAsync<STAGES, WARPS>,
    v: PipelineTmaAsync<STAGES, WARPS>,
}

/// Loads Q of all tiles of a CTA.
///
/// # Safety
/// One thread executes it; map and shared memory are as `run` has them.
#[inline(always)]
unsafe fn produce_queries(
    smem: Smem,
    pipelines: Pipelines,
    map: &TensorMap,
    params: &AttentionParams,
) {
    let mut tiles = TileScheduler::default();
    let mut state = PipelineState::producer();
    while let Some(tile) = tiles.next(params, M) {
        let of_queries = (tile.head, tile.batch);
        // SAFETY: the stage is written behind `producer_acquire`, with the bytes that it expects.
        unsafe {
            pipelines.q.producer_acquire(&state, LoadQ::BYTES);
            LoadQ::copy_4d(
                map,
                (tile.row, 0),
                of_queries,
                &smem.q,
                0,
                pipelines.q.full(0),
            );
        }
        state.advance();
    }
}

/// Loads the key blocks of all tiles of a CTA: K or V, of `bytes` a block, by `load` of (first key, (head, batch), stage, barrier).
///
/// # Safety
/// As of `produce_queries`; `load` copies so many bytes.
#[inline(always)]
unsafe fn produce_keys(
    pipeline: PipelineTmaAsync<STAGES, WARPS>,
    bytes: u32,
    params: &AttentionParams,
    load: impl Fn(u32, (u32, u32), u32, u32),
) {
    let mut tiles = TileScheduler::default();
    let mut state = PipelineState::producer();
    while let Some(tile) = tiles.next(params, M) {
        let blocks = KeyBlocks::of(params, tile.row, M, N);
        let mut i = 0;
        while i < blocks.count {
            // SAFETY: the stage is written behind `producer_acquire`, with the bytes that it expects.
            unsafe { pipeline.producer_acquire(&state, bytes) };
            let (stage, of_keys) = (state.stage(), (tile.key_head, tile.batch));
            load(blocks.key(i, N), of_keys, stage, pipeline.full(stage));
            state.advance();
            i += 1;
        }
    }
}

/// A thread of a consumer group.
struct Consumer<'a> {
    params: &'a AttentionParams,
    pipelines: Pipelines,
    group: u32,
    /// 1 in one thread of each warp.
    leader: u32,
    q_state: PipelineState<1>,
    k_state: PipelineState<STAGES>,
    v_state: PipelineState<STAGES>,
    t_rq:
        Tensor<Descriptors<Qk, OperandA>, <Qk as PartitionDescriptors<OperandA, T, SmemQ>>::Starts>,
    t_rk:
        Tensor<Descriptors<Qk, OperandB>, <Qk as PartitionDescriptors<OperandB, T, SmemK>>::Starts>,
    t_rv:
        Tensor<Descriptors<Pv, OperandB>, <Pv as PartitionDescriptors<OperandB, T, SmemV>>::Starts>,
}

/// A thread's part of a row of scores, or of O.
macro_rules! rows {
    ($fragment:expr) => {
        [
            $fragment.slice(((__, 0u32, __), 0u32, 0u32)),
            $fragment.slice(((__, 1u32, __), 0u32, 0u32)),
        ]
    };
}

impl Consumer<'_> {
    /// Waits for this group's turn to issue products.
    #[inline(always)]
    unsafe fn begin_turn(&self) {
        if TURNS {
            // SAFETY: all threads of this group and of the one before come to it.
            unsafe { named_barrier_sync(TURN_BARRIER + self.group, 256) };
        }
    }

    /// Gives the turn to the next group.
    #[inline(always)]
    unsafe fn end_turn(&self) {
        if TURNS {
            let next = if self.group + 1 == GROUPS {
                0
            } else {
                self.group + 1
            };
            // SAFETY: as of `begin_turn`.
            unsafe { named_barrier_arrive(TURN_BARRIER + next, 256) };
        }
    }

    /// Issues S = Q Kᵀ of the next block of keys.
    #[inline(always)]
    unsafe fn issue_scores(&mut self, scores: Scores) -> InFlight<QkAtom, ScoresLayout> {
        // SAFETY: the stage is full, and whole warp groups are here.
        unsafe {
            let mut scores = warpgroup::arrive(Qk::default(), scores);
            let t_rk = self.t_rk.stage(&self.k_state); // (1,MMA_N,MMA_K)
            warpgroup::gemm(Qk::default(), &self.t_rq, &t_rk, &mut scores, 0);
            scores.commit();
            scores
        }
    }

    /// Issues O += P V.
    #[inline(always)]
    unsafe fn issue_output(
        &mut self,
        probabilities: &Probabilities,
        output: Output,
    ) -> InFlight<PvAtom, OutputLayout> {
        // SAFETY: the stage is full, and whole warp groups are here.
        unsafe {
            warpgroup::fence_operand(probabilities);
            let mut output = warpgroup::arrive(Pv::default(), output);
            let t_rv = self.t_rv.stage(&self.v_state); // (1,MMA_N,MMA_K)
            warpgroup::gemm(Pv::default(), &probabilities.view(), &t_rv, &mut output, 1);
            output.commit();
            output
        }
    }

    /// Masks the scores of the block from `key` on where it is `MASKED`, and makes probabilities of them. Returns the rows' corrections.
    #[inline(always)]
    unsafe fn softmax<const MASKED: bool>(
        &self,
        scores: &Scores,
        softmax: &mut Softmax,
        (row, key): (u32, u32),
    ) -> [f32; 2] {
        if MASKED {
            let tile = identity_tensor::<TileS, 2>(); // (M,N)
            let thread = here(thread_idx_x()) - 128;
            let [first_row, first_key] = Qk::get_slice(thread).partition_c(&tile).get(0u32);
            let seen = Seen::from(self.params, row + first_row, key + first_key);
            mask(&scores.view(), &Qk::get_slice(0).partition_c(&tile), seen);
        }
        // SAFETY: whole warps are here.
        unsafe { softmax.update::<MASKED, _>(rows!(scores)) }
    }

    /// One block of keys behind the first: S of this block, P V of the one before.
    #[inline(always)]
    unsafe fn step<const MASKED: bool>(
        &mut self,
        scores: Scores,
        probabilities: &Probabilities,
        output: Output,
        softmax: &mut Softmax,
        at: (u32, u32),
    ) -> (Scores, Output) {
        // SAFETY: the stages are full behind their waits, and released behind those for the products; whole warp groups are here.
        unsafe {
            self.pipelines.k.consumer_wait(&self.k_state);
            self.begin_turn();
            let scores = self.issue_scores(scores);
            self.pipelines.v.consumer_wait(&self.v_state);
            let output = self.issue_output(probabilities, output);
            self.end_turn();
            let scores = scores.finish_leaving::<1>();
            self.pipelines
                .k
                .consumer_release_if(&self.k_state, self.leader);
            self.k_state.advance();
            let corrections = self.softmax::<MASKED>(&scores, softmax, at);
            // The softmax runs under P V: it is not to sink behind the wait.
            warpgroup::fence_operand(&scores);
            let output = output.finish();
            warpgroup::fence_operand(probabilities);
            self.pipelines
                .v
                .consumer_release_if(&self.v_state, self.leader);
            self.v_state.advance();
            scale_rows(rows!(output), corrections);
            round(&scores, probabilities);
            (scores, output)
        }
    }

    /// Waits for Q and the first block of keys of a tile.
    #[inline(always)]
    unsafe fn wait_for_tile(&self) {
        // SAFETY: the states are this thread's.
        unsafe {
            self.pipelines.q.consumer_wait(&self.q_state);
            self.pipelines.k.consumer_wait(&self.k_state);
        }
    }

    /// Makes probabilities of the first scores of the tile from `row` on.
    #[inline(always)]
    unsafe fn begin_tile(
        &mut self,
        scores: &Scores,
        probabilities: &Probabilities,
        row: u32,
        blocks: &KeyBlocks,
    ) -> Softmax {
        let mut softmax = Softmax::new(self.params.scale_log2);
        // SAFETY: the stage's products have ended; whole warps are here.
        unsafe {
            self.pipelines
                .k
                .consumer_release_if(&self.k_state, self.leader);
            self.k_state.advance();
            self.softmax::<true>(scores, &mut softmax, (row, blocks.key(0, N)));
        }
        round(scores, probabilities);
        softmax
    }

    /// Computes and stores all tiles of the CTA.
    ///
    /// # Safety
    /// The whole consumer group executes it; O and, where the flag says so, the log-sum-exp are writable as the parameters say.
    #[inline(always)]
    unsafe fn attend(&mut self, pointers: (*mut T, *mut f32)) {
        let mut tiles = TileScheduler::default();
        let Some(mut tile) = tiles.next(self.params, M) else {
            return;
        };
        let probabilities = Probabilities::new();
        // SAFETY: as of `step`.
        unsafe {
            self.wait_for_tile();
            self.begin_turn();
            let scores = self.issue_scores(Scores::new());
            self.end_turn();
            let mut scores = scores.finish();
            loop {
                let blocks = KeyBlocks::of(self.params, tile.row, M, N);
                let mut softmax = self.begin_tile(&scores, &probabilities, tile.row, &blocks);
                let mut output = Output::new();
                let mut i = 1;
                while i < blocks.masked {
                    let at = (tile.row, blocks.key(i, N));
                    (scores, output) =
                        self.step::<true>(scores, &probabilities, output, &mut softmax, at);
                    i += 1;
                }
                while i < blocks.count {
                    (scores, output) =
                        self.step::<false>(scores, &probabilities, output, &mut softmax, (0, 0));
                    i += 1;
                }
                self.pipelines
                    .q
                    .consumer_release_if(&self.q_state, self.leader);
                self.q_state.advance();
                self.pipelines.v.consumer_wait(&self.v_state);
                let next = tiles.next(self.params, M);
                let Some(next) = next else {
                    let output = self.issue_output(&probabilities, output).finish();
                    store(pointers, self.params, tile, &output, &softmax);
                    return;
                };
                self.begin_turn();
                let output = self.issue_output(&probabilities, output);
                self.wait_for_tile();
                let next_scores = self.issue_scores(scores);
                self.end_turn();
                // The tile is stored while the first scores of the next one are multiplied.
                let output = output.finish_leaving::<1>();
                warpgroup::fence_operand(&probabilities);
                self.pipelines
                    .v
                    .consumer_release_if(&self.v_state, self.leader);
                self.v_state.advance();
                store(pointers, self.params, tile, &output, &softmax);
                scores = next_scores.finish();
                tile = next;
            }
        }
    }
}

/// Rounds the probabilities of C's layout to operand A's of the next product: the same values of the same thread, in the same order.
#[inline(always)]
fn round(scores: &Scores, probabilities: &Probabilities) {
    transform(
        &scores.view().recast::<u64>(),
        &probabilities.view().recast::<u32>(),
        <f32 as RoundPairs<T>>::round,
    );
}
layout_types::assert_retile_c_to_a!(QkAtom, PvAtom);

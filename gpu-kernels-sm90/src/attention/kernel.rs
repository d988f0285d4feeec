// The roles: one warp group loads, the others multiply.

/// The kernel of the configuration.
///
/// # Safety
/// The launch is the plan's: maps of Q, K and V in boxes of the configuration, buffers as its parameters say.
#[inline(always)]
unsafe fn run(o: *mut T, lse: *mut f32, params: &AttentionParams, maps: [&TensorMap; 3]) {
    let shared = dynamic_shared_offset();
    let thread = thread_idx_x();
    // SAFETY: the launch has `SHARED_BYTES` of shared memory, in which tiles and barriers have their places; one thread initialises
    // the barriers before the CTA's barrier, and the roles are whole warp groups.
    unsafe {
        let smem = Smem {
            q: Tensor::shared(shared),
            k: Tensor::shared(shared + K_OFFSET),
            v: Tensor::shared(shared + V_OFFSET),
        };
        let pipelines = Pipelines {
            q: PipelineTmaAsync::at(shared + BARRIERS),
            k: PipelineTmaAsync::at(shared + BARRIERS + 16),
            v: PipelineTmaAsync::at(shared + BARRIERS + 16 + 16 * STAGES),
        };
        if thread == 0 {
            pipelines.q.init();
            pipelines.k.init();
            pipelines.v.init();
            unroll::<3>(|i| prefetch_tma_descriptor(maps[i]));
        }
        sync_threads();
        if thread < 128 {
            warpgroup_reg_dealloc::<PRODUCER_REGISTERS>();
            // A thread each: their states together would not fit into the few registers that are left to this group.
            let [q, k, v] = maps;
            if thread == 0 {
                produce_queries(smem, pipelines, q, params);
            } else if thread == 32 {
                produce_keys(pipelines.k, LoadK::BYTES, params, |key, of, stage, full| {
                    LoadK::copy_4d(k, (key, 0), of, &smem.k, stage, full);
                });
            } else if thread == 64 {
                produce_keys(pipelines.v, LoadV::BYTES, params, |key, of, stage, full| {
                    LoadV::copy_4d(v, (0, key), of, &smem.v, stage, full);
                });
            }
        } else {
            warpgroup_reg_alloc::<CONSUMER_REGISTERS>();
            // The same in all threads of a warp, and known to be.
            let group = warp_shuffle_idx(u32::MAX, thread / 128 - 1, 0, 32).0;
            let uniform = Qk::get_slice(128 * group);
            let mut consumer = Consumer {
                params,
                pipelines,
                group,
                leader: u32::from(thread.is_multiple_of(32)),
                q_state: PipelineState::consumer(),
                k_state: PipelineState::consumer(),
                v_state: PipelineState::consumer(),
                t_rq: uniform.partition_descriptors_a(&smem.q), // (1,MMA_M,MMA_K)
                t_rk: uniform.partition_descriptors_b(&smem.k), // (1,MMA_N,MMA_K,stages)
                t_rv: Pv::get_slice(128 * group).partition_descriptors_b(&smem.v), // (1,MMA_N,MMA_K,stages)
            };
            if TURNS && group + 1 == GROUPS {
                consumer.end_turn();
            }
            consumer.attend((o, lse));
            if TURNS && group == 0 {
                // The turn that nobody takes any more.
                consumer.begin_turn();
            }
        }
    }
}

//! Plans the launch of attention to keys in pages of a cache.
//!
//! ```text
//!   buffers     O, LSE, Q, K, V (the cache), [starts of queries], lengths, page table, [slopes], [sinks]
//! ```
//!
//! Law: the result is that of `kernel_abi::attention`'s prefill from pages. Only Hopper has such
//! kernels.

use crate::attention::{ForwardLaunch, forward, no_kernel};
use crate::sequence::LaunchSequence;
use crate::{AttentionScores, GpuTraits, OpsError};
use kernel_abi::attention::{
    AttentionArgument, AttentionLoads, AttentionStrides, PagedAttentionProblem,
};

/// Plans the launch of attention to keys in pages. The buffers are O, LSE, Q, and K and V of the
/// whole cache, the starts of the queries if they are packed, the number of keys of each sequence,
/// the page table (all three u32), and then slopes and sinks if `scores` has them.
///
/// ```
/// use cutlet_ops::{EMULATED_GPU, attention_paged};
/// use cutlet_ops::kernel_abi::attention::{
///     AttentionMask, AttentionProblem, AttentionType, PagedAttentionProblem,
/// };
/// let of = AttentionProblem::new(AttentionType::Bf16, (1, 2, 300, 128), AttentionMask::Causal, 0.1).with_keys(24, 2);
/// let problem = PagedAttentionProblem { of, sequences: 3, packed: true, pages: 40, table_pages: 8 };
/// let refused = attention_paged(&EMULATED_GPU, &problem, Default::default()).unwrap_err();
/// assert_eq!(refused.to_string(), "the page size is 24; it must be a power of two of at least 8");
/// ```
///
/// # Errors
/// Returns the errors of [`attention`](crate::attention).
pub fn attention_paged(
    gpu: &GpuTraits<'_>,
    problem: &PagedAttentionProblem,
    scores: AttentionScores,
) -> Result<LaunchSequence, OpsError> {
    problem.check()?;
    scores.check()?;
    let (parts, of) = (scores.parts().paged(), &problem.of);
    let kernel = cutlet_kernels::attention(gpu, of, parts, Some(AttentionLoads::Tma))?;
    let kernel = kernel.ok_or_else(|| no_kernel(gpu, of, parts))?;
    let plan = kernel.plan_paged(problem, gpu.multiprocessors)?;
    let list = plan.arguments();
    let [q, k, v, _] = of.strides;
    let cache =
        |strides: AttentionStrides, dim| strides.reach(problem.pages, of.key_heads, of.keys, dim);
    let sequences = u64::from(problem.sequences);
    let lists = [
        (AttentionArgument::KeyLengths, sequences),
        (
            AttentionArgument::PageTable,
            sequences * u64::from(problem.table_pages),
        ),
        (AttentionArgument::QueryStarts, sequences + 1),
    ];
    let [unpacked @ .., _] = &lists;
    let by = ForwardLaunch {
        launch: plan.launch(),
        outputs: plan.launch().buffers,
        list,
        params: plan.params(),
        problem: of,
        inputs: [
            list.buffer(
                AttentionArgument::Q,
                q.reach(of.batches, of.heads, of.queries, of.dim),
                16,
            ),
            list.buffer(AttentionArgument::K, cache(k, of.dim), 16),
            list.buffer(AttentionArgument::V, cache(v, of.dim_v), 16),
        ],
        maps: plan.maps(),
        reads: None,
        lists: if problem.packed { &lists } else { unpacked },
        pages: Some(problem.params()),
    };
    forward(&by, &scores)
}

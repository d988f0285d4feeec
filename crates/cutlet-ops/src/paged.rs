//! Attention to keys in pages of a cache, as a launch.
//!
//! ```text
//!   buffers     O, LSE, Q, K, V (the cache), [starts of queries], lengths, page table, [slopes], [sinks]
//! ```
//!
//! Law: that of `kernel_abi::attention`'s prefill from pages. The kernels are Hopper's.

use crate::attention::{Reading, forward, no_kernel};
use crate::sequence::{KernelLaunch, LaunchSequence, Step};
use crate::{AttentionScores, GpuTraits, OpsError};
use kernel_abi::BufferSpec;
use kernel_abi::attention::{AttentionArgument, AttentionLoads, PagedAttentionProblem};

/// The launch of attention to keys in pages. Buffers: O, LSE, Q, and K and V of the whole cache; of
/// packed queries their starts; the keys of each sequence and the pages of each, u32; then slopes
/// and sinks where `scores` has them.
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
/// As of [`attention`](crate::attention).
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
    let [q, k, v, _] = of.strides;
    let cache = |strides: kernel_abi::attention::AttentionStrides, dim| {
        strides.reach(problem.pages, of.key_heads, of.keys, dim)
    };
    let reading = Reading {
        loads: AttentionLoads::Tma,
        element: of.element,
        maps: plan.maps(),
        reads: None,
        inputs: [
            BufferSpec::read(
                3,
                "Q",
                q.reach(of.batches, of.heads, of.queries, of.dim),
                16,
            ),
            BufferSpec::read(4, "K", cache(k, of.dim), 16),
            BufferSpec::read(5, "V", cache(v, of.dim_v), 16),
        ],
    };
    let sequences = u64::from(problem.sequences);
    let lists = [
        (
            AttentionArgument::QueryStarts,
            problem.packed,
            sequences + 1,
        ),
        (AttentionArgument::KeyLengths, true, sequences),
        (
            AttentionArgument::PageTable,
            true,
            sequences * u64::from(problem.table_pages),
        ),
    ];
    let lists = lists.into_iter().filter(|(_, there, _)| *there);
    let lists = lists.map(|(argument, _, elements)| {
        let list = BufferSpec::read(0, argument.said(), elements, 4);
        (argument, list)
    });
    let [o, lse] = &plan.launch().buffers;
    let (mut made, arguments) = forward(
        [o, lse],
        (lists.collect(), Some(problem.params())),
        plan.params().to_u64s(),
        &reading,
        (plan.parts(), of.heads),
        &scores,
    );
    let launch = KernelLaunch::new(plan.launch(), arguments);
    made.steps.push(Step::Launch(launch));
    Ok(made)
}

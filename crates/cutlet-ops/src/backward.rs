//! Attention's gradients as three launches: a kernel of the rows, one of dK and dV, and one of dQ;
//! or by fused kernels one of the rows, one of all gradients, and one that rounds dQ.
//!
//! ```text
//!   buffers     dQ, dK, dV, Q, K, V, O, dO, LSE, the values of rows (scratch), [starts of queries, starts of keys]
//!               behind these, for the fused kernels, the accumulator of dQ (scratch)
//!   soft cap    the last argument of the kernels of tiles, by value
//! ```
//!
//! Law: the gradients are those of `kernel_abi::attention`'s backward pass. Kernels add every
//! element in a fixed order, with the same bits on every run; dQ of the fused kernels is the
//! exception.

use crate::attention::{HALF, WORD, distinct};
use crate::sequence::{BufferRole, KernelLaunch, LaunchSequence, LaunchValue, MapValue, Step};
use crate::{AttentionScores, GpuTraits, OpsError};
use cutlet_kernels::{backward_table, kernels};
use kernel_abi::BufferSpec;
use kernel_abi::attention::{
    AttentionBackwardConfiguration, AttentionBackwardProblem, AttentionLoads, AttentionParts,
    FusedBackwardConfiguration, GradientPlan, PackedBackwardProblem,
};

/// Which kernels compute gradients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BackwardKernels {
    /// Those that were measured to be faster: the fused ones for long sequences on Hopper.
    #[default]
    Fastest,
    /// Those that give the same bits on every run.
    Deterministic,
    /// The fused ones, where this build has them for the GPU: they compute five products a block
    /// instead of seven, and dQ's last bits differ between runs.
    Fused,
}

/// The places of the buffers.
struct Places {
    dq: usize,
    dk: usize,
    dv: usize,
    q: usize,
    k: usize,
    v: usize,
    o: usize,
    d_o: usize,
    lse: usize,
    values: usize,
}

impl Places {
    /// Adds the buffers to a sequence: those of the results, of the tensors that the kernel of dQ
    /// reads, and of the kernel of the rows.
    fn add(
        of: &mut LaunchSequence,
        [dq, dk, dv]: [&BufferSpec; 3],
        [q, d_o, k, v]: [&BufferSpec; 4],
        [o, lse, values]: [&BufferSpec; 3],
    ) -> Self {
        let named = |spec: &BufferSpec, name| BufferSpec { name, ..*spec };
        Self {
            dq: of.buffer(&named(dq, "dQ"), HALF, BufferRole::Output),
            dk: of.buffer(dk, HALF, BufferRole::Output),
            dv: of.buffer(dv, HALF, BufferRole::Output),
            q: of.buffer(&named(q, "Q"), HALF, BufferRole::Input),
            k: of.buffer(&named(k, "K"), HALF, BufferRole::Input),
            v: of.buffer(&named(v, "V"), HALF, BufferRole::Input),
            o: of.buffer(o, HALF, BufferRole::Input),
            d_o: of.buffer(&named(d_o, "dO"), HALF, BufferRole::Input),
            lse: of.buffer(lse, WORD, BufferRole::Input),
            values: of.buffer(values, WORD, BufferRole::Scratch),
        }
    }

    /// The arguments of the kernel of the rows.
    fn of_rows(&self, params: [u64; 13], more: Vec<LaunchValue>) -> Vec<LaunchValue> {
        let buffers = [self.o, self.d_o, self.lse, self.values];
        let mut arguments: Vec<_> = buffers.map(LaunchValue::start).into();
        arguments.push(LaunchValue::words(params));
        arguments.extend(more);
        arguments
    }

    /// The launch of a kernel of tiles: its results, the tile's tensors, then the streamed tensors.
    fn of_tiles<const BUFFERS: usize>(
        &self,
        plan: &GradientPlan<BUFFERS>,
        (loads, problem): (AttentionLoads, &AttentionBackwardProblem),
        [first, second]: [LaunchValue; 2],
        tensors: [usize; 4],
        more: Vec<LaunchValue>,
    ) -> Step {
        let mut arguments = vec![
            first,
            second,
            LaunchValue::start(self.values),
            LaunchValue::words(plan.params().to_u64s()),
        ];
        for (place, map) in tensors.into_iter().zip(plan.maps()) {
            arguments.push(match loads {
                AttentionLoads::CpAsync => LaunchValue::start(place),
                AttentionLoads::Tma => {
                    let element = problem.forward.element;
                    LaunchValue::Map(MapValue::of_attention(place, element, map))
                }
            });
        }
        if loads == AttentionLoads::CpAsync {
            arguments.push(LaunchValue::words(plan.reads().to_u64s()));
        }
        arguments.extend(more);
        Step::Launch(KernelLaunch::new(plan.launch(), arguments))
    }
}

/// The kernels that compute the gradients of a problem with these parts.
fn kernels_of(
    gpu: &GpuTraits<'_>,
    problem: &AttentionBackwardProblem,
    parts: AttentionParts,
    loads: Option<AttentionLoads>,
) -> Result<&'static AttentionBackwardConfiguration, OpsError> {
    let found = cutlet_kernels::attention_backward(gpu, problem, parts, loads)?;
    found.ok_or_else(|| {
        let tables = kernels().map(cutlet_kernels::Pack::tables);
        let all = tables.map_or(&[][..], |tables| backward_table(tables, parts));
        let of_element = all.iter().filter(|of| {
            let loaded = loads.is_none_or(|loads| of.loads == loads);
            of.element == problem.forward.element && loaded
        });
        OpsError::Dimension {
            what: match parts.soft_cap {
                false => "attention's gradients",
                true => "attention's gradients with a soft cap",
            },
            element: problem.forward.element.name(),
            dim: problem.forward.dim,
            dims: distinct(of_element.map(|of| of.dim)),
        }
    })
}

/// The parts of the gradients' kernels for a forward pass with these score functions.
fn parts_of(scores: AttentionScores) -> Result<AttentionParts, OpsError> {
    scores.check()?;
    match scores {
        AttentionScores { alibi: true, .. } => Err(OpsError::NoGradients("ALiBi's slopes")),
        AttentionScores { sinks: true, .. } => Err(OpsError::NoGradients("sinks")),
        AttentionScores { .. } => Ok(scores.parts()),
    }
}

/// The three launches of the gradients of sequences of one length, by kernels that read their
/// operands by `loads`; `None` takes those of the GPU. Fused kernels read by TMA, and compute no
/// soft cap. O and LSE come from the forward pass with the same `scores`. Buffers: dQ, dK, dV, Q,
/// K, V, O, dO, LSE, and scratch.
///
/// ```
/// use cutlet_ops::{AttentionScores, BackwardKernels, EMULATED_GPU, OpsError, attention_backward};
/// use cutlet_ops::kernel_abi::attention::{
///     AttentionBackwardProblem, AttentionMask, AttentionProblem, AttentionType,
/// };
/// let forward = AttentionProblem::new(AttentionType::F16, (1, 2, 10, 64), AttentionMask::Full, 0.125).with_values(128);
/// let problem = AttentionBackwardProblem::new(forward);
/// let of = |scores| attention_backward(&EMULATED_GPU, &problem, scores, BackwardKernels::Fastest, None).unwrap_err();
/// assert!(of(AttentionScores::default()).to_string().contains("a head dimension of V of its own"));
/// let alibi = AttentionScores { alibi: true, ..AttentionScores::default() };
/// assert_eq!(of(alibi), OpsError::NoGradients("ALiBi's slopes"));
/// ```
///
/// # Errors
/// As of [`attention`](crate::attention); [`OpsError::NoGradients`] with ALiBi or sinks.
pub fn attention_backward(
    gpu: &GpuTraits<'_>,
    problem: &AttentionBackwardProblem,
    scores: AttentionScores,
    kernels: BackwardKernels,
    loads: Option<AttentionLoads>,
) -> Result<LaunchSequence, OpsError> {
    let parts = parts_of(scores)?;
    problem.check()?;
    let may_be_fused = kernels != BackwardKernels::Deterministic && !parts.soft_cap;
    if may_be_fused && loads != Some(AttentionLoads::CpAsync) {
        let fused = cutlet_kernels::attention_backward_fused(gpu, problem)?;
        let wanted = |of: &&FusedBackwardConfiguration| {
            kernels == BackwardKernels::Fused || of.is_faster(problem)
        };
        if let Some(of) = fused.filter(wanted) {
            return by_fused_kernels(of, gpu, problem);
        }
    }
    let kernels = kernels_of(gpu, problem, parts, loads)?;
    let plan = kernels.plan(problem, gpu.multiprocessors)?;
    let [o, d_o, lse, values] = &plan.rows().buffers;
    let [dk, dv, _] = &plan.keys().launch().buffers;
    let [dq, ..] = &plan.queries().launch().buffers;
    let [q, _, k, v] = &plan.queries().inputs();
    let mut of = LaunchSequence::default();
    let at = Places::add(&mut of, [dq, dk, dv], [q, d_o, k, v], [o, lse, values]);
    let arguments = at.of_rows(plan.rows_params().to_u64s(), Vec::new());
    let rows = Step::Launch(KernelLaunch::new(plan.rows(), arguments));
    let by = (plan.loads(), problem);
    // A kernel with a soft cap takes packed sequences too; null starts mean one length.
    let more = match parts.soft_cap {
        false => Vec::new(),
        true => vec![
            LaunchValue::Null,
            LaunchValue::Null,
            scores.soft_cap_value(),
        ],
    };
    let results = [at.dk, at.dv].map(LaunchValue::start);
    let tensors = [at.k, at.v, at.q, at.d_o];
    let keys = at.of_tiles(plan.keys(), by, results, tensors, more.clone());
    let results = [LaunchValue::start(at.dq), LaunchValue::Null];
    let tensors = [at.q, at.d_o, at.k, at.v];
    let queries = at.of_tiles(plan.queries(), by, results, tensors, more);
    of.steps.extend([rows, keys, queries]);
    Ok(of)
}

/// The launches of the fused kernels.
fn by_fused_kernels(
    kernels: &FusedBackwardConfiguration,
    gpu: &GpuTraits<'_>,
    problem: &AttentionBackwardProblem,
) -> Result<LaunchSequence, OpsError> {
    let plan = kernels.plan(problem, gpu.multiprocessors)?;
    let [o, d_o, lse, values, sums] = &plan.rows().buffers;
    let [dk, dv, ..] = &plan.gradients().launch().buffers;
    let [dq, _] = &plan.dq().buffers;
    let [k, v, q, _] = &plan.gradients().inputs();
    let mut of = LaunchSequence::default();
    let at = Places::add(&mut of, [dq, dk, dv], [q, d_o, k, v], [o, lse, values]);
    let sums = LaunchValue::start(of.buffer(sums, WORD, BufferRole::Scratch));
    let arguments = at.of_rows(plan.rows_params().to_u64s(), vec![sums.clone()]);
    let rows = Step::Launch(KernelLaunch::new(plan.rows(), arguments));
    let by = (AttentionLoads::Tma, problem);
    let results = [at.dk, at.dv].map(LaunchValue::start);
    let tensors = [at.k, at.v, at.q, at.d_o];
    let gradients = at.of_tiles(plan.gradients(), by, results, tensors, vec![sums.clone()]);
    let params = LaunchValue::words(plan.dq_params().to_u64s());
    let arguments = vec![LaunchValue::start(at.dq), sums, params];
    let dq = Step::Launch(KernelLaunch::new(plan.dq(), arguments));
    of.steps.extend([rows, gradients, dq]);
    Ok(of)
}

/// The three launches of the gradients of packed sequences. O and LSE come from the forward pass
/// with the same `scores`. Buffers: dQ, dK, dV, Q, K, V, O, dO, LSE, scratch, the starts of queries
/// and those of keys, u32.
///
/// ```
/// use cutlet_ops::{EMULATED_GPU, attention_backward_packed};
/// use cutlet_ops::kernel_abi::attention::{
///     AttentionBackwardProblem, AttentionMask, AttentionProblem, AttentionType, PackedBackwardProblem,
/// };
/// let all = AttentionProblem::new(AttentionType::F16, (2, 2, 10, 64), AttentionMask::Full, 0.125);
/// let problem = PackedBackwardProblem { all: AttentionBackwardProblem::new(all), sequences: 1 };
/// let refused = attention_backward_packed(&EMULATED_GPU, &problem, Default::default(), None).unwrap_err();
/// assert!(refused.to_string().contains("batches of packed sequences is 2"));
/// ```
///
/// # Errors
/// As of [`attention_backward`].
pub fn attention_backward_packed(
    gpu: &GpuTraits<'_>,
    problem: &PackedBackwardProblem,
    scores: AttentionScores,
    loads: Option<AttentionLoads>,
) -> Result<LaunchSequence, OpsError> {
    let parts = parts_of(scores)?.packed();
    problem.check()?;
    let kernels = kernels_of(gpu, &problem.all, parts, loads)?;
    let plan = kernels.plan_packed(problem, gpu.multiprocessors)?;
    let [o, d_o, lse, values, of_queries] = &plan.rows().buffers;
    let [dk, dv, _, of_keys, _] = &plan.keys().launch().buffers;
    let [dq, ..] = &plan.queries().launch().buffers;
    let [q, _, k, v] = &plan.queries().inputs();
    let mut of = LaunchSequence::default();
    let at = Places::add(&mut of, [dq, dk, dv], [q, d_o, k, v], [o, lse, values]);
    let starts = [of_queries, of_keys].map(|of_one| of.buffer(of_one, WORD, BufferRole::Input));
    let [of_queries, of_keys] = starts.map(LaunchValue::start);
    let arguments = at.of_rows(plan.rows_params().to_u64s(), vec![of_queries.clone()]);
    let rows = Step::Launch(KernelLaunch::new(plan.rows(), arguments));
    let by = (plan.loads(), &problem.all);
    let results = [at.dk, at.dv].map(LaunchValue::start);
    let tensors = [at.k, at.v, at.q, at.d_o];
    let cap = parts.soft_cap.then(|| scores.soft_cap_value());
    let starts_of = |tiles: &LaunchValue, streamed: &LaunchValue| {
        let starts = [tiles.clone(), streamed.clone()];
        starts.into_iter().chain(cap.clone()).collect()
    };
    let more = starts_of(&of_keys, &of_queries);
    let keys = at.of_tiles(plan.keys(), by, results, tensors, more);
    let results = [LaunchValue::start(at.dq), LaunchValue::Null];
    let tensors = [at.q, at.d_o, at.k, at.v];
    let more = starts_of(&of_queries, &of_keys);
    let queries = at.of_tiles(plan.queries(), by, results, tensors, more);
    of.steps.extend([rows, keys, queries]);
    Ok(of)
}

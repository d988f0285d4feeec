//! Attention's gradients as three launches: a kernel of the rows, one of dK and dV, and one of dQ;
//! or by fused kernels one of the rows, one of all gradients, and one that rounds dQ. With sinks a
//! fourth computes their gradient.
//!
//! ```text
//!   buffers     dQ, dK, dV, Q, K, V, O, dO, LSE, the values of rows (scratch), [starts of queries, starts of keys],
//!               [slopes], [sinks, the gradient of the sinks]; for the fused kernels the accumulator of dQ (scratch)
//! ```
//!
//! Law: the gradients are those of `kernel_abi::attention`'s backward pass. Kernels add every
//! element in a fixed order, with the same bits on every run; dQ of the fused kernels is the
//! exception.

use crate::attention::{HALF, WORD, distinct};
use crate::sequence::{BufferRole, KernelLaunch, LaunchSequence, LaunchValue, MapValue, Step};
use crate::{AttentionScores, GpuTraits, OpsError};
use cutlet_kernels::{backward_configurations, kernels};
use kernel_abi::BufferSpec;
use kernel_abi::attention::{
    AttentionArgument, AttentionBackwardConfiguration, AttentionBackwardProblem, AttentionLoads,
    AttentionParts, FusedBackwardConfiguration, GradientPlan, PackedBackwardProblem,
    SinkGradientConfiguration, SinkGradientPlan,
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
                AttentionLoads::Tma | AttentionLoads::TmaUmma => {
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
        let all = tables
            .into_iter()
            .flat_map(|tables| backward_configurations(tables, parts));
        let of_element = all.filter(|of| {
            let loaded = loads.is_none_or(|loads| of.loads == loads);
            of.element == problem.forward.element && loaded
        });
        OpsError::Dimension {
            what: match (parts.soft_cap, parts.alibi) {
                (false, false) => "attention's gradients",
                (true, false) => "attention's gradients with a soft cap",
                (false, true) => "attention's gradients with ALiBi",
                (true, true) => "attention's gradients with a soft cap and ALiBi",
            },
            element: problem.forward.element.name(),
            dim: problem.forward.dim,
            dims: distinct(of_element.map(|of| of.dim)),
        }
    })
}

/// The arguments of a kernel of tiles behind its tensors, by the one list of its parts: the starts
/// of the tile's tensors and of those that are streamed, null of sequences of one length.
fn of_parts(
    parts: AttentionParts,
    scores: &AttentionScores,
    starts: Option<[&LaunchValue; 2]>,
    slopes: Option<&LaunchValue>,
) -> Vec<LaunchValue> {
    let start = |i: usize| starts.map_or(LaunchValue::Null, |of| of[i].clone());
    let argument = |argument| match argument {
        AttentionArgument::QueryStarts => start(0),
        AttentionArgument::KeyStarts => start(1),
        AttentionArgument::SoftCap => scores.soft_cap_value(),
        // Slopes: no kernel of tiles has sinks or pages.
        _ => slopes.cloned().unwrap_or(LaunchValue::Null),
    };
    parts.arguments().map(argument).collect()
}

/// Adds the buffer of ALiBi's slopes, if there are some.
fn slopes_of(of: &mut LaunchSequence, parts: AttentionParts, heads: u32) -> Option<LaunchValue> {
    parts.alibi.then(|| {
        let spec = BufferSpec::read(0, AttentionArgument::Slopes.said(), heads.into(), 4);
        LaunchValue::start(of.buffer(&spec, WORD, BufferRole::Input))
    })
}

/// Adds the buffers of the sinks and of their gradient, if there are sinks: the launch behind those
/// of a plan.
fn launch_of_sinks(
    of: &mut LaunchSequence,
    gpu: &GpuTraits<'_>,
    (parts, values): (AttentionParts, usize),
    plan: impl FnOnce(&SinkGradientConfiguration) -> SinkGradientPlan,
) -> Result<Option<Step>, OpsError> {
    if !parts.sinks {
        return Ok(None);
    }
    let kernel = cutlet_kernels::sink_gradient(gpu)?;
    let plan = plan(kernel.ok_or(OpsError::NoGradients("sinks"))?);
    let [d_sinks, sinks, _] = &plan.launch().buffers;
    let sinks = of.buffer(sinks, WORD, BufferRole::Input);
    let d_sinks = of.buffer(d_sinks, WORD, BufferRole::Output);
    let mut arguments: Vec<_> = [d_sinks, sinks, values].map(LaunchValue::start).into();
    arguments.push(LaunchValue::words(plan.params().to_u64s()));
    let launch = KernelLaunch::new(plan.launch(), arguments);
    Ok(Some(Step::Launch(launch)))
}

/// The launches of the gradients of sequences of one length, by kernels that read their operands by
/// `loads`; `None` takes those of the GPU. Fused kernels read by TMA, and compute neither a soft
/// cap nor ALiBi. O and LSE come from the forward pass with the same `scores`. Buffers: dQ, dK, dV,
/// Q, K, V, O, dO, LSE, scratch, then the slopes with ALiBi, and with sinks these and their
/// gradient. Slopes have no gradient.
///
/// ```
/// use cutlet_ops::{BackwardKernels, EMULATED_GPU, attention_backward};
/// use cutlet_ops::kernel_abi::attention::{
///     AttentionBackwardProblem, AttentionMask, AttentionProblem, AttentionType,
/// };
/// let forward = AttentionProblem::new(AttentionType::F16, (1, 2, 10, 64), AttentionMask::Full, 0.125).with_values(128);
/// let problem = AttentionBackwardProblem::new(forward);
/// let refused = attention_backward(&EMULATED_GPU, &problem, Default::default(), BackwardKernels::Fastest, None).unwrap_err();
/// assert!(refused.to_string().contains("a head dimension of V of its own"));
/// ```
///
/// # Errors
/// As of [`attention`](crate::attention); [`OpsError::NoGradients`] with sinks where this build has
/// no kernel of their gradient.
pub fn attention_backward(
    gpu: &GpuTraits<'_>,
    problem: &AttentionBackwardProblem,
    scores: AttentionScores,
    kernels: BackwardKernels,
    loads: Option<AttentionLoads>,
) -> Result<LaunchSequence, OpsError> {
    scores.check()?;
    let parts = scores.parts();
    problem.check()?;
    let has_fused = !parts.soft_cap && !parts.alibi;
    let may_be_fused = kernels != BackwardKernels::Deterministic && has_fused;
    if may_be_fused && loads != Some(AttentionLoads::CpAsync) {
        let fused = cutlet_kernels::attention_backward_fused(gpu, problem)?;
        let wanted = |of: &&FusedBackwardConfiguration| {
            kernels == BackwardKernels::Fused || of.is_faster(problem)
        };
        if let Some(of) = fused.filter(wanted) {
            return by_fused_kernels(of, gpu, problem, parts);
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
    let slopes = slopes_of(&mut of, parts, problem.forward.heads);
    let more = of_parts(plan.parts(), &scores, None, slopes.as_ref());
    let results = [at.dk, at.dv].map(LaunchValue::start);
    let tensors = [at.k, at.v, at.q, at.d_o];
    let keys = at.of_tiles(plan.keys(), by, results, tensors, more.clone());
    let results = [LaunchValue::start(at.dq), LaunchValue::Null];
    let tensors = [at.q, at.d_o, at.k, at.v];
    let queries = at.of_tiles(plan.queries(), by, results, tensors, more);
    let sinks = launch_of_sinks(&mut of, gpu, (parts, at.values), |by| by.plan(&plan))?;
    of.steps
        .extend([rows, keys, queries].into_iter().chain(sinks));
    Ok(of)
}

/// The launches of the fused kernels.
fn by_fused_kernels(
    kernels: &FusedBackwardConfiguration,
    gpu: &GpuTraits<'_>,
    problem: &AttentionBackwardProblem,
    parts: AttentionParts,
) -> Result<LaunchSequence, OpsError> {
    let plan = kernels.plan(problem, gpu.multiprocessors)?;
    let [o, d_o, lse, values, sums] = &plan.rows().buffers;
    let [dk, dv, ..] = &plan.gradients().launch().buffers;
    let [dq, _] = &plan.dq().buffers;
    let [k, v, q, _] = &plan.gradients().inputs();
    let mut of = LaunchSequence::default();
    let at = Places::add(&mut of, [dq, dk, dv], [q, d_o, k, v], [o, lse, values]);
    let of_sinks = launch_of_sinks(&mut of, gpu, (parts, at.values), |by| by.plan_fused(&plan))?;
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
    let launches = [rows, gradients, dq].into_iter();
    of.steps.extend(launches.chain(of_sinks));
    Ok(of)
}

/// The launches of the gradients of packed sequences. O and LSE come from the forward pass with the
/// same `scores`. Buffers: dQ, dK, dV, Q, K, V, O, dO, LSE, scratch, the starts of queries and
/// those of keys, u32, then the slopes with ALiBi, and with sinks these and their gradient.
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
    scores.check()?;
    let parts = scores.parts().packed();
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
    let slopes = slopes_of(&mut of, parts, problem.all.forward.heads);
    let starts_of = |tiles: &LaunchValue, streamed: &LaunchValue| {
        of_parts(
            plan.parts(),
            &scores,
            Some([tiles, streamed]),
            slopes.as_ref(),
        )
    };
    let more = starts_of(&of_keys, &of_queries);
    let keys = at.of_tiles(plan.keys(), by, results, tensors, more);
    let results = [LaunchValue::start(at.dq), LaunchValue::Null];
    let tensors = [at.q, at.d_o, at.k, at.v];
    let more = starts_of(&of_queries, &of_keys);
    let queries = at.of_tiles(plan.queries(), by, results, tensors, more);
    let sinks = launch_of_sinks(&mut of, gpu, (parts, at.values), |by| by.plan_packed(&plan))?;
    of.steps
        .extend([rows, keys, queries].into_iter().chain(sinks));
    Ok(of)
}

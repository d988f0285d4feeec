//! Plans the three launches of attention's gradients: the kernel of the rows, the kernel of dK and
//! dV, and the kernel of dQ. With fused kernels, the launches are those of the rows, of all
//! gradients, and of the rounding of dQ. With sinks, a fourth launch computes the gradient of the
//! sinks.
//!
//! ```text
//!   buffers     dQ, dK, dV, Q, K, V, O, dO, LSE, the values of rows (scratch), [starts of queries, starts of keys],
//!               [slopes], [sinks, the gradient of the sinks]; for the fused kernels the accumulator of dQ (scratch)
//! ```
//!
//! Law: the gradients are those of `kernel_abi::attention`'s backward pass. Kernels compute every
//! sum in a fixed order, with the same bits on every run, except for dQ of the fused kernels.

use crate::attention::{HALF, WORD, distinct};
use crate::sequence::{
    BufferRole, KernelLaunch, LaunchSequence, LaunchValue, MapValue, Step, unbound,
};
use crate::{AttentionScores, GpuTraits, OpsError};
use cutlet_kernels::{backward_configurations, kernels};
use kernel_abi::attention::{
    AttentionArgument, AttentionBackwardConfiguration, AttentionBackwardParams,
    AttentionBackwardProblem, AttentionLoads, AttentionParts, AttentionType,
    FusedBackwardConfiguration, GradientPlan, PackedBackwardProblem, SinkGradientConfiguration,
    SinkGradientPlan,
};
use kernel_abi::{BufferSpec, KernelArguments, LaunchSpec};

/// The kernels that compute gradients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BackwardKernels {
    /// The kernels that were measured to be faster. For long sequences on Hopper these are the
    /// fused kernels.
    #[default]
    Fastest,
    /// The kernels that give the same bits on every run.
    Deterministic,
    /// The fused kernels, if this build has them for the GPU. They compute five products per block
    /// instead of seven, and dQ's last bits differ between runs.
    Fused,
}

/// The places of the buffers in the sequence.
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
    /// Adds buffers to a sequence: the results, the tensors that the kernel of dQ reads, and the
    /// buffers of the kernel of the rows. Returns their places.
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

    /// Makes the launch of a kernel of the rows. `more` returns the values of the kernel's other
    /// arguments.
    fn of_rows<const BUFFERS: usize>(
        &self,
        launch: &LaunchSpec<BUFFERS>,
        list: KernelArguments<AttentionArgument>,
        params: &AttentionBackwardParams,
        more: impl Fn(AttentionArgument) -> Result<LaunchValue, OpsError>,
    ) -> Result<Step, OpsError> {
        let value = |argument| {
            Ok(match argument {
                AttentionArgument::O => LaunchValue::start(self.o),
                AttentionArgument::GradientOfO => LaunchValue::start(self.d_o),
                AttentionArgument::Lse => LaunchValue::start(self.lse),
                AttentionArgument::Values => LaunchValue::start(self.values),
                AttentionArgument::Params => LaunchValue::words(params.to_u64s()),
                other => return more(other),
            })
        };
        let launch = KernelLaunch::of_list(launch, list, value)?;
        Ok(Step::Launch(launch))
    }

    /// Makes the launch of a tile kernel, whose tiles are of keys or of queries. `more` returns the
    /// values of the arguments that the kernel's parts add.
    fn of_tiles<const BUFFERS: usize>(
        &self,
        plan: &GradientPlan<BUFFERS>,
        element: AttentionType,
        of_keys: bool,
        more: impl Fn(AttentionArgument) -> Result<LaunchValue, OpsError>,
    ) -> Result<Step, OpsError> {
        // A tile of keys keeps its rows of K and V, which the starts of keys locate.
        let (results, tensors, starts) = if of_keys {
            (
                [LaunchValue::start(self.dk), LaunchValue::start(self.dv)],
                [self.k, self.v, self.q, self.d_o],
                [AttentionArgument::KeyStarts, AttentionArgument::QueryStarts],
            )
        } else {
            (
                [LaunchValue::start(self.dq), LaunchValue::Null],
                [self.q, self.d_o, self.k, self.v],
                [AttentionArgument::QueryStarts, AttentionArgument::KeyStarts],
            )
        };
        let [first, second] = results;
        let [x_0, x_1, y_0, y_1] = tensors;
        let [tile, streamed] = starts;
        let [map_x0, map_x1, map_y0, map_y1] = plan.maps();
        let map = |place, map| LaunchValue::Map(MapValue::of_attention(place, element, map));
        let value = |argument| {
            Ok(match argument {
                AttentionArgument::First | AttentionArgument::GradientOfK => first.clone(),
                AttentionArgument::Second | AttentionArgument::GradientOfV => second.clone(),
                AttentionArgument::Values => LaunchValue::start(self.values),
                AttentionArgument::Params => LaunchValue::words(plan.params().to_u64s()),
                AttentionArgument::MapX0 | AttentionArgument::MapK => map(x_0, map_x0),
                AttentionArgument::MapX1 | AttentionArgument::MapV => map(x_1, map_x1),
                AttentionArgument::MapY0 | AttentionArgument::MapQ => map(y_0, map_y0),
                AttentionArgument::MapY1 | AttentionArgument::MapGradientOfO => map(y_1, map_y1),
                AttentionArgument::X0 => LaunchValue::start(x_0),
                AttentionArgument::X1 => LaunchValue::start(x_1),
                AttentionArgument::Y0 => LaunchValue::start(y_0),
                AttentionArgument::Y1 => LaunchValue::start(y_1),
                AttentionArgument::Reads => LaunchValue::words(plan.reads().to_u64s()),
                AttentionArgument::TileStarts => return more(tile),
                AttentionArgument::StreamedStarts => return more(streamed),
                part => return more(part),
            })
        };
        let launch = KernelLaunch::of_list(plan.launch(), plan.arguments(), value)?;
        Ok(Step::Launch(launch))
    }
}

/// Chooses the kernels that compute the gradients of a problem with these parts.
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

/// Returns the value of an argument that a part adds to a tile kernel. The starts of queries and of
/// keys are null if sequences have one length.
fn of_part(
    argument: AttentionArgument,
    scores: &AttentionScores,
    starts: Option<[usize; 2]>,
    slopes: Option<usize>,
) -> Result<LaunchValue, OpsError> {
    let start = |of: Option<usize>| Ok(of.map_or(LaunchValue::Null, LaunchValue::start));
    match argument {
        AttentionArgument::QueryStarts => start(starts.map(|[of, _]| of)),
        AttentionArgument::KeyStarts => start(starts.map(|[_, of]| of)),
        AttentionArgument::SoftCap => Ok(scores.soft_cap_value()),
        AttentionArgument::Slopes => {
            Ok(LaunchValue::start(slopes.ok_or_else(|| unbound(argument))?))
        }
        other => Err(unbound(other)),
    }
}

/// Adds the buffer of ALiBi's slopes if the parts have ALiBi. Returns its place.
fn slopes_of<const BUFFERS: usize>(
    of: &mut LaunchSequence,
    plan: &GradientPlan<BUFFERS>,
    parts: AttentionParts,
    heads: u32,
) -> Option<usize> {
    parts.alibi.then(|| {
        let list = plan.arguments();
        let slopes = list.buffer(AttentionArgument::Slopes, heads.into(), 4);
        of.buffer(&slopes, WORD, BufferRole::Input)
    })
}

/// Makes the launch of the sinks' gradient, which follows a plan's launches, and adds buffers for
/// the sinks and their gradient. Returns `None` if there are no sinks.
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
    let value = |argument| match argument {
        AttentionArgument::GradientOfSinks => Ok(LaunchValue::start(d_sinks)),
        AttentionArgument::Sinks => Ok(LaunchValue::start(sinks)),
        AttentionArgument::Values => Ok(LaunchValue::start(values)),
        AttentionArgument::Params => Ok(LaunchValue::words(plan.params().to_u64s())),
        other => Err(unbound(other)),
    };
    let launch = KernelLaunch::of_list(plan.launch(), plan.arguments(), value)?;
    Ok(Some(Step::Launch(launch)))
}

/// Plans the launches of the gradients for sequences of one length. The kernels read their operands
/// as `loads` says, where `None` selects the GPU's usual way. Fused kernels read by TMA, and
/// compute neither a soft cap nor ALiBi. O and LSE come from the forward pass with the same
/// `scores`. The buffers are dQ, dK, dV, Q, K, V, O, dO, LSE and scratch. With ALiBi the slopes
/// follow, and with sinks the sinks and their gradient. Slopes have no gradient.
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
/// Returns the errors of [`attention`](crate::attention), and [`OpsError::NoGradients`] if there
/// are sinks and this build has no kernel for their gradient.
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
    let (list, params) = (plan.rows_arguments(), plan.rows_params());
    let rows = at.of_rows(plan.rows(), list, params, |other| Err(unbound(other)))?;
    let slopes = slopes_of(&mut of, plan.keys(), parts, problem.forward.heads);
    let more = |argument| of_part(argument, &scores, None, slopes);
    let element = problem.forward.element;
    let keys = at.of_tiles(plan.keys(), element, true, more)?;
    let queries = at.of_tiles(plan.queries(), element, false, more)?;
    let sinks = launch_of_sinks(&mut of, gpu, (parts, at.values), |by| by.plan(&plan))?;
    of.steps
        .extend([rows, keys, queries].into_iter().chain(sinks));
    Ok(of)
}

/// Plans the launches of the fused kernels.
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
    let sums = of.buffer(sums, WORD, BufferRole::Scratch);
    let more = |argument| match argument {
        AttentionArgument::Sums => Ok(LaunchValue::start(sums)),
        other => Err(unbound(other)),
    };
    let (list, params) = (plan.rows_arguments(), plan.rows_params());
    let rows = at.of_rows(plan.rows(), list, params, more)?;
    let element = problem.forward.element;
    let gradients = at.of_tiles(plan.gradients(), element, true, more)?;
    let value = |argument| match argument {
        AttentionArgument::GradientOfQ => Ok(LaunchValue::start(at.dq)),
        AttentionArgument::Params => Ok(LaunchValue::words(plan.dq_params().to_u64s())),
        other => more(other),
    };
    let dq = KernelLaunch::of_list(plan.dq(), plan.dq_arguments(), value)?;
    let dq = Step::Launch(dq);
    let launches = [rows, gradients, dq].into_iter();
    of.steps.extend(launches.chain(of_sinks));
    Ok(of)
}

/// Plans the launches of the gradients for packed sequences. O and LSE come from the forward pass
/// with the same `scores`. The buffers are dQ, dK, dV, Q, K, V, O, dO, LSE, scratch, and the starts
/// of queries and of keys (u32). With ALiBi the slopes follow, and with sinks the sinks and their
/// gradient.
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
/// Returns the errors of [`attention_backward`].
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
    let slopes = slopes_of(&mut of, plan.keys(), parts, problem.all.forward.heads);
    let more = |argument| of_part(argument, &scores, Some(starts), slopes);
    let (list, params) = (plan.rows_arguments(), plan.rows_params());
    let rows = at.of_rows(plan.rows(), list, params, more)?;
    let element = problem.all.forward.element;
    let keys = at.of_tiles(plan.keys(), element, true, more)?;
    let queries = at.of_tiles(plan.queries(), element, false, more)?;
    let sinks = launch_of_sinks(&mut of, gpu, (parts, at.values), |by| by.plan_packed(&plan))?;
    of.steps
        .extend([rows, keys, queries].into_iter().chain(sinks));
    Ok(of)
}

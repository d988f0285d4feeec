//! The gradients of attention in one call, on a GPU from compute capability 8.0 on, or the
//! emulator.
//!
//! ```text
//!   q, k, v, o, lse of the forward pass, d_o ─► attention_backward(&device, ..) ─► dq, dk, dv: three launches, checked
//!                                                                              └─► d sinks: a fourth, if it is requested
//! ```
//!
//! Law: kernels are found by what they compute ([`AttentionBackwardConfiguration::has`]), not by
//! their name or their table.

use super::request::with;
use super::soft_cap::{no_soft_cap, score};
use super::{default_scale, distinct, loads_of, ways};
use crate::CutletError;
use crate::gemm::Library;
use crate::kernels::Modules;
use host::attention::{
    AttentionBackwardOperands, AttentionElement, PartOperands, PreparedAttentionBackward,
    SequenceStarts, SinkGradientOperands,
};
use host::{Device, Run, View};
use kernel_abi::attention::{
    AttentionBackwardConfiguration, AttentionBackwardPlan, AttentionBackwardProblem,
    AttentionLoads, AttentionMask, AttentionParts, FusedBackwardConfiguration, FusedBackwardPlan,
    PackedBackwardPlan, PackedBackwardProblem, SinkGradientConfiguration, SinkGradientPlan,
};
use kernel_choice::ChoiceError;

pub use gpu_kernels::attention::backward::sinks::CONFIGURATION as SINK_GRADIENT;
pub use gpu_kernels::attention::{
    BACKWARD_CONFIGURATIONS as MMA_BACKWARD_CONFIGURATIONS,
    PACKED_BACKWARD_CONFIGURATIONS as MMA_PACKED_BACKWARD_CONFIGURATIONS,
    SCORE_BACKWARD_CONFIGURATIONS as MMA_SCORE_BACKWARD_CONFIGURATIONS,
};
pub use gpu_kernels_sm90::attention::{
    BACKWARD_CONFIGURATIONS, FUSED_BACKWARD_CONFIGURATIONS, PACKED_BACKWARD_CONFIGURATIONS,
    PACKED_SOFT_CAP_BACKWARD_CONFIGURATIONS, SCORE_BACKWARD_CONFIGURATIONS,
    SOFT_CAP_BACKWARD_CONFIGURATIONS,
};

/// The choice of the kernels that compute gradients.
///
/// ```text
///   Deterministic   seven products: dK and dV, and dQ, by a kernel each        the same bits on every run of the same device
///   Fused           five products, dQ added up in global memory                the same but for dQ's roundings in f32, which differ
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BackwardKernels {
    /// The kernels that were measured to be faster: see [`FusedBackwardConfiguration::is_faster`].
    #[default]
    Fastest,
    /// The kernels that give the same bits on every run.
    Deterministic,
    /// The fused kernels, which have head dimensions 64 and 128, for Hopper.
    Fused,
}

/// What the gradients take besides their tensors.
#[derive(Debug)]
pub struct AttentionBackwardOptions<'a> {
    /// The mask, which says which keys a query sees.
    pub mask: AttentionMask,
    /// The factor of the scores. The default is `1 / sqrt(D)`.
    pub scale: Option<f32>,
    /// The kernels that compute the gradients. Packed sequences, a soft cap and ALiBi have only the
    /// deterministic ones.
    pub kernels: BackwardKernels,
    /// The soft cap of the forward pass. It is above 0 and at most
    /// [`MOST_SOFT_CAP`](super::MOST_SOFT_CAP).
    pub soft_cap: Option<f32>,
    /// ALiBi's slopes of the forward pass. They are no parameters, and have no gradient.
    pub slopes: Option<View<'a, f32>>,
    /// The sinks of the forward pass, and the destination of their gradient. If the log-sum-exp
    /// includes the sinks, the gradients of Q, K and V are right without this.
    pub sinks: Option<SinkGradientOperands<'a>>,
    /// The way in which the kernels read their tensors. The default is TMA on Hopper and `cp.async`
    /// on every other GPU. Only the deterministic kernels read by `cp.async`.
    pub loads: Option<AttentionLoads>,
}

impl Default for AttentionBackwardOptions<'_> {
    fn default() -> Self {
        Self {
            mask: AttentionMask::Full,
            scale: None,
            kernels: BackwardKernels::Fastest,
            soft_cap: None,
            slopes: None,
            sinks: None,
            loads: None,
        }
    }
}

impl<'a> AttentionBackwardOptions<'a> {
    /// Returns the operands of the parts of the kernels that compute tiles.
    fn operands(
        &self,
        starts: Option<SequenceStarts<'a>>,
    ) -> Result<PartOperands<'a>, CutletError> {
        Ok(PartOperands {
            starts,
            soft_cap: self.soft_cap.map(score).transpose()?.map(|of| of.to_f32s()),
            slopes: self.slopes,
            ..PartOperands::default()
        })
    }
}

/// Returns every deterministic kernel of gradients that reads its tensors in this way. A row of the
/// tables has the two kernels of the tiles and the kernel of the rows.
///
/// ```
/// use cutlet::attention::{AttentionLoads, AttentionParts, gradient_configurations_by};
/// let all = || gradient_configurations_by(AttentionLoads::CpAsync);
/// assert!(all().any(|of| of.keys.kernel == "attention_mma_alibi_backward_keys_bf16_d64_64x64_s2"));
/// // The sinks are in the log-sum-exp.
/// let parts = AttentionParts::NONE.packed().soft_cap().alibi().sinks();
/// assert!(all().any(|of| of.dim == 64 && of.has(parts)));
/// ```
pub fn gradient_configurations_by(
    loads: AttentionLoads,
) -> impl Iterator<Item = &'static AttentionBackwardConfiguration> + Clone {
    let (tables, by_parts) = match loads {
        AttentionLoads::CpAsync => (
            [
                MMA_BACKWARD_CONFIGURATIONS,
                MMA_PACKED_BACKWARD_CONFIGURATIONS,
                &[],
                &[],
            ],
            MMA_SCORE_BACKWARD_CONFIGURATIONS,
        ),
        AttentionLoads::Tma => (
            [
                BACKWARD_CONFIGURATIONS,
                PACKED_BACKWARD_CONFIGURATIONS,
                SOFT_CAP_BACKWARD_CONFIGURATIONS,
                PACKED_SOFT_CAP_BACKWARD_CONFIGURATIONS,
            ],
            SCORE_BACKWARD_CONFIGURATIONS,
        ),
        AttentionLoads::TmaUmma => ([&[][..]; 4], &[][..]),
    };
    (tables.into_iter())
        .chain(by_parts.iter().copied())
        .flatten()
}

/// Returns the deterministic kernels of a problem with these parts on a device, for its element
/// type and head dimension. They read their tensors by `loads`, or by default as the device's
/// kernels do, or by `cp.async` if the device's kernels do not have the head dimension.
///
/// # Errors
/// Returns [`CutletError::NoAttention`], [`CutletError::NoSoftCap`] or
/// [`CutletError::NoAttentionWith`] if there are no such kernels.
pub fn gradient_configuration(
    device: &Device,
    problem: &AttentionBackwardProblem,
    parts: AttentionParts,
    loads: Option<AttentionLoads>,
) -> Result<&'static AttentionBackwardConfiguration, CutletError> {
    let ways = ways(device, loads);
    let all = ways.flat_map(gradient_configurations_by);
    let mut all = all.filter(|of| of.has(parts));
    let of_element = all
        .clone()
        .filter(|of| of.element == problem.forward.element);
    all.find(|of| of.computes(problem)).ok_or_else(|| {
        let (element, dim) = (problem.forward.element.name(), problem.forward.dim);
        let dims = distinct(of_element.map(|of| of.dim));
        let sinks = false;
        match (parts.soft_cap, with(AttentionParts { sinks, ..parts })) {
            (false, None) => CutletError::NoAttention { element, dim, dims },
            (true, None) => no_soft_cap(
                format!("{element} with a head dimension of {dim}"),
                dims.into_iter(),
            ),
            (_, Some(parts)) => CutletError::NoAttentionWith {
                parts,
                element,
                dim,
                dims,
            },
        }
    })
}

/// Plans a problem with these parts on a device, with the kernels of [`gradient_configuration`].
///
/// # Errors
/// Returns the errors of [`gradient_configuration`], and [`CutletError::Problem`] if no launch
/// covers the problem.
pub fn backward_plan(
    device: &Device,
    problem: &AttentionBackwardProblem,
    parts: AttentionParts,
    loads: Option<AttentionLoads>,
) -> Result<AttentionBackwardPlan, CutletError> {
    problem.check()?;
    let of = gradient_configuration(device, problem, parts, loads)?;
    Ok(of.plan(problem, device.limits().multiprocessors)?)
}

/// Plans a problem on a device with the fused kernels.
///
/// # Errors
/// Returns the errors of [`backward_plan`].
pub fn fused_backward_plan(
    device: &Device,
    problem: &AttentionBackwardProblem,
) -> Result<FusedBackwardPlan, CutletError> {
    problem.check()?;
    let of = fused_configuration(problem).ok_or_else(|| CutletError::NoAttention {
        element: problem.forward.element.name(),
        dim: problem.forward.dim,
        dims: FUSED_BACKWARD_CONFIGURATIONS
            .iter()
            .filter(|of| of.element == problem.forward.element)
            .map(|of| of.dim)
            .collect(),
    })?;
    Ok(of.plan(problem, device.limits().multiprocessors)?)
}

/// Returns the fused kernels of a problem, or `None` if there are none.
fn fused_configuration(
    problem: &AttentionBackwardProblem,
) -> Option<&'static FusedBackwardConfiguration> {
    FUSED_BACKWARD_CONFIGURATIONS
        .iter()
        .find(|of| of.computes(problem))
}

/// Whether the fused kernels compute a problem.
///
/// ```
/// use cutlet::attention::{AttentionBackwardProblem, AttentionMask, AttentionProblem, AttentionType, BackwardKernels, by_fused_kernels};
/// let of = |rows| {
///     let forward = AttentionProblem::new(AttentionType::Bf16, (1, 16, rows, 128), AttentionMask::Full, 0.1);
///     AttentionBackwardProblem::new(forward)
/// };
/// assert!(by_fused_kernels(&of(16384), BackwardKernels::Fastest));
/// assert!(!by_fused_kernels(&of(16384), BackwardKernels::Deterministic));
/// assert!(!by_fused_kernels(&of(512), BackwardKernels::Fastest));
/// ```
#[must_use]
pub fn by_fused_kernels(problem: &AttentionBackwardProblem, kernels: BackwardKernels) -> bool {
    match kernels {
        BackwardKernels::Deterministic => false,
        BackwardKernels::Fused => true,
        BackwardKernels::Fastest => {
            fused_configuration(problem).is_some_and(|of| of.is_faster(problem))
        }
    }
}

/// Whether the fused kernels compute a problem with these parts on a device. They do if the caller
/// chooses them. With [`BackwardKernels::Fastest`] they do if they are faster, have the parts, and
/// read by TMA, as `loads` says, or by default as the device's kernels do.
#[must_use]
pub fn takes_fused_kernels(
    device: &Device,
    problem: &AttentionBackwardProblem,
    parts: AttentionParts,
    (kernels, loads): (BackwardKernels, Option<AttentionLoads>),
) -> bool {
    let by_tma = loads.unwrap_or_else(|| loads_of(device)) == AttentionLoads::Tma;
    let may = by_tma && !parts.soft_cap && !parts.alibi;
    (may || kernels == BackwardKernels::Fused) && by_fused_kernels(problem, kernels)
}

/// Refuses parts and loads that the fused kernels do not have.
fn check_fused(parts: AttentionParts, loads: Option<AttentionLoads>) -> Result<(), CutletError> {
    if parts.soft_cap || parts.alibi {
        return Err(CutletError::NoFusedGradients {
            of: match (parts.soft_cap, parts.alibi) {
                (true, false) => "a soft cap",
                (false, _) => "ALiBi",
                (true, true) => "a soft cap and ALiBi",
            },
        });
    }
    if loads == Some(AttentionLoads::CpAsync) {
        return Err(ChoiceError::NoConfiguration {
            name: "the fused gradients by mma.sync".into(),
            available: (FUSED_BACKWARD_CONFIGURATIONS.iter())
                .map(|of| of.gradients.kernel)
                .collect(),
        }
        .into());
    }
    Ok(())
}

/// Adds the launch of the sinks' gradient after those of a plan, if there are sinks.
fn with_sinks<'a>(
    modules: &Modules,
    prepared: PreparedAttentionBackward<'a>,
    sinks: Option<SinkGradientOperands<'a>>,
    plan: impl FnOnce(&SinkGradientConfiguration) -> SinkGradientPlan,
) -> Result<PreparedAttentionBackward<'a>, CutletError> {
    let Some(sinks) = sinks else {
        return Ok(prepared);
    };
    let plan = plan(&SINK_GRADIENT);
    let kernel = modules.kernel(plan.launch().kernel)?;
    Ok(prepared.with_sinks(&kernel, &plan, sinks)?)
}

/// Plans the gradients of these tensors, and binds them to the launches.
///
/// # Errors
/// Returns the errors of [`attention_backward`].
pub fn prepare_backward<'a, T: AttentionElement>(
    modules: &Modules,
    operands: AttentionBackwardOperands<'a, T>,
    options: AttentionBackwardOptions<'a>,
) -> Result<PreparedAttentionBackward<'a>, CutletError> {
    let scale = options
        .scale
        .unwrap_or_else(|| default_scale(operands.problem_dim()));
    let of_parts = options.operands(None)?;
    let (parts, device) = (of_parts.parts(), modules.device());
    let problem = operands.problem(options.mask, scale)?;
    if takes_fused_kernels(device, &problem, parts, (options.kernels, options.loads)) {
        check_fused(parts, options.loads)?;
        let plan = fused_backward_plan(device, &problem)?;
        let rows = modules.kernel(plan.rows().kernel)?;
        let gradients = modules.kernel(plan.gradients().launch().kernel)?;
        let dq = modules.kernel(plan.dq().kernel)?;
        let prepared = operands.prepare_fused([&rows, &gradients, &dq], &plan)?;
        return with_sinks(modules, prepared, options.sinks, |of| of.plan_fused(&plan));
    }
    let plan = backward_plan(device, &problem, parts, options.loads)?;
    let rows = modules.kernel(plan.rows().kernel)?;
    let keys = modules.kernel(plan.keys().launch().kernel)?;
    let queries = modules.kernel(plan.queries().launch().kernel)?;
    let prepared = operands.prepare_parts([&rows, &keys, &queries], &plan, of_parts)?;
    with_sinks(modules, prepared, options.sinks, |of| of.plan(&plan))
}

/// Computes the gradients of Q, K and V of `o = softmax(scale q kᵀ + mask) v` from the gradient of
/// O, and from the O and the log-sum-exp of [`attention`](super::attention()), with the score parts
/// of the options. Head dimensions are multiples of 16 up to 256; on Hopper the kernels of 64, 96,
/// 128, 192 and 256 multiply by `wgmma`. By default, kernels whose dQ differs between runs by the
/// order of its sums compute long sequences of head dimensions 64 and 128. With
/// [`BackwardKernels::Deterministic`] every run on the same device gives the same bits.
///
/// ```
/// use cutlet::attention::{
///     AttentionBackwardOperands, AttentionBackwardOptions, HeadTensor, HeadTensorMut, Heads, attention_backward,
/// };
/// use cutlet::prelude::*;
///
/// let device = Device::emulator();
/// let heads = Heads { batches: 1, heads: 1, rows: 2, columns: 64 };
/// // Scores of 0: each of two queries has both keys with a probability of a half.
/// let zeros = device.upload(&[f16::ZERO; 2 * 64])?;
/// let ones = device.upload(&[f16::ONE; 2 * 64])?;
/// let lse = device.upload(&[2.0_f32.ln(); 2])?;
/// let (mut dq, mut dk, mut dv) = (device.alloc(128)?, device.alloc(128)?, device.alloc(128)?);
/// attention_backward(
///     &device,
///     AttentionBackwardOperands {
///         q: HeadTensor::new(&zeros, heads),
///         k: HeadTensor::new(&zeros, heads),
///         v: HeadTensor::new(&ones, heads),
///         o: HeadTensor::new(&ones, heads),
///         lse: lse.all(),
///         d_o: HeadTensor::new(&ones, heads),
///         dq: HeadTensorMut::new(&mut dq, heads),
///         dk: HeadTensorMut::new(&mut dk, heads),
///         dv: HeadTensorMut::new(&mut dv, heads),
///     },
///     AttentionBackwardOptions::default(),
/// )?;
/// assert!(dv.to_vec()?.iter().all(|&x| x == f16::ONE));
/// assert!(dq.to_vec()?.iter().all(|&x| x == f16::ZERO));
/// # Ok::<(), cutlet::CutletError>(())
/// ```
///
/// # Errors
/// Returns [`CutletError::Attention`] if the tensors do not fit each other or their buffers,
/// [`CutletError::Problem`] if no launch covers the problem, and [`CutletError::NoAttention`],
/// [`CutletError::NoSoftCap`], [`CutletError::NoAttentionWith`] or
/// [`CutletError::NoFusedGradients`] if there are no kernels for it. Also returns the device's
/// errors.
pub fn attention_backward<T: AttentionElement>(
    device: &Device,
    operands: AttentionBackwardOperands<'_, T>,
    options: AttentionBackwardOptions<'_>,
) -> Result<Vec<Run>, CutletError> {
    let library = Library::of(device)?;
    Ok(prepare_backward(library.modules(), operands, options)?.run(None)?)
}

/// Plans the gradients of packed sequences with these parts on a device, with the kernels of
/// [`gradient_configuration`]. The kernels are those of packed sequences, whatever `parts` says of
/// the sequences.
///
/// # Errors
/// Returns the errors of [`backward_plan`].
pub fn packed_backward_plan(
    device: &Device,
    problem: &PackedBackwardProblem,
    parts: AttentionParts,
    loads: Option<AttentionLoads>,
) -> Result<PackedBackwardPlan, CutletError> {
    problem.check()?;
    let of = gradient_configuration(device, &problem.all, parts.packed(), loads)?;
    Ok(of.plan_packed(problem, device.limits().multiprocessors)?)
}

/// Returns the problem that the tensors and the starts state.
fn packed_backward_problem<T: AttentionElement>(
    operands: &AttentionBackwardOperands<'_, T>,
    starts: &SequenceStarts<'_>,
    (mask, scale): (AttentionMask, f32),
) -> Result<PackedBackwardProblem, CutletError> {
    let sequences = starts.queries.len().saturating_sub(1);
    Ok(PackedBackwardProblem {
        all: operands.problem(mask, scale)?,
        // If the number does not fit, the plan refuses it: the largest number is more than a plan
        // takes.
        sequences: u32::try_from(sequences).unwrap_or(u32::MAX),
    })
}

/// Plans the gradients of packed sequences, and binds the tensors to the launches.
///
/// # Errors
/// Returns the errors of [`attention_backward_packed`].
pub fn prepare_backward_packed<'a, T: AttentionElement>(
    modules: &Modules,
    operands: AttentionBackwardOperands<'a, T>,
    starts: SequenceStarts<'a>,
    options: AttentionBackwardOptions<'a>,
) -> Result<PreparedAttentionBackward<'a>, CutletError> {
    if options.kernels == BackwardKernels::Fused {
        let of = "packed sequences";
        return Err(CutletError::NoFusedGradients { of });
    }
    let scale = options
        .scale
        .unwrap_or_else(|| default_scale(operands.problem_dim()));
    let of_parts = options.operands(Some(starts))?;
    let problem = packed_backward_problem(&operands, &starts, (options.mask, scale))?;
    let plan = packed_backward_plan(modules.device(), &problem, of_parts.parts(), options.loads)?;
    let rows = modules.kernel(plan.rows().kernel)?;
    let keys = modules.kernel(plan.keys().launch().kernel)?;
    let queries = modules.kernel(plan.queries().launch().kernel)?;
    let prepared = operands.prepare_packed_parts([&rows, &keys, &queries], &plan, of_parts)?;
    with_sinks(modules, prepared, options.sinks, |of| of.plan_packed(&plan))
}

/// Computes the gradients of [`attention_packed`](super::attention_packed), separately for each
/// sequence, as [`attention_backward`] computes them for one. The tensors have one batch with the
/// rows of all sequences, and so does the log-sum-exp. Rows that belong to no sequence stay as they
/// are.
///
/// ```
/// use cutlet::attention::{
///     AttentionBackwardOperands, AttentionBackwardOptions, HeadTensor, HeadTensorMut, Heads, SequenceStarts,
///     attention_backward_packed, starts,
/// };
/// use cutlet::prelude::*;
///
/// let device = Device::emulator();
/// // Sequences of 1 and of 2 rows, and scores of 0: a query has each of its n keys with a probability of 1 / n.
/// let heads = Heads { batches: 1, heads: 1, rows: 3, columns: 64 };
/// let zeros = device.upload(&[f16::ZERO; 3 * 64])?;
/// let ones = device.upload(&[f16::ONE; 3 * 64])?;
/// let lse = device.upload(&[0.0, 2.0_f32.ln(), 2.0_f32.ln()])?;
/// let of_both = device.upload(&starts(&[1, 2]))?;
/// let (mut dq, mut dk, mut dv) = (device.alloc(192)?, device.alloc(192)?, device.alloc(192)?);
/// attention_backward_packed(
///     &device,
///     AttentionBackwardOperands {
///         q: HeadTensor::new(&zeros, heads),
///         k: HeadTensor::new(&zeros, heads),
///         v: HeadTensor::new(&ones, heads),
///         o: HeadTensor::new(&ones, heads),
///         lse: lse.all(),
///         d_o: HeadTensor::new(&ones, heads),
///         dq: HeadTensorMut::new(&mut dq, heads),
///         dk: HeadTensorMut::new(&mut dk, heads),
///         dv: HeadTensorMut::new(&mut dv, heads),
///     },
///     SequenceStarts { queries: of_both.all(), keys: of_both.all() },
///     AttentionBackwardOptions::default(),
/// )?;
/// assert!(dv.to_vec()?.iter().all(|&x| x == f16::ONE));
/// # Ok::<(), cutlet::CutletError>(())
/// ```
///
/// # Errors
/// Returns the errors of [`attention_backward`]. Also returns [`CutletError::Attention`] if the
/// starts have different numbers of sequences, and [`CutletError::NoFusedGradients`] if the caller
/// chooses the fused kernels.
pub fn attention_backward_packed<T: AttentionElement>(
    device: &Device,
    operands: AttentionBackwardOperands<'_, T>,
    starts: SequenceStarts<'_>,
    options: AttentionBackwardOptions<'_>,
) -> Result<Vec<Run>, CutletError> {
    let library = Library::of(device)?;
    Ok(prepare_backward_packed(library.modules(), operands, starts, options)?.run(None)?)
}

//! The request of a call of the forward pass, the search for a kernel that has the request's parts,
//! and the launch of that kernel.
//!
//! ```text
//!   AttentionRequest { mask, scale, starts, pages, soft_cap, slopes, sinks, loads, by }
//!     ─► AttentionParts ─► forward_configuration: of all tables the kernel that takes the least ─► plan ─► prepare_request
//! ```
//!
//! Law: a kernel is found by what it computes, not by its name or its table.

use super::soft_cap::{no_soft_cap, score};
use super::{
    CONFIGURATIONS, MMA_CONFIGURATIONS, MMA_PACKED_CONFIGURATIONS,
    MMA_PACKED_SOFT_CAP_CONFIGURATIONS, MMA_SOFT_CAP_CONFIGURATIONS, PACKED_CONFIGURATIONS,
    SOFT_CAP_CONFIGURATIONS, UMMA_CONFIGURATIONS, default_scale, distinct, loads_of, ways,
};
use crate::CutletError;
use crate::kernels::Modules;
use gpu_kernels::attention::{
    SCORE_CONFIGURATIONS as MMA_SCORE_CONFIGURATIONS,
    VALUE_DIM_CONFIGURATIONS as MMA_VALUE_DIM_CONFIGURATIONS,
};
use gpu_kernels_sm90::attention::{
    PAGED_CONFIGURATIONS, SCORE_CONFIGURATIONS, VALUE_DIM_CONFIGURATIONS,
};
use host::attention::{
    AttentionElement, AttentionOperands, PagedKeys, PartOperands, PreparedAttention, SequenceStarts,
};
use host::{Device, View};
use kernel_abi::ProblemError;
use kernel_abi::attention::{
    AttentionConfiguration, AttentionLoads, AttentionMask, AttentionParts, AttentionPlan,
    AttentionProblem, PackedAttentionPlan, PackedAttentionProblem, PagedAttentionPlan,
    PagedAttentionProblem, choose,
};

/// What a call specifies besides its tensors.
#[derive(Clone, Copy, Debug)]
pub struct AttentionRequest<'a> {
    /// The mask, which says which keys a query sees.
    pub mask: AttentionMask,
    /// The factor of the scores. The default is `1 / sqrt(D)`.
    pub scale: Option<f32>,
    /// The starts of packed sequences. The tensors then have one batch with the rows of all
    /// sequences.
    pub starts: Option<SequenceStarts<'a>>,
    /// The keys of each sequence, in pages. K and V are then a cache (pages, key heads, page size,
    /// D) of any strides, and only the starts of the queries are read.
    pub pages: Option<PagedKeys<'a>>,
    /// Replaces each score by `cap tanh(score / cap)`.
    pub soft_cap: Option<f32>,
    /// ALiBi: a slope for each head of Q.
    pub slopes: Option<View<'a, f32>>,
    /// A logit for each head of Q that joins the denominator of the head's rows.
    pub sinks: Option<View<'a, f32>>,
    /// The way in which the kernel reads its tensors. The default is that of the device's kernels.
    pub loads: Option<AttentionLoads>,
    /// The kernel. The default is the cheapest.
    pub by: Option<&'a AttentionConfiguration>,
}

impl Default for AttentionRequest<'_> {
    fn default() -> Self {
        Self {
            mask: AttentionMask::Full,
            scale: None,
            starts: None,
            pages: None,
            soft_cap: None,
            slopes: None,
            sinks: None,
            loads: None,
            by: None,
        }
    }
}

impl<'a> AttentionRequest<'a> {
    /// Returns the operands of the kernel's parts.
    ///
    /// # Errors
    /// Returns [`CutletError::Problem`] if the soft cap is out of range.
    fn operands(&self) -> Result<PartOperands<'a>, CutletError> {
        Ok(PartOperands {
            starts: self.starts,
            pages: self.pages,
            soft_cap: self.soft_cap.map(score).transpose()?.map(|of| of.to_f32s()),
            slopes: self.slopes,
            sinks: self.sinks,
        })
    }
}

/// Returns every kernel of the forward pass, for elements of 16 bits, that reads Q, K and V in this
/// way.
///
/// ```
/// use cutlet::attention::{AttentionLoads, AttentionParts, forward_configurations_by};
/// let all = || forward_configurations_by(AttentionLoads::Tma);
/// assert!(all().any(|of| of.kernel == "attention_alibi_sinks_bf16_d128_128x128_s2"));
/// let parts = AttentionParts::NONE.packed().sinks();
/// assert!(all().any(|of| of.dim == 64 && of.parts.computes(parts)));
/// ```
pub fn forward_configurations_by(
    loads: AttentionLoads,
) -> impl Iterator<Item = &'static AttentionConfiguration> + Clone {
    const NONE: &[AttentionConfiguration] = &[];
    let (tables, by_parts) = match loads {
        AttentionLoads::CpAsync => (
            [
                MMA_CONFIGURATIONS,
                MMA_PACKED_CONFIGURATIONS,
                MMA_SOFT_CAP_CONFIGURATIONS,
                MMA_PACKED_SOFT_CAP_CONFIGURATIONS,
            ],
            [MMA_SCORE_CONFIGURATIONS, MMA_VALUE_DIM_CONFIGURATIONS, &[]],
        ),
        AttentionLoads::Tma => (
            [
                CONFIGURATIONS,
                PACKED_CONFIGURATIONS,
                SOFT_CAP_CONFIGURATIONS,
                &[],
            ],
            [
                SCORE_CONFIGURATIONS,
                VALUE_DIM_CONFIGURATIONS,
                PAGED_CONFIGURATIONS,
            ],
        ),
        AttentionLoads::TmaUmma => ([UMMA_CONFIGURATIONS, NONE, NONE, NONE], [&[][..]; 3]),
    };
    (tables.into_iter())
        .chain(by_parts.into_iter().flatten().copied())
        .flatten()
}

/// Returns the kernel of a problem with these parts on a device: the cheapest for its element type
/// and its head dimension, of those that read by `loads`, or by default as the device's own do, or
/// by `cp.async`. Precondition: [`check`](AttentionProblem::check) accepts the problem.
///
/// # Errors
/// Returns [`CutletError::NoAttention`], [`CutletError::NoSoftCap`],
/// [`CutletError::NoAttentionWith`] or [`CutletError::NoValueDim`] if there is no such kernel.
pub fn forward_configuration(
    device: &Device,
    problem: &AttentionProblem,
    parts: AttentionParts,
    loads: Option<AttentionLoads>,
) -> Result<&'static AttentionConfiguration, CutletError> {
    let of_parts = |loads| {
        let all = forward_configurations_by(loads);
        all.filter(move |of| of.parts.computes(parts))
    };
    let every = (AttentionLoads::ALL.into_iter()).flat_map(forward_configurations_by);
    let shared = device.limits().max_shared;
    choose(every, problem, parts, shared, ways(device, loads)).ok_or_else(|| {
        let all = ways(device, loads).flat_map(of_parts);
        let (element, dim) = (problem.element.name(), problem.dim);
        if problem.dim_v != dim {
            let pairs = all.filter(|of| of.element == problem.element && of.dim != of.dim_v);
            let mut pairs: Vec<_> = pairs.map(|of| [of.dim, of.dim_v]).collect();
            pairs.sort_unstable();
            pairs.dedup();
            return CutletError::NoValueDim {
                element,
                dims: [dim, problem.dim_v],
                pairs,
            };
        }
        let all = all.filter(|of| of.dim == of.dim_v);
        let dims = distinct(
            all.filter(|of| of.element == problem.element)
                .map(|of| of.dim),
        );
        match (parts.soft_cap, with(parts)) {
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

/// Returns the score parts in words, or `None` if there are none except a soft cap.
pub(super) fn with(parts: AttentionParts) -> Option<&'static str> {
    match (parts.soft_cap, parts.alibi, parts.sinks) {
        (_, false, false) => None,
        (false, true, false) => Some("ALiBi"),
        (false, false, true) => Some("sinks"),
        (false, true, true) => Some("ALiBi and sinks"),
        (true, true, false) => Some("a soft cap and ALiBi"),
        (true, false, true) => Some("a soft cap and sinks"),
        (true, true, true) => Some("a soft cap, ALiBi and sinks"),
    }
}

/// Plans sequences of one length with these parts, with the kernel `by` or by default with that of
/// [`forward_configuration`].
///
/// # Errors
/// Returns the errors of [`forward_configuration`], and [`CutletError::Problem`] if no launch
/// covers the problem, or no launch of `by` does.
pub fn plan_with(
    device: &Device,
    problem: &AttentionProblem,
    parts: AttentionParts,
    (by, loads): (Option<&AttentionConfiguration>, Option<AttentionLoads>),
) -> Result<AttentionPlan, CutletError> {
    problem.check()?;
    let of = match by {
        Some(by) => by,
        None => forward_configuration(device, problem, parts, loads)?,
    };
    Ok(of.plan(problem, device.limits().multiprocessors)?)
}

/// Plans packed sequences with these parts, with the kernel of [`forward_configuration`]. If no
/// `loads` are requested, it is a kernel that loads as
/// [`fastest_loads`](PackedAttentionProblem::fastest_loads) says, if there is one. The kernel is
/// one of packed sequences, whatever `parts` says of the sequences.
///
/// # Errors
/// Returns the errors of [`plan_with`].
pub fn packed_plan(
    device: &Device,
    problem: &PackedAttentionProblem,
    parts: AttentionParts,
    loads: Option<AttentionLoads>,
) -> Result<PackedAttentionPlan, CutletError> {
    problem.check()?;
    let choose = |loads| forward_configuration(device, &problem.all, parts.packed(), loads);
    let of = match (loads, problem.fastest_loads()) {
        (None, Some(fastest)) => choose(Some(fastest)).or_else(|_| choose(None))?,
        _ => choose(loads)?,
    };
    Ok(of.plan_packed(problem, device.limits().multiprocessors)?)
}

/// Plans attention from pages with these parts, with the kernel of [`forward_configuration`]. The
/// kernel is one of pages, whatever `parts` says of the sequences.
///
/// # Errors
/// Returns the errors of [`plan_with`], and [`CutletError::Problem`] if the kernel would load by
/// `cp.async`.
pub fn paged_plan(
    device: &Device,
    problem: &PagedAttentionProblem,
    parts: AttentionParts,
    loads: Option<AttentionLoads>,
) -> Result<PagedAttentionPlan, CutletError> {
    problem.check()?;
    if loads.unwrap_or(loads_of(device)) == AttentionLoads::CpAsync {
        let (first, second) = ("pages", "loads by cp.async");
        return Err(ProblemError::NotTogether { first, second }.into());
    }
    let by = Some(loads.unwrap_or(AttentionLoads::Tma));
    let of = forward_configuration(device, &problem.of, parts.paged(), by)?;
    Ok(of.plan_paged(problem, device.limits().multiprocessors)?)
}

/// Plans attention of these tensors as a request specifies, and binds them to the launch.
///
/// ```
/// use cutlet::attention::{AttentionOperands, AttentionRequest, HeadTensor, HeadTensorMut, Heads, prepare_request};
/// use cutlet::kernels::Modules;
/// use cutlet::prelude::*;
///
/// let device = Device::emulator();
/// let heads = Heads { batches: 1, heads: 1, rows: 1, columns: 64 };
/// let ones = device.upload(&[f16::ONE; 64])?;
/// // A sink of the one score's size takes half of the row.
/// let sinks = device.upload(&[8.0_f32])?;
/// let mut o = device.upload(&[f16::ZERO; 64])?;
/// let [q, k, v] = [(); 3].map(|()| HeadTensor::new(&ones, heads));
/// let operands = AttentionOperands { q, k, v, o: HeadTensorMut::new(&mut o, heads), lse: None };
/// let request = AttentionRequest { sinks: Some(sinks.all()), ..AttentionRequest::default() };
/// prepare_request(&Modules::load(&device)?, operands, &request)?.run(None)?;
/// assert!(o.to_vec()?.iter().all(|&x| x == f16::from_f32(0.5)));
/// # Ok::<(), cutlet::CutletError>(())
/// ```
///
/// # Errors
/// Returns the errors of [`attention`](super::attention()) and
/// [`attention_packed`](super::attention_packed()). Also returns [`CutletError::Problem`] if a cap
/// is not above 0 or exceeds [`MOST_SOFT_CAP`](super::MOST_SOFT_CAP), and if `by` is for other
/// tensors.
pub fn prepare_request<'a, T: AttentionElement>(
    modules: &Modules,
    operands: AttentionOperands<'a, T>,
    request: &AttentionRequest<'a>,
) -> Result<PreparedAttention<'a>, CutletError> {
    let of_parts = request.operands()?;
    let (parts, device) = (of_parts.parts(), modules.device());
    let scale = request.scale;
    let scale = scale.unwrap_or_else(|| default_scale(operands.problem_dim()));
    let sequences = request.starts.map(|starts| {
        // If the number does not fit, the plan refuses it: the largest number is more than a plan
        // takes.
        u32::try_from(starts.queries.len().saturating_sub(1)).unwrap_or(u32::MAX)
    });
    if let Some(pages) = request.pages {
        let problem = operands.paged_problem(pages, sequences, (request.mask, scale))?;
        let plan = paged_plan(device, &problem, parts, request.loads)?;
        let kernel = modules.kernel(plan.launch().kernel)?;
        return Ok(operands.prepare_paged_parts(&kernel, &plan, of_parts)?);
    }
    let problem = operands.problem(request.mask, scale)?;
    let Some(sequences) = sequences else {
        let plan = plan_with(device, &problem, parts, (request.by, request.loads))?;
        let kernel = modules.kernel(plan.launch().kernel)?;
        return Ok(operands.prepare_parts(&kernel, &plan, of_parts)?);
    };
    let problem = PackedAttentionProblem {
        all: problem,
        sequences,
    };
    let plan = packed_plan(device, &problem, parts, request.loads)?;
    let kernel = modules.kernel(plan.launch().kernel)?;
    Ok(operands.prepare_packed_parts(&kernel, &plan, of_parts)?)
}

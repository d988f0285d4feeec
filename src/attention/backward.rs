//! The gradients of attention in one call, on a GPU from compute capability 8.0 on, or the
//! emulator.
//!
//! ```text
//!   q, k, v, o, lse of the forward pass, d_o ─► attention_backward(&device, ..) ─► dq, dk, dv: three launches, checked
//! ```

use super::soft_cap::{
    no_soft_cap_gradients, prepare_packed_soft_cap_backward, prepare_soft_cap_backward,
};
use super::{default_scale, distinct, loads_of, ways};
use crate::CutletError;
use crate::gemm::Library;
use crate::kernels::Modules;
use host::attention::{
    AttentionBackwardOperands, AttentionElement, PreparedAttentionBackward, SequenceStarts,
};
use host::{Device, Run};
use kernel_abi::attention::{
    AttentionBackwardConfiguration, AttentionBackwardPlan, AttentionBackwardProblem,
    AttentionLoads, AttentionMask, FusedBackwardConfiguration, FusedBackwardPlan,
    PackedBackwardPlan, PackedBackwardProblem,
};
use kernel_choice::ChoiceError;

pub use gpu_kernels::attention::{
    BACKWARD_CONFIGURATIONS as MMA_BACKWARD_CONFIGURATIONS,
    PACKED_BACKWARD_CONFIGURATIONS as MMA_PACKED_BACKWARD_CONFIGURATIONS,
};
pub use gpu_kernels_sm90::attention::{
    BACKWARD_CONFIGURATIONS, FUSED_BACKWARD_CONFIGURATIONS, PACKED_BACKWARD_CONFIGURATIONS,
    PACKED_SOFT_CAP_BACKWARD_CONFIGURATIONS, SOFT_CAP_BACKWARD_CONFIGURATIONS,
};

/// Which kernels compute gradients.
///
/// ```text
///   Deterministic   seven products: dK and dV, and dQ, by a kernel each        the same bits on every run of the same device
///   Fused           five products, dQ added up in global memory                the same but for dQ's roundings in f32, which differ
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BackwardKernels {
    /// Those that were measured to be faster: [`FusedBackwardConfiguration::is_faster`].
    #[default]
    Fastest,
    /// Those that give the same bits on every run.
    Deterministic,
    /// The fused ones, of head dimensions 64 and 128, for Hopper.
    Fused,
}

/// What there is to gradients besides their tensors.
#[derive(Clone, Copy, Debug)]
pub struct AttentionBackwardOptions {
    /// Which keys a query sees.
    pub mask: AttentionMask,
    /// The factor of the scores; by default `1 / sqrt(D)`.
    pub scale: Option<f32>,
    /// Which kernels compute them; of packed sequences there are the deterministic ones alone.
    pub kernels: BackwardKernels,
    /// The soft cap of the forward pass: above 0 and at most
    /// [`MOST_SOFT_CAP`](super::MOST_SOFT_CAP), by the kernels of
    /// [`SOFT_CAP_BACKWARD_CONFIGURATIONS`] and [`PACKED_SOFT_CAP_BACKWARD_CONFIGURATIONS`], which
    /// are deterministic and for Hopper.
    pub soft_cap: Option<f32>,
    /// How the kernels read their tensors; by default Hopper's by TMA, every other GPU's by
    /// `cp.async`. By `cp.async` there are the deterministic kernels alone, without a soft cap.
    pub loads: Option<AttentionLoads>,
}

impl Default for AttentionBackwardOptions {
    fn default() -> Self {
        Self {
            mask: AttentionMask::Full,
            scale: None,
            kernels: BackwardKernels::Fastest,
            soft_cap: None,
            loads: None,
        }
    }
}

/// The table of the deterministic kernels that read their tensors in this way.
#[must_use]
pub const fn backward_configurations_by(
    loads: AttentionLoads,
) -> &'static [AttentionBackwardConfiguration] {
    match loads {
        AttentionLoads::CpAsync => MMA_BACKWARD_CONFIGURATIONS,
        AttentionLoads::Tma => BACKWARD_CONFIGURATIONS,
    }
}

/// The deterministic kernels of a problem that read their tensors in this way: those of its
/// elements and its head dimension.
#[must_use]
pub fn backward_configuration(
    problem: &AttentionBackwardProblem,
    loads: AttentionLoads,
) -> Option<&'static AttentionBackwardConfiguration> {
    let mut all = backward_configurations_by(loads).iter();
    all.find(|of| of.computes(problem))
}

/// The kernels of a problem in the first table that has them.
fn of_tables(
    tables: impl Iterator<Item = &'static [AttentionBackwardConfiguration]> + Clone,
    problem: &AttentionBackwardProblem,
) -> Result<&'static AttentionBackwardConfiguration, CutletError> {
    let element = problem.forward.element;
    let mut all = tables.clone().flatten();
    all.find(|of| of.computes(problem)).ok_or_else(|| {
        let of_element = tables.flatten().filter(|of| of.element == element);
        CutletError::NoAttention {
            element: element.name(),
            dim: problem.forward.dim,
            dims: distinct(of_element.map(|of| of.dim)),
        }
    })
}

/// The plan of a problem on a device by the deterministic kernels that read their tensors by
/// `loads`, or else as the device's do, or by `cp.async` where those have not the head dimension.
///
/// # Errors
/// [`CutletError::NoAttention`] where there are no such kernels, [`CutletError::Problem`] for what
/// no launch covers.
pub fn backward_plan(
    device: &Device,
    problem: &AttentionBackwardProblem,
    loads: Option<AttentionLoads>,
) -> Result<AttentionBackwardPlan, CutletError> {
    problem.check()?;
    let tables = ways(device, loads).map(backward_configurations_by);
    let of = of_tables(tables, problem)?;
    Ok(of.plan(problem, device.limits().multiprocessors)?)
}

/// The plan of a problem on a device by the fused kernels.
///
/// # Errors
/// As of [`backward_plan`].
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

/// The fused kernels of a problem.
fn fused_configuration(
    problem: &AttentionBackwardProblem,
) -> Option<&'static FusedBackwardConfiguration> {
    FUSED_BACKWARD_CONFIGURATIONS
        .iter()
        .find(|of| of.computes(problem))
}

/// Whether a problem is computed by the fused kernels.
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

/// Whether a problem is computed by the fused kernels on a device: where they are asked for, or
/// where they are faster and `loads`, or else what the device's kernels do, is by TMA.
#[must_use]
pub fn takes_fused_kernels(
    device: &Device,
    problem: &AttentionBackwardProblem,
    kernels: BackwardKernels,
    loads: Option<AttentionLoads>,
) -> bool {
    let by_tma = loads.unwrap_or_else(|| loads_of(device)) == AttentionLoads::Tma;
    (by_tma || kernels == BackwardKernels::Fused) && by_fused_kernels(problem, kernels)
}

/// Plans the gradients of these tensors, and binds them to the launches.
///
/// # Errors
/// As of [`attention_backward`].
pub fn prepare_backward<'a, T: AttentionElement>(
    modules: &Modules,
    operands: AttentionBackwardOperands<'a, T>,
    options: AttentionBackwardOptions,
) -> Result<PreparedAttentionBackward<'a>, CutletError> {
    let scale = options
        .scale
        .unwrap_or_else(|| default_scale(operands.problem_dim()));
    let loads = options.loads.unwrap_or_else(|| loads_of(modules.device()));
    if let Some(cap) = options.soft_cap {
        if loads != AttentionLoads::Tma {
            return Err(no_soft_cap_gradients("the gradients by mma.sync".into()));
        }
        let of = (options.mask, scale);
        return prepare_soft_cap_backward(modules, operands, of, cap, options.kernels);
    }
    let problem = operands.problem(options.mask, scale)?;
    if takes_fused_kernels(modules.device(), &problem, options.kernels, options.loads) {
        if options.loads == Some(AttentionLoads::CpAsync) {
            return Err(ChoiceError::NoConfiguration {
                name: "the fused gradients by mma.sync".into(),
                available: (FUSED_BACKWARD_CONFIGURATIONS.iter())
                    .map(|of| of.gradients.kernel)
                    .collect(),
            }
            .into());
        }
        let plan = fused_backward_plan(modules.device(), &problem)?;
        let rows = modules.kernel(plan.rows().kernel)?;
        let gradients = modules.kernel(plan.gradients().launch().kernel)?;
        let dq = modules.kernel(plan.dq().kernel)?;
        return Ok(operands.prepare_fused([&rows, &gradients, &dq], &plan)?);
    }
    let plan = backward_plan(modules.device(), &problem, options.loads)?;
    let rows = modules.kernel(plan.rows().kernel)?;
    let keys = modules.kernel(plan.keys().launch().kernel)?;
    let queries = modules.kernel(plan.queries().launch().kernel)?;
    Ok(operands.prepare([&rows, &keys, &queries], &plan)?)
}

/// The gradients of Q, K and V of `o = softmax(scale q kᵀ + mask) v` from that of O, by the O and
/// the log-sum-exp of [`attention`](super::attention()). Head dimensions are multiples of 16 up to
/// 256, on Hopper by `wgmma` where they are 64, 96, 128, 192 or 256. By default long sequences of
/// head dimensions 64 and 128 are computed by kernels whose dQ differs between runs by the order of
/// its sums; with [`BackwardKernels::Deterministic`] every run of the same device gives the same
/// bits.
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
/// [`CutletError::Attention`] for tensors that do not fit each other or their buffers,
/// [`CutletError::Problem`] for a problem that no launch covers, [`CutletError::NoAttention`] or
/// [`CutletError::NoSoftCap`] where there are no kernels for it, and what the device reports.
pub fn attention_backward<T: AttentionElement>(
    device: &Device,
    operands: AttentionBackwardOperands<'_, T>,
    options: AttentionBackwardOptions,
) -> Result<[Run; 3], CutletError> {
    let library = Library::of(device)?;
    Ok(prepare_backward(library.modules(), operands, options)?.run(None)?)
}

/// The table of kernels of the gradients of packed sequences that read their tensors in this way.
///
/// ```
/// use cutlet::attention::{AttentionLoads, packed_backward_configurations_by};
/// let of = packed_backward_configurations_by(AttentionLoads::CpAsync)[0];
/// assert_eq!((of.loads, of.keys.threads), (AttentionLoads::CpAsync, 128));
/// ```
#[must_use]
pub const fn packed_backward_configurations_by(
    loads: AttentionLoads,
) -> &'static [AttentionBackwardConfiguration] {
    match loads {
        AttentionLoads::CpAsync => MMA_PACKED_BACKWARD_CONFIGURATIONS,
        AttentionLoads::Tma => PACKED_BACKWARD_CONFIGURATIONS,
    }
}

/// The plan of the gradients of packed sequences on a device by the kernels that read their tensors
/// by `loads`, or else as the device's do, or by `cp.async` where those have not the head
/// dimension.
///
/// # Errors
/// [`CutletError::NoAttention`] where there are no such kernels, [`CutletError::Problem`] for what
/// no launch covers.
pub fn packed_backward_plan(
    device: &Device,
    problem: &PackedBackwardProblem,
    loads: Option<AttentionLoads>,
) -> Result<PackedBackwardPlan, CutletError> {
    problem.check()?;
    let tables = ways(device, loads).map(packed_backward_configurations_by);
    let of = of_tables(tables, &problem.all)?;
    Ok(of.plan_packed(problem, device.limits().multiprocessors)?)
}

/// The problem that the tensors and the starts state.
pub(super) fn packed_backward_problem<T: AttentionElement>(
    operands: &AttentionBackwardOperands<'_, T>,
    starts: &SequenceStarts<'_>,
    (mask, scale): (AttentionMask, f32),
) -> Result<PackedBackwardProblem, CutletError> {
    let sequences = starts.queries.len().saturating_sub(1);
    Ok(PackedBackwardProblem {
        all: operands.problem(mask, scale)?,
        // More than there are numbers of are more than a plan takes.
        sequences: u32::try_from(sequences).unwrap_or(u32::MAX),
    })
}

/// Plans the gradients of packed sequences, and binds the tensors to the launches.
///
/// # Errors
/// As of [`attention_backward_packed`].
pub fn prepare_backward_packed<'a, T: AttentionElement>(
    modules: &Modules,
    operands: AttentionBackwardOperands<'a, T>,
    starts: SequenceStarts<'a>,
    options: AttentionBackwardOptions,
) -> Result<PreparedAttentionBackward<'a>, CutletError> {
    if options.kernels == BackwardKernels::Fused {
        return Err(CutletError::NoFusedGradients);
    }
    let loads = options.loads.unwrap_or_else(|| loads_of(modules.device()));
    let scale = options
        .scale
        .unwrap_or_else(|| default_scale(operands.problem_dim()));
    let of = (options.mask, scale);
    if let Some(cap) = options.soft_cap {
        if loads != AttentionLoads::Tma {
            return Err(no_soft_cap_gradients(
                "the gradients of packed sequences by mma.sync".into(),
            ));
        }
        return prepare_packed_soft_cap_backward(modules, operands, starts, of, cap);
    }
    let problem = packed_backward_problem(&operands, &starts, of)?;
    let plan = packed_backward_plan(modules.device(), &problem, options.loads)?;
    let rows = modules.kernel(plan.rows().kernel)?;
    let keys = modules.kernel(plan.keys().launch().kernel)?;
    let queries = modules.kernel(plan.queries().launch().kernel)?;
    Ok(operands.prepare_packed([&rows, &keys, &queries], &plan, starts)?)
}

/// The gradients of each sequence alone of [`attention_packed`](super::attention_packed), as
/// [`attention_backward`] computes them of one. The tensors have one batch, of the rows of all
/// sequences, and so does the log-sum-exp. Rows of no sequence are left as they are.
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
/// As of [`attention_backward`]; [`CutletError::Attention`] for starts of different numbers of
/// sequences, and [`CutletError::NoFusedGradients`] where the fused kernels are asked for.
pub fn attention_backward_packed<T: AttentionElement>(
    device: &Device,
    operands: AttentionBackwardOperands<'_, T>,
    starts: SequenceStarts<'_>,
    options: AttentionBackwardOptions,
) -> Result<[Run; 3], CutletError> {
    let library = Library::of(device)?;
    Ok(prepare_backward_packed(library.modules(), operands, starts, options)?.run(None)?)
}

//! Attention of packed sequences in one call: sequences of any lengths, without padding.
//!
//! ```text
//!   q, k, v, o of the rows of all sequences ─┬─► attention_packed(&device, ..) ─► one launch for all of them
//!   SequenceStarts { queries, keys } ────────┘                                 ─► by TMA on Hopper, by cp.async on every other GPU
//! ```

use super::{
    AttentionOptions, HeadTensor, HeadTensorMut, default_scale, dims_of, prepare_packed_soft_cap,
    ways,
};
use crate::CutletError;
use crate::gemm::Library;
use crate::kernels::Modules;
use host::attention::{AttentionElement, AttentionOperands, PreparedAttention, SequenceStarts};
use host::{Device, Run};
use kernel_abi::attention::{
    AttentionConfiguration, AttentionLoads, AttentionMask, PackedAttentionPlan,
    PackedAttentionProblem,
};

pub use gpu_kernels::attention::PACKED_CONFIGURATIONS as MMA_PACKED_CONFIGURATIONS;
pub use gpu_kernels_sm90::attention::PACKED_CONFIGURATIONS;

/// The table of kernels of packed sequences that read Q, K and V in this way.
///
/// ```
/// use cutlet::attention::{AttentionLoads, packed_configurations_by};
/// let of = packed_configurations_by(AttentionLoads::CpAsync)[0];
/// assert_eq!((of.loads, of.threads), (AttentionLoads::CpAsync, 128));
/// ```
#[must_use]
pub const fn packed_configurations_by(loads: AttentionLoads) -> &'static [AttentionConfiguration] {
    match loads {
        AttentionLoads::CpAsync => MMA_PACKED_CONFIGURATIONS,
        AttentionLoads::Tma => PACKED_CONFIGURATIONS,
    }
}

/// The plan of packed sequences on a device: by the kernel of their elements and their head
/// dimension that reads them by `loads`, or else as the device's do, or by `cp.async` where those
/// have not the head dimension.
///
/// # Errors
/// [`CutletError::NoAttention`] where there is no such kernel, [`CutletError::Problem`] for what no
/// launch covers.
pub fn packed_plan(
    device: &Device,
    problem: &PackedAttentionProblem,
    loads: Option<AttentionLoads>,
) -> Result<PackedAttentionPlan, CutletError> {
    problem.check()?;
    let all = &problem.all;
    let tables = || ways(device, loads).map(packed_configurations_by);
    let mut kernels = tables().flatten();
    let of = (kernels.find(|of| of.computes(all))).ok_or_else(|| CutletError::NoAttention {
        element: all.element.name(),
        dim: all.dim,
        dims: dims_of(tables(), all.element),
    })?;
    Ok(of.plan_packed(problem, device.limits().multiprocessors)?)
}

/// The problem that the tensors and the starts state.
pub(super) fn packed_problem<T: AttentionElement>(
    operands: &AttentionOperands<'_, T>,
    starts: &SequenceStarts<'_>,
    mask: AttentionMask,
    scale: Option<f32>,
) -> Result<PackedAttentionProblem, CutletError> {
    let scale = scale.unwrap_or_else(|| default_scale(operands.problem_dim()));
    let sequences = starts.queries.len().saturating_sub(1);
    Ok(PackedAttentionProblem {
        all: operands.problem(mask, scale)?,
        // More than there are numbers of are more than a plan takes.
        sequences: u32::try_from(sequences).unwrap_or(u32::MAX),
    })
}

/// Plans attention of packed sequences by a kernel that reads them by `loads`, or else as the
/// device's do, and binds the tensors to the launch.
///
/// # Errors
/// As of [`attention_packed`].
pub fn prepare_packed<'a, T: AttentionElement>(
    modules: &Modules,
    operands: AttentionOperands<'a, T>,
    starts: SequenceStarts<'a>,
    mask: AttentionMask,
    scale: Option<f32>,
    loads: Option<AttentionLoads>,
) -> Result<PreparedAttention<'a>, CutletError> {
    let problem = packed_problem(&operands, &starts, mask, scale)?;
    let plan = packed_plan(modules.device(), &problem, loads)?;
    let kernel = modules.kernel(plan.launch().kernel)?;
    Ok(operands.prepare_packed(&kernel, &plan, starts)?)
}

/// `o = softmax(scale q kᵀ + mask) v` of each sequence alone, of every head. The tensors have one
/// batch, of the rows of all sequences.
///
/// ```
/// use cutlet::attention::{
///     AttentionMask, AttentionOptions, HeadTensor, HeadTensorMut, Heads, SequenceStarts, attention_packed, starts,
/// };
/// use cutlet::prelude::*;
///
/// let device = Device::emulator();
/// // Sequences of 3 and of 5 rows: values of 1 in the first, of 2 in the second.
/// let heads = Heads { batches: 1, heads: 1, rows: 8, columns: 64 };
/// let ones = device.upload(&[f16::ONE; 8 * 64])?;
/// let values: Vec<f16> = (0..8 * 64).map(|i| if i < 3 * 64 { f16::ONE } else { f16::from_f32(2.0) }).collect();
/// let v = device.upload(&values)?;
/// let mut o = device.upload(&[f16::ZERO; 8 * 64])?;
/// let of_both = device.upload(&starts(&[3, 5]))?;
/// attention_packed(
///     &device,
///     [HeadTensor::new(&ones, heads), HeadTensor::new(&ones, heads), HeadTensor::new(&v, heads)],
///     HeadTensorMut::new(&mut o, heads),
///     SequenceStarts { queries: of_both.all(), keys: of_both.all() },
///     AttentionOptions { mask: AttentionMask::Causal, ..AttentionOptions::default() },
/// )?;
/// assert_eq!(o.to_vec()?, values);
/// # Ok::<(), cutlet::CutletError>(())
/// ```
///
/// # Errors
/// [`CutletError::Attention`] for tensors that do not fit each other or their buffers, and for
/// starts of different numbers of sequences; [`CutletError::Problem`] for a problem that no launch
/// covers, [`CutletError::NoAttention`] or [`CutletError::NoSoftCap`] where there is no kernel for
/// it, and what the device reports.
pub fn attention_packed<T: AttentionElement>(
    device: &Device,
    [q, k, v]: [HeadTensor<'_, T>; 3],
    o: HeadTensorMut<'_, T>,
    starts: SequenceStarts<'_>,
    options: AttentionOptions<'_>,
) -> Result<Run, CutletError> {
    let AttentionOptions {
        mask,
        scale,
        lse,
        soft_cap,
        loads,
    } = options;
    let library = Library::of(device)?;
    let operands = AttentionOperands { q, k, v, o, lse };
    let modules = library.modules();
    let prepared = match soft_cap {
        None => prepare_packed(modules, operands, starts, mask, scale, loads),
        Some(cap) => prepare_packed_soft_cap(modules, operands, starts, mask, scale, cap, loads),
    };
    Ok(prepared?.run(None)?)
}

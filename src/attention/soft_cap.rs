//! Attention with a soft cap: `O = softmax(cap tanh(scale Q Kᵀ / cap) + mask) V`.
//!
//! ```text
//!   AttentionOptions { soft_cap: Some(30.0), .. } ─► SoftCap::new ─► kernel of the table of soft caps, its last argument
//!
//!   attention           AttentionPlan          ─┬─► Hopper's kernel of the elements and the head dimension: one for both
//!   attention_packed    PackedAttentionPlan    ─┴─► every other GPU's: one for each
//!
//!   attention_backward         AttentionBackwardPlan  ─┬─► Hopper's kernels of dK and dV, and of dQ: one of each for both
//!   attention_backward_packed  PackedBackwardPlan     ─┘   dS = P ∘ (dP - δ) ∘ (1 - tanh²(scale Q Kᵀ / cap))
//!   attention_decode           DecodePlan             ───► Hopper's kernel of the blocks of keys (`decode.rs`)
//! ```

use super::backward::{
    BackwardKernels, PACKED_SOFT_CAP_BACKWARD_CONFIGURATIONS, SOFT_CAP_BACKWARD_CONFIGURATIONS,
    packed_backward_problem,
};
use super::distinct;
use crate::CutletError;
use crate::kernels::Modules;
use gpu_kernels_sm90::attention::score::SoftCap;
use host::attention::{
    AttentionBackwardOperands, AttentionElement, PreparedAttentionBackward, SequenceStarts,
};
use host::{ByValue, Device};
use kernel_abi::ProblemError;
use kernel_abi::attention::{
    AttentionBackwardConfiguration, AttentionBackwardPlan, AttentionBackwardProblem, AttentionMask,
    PackedBackwardPlan, PackedBackwardProblem,
};

pub use gpu_kernels::attention::PACKED_SOFT_CAP_CONFIGURATIONS as MMA_PACKED_SOFT_CAP_CONFIGURATIONS;
pub use gpu_kernels::attention::SOFT_CAP_CONFIGURATIONS as MMA_SOFT_CAP_CONFIGURATIONS;
pub use gpu_kernels_sm90::attention::SOFT_CAP_CONFIGURATIONS;

/// The largest soft cap: a score is off by up to 2^-20 of it, which is then as much as a
/// probability is by its rounding to f16.
pub const MOST_SOFT_CAP: u32 = 1024;

/// The score function of a cap that is above 0 and at most [`MOST_SOFT_CAP`].
pub(super) fn score(cap: f32) -> Result<SoftCap, ProblemError> {
    let what = "the soft cap";
    let score = SoftCap::new(cap).ok_or(ProblemError::NotPositive {
        what,
        bits: cap.to_bits(),
    })?;
    if cap > MOST_SOFT_CAP as f32 {
        return Err(ProblemError::TooLarge {
            what,
            given: cap.ceil() as u64,
            max: MOST_SOFT_CAP.into(),
        });
    }
    Ok(score)
}

/// The refusal of a soft cap of `of`, where there are those of the head dimensions `dims`.
pub(super) fn no_soft_cap(of: String, dims: impl Iterator<Item = u32>) -> CutletError {
    let dims = distinct(dims);
    CutletError::NoSoftCap { of, dims }
}

/// The refusal of a soft cap of elements that have none.
pub(super) fn no_soft_cap_of_any(of: String) -> CutletError {
    let all = SOFT_CAP_CONFIGURATIONS.iter();
    no_soft_cap(of, all.chain(MMA_SOFT_CAP_CONFIGURATIONS).map(|of| of.dim))
}

/// The refusal of gradients with a soft cap of `of`.
pub(super) fn no_soft_cap_gradients(of: String) -> CutletError {
    no_soft_cap(of, SOFT_CAP_BACKWARD_CONFIGURATIONS.iter().map(|of| of.dim))
}

/// The kernels of gradients of a table: those of their elements and their head dimension.
fn backward_of_table(
    table: &'static [AttentionBackwardConfiguration],
    problem: &AttentionBackwardProblem,
) -> Result<&'static AttentionBackwardConfiguration, CutletError> {
    let mut all = table.iter();
    all.find(|of| of.computes(problem)).ok_or_else(|| {
        let (element, dim) = (problem.forward.element.name(), problem.forward.dim);
        no_soft_cap_gradients(format!("{element} with a head dimension of {dim}"))
    })
}

/// The plan of the gradients of attention with a soft cap on a device, by the kernels of their
/// elements and their head dimension.
///
/// # Errors
/// [`CutletError::NoSoftCap`] where there are no such kernels, [`CutletError::Problem`] for what no
/// launch covers.
pub fn soft_cap_backward_plan(
    device: &Device,
    problem: &AttentionBackwardProblem,
) -> Result<AttentionBackwardPlan, CutletError> {
    problem.check()?;
    let of = backward_of_table(SOFT_CAP_BACKWARD_CONFIGURATIONS, problem)?;
    Ok(of.plan(problem, device.limits().multiprocessors)?)
}

/// The plan of the gradients of packed sequences with a soft cap on a device, by the kernels of
/// their elements and their head dimension.
///
/// # Errors
/// As of [`soft_cap_backward_plan`].
pub fn packed_soft_cap_backward_plan(
    device: &Device,
    problem: &PackedBackwardProblem,
) -> Result<PackedBackwardPlan, CutletError> {
    problem.check()?;
    let of = backward_of_table(PACKED_SOFT_CAP_BACKWARD_CONFIGURATIONS, &problem.all)?;
    Ok(of.plan_packed(problem, device.limits().multiprocessors)?)
}

/// Plans the gradients of these tensors with a soft cap, and binds them to the launches.
///
/// # Errors
/// As of [`prepare_backward`](super::prepare_backward); [`CutletError::NoSoftCap`] where the fused
/// kernels are asked for.
pub(super) fn prepare_soft_cap_backward<'a, T: AttentionElement>(
    modules: &Modules,
    operands: AttentionBackwardOperands<'a, T>,
    (mask, scale): (AttentionMask, f32),
    cap: f32,
    kernels: BackwardKernels,
) -> Result<PreparedAttentionBackward<'a>, CutletError> {
    let score = score(cap)?;
    if kernels == BackwardKernels::Fused {
        return Err(no_soft_cap_gradients("the fused gradients".into()));
    }
    let problem = operands.problem(mask, scale)?;
    let plan = soft_cap_backward_plan(modules.device(), &problem)?;
    let rows = modules.kernel(plan.rows().kernel)?;
    let keys = modules.kernel(plan.keys().launch().kernel)?;
    let queries = modules.kernel(plan.queries().launch().kernel)?;
    let score = ByValue(score.to_f32s());
    Ok(operands.prepare_unpacked_with([&rows, &keys, &queries], &plan, score)?)
}

/// Plans the gradients of packed sequences with a soft cap, and binds the tensors to the launches.
///
/// # Errors
/// As of [`prepare_backward_packed`](super::prepare_backward_packed).
pub(super) fn prepare_packed_soft_cap_backward<'a, T: AttentionElement>(
    modules: &Modules,
    operands: AttentionBackwardOperands<'a, T>,
    starts: SequenceStarts<'a>,
    of: (AttentionMask, f32),
    cap: f32,
) -> Result<PreparedAttentionBackward<'a>, CutletError> {
    let score = score(cap)?;
    let problem = packed_backward_problem(&operands, &starts, of)?;
    let plan = packed_soft_cap_backward_plan(modules.device(), &problem)?;
    let rows = modules.kernel(plan.rows().kernel)?;
    let keys = modules.kernel(plan.keys().launch().kernel)?;
    let queries = modules.kernel(plan.queries().launch().kernel)?;
    let score = ByValue(score.to_f32s());
    Ok(operands.prepare_packed_with([&rows, &keys, &queries], &plan, starts, score)?)
}

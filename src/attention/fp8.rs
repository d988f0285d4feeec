//! Attention of 8-bit floats in one call: Q, K and V in e4m3 with scales, O in f16 or bf16.
//!
//! ```text
//!   q, k, v (.., 128) of FloatE4M3 ─┬─► attention_fp8(&device, ..) ─► V transposed ─► O = v_scale softmax(scale q_scale k_scale Q Kᵀ + mask) V
//!   AttentionScales ────────────────┘
//! ```

use super::{AttentionOptions, HeadTensor, HeadTensorMut, default_scale};
use crate::CutletError;
use crate::gemm::Library;
use crate::kernels::Modules;
use host::attention::{AttentionElement, AttentionOperands, AttentionScales, PreparedAttention};
use host::{Device, Run};
use kernel_abi::ProblemError;
use kernel_abi::attention::{
    AttentionConfiguration, AttentionLoads, AttentionMask, Fp8AttentionPlan, Fp8AttentionProblem,
};
use kernel_choice::ChoiceError;
use layout_types::atom::element::FloatE4M3;

pub use gpu_kernels_sm90::attention::FP8_CONFIGURATIONS;

/// Plans a problem of 8-bit floats on a device, with the kernel `by`, or by default with the kernel
/// for O's element type and the head dimension.
///
/// # Errors
/// Returns [`CutletError::NoAttention`] if there is no such kernel, and [`CutletError::Problem`] if
/// no launch covers the problem, or no launch of `by` does.
pub fn fp8_plan(
    device: &Device,
    problem: &Fp8AttentionProblem,
    by: Option<&AttentionConfiguration>,
) -> Result<Fp8AttentionPlan, CutletError> {
    problem.check()?;
    let mut all = FP8_CONFIGURATIONS.iter();
    let of = match by {
        Some(by) => by,
        None => {
            all.find(|of| of.computes(&problem.of))
                .ok_or_else(|| CutletError::NoAttention {
                    element: "e4m3",
                    dim: problem.of.dim,
                    dims: vec![128],
                })?
        }
    };
    Ok(of.plan_fp8(problem, device.limits().multiprocessors)?)
}

/// Plans attention of these tensors of 8-bit floats, with the kernel `by` or by default as
/// [`fp8_plan`] does, and binds them to the launches.
///
/// # Errors
/// Returns the errors of [`attention_fp8`], and [`CutletError::Problem`] if `by` is for other
/// tensors.
pub fn prepare_fp8<'a, O: AttentionElement>(
    modules: &Modules,
    operands: AttentionOperands<'a, FloatE4M3, O>,
    scales: AttentionScales<'a>,
    mask: AttentionMask,
    scale: Option<f32>,
    by: Option<&AttentionConfiguration>,
) -> Result<PreparedAttention<'a>, CutletError> {
    let scale = scale.unwrap_or_else(|| default_scale(operands.problem_dim()));
    let problem = operands.fp8_problem(&scales, mask, scale)?;
    let plan = fp8_plan(modules.device(), &problem, by)?;
    let transpose = modules.kernel(plan.transpose().kernel)?;
    let attention = modules.kernel(plan.launch().kernel)?;
    Ok(operands.prepare_fp8([&transpose, &attention], &plan, scales)?)
}

/// Computes `o = v_scale softmax(scale q_scale k_scale q kᵀ + mask) v` of 8-bit floats, for every
/// head of every batch, with a head dimension of 128. See [`kernel_abi::attention`] for what is
/// rounded.
///
/// ```
/// use cutlet::attention::{
///     AttentionOptions, AttentionScales, HeadTensor, HeadTensorMut, Heads, attention_fp8,
/// };
/// use cutlet::prelude::*;
/// use layout_types::atom::element::FloatE4M3;
///
/// let device = Device::emulator();
/// let heads = Heads { batches: 1, heads: 1, rows: 20, columns: 128 };
/// let ones = device.upload(&[FloatE4M3::from_f32(1.0); 20 * 128])?;
/// let mut o = device.upload(&[bf16::ZERO; 20 * 128])?;
/// let scales = device.upload(&[1.0_f32, 0.5])?;
/// let (one, half) = (scales.view(0..1)?, scales.view(1..2)?);
/// attention_fp8(
///     &device,
///     [(); 3].map(|()| HeadTensor::new(&ones, heads)),
///     AttentionScales { q: one, k: one, v: half },
///     HeadTensorMut::new(&mut o, heads),
///     AttentionOptions::default(),
/// )?;
/// assert!(o.to_vec()?.iter().all(|&x| x == bf16::from_f32(0.5)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns the errors of [`attention`](super::attention()): [`CutletError::NoAttention`] for
/// another head dimension, [`CutletError::NoSoftCap`] for a soft cap, [`CutletError::Problem`] for
/// ALiBi and sinks. Also returns [`CutletError::Attention`] for other numbers of scales.
pub fn attention_fp8<O: AttentionElement>(
    device: &Device,
    [q, k, v]: [HeadTensor<'_, FloatE4M3>; 3],
    scales: AttentionScales<'_>,
    o: HeadTensorMut<'_, O>,
    options: AttentionOptions<'_>,
) -> Result<Run, CutletError> {
    let AttentionOptions {
        mask,
        scale,
        lse,
        soft_cap,
        slopes,
        sinks,
        loads,
    } = options;
    if soft_cap.is_some() {
        return Err(super::soft_cap::no_soft_cap_of_any("8-bit floats".into()));
    }
    let second = match (slopes, sinks) {
        (Some(_), _) => Some("ALiBi"),
        (None, Some(_)) => Some("sinks"),
        (None, None) => None,
    };
    if let Some(second) = second {
        let first = "8-bit floats";
        return Err(ProblemError::NotTogether { first, second }.into());
    }
    if loads == Some(AttentionLoads::CpAsync) {
        return Err(ChoiceError::NoConfiguration {
            name: "attention of 8-bit floats by mma.sync".into(),
            available: FP8_CONFIGURATIONS.iter().map(|of| of.kernel).collect(),
        }
        .into());
    }
    let library = Library::of(device)?;
    let operands = AttentionOperands { q, k, v, o, lse };
    Ok(prepare_fp8(library.modules(), operands, scales, mask, scale, None)?.run(None)?)
}

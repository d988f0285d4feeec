//! Runs attention's gradients on a device, for sequences of one length or packed ones, and compares
//! them with the float64 reference of each sequence by itself.
//!
//! ```text
//!   seed ─► Q, K, V, dO ─► float64 ─┬─► O rounded, log-sum-exp ─► three launches ─► poisoned dQ, dK, dV ─┬─► compared ─► GradientsOutcome
//!                                   └─► dQ, dK, dV, by the definition ───────────────────────────────────┘
//! ```
//!
//! With sinks there is a fourth launch, and the gradient of the sinks is compared too.

use super::attention::OperandRows;
use super::score::ScoreRun;
use super::{RunOptions, RunPhase, poisoned, unpoisoned};
use crate::CutletError;
use crate::attention::{
    AttentionBackwardOperands, AttentionBackwardOptions, AttentionBackwardProblem,
    AttentionElement, AttentionLoads, AttentionProblem, AttentionType, BackwardKernels, HeadTensor,
    HeadTensorMut, PackedBackwardProblem, PreparedAttentionBackward, SINK_GRADIENT, SequenceStarts,
    SinkGradientOperands, backward_plan, fused_backward_plan, packed_backward_plan,
    prepare_backward, prepare_backward_packed, starts, takes_fused_kernels,
};
use crate::kernels::Modules;
use bytemuck::Pod;
use half::{bf16, f16};
use host::reference::{
    self, Agreement, Allowance, Difference, Element, add_attention_gradients_scored,
    add_gradient_allowances, attention_row_scored, difference,
};
use host::{Buffer, Clock, Device, Kind, Time, Timing, time_interleaved};
use std::time::Instant;

/// Gradients to run and to validate. Q, K, V and dO are compact tensors, uniform in [-1, 1), and
/// depend on `seed`. O and the log-sum-exp are those of float64, rounded.
#[derive(Clone, Debug, PartialEq)]
pub struct GradientsRun {
    /// The attention. Its strides are those of compact tensors. Packed sequences are one batch,
    /// with as many queries and keys as all sequences have rows.
    pub problem: AttentionProblem,
    /// The rows of each packed sequence, which has as many keys as queries, or `None` if each batch
    /// is a sequence.
    pub lengths: Option<Vec<u32>>,
    /// The kernels that compute the gradients.
    pub kernels: BackwardKernels,
    /// The score parts.
    pub score: ScoreRun,
    /// The way in which the kernels read their tensors. The default is that of the device's
    /// kernels.
    pub loads: Option<AttentionLoads>,
    /// The seed of the data.
    pub seed: u64,
}

/// The gradients compared with the reference.
#[derive(Debug)]
pub struct GradientsOutcome {
    /// The kernels of the launches, in their order.
    pub kernels: Vec<&'static str>,
    /// The time of all launches together.
    pub time: Time,
    /// The distances of dQ, dK and dV from the reference, and of the gradient of the sinks if there
    /// are sinks.
    pub differences: Vec<Difference>,
    /// The same distances in units of the error that rounding can cause with the kernels' numbers.
    pub agreements: Vec<Agreement>,
    /// Whether the bytes after each gradient are unchanged.
    pub guard_intact: bool,
}

impl GradientsOutcome {
    /// Whether all gradients are right and no other bytes were written.
    #[must_use]
    pub fn right(&self) -> bool {
        self.guard_intact
            && self.differences.iter().all(|of| of.not_finite == 0)
            && self.agreements.iter().all(Agreement::holds)
    }
}

/// A sequence: its batch, its first row in the tensors of all sequences, and one of its heads as a
/// problem.
struct Sequence {
    batch: usize,
    first: usize,
    of: AttentionProblem,
}

impl GradientsRun {
    /// Returns the problem of one head of a sequence with these numbers of queries and keys.
    fn of_head(&self, queries: u32, keys: u32) -> AttentionProblem {
        let of = &self.problem;
        let extents = (1, 1, queries, of.dim);
        AttentionProblem::new(of.element, extents, of.mask, of.scale).with_keys(keys, 1)
    }

    fn sequences(&self) -> Vec<Sequence> {
        let of = &self.problem;
        match &self.lengths {
            None => (0..of.batches as usize)
                .map(|batch| Sequence {
                    batch,
                    first: 0,
                    of: self.of_head(of.queries, of.keys),
                })
                .collect(),
            Some(lengths) => (starts(lengths).into_iter().zip(lengths))
                .map(|(first, &length)| Sequence {
                    batch: 0,
                    first: first as usize,
                    of: self.of_head(length, length),
                })
                .collect(),
        }
    }

    /// Returns the multiplications and additions of the five products, counted for the pairs of a
    /// query and a key that it sees.
    ///
    /// ```
    /// use cutlet::attention::{AttentionMask, AttentionProblem, AttentionType, BackwardKernels};
    /// use cutlet::run::{GradientsRun, ScoreRun};
    /// let of = |lengths: &[u32]| GradientsRun {
    ///     problem: AttentionProblem::new(AttentionType::Bf16, (1, 2, 8, 64), AttentionMask::Full, 0.125),
    ///     lengths: Some(lengths.to_vec()),
    ///     kernels: BackwardKernels::Fastest,
    ///     score: ScoreRun::default(),
    ///     loads: None,
    ///     seed: 0,
    /// };
    /// assert_eq!(of(&[3, 0, 5]).operations(), 2.0 * 10.0 * 64.0 * (9.0 + 25.0));
    /// ```
    #[must_use]
    pub fn operations(&self) -> f64 {
        let heads = f64::from(self.problem.heads);
        let of = |sequence: &Sequence| AttentionBackwardProblem::new(sequence.of).operations();
        heads * self.sequences().iter().map(of).sum::<f64>()
    }

    /// Returns the kernels of the launches on a device, in their order.
    ///
    /// # Errors
    /// Returns the errors of [`prepare_backward`] and [`prepare_backward_packed`] if there is no
    /// kernel, or if no launch covers the problem.
    pub fn kernels(&self, device: &Device) -> Result<Vec<&'static str>, CutletError> {
        let all = AttentionBackwardProblem::new(self.problem);
        let (parts, loads) = (self.score.parts(), self.loads);
        let of_sinks = self.score.sinks.then_some(SINK_GRADIENT.kernel);
        let launches = if let Some(lengths) = &self.lengths {
            let problem = PackedBackwardProblem {
                all,
                // If the number does not fit, the plan refuses it: the largest number is more than
                // a plan takes.
                sequences: u32::try_from(lengths.len()).unwrap_or(u32::MAX),
            };
            let plan = packed_backward_plan(device, &problem, parts, loads)?;
            let [keys, queries] = [plan.keys(), plan.queries()].map(|of| of.launch().kernel);
            [plan.rows().kernel, keys, queries]
        } else if takes_fused_kernels(device, &all, parts, (self.kernels, loads)) {
            let plan = fused_backward_plan(device, &all)?;
            let gradients = plan.gradients().launch().kernel;
            [plan.rows().kernel, gradients, plan.dq().kernel]
        } else {
            let plan = backward_plan(device, &all, parts, loads)?;
            let [keys, queries] = [plan.keys(), plan.queries()].map(|of| of.launch().kernel);
            [plan.rows().kernel, keys, queries]
        };
        Ok(launches.into_iter().chain(of_sinks).collect())
    }
}

/// Runs attention's gradients with loaded kernels and compares them with the float64 reference.
///
/// # Errors
/// Returns the errors of [`prepare_backward`] and [`prepare_backward_packed`], and the device's
/// errors. A wrong result is no error.
pub fn gradients(
    modules: &Modules,
    run: &GradientsRun,
    options: &RunOptions<'_>,
) -> Result<GradientsOutcome, CutletError> {
    match run.problem.element {
        AttentionType::F16 => typed::<f16>(modules, run, options),
        AttentionType::Bf16 => typed::<bf16>(modules, run, options),
    }
}

/// The results that float64 computes from the tensors.
struct ExpectedGradients<T> {
    o: Vec<T>,
    lse: Vec<f32>,
    /// The gradients of Q, K, V and the sinks.
    gradients: [Vec<f64>; 4],
    allowed: [Allowance; 4],
}

fn expected<T: Element>(run: &GradientsRun, [q, k, v, d_o]: [&[T]; 4]) -> ExpectedGradients<T> {
    let all = &run.problem;
    let numbers = run.score.of_heads(run.seed, all.heads);
    let dim = all.dim as usize;
    let lens = [q.len(), k.len(), v.len(), all.heads as usize];
    let mut found = ExpectedGradients {
        o: vec![T::from_f64(0.0); q.len()],
        lse: vec![0.0; q.len() / dim],
        gradients: lens.map(|len| vec![0.0; len]),
        allowed: lens.map(Allowance::none),
    };
    let [dq, dk, dv, d_sinks] = &mut found.gradients;
    let [of_dq, of_dk, of_dv, of_sinks] = &mut found.allowed;
    let (heads, key_heads) = (all.heads as usize, all.key_heads as usize);
    for Sequence { batch, first, of } in run.sequences() {
        for (head, d_sink) in d_sinks.iter_mut().enumerate() {
            let score = numbers.of_head(head);
            let key_head = batch * key_heads + head / (heads / key_heads);
            let keys = (key_head * all.keys as usize + first) * dim;
            let keys = keys..keys + of.keys as usize * dim;
            let (k, v) = (&k[keys.clone()], &v[keys.clone()]);
            for query in 0..of.queries as usize {
                let row = (batch * heads + head) * all.queries as usize + first + query;
                let at = row * dim..(row + 1) * dim;
                let of_row = (&q[at.clone()], k, v);
                let (o, lse) = attention_row_scored(&of, query, of_row, &score);
                for (to, from) in found.o[at.clone()].iter_mut().zip(o) {
                    *to = T::from_f64(from);
                }
                found.lse[row] = lse as f32;
                add_gradient_allowances(
                    &of,
                    query,
                    (&q[at.clone()], &d_o[at.clone()]),
                    (k, v),
                    score,
                    [
                        (&mut *of_dq, at.start),
                        (&mut *of_dk, keys.start),
                        (&mut *of_dv, keys.start),
                        (&mut *of_sinks, head),
                    ],
                );
                *d_sink += add_attention_gradients_scored(
                    &of,
                    query,
                    (&q[at.clone()], &d_o[at.clone()]),
                    (k, v),
                    (&mut dq[at], &mut dk[keys.clone()], &mut dv[keys.clone()]),
                    &score,
                );
            }
        }
    }
    found
}

fn typed<T: AttentionElement + Element>(
    modules: &Modules,
    run: &GradientsRun,
    options: &RunOptions<'_>,
) -> Result<GradientsOutcome, CutletError> {
    let of = &run.problem;
    let device = modules.device();
    let kernels = run.kernels(device)?;
    let compact = OperandRows::of(of);
    let OperandRows { queries, keys } = compact;
    let lens = compact.counts().map(|rows| rows * of.dim as usize);
    let [len, key_len] = lens.map(|len| len as u128);
    // Four tensors of Q's size and four of K's. The host also has dQ, dK and dV in float64, with
    // the allowed distances.
    let bytes = 8 * (len + key_len);
    super::memory::check(device, bytes + 24 * (len + 2 * key_len), bytes)?;
    options.report(RunPhase::Inputs);
    let [len, key_len] = lens;
    let q = reference::fill::<T>(run.seed, len);
    let k = reference::fill::<T>(run.seed ^ 1 << 32, key_len);
    let v = reference::fill::<T>(run.seed ^ 1 << 33, key_len);
    let d_o = reference::fill::<T>(run.seed ^ 1 << 34, len);
    options.report(RunPhase::Reference);
    let expected = expected(run, [&q, &k, &v, &d_o]);
    let (q, k, v) = (device.upload(&q)?, device.upload(&k)?, device.upload(&v)?);
    let (d_o, o) = (device.upload(&d_o)?, device.upload(&expected.o)?);
    let lse = device.upload(&expected.lse)?;
    let score = (run.score.of_heads(run.seed, of.heads)).upload(device)?;
    let of_both = device.upload(&starts(run.lengths.as_deref().unwrap_or_default()))?;
    let mut results: [Buffer<T>; 3] = [
        poisoned(device, len)?,
        poisoned(device, key_len)?,
        poisoned(device, key_len)?,
    ];
    let mut d_sinks = poisoned::<f32>(device, of.heads as usize)?;
    let [dq, dk, dv] = &mut results;
    let operands = AttentionBackwardOperands {
        q: HeadTensor::new(&q, queries),
        k: HeadTensor::new(&k, keys),
        v: HeadTensor::new(&v, keys),
        o: HeadTensor::new(&o, queries),
        lse: lse.all(),
        d_o: HeadTensor::new(&d_o, queries),
        dq: HeadTensorMut::new(dq, queries),
        dk: HeadTensorMut::new(dk, keys),
        dv: HeadTensorMut::new(dv, keys),
    };
    let request = score.request();
    let with = AttentionBackwardOptions {
        mask: of.mask,
        scale: Some(of.scale),
        kernels: run.kernels,
        soft_cap: request.soft_cap,
        slopes: request.slopes,
        sinks: match request.sinks {
            Some(sinks) => Some(SinkGradientOperands {
                sinks,
                d_sinks: d_sinks.view_mut(0..of.heads as usize)?,
            }),
            None => None,
        },
        loads: run.loads,
    };
    let prepared = match run.lengths {
        None => prepare_backward(modules, operands, with)?,
        Some(_) => {
            let sequences = SequenceStarts {
                queries: of_both.all(),
                keys: of_both.all(),
            };
            prepare_backward_packed(modules, operands, sequences, with)?
        }
    };
    let time = launched(device, &prepared, options)?;
    drop(prepared);
    let mut compared = Vec::new();
    for (result, (expected, allowed)) in results
        .iter()
        .zip(expected.gradients.iter().zip(&expected.allowed))
    {
        compared.push(compare(result, expected, allowed)?);
    }
    if run.score.sinks {
        let (expected, allowed) = (&expected.gradients[3], &expected.allowed[3]);
        compared.push(compare(&d_sinks, expected, allowed)?);
    }
    Ok(GradientsOutcome {
        kernels,
        time,
        differences: compared.iter().map(|of| of.0).collect(),
        agreements: compared.iter().map(|of| of.1).collect(),
        guard_intact: compared.iter().all(|of| of.2),
    })
}

/// Returns the distance of a result from the expected one, the agreement, and whether the bytes
/// after the result are unchanged.
fn compare<T: Element + Pod>(
    result: &Buffer<T>,
    expected: &[f64],
    allowed: &Allowance,
) -> Result<(Difference, Agreement, bool), CutletError> {
    let (found, intact) = unpoisoned(result, expected.len())?;
    let agreement = Agreement::of(&found, expected, allowed)?;
    Ok((difference(&found, expected)?, agreement, intact))
}

/// Runs the launches once for their result. On a GPU, it then runs them as often as `options`
/// request for their time.
fn launched(
    device: &Device,
    prepared: &PreparedAttentionBackward<'_>,
    options: &RunOptions<'_>,
) -> Result<Time, CutletError> {
    let start = Instant::now();
    prepared.run(Some(&|done, total| {
        options.report(RunPhase::Kernel(done, total));
    }))?;
    let seconds = start.elapsed().as_secs_f64();
    Ok(match device.kind() {
        Kind::Emulator => Time::from_samples(Clock::Wall, vec![seconds]),
        Kind::Gpu => {
            options.report(RunPhase::Timing);
            let timing = options.timing.unwrap_or(Timing::sensible(Kind::Gpu));
            time_interleaved(&[prepared], timing, 100e-6)?[0].0
        }
    })
}

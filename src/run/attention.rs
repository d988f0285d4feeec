//! Runs attention on a device, and compares it with the float64 reference.
//!
//! ```text
//!   seed ─► Q, K, V ─┬─► kernel ─► poisoned O and log-sum-exp ──┬─► compared ─► AttentionOutcome
//!                    └─► float64, by the definition, row by row ─┘
//! ```

use super::{RunOptions, RunOutcome, RunPhase, ScoreRun, poisoned, unpoisoned};
use crate::CutletError;
use crate::attention::{
    AttentionConfiguration, AttentionElement, AttentionOperands, AttentionProblem,
    AttentionRequest, AttentionType, HeadTensor, HeadTensorMut, Heads, PreparedAttention,
    plan_with, prepare_request,
};
use crate::kernels::Modules;
use bytemuck::Pod;
use half::{bf16, f16};
use host::reference::{
    self, Agreement, Allowance, Difference, Element, HeadScore, Products, RowAllowance,
    attention_row_allowance_in, attention_row_scored, difference,
};
use host::{Buffer, Clock, Device, Enqueue, Kind, Time, Timing, time_interleaved};
use std::ops::Range;
use std::time::Instant;

/// Attention to run and to validate. Q, K and V are compact tensors, uniform in [-1, 1), and depend
/// on `seed`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttentionRun {
    /// The problem. Its strides are those of compact tensors.
    pub problem: AttentionProblem,
    /// The score parts.
    pub score: ScoreRun,
    /// The kernel. By default it is the one of least [`cost`](AttentionConfiguration::cost).
    pub configuration: Option<&'static AttentionConfiguration>,
    /// The seed of the data.
    pub seed: u64,
    /// The largest number of rows of O that are compared.
    pub rows: usize,
}

/// Attention's result compared with the reference.
#[derive(Debug)]
pub struct AttentionOutcome {
    /// The launch and its time.
    pub launched: RunOutcome,
    /// The distance of O from the reference.
    pub difference: Difference,
    /// The distance of O in units of the error that rounding can cause with the kernel's numbers.
    pub agreement: Agreement,
    /// The log-sum-exp with the largest distance in such units, or `None` if log-sum-exps were not
    /// stored.
    pub lse: Option<LseAgreement>,
    /// The number of rows that were compared.
    pub rows: usize,
    /// Whether the bytes after O are unchanged.
    pub guard_intact: bool,
}

/// A log-sum-exp compared with the reference's.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LseAgreement {
    /// The distance divided by the allowed distance.
    pub part: f64,
    /// The distance that is allowed.
    pub allowed: f64,
}

impl LseAgreement {
    /// Returns the worse of this and the log-sum-exp of another row.
    fn worse(self, found: f32, expected: f64, allowed: &RowAllowance) -> Self {
        let part = allowed.of_lse(found, expected);
        if part > self.part || self.allowed == 0.0 {
            let allowed = allowed.lse;
            Self { part, allowed }
        } else {
            self
        }
    }

    /// Returns the distance, limited to finite numbers so that JSON can represent it.
    #[must_use]
    pub fn error(&self) -> f64 {
        (self.part * self.allowed).min(f64::MAX)
    }
}

impl AttentionOutcome {
    /// Whether the result is right and no other bytes were written.
    #[must_use]
    pub fn right(&self) -> bool {
        self.guard_intact
            && self.difference.not_finite == 0
            && self.agreement.holds()
            && self.lse.is_none_or(|lse| lse.part <= 1.0)
    }
}

/// Runs attention with loaded kernels and compares its result with the float64 reference.
///
/// # Errors
/// Returns [`CutletError::Problem`], [`CutletError::NoAttention`], [`CutletError::NoSoftCap`] or
/// [`CutletError::NoAttentionWith`] for a problem without a launch, and the device's errors. A
/// wrong result is not an error.
pub fn attention(
    modules: &Modules,
    run: &AttentionRun,
    options: &RunOptions<'_>,
) -> Result<AttentionOutcome, CutletError> {
    match run.problem.element {
        AttentionType::F16 => typed::<f16>(modules, run, options),
        AttentionType::Bf16 => typed::<bf16>(modules, run, options),
    }
}

fn typed<T: AttentionElement + Element>(
    modules: &Modules,
    run: &AttentionRun,
    options: &RunOptions<'_>,
) -> Result<AttentionOutcome, CutletError> {
    let problem = &run.problem;
    let device: &Device = modules.device();
    let (parts, by) = (run.score.parts(), run.configuration);
    let plan = plan_with(device, problem, parts, (by, None))?;
    let compact = OperandRows::of(problem);
    let OperandRows { queries, keys } = compact;
    let [dim, dim_v] = [problem.dim, problem.dim_v].map(|dim| dim as usize);
    let [rows, key_rows] = compact.counts();
    let bytes = 2 * (rows + key_rows) as u128 * (dim + dim_v) as u128 + 4 * rows as u128;
    super::memory::check(device, bytes, bytes)?;
    options.report(RunPhase::Inputs);
    let q = reference::fill::<T>(run.seed, rows * dim);
    let k = reference::fill::<T>(run.seed ^ 1 << 32, key_rows * dim);
    let v = reference::fill::<T>(run.seed ^ 1 << 33, key_rows * dim_v);
    let on_device = (device.upload(&q)?, device.upload(&k)?, device.upload(&v)?);
    let score = run.score.of_heads(run.seed, problem.heads);
    let score_on_device = score.upload(device)?;
    let mut o = poisoned::<T>(device, rows * dim_v)?;
    let mut lse = poisoned::<f32>(device, if problem.lse { rows } else { 0 })?;
    let operands = AttentionOperands {
        q: HeadTensor::new(&on_device.0, queries),
        k: HeadTensor::new(&on_device.1, keys),
        v: HeadTensor::new(&on_device.2, keys.of_columns(problem.dim_v)),
        o: HeadTensorMut::new(&mut o, queries.of_columns(problem.dim_v)),
        lse: if problem.lse {
            Some(lse.view_mut(0..rows)?)
        } else {
            None
        },
    };
    let request = AttentionRequest {
        mask: problem.mask,
        scale: Some(problem.scale),
        by,
        ..score_on_device.request()
    };
    let prepared = prepare_request(modules, operands, &request)?;
    let launched = launched(plan.launch().kernel, &prepared, options)?;
    drop(prepared);
    options.report(RunPhase::Reference);
    let results = Results {
        o: &o,
        lse: problem.lse.then_some(&lse),
        rows,
        dim: dim_v,
    };
    let keys_of_head = problem.keys as usize;
    results.compare(launched, (run.seed, run.rows), |row| {
        let (query, key_head, of_head) = compact.seen_by(row);
        let head = row / problem.queries as usize % problem.heads as usize;
        let of = (
            &q[row * dim..][..dim],
            &k[of_head],
            &v[key_head * keys_of_head * dim_v..][..keys_of_head * dim_v],
        );
        ExpectedRow::of(problem, query, of, &score.of_head(head))
    })
}

/// A row of O and its log-sum-exp in float64, and the distance by which the kernel's may differ.
pub(super) struct ExpectedRow {
    pub(super) o: Vec<f64>,
    pub(super) lse: f64,
    pub(super) allowed: RowAllowance,
}

impl ExpectedRow {
    /// Computes the row for one query of a head, from the query's row of Q, the head's K and V, and
    /// the head's score parts.
    pub(super) fn of<T: Element>(
        problem: &AttentionProblem,
        query: usize,
        of: (&[T], &[T], &[T]),
        score: &HeadScore,
    ) -> Self {
        Self::of_kernel_in::<T, T>(problem, query, of, score)
    }

    /// Computes the row as [`of`](Self::of) does, for a kernel that rounds to `R`.
    pub(super) fn of_kernel_in<R: Element, T: Element>(
        problem: &AttentionProblem,
        query: usize,
        of: (&[T], &[T], &[T]),
        score: &HeadScore,
    ) -> Self {
        let (o, lse) = attention_row_scored(problem, query, of, score);
        let products = Products::Half;
        let allowed = attention_row_allowance_in::<R, T>(problem, query, of, *score, products);
        Self { o, lse, allowed }
    }
}

/// The compact tensors of a problem: Q and O, K and V.
///
/// ```text
///   row of O    (batch, head, query) ─► K, V    (batch, head / heads a key head, all keys)
/// ```
#[derive(Clone, Copy)]
pub(super) struct OperandRows {
    pub(super) queries: Heads,
    pub(super) keys: Heads,
}

impl OperandRows {
    pub(super) fn of(problem: &AttentionProblem) -> Self {
        let queries = Heads {
            batches: problem.batches,
            heads: problem.heads,
            rows: problem.queries,
            columns: problem.dim,
        };
        let keys = Heads {
            heads: problem.key_heads,
            rows: problem.keys,
            ..queries
        };
        Self { queries, keys }
    }

    /// Returns the number of rows of Q, and of K.
    pub(super) fn counts(self) -> [usize; 2] {
        [self.queries, self.keys]
            .map(|of| of.batches as usize * of.heads as usize * of.rows as usize)
    }

    /// Returns the query of a row of O, its head of K and V (counted over all batches), and the
    /// range of that head's elements.
    pub(super) fn seen_by(self, row: usize) -> (usize, usize, Range<usize>) {
        let (queries, heads) = (self.queries.rows as usize, self.queries.heads as usize);
        let key_heads = self.keys.heads as usize;
        let (head, query) = (row / queries, row % queries);
        let (batch, head) = (head / heads, head % heads);
        let key_head = batch * key_heads + head / (heads / key_heads);
        let elements = self.keys.rows as usize * self.keys.columns as usize;
        (
            query,
            key_head,
            key_head * elements..(key_head + 1) * elements,
        )
    }
}

/// Runs a prepared launch once for its result. On a GPU, it then runs the launch as often as
/// `options` request for its time.
pub(super) fn launched(
    kernel: &str,
    prepared: &PreparedAttention<'_>,
    options: &RunOptions<'_>,
) -> Result<RunOutcome, CutletError> {
    let start = Instant::now();
    let ran = prepared.run(Some(&|done, total| {
        options.report(RunPhase::Kernel(done, total));
    }))?;
    let seconds = start.elapsed().as_secs_f64();
    let time = match prepared.device().kind() {
        Kind::Emulator => Time::from_samples(Clock::Wall, vec![seconds]),
        Kind::Gpu => {
            options.report(RunPhase::Timing);
            let timing = options.timing.unwrap_or(Timing::sensible(Kind::Gpu));
            time_interleaved(&[prepared], timing, 100e-6)?[0].0
        }
    };
    Ok(RunOutcome {
        kernel: kernel.into(),
        launch: prepared.launch().clone(),
        time,
        emulated: ran.report,
    })
}

/// The results of a launch: O in compact rows, and the log-sum-exp of each row if it is stored,
/// both followed by guard bytes.
pub(super) struct Results<'a, T: Pod> {
    pub(super) o: &'a Buffer<T>,
    pub(super) lse: Option<&'a Buffer<f32>>,
    /// The rows of all heads.
    pub(super) rows: usize,
    pub(super) dim: usize,
}

impl<T: Element + Pod> Results<'_, T> {
    /// Compares rows that the seed selects, at most the requested number, with `expected`, which
    /// returns O's row and its log-sum-exp in float64.
    pub(super) fn compare(
        &self,
        launched: RunOutcome,
        (seed, most): (u64, usize),
        expected: impl Fn(usize) -> ExpectedRow,
    ) -> Result<AttentionOutcome, CutletError> {
        let (o, o_intact) = unpoisoned(self.o, self.rows * self.dim)?;
        let lse = self.lse.map(|lse| unpoisoned(lse, self.rows)).transpose()?;
        let compared = reference::sample(seed, self.rows, most.max(1));
        let (mut found, mut of_rows) = (Vec::new(), Vec::new());
        let (mut allowed, mut worst) = (Allowance::default(), LseAgreement::default());
        for &row in &compared {
            let expected = expected(row);
            of_rows.extend(expected.o);
            allowed.extend(&expected.allowed.o);
            found.extend_from_slice(&o[row * self.dim..][..self.dim]);
            if let Some((lse, _)) = &lse {
                worst = worst.worse(lse[row], expected.lse, &expected.allowed);
            }
        }
        Ok(AttentionOutcome {
            launched,
            difference: difference(&found, &of_rows)?,
            agreement: Agreement::of(&found, &of_rows, &allowed)?,
            lse: lse.as_ref().map(|_| worst),
            rows: compared.len(),
            guard_intact: o_intact && lse.is_none_or(|(_, intact)| intact),
        })
    }
}

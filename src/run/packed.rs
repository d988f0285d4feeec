//! Runs attention of packed sequences on a device, and compares it with the float64 reference of
//! each sequence by itself.
//!
//! ```text
//!   lengths 100 7 300 ─ starts ─► 0 100 107 407 ─┬─► one launch ─► poisoned O and log-sum-exp ─┬─► compared ─► AttentionOutcome
//!   seed ─► Q, K, V of the rows of all ──────────┴─► float64, row by row ──────────────────────┘
//! ```

use super::attention::{ExpectedRow, Results, launched};
use super::{AttentionOutcome, RunOptions, RunPhase, ScoreRun, poisoned};
use crate::CutletError;
use crate::attention::{
    AttentionElement, AttentionLoads, AttentionMask, AttentionOperands, AttentionProblem,
    AttentionRequest, AttentionType, HeadTensor, HeadTensorMut, Heads, PackedAttentionProblem,
    SequenceStarts, default_scale, packed_plan, prepare_request, starts,
};
use crate::kernels::Modules;
use half::{bf16, f16};
use host::reference::{self, Element};

/// Attention of packed sequences to run and to validate. Q, K and V are compact tensors (heads,
/// rows of all sequences, D), uniform in [-1, 1), and depend on `seed`. A sequence has as many keys
/// as queries.
#[derive(Clone, Debug, PartialEq)]
pub struct PackedAttentionRun {
    /// The type of all elements.
    pub element: AttentionType,
    /// The rows of each sequence.
    pub lengths: Vec<u32>,
    /// The number of heads of Q and O, and of K and V.
    pub heads: [u32; 2],
    /// The head dimension of Q and K.
    pub dim: u32,
    /// The head dimension of V and O. The default is that of Q and K.
    pub dim_v: Option<u32>,
    /// The mask, which says which keys of its sequence a query sees.
    pub mask: AttentionMask,
    /// The factor of the scores. The default is `1 / sqrt(D)`.
    pub scale: Option<f32>,
    /// The score parts.
    pub score: ScoreRun,
    /// The way in which the kernel reads its tensors. The default is that of the device's kernels.
    pub loads: Option<AttentionLoads>,
    /// Whether the log-sum-exp of each row is stored.
    pub lse: bool,
    /// The seed of the data.
    pub seed: u64,
    /// The largest number of rows of O that are compared.
    pub rows: usize,
}

impl PackedAttentionRun {
    /// Returns the problem of one sequence with `rows` rows.
    fn of_rows(&self, [heads, key_heads]: [u32; 2], rows: u32) -> AttentionProblem {
        let scale = self.scale.unwrap_or_else(|| default_scale(self.dim));
        let extents = (1, heads, rows, self.dim);
        AttentionProblem {
            lse: self.lse,
            ..AttentionProblem::new(self.element, extents, self.mask, scale)
                .with_keys(rows, key_heads)
                .with_values(self.dim_v.unwrap_or(self.dim))
        }
    }

    /// Returns the problem.
    #[must_use]
    pub fn problem(&self) -> PackedAttentionProblem {
        let rows = self
            .lengths
            .iter()
            .fold(0, |sum: u32, &length| sum.saturating_add(length));
        PackedAttentionProblem {
            all: self.of_rows(self.heads, rows),
            // If the number does not fit, the plan refuses it: the largest number is more than a
            // plan takes.
            sequences: u32::try_from(self.lengths.len()).unwrap_or(u32::MAX),
        }
    }

    /// Returns the multiplications and additions of both products, counted for the pairs of a query
    /// and a key that it sees.
    ///
    /// ```
    /// use cutlet::attention::{AttentionMask, AttentionType};
    /// use cutlet::run::{PackedAttentionRun, ScoreRun};
    /// let of = |lengths: &[u32]| PackedAttentionRun {
    ///     element: AttentionType::Bf16,
    ///     lengths: lengths.to_vec(),
    ///     heads: [1, 1],
    ///     dim: 64,
    ///     dim_v: None,
    ///     mask: AttentionMask::Full,
    ///     scale: None,
    ///     score: ScoreRun::default(),
    ///     loads: None,
    ///     lse: false,
    ///     seed: 0,
    ///     rows: 1,
    /// };
    /// assert_eq!(of(&[3, 0, 5]).operations(), 4.0 * 64.0 * (9.0 + 25.0));
    /// ```
    #[must_use]
    pub fn operations(&self) -> f64 {
        let of = |&length: &u32| self.of_rows(self.heads, length).operations();
        self.lengths.iter().map(of).sum()
    }
}

/// Runs attention of packed sequences with loaded kernels and compares its result with the float64
/// reference.
///
/// # Errors
/// Returns [`CutletError::Problem`], [`CutletError::NoAttention`], [`CutletError::NoSoftCap`] or
/// [`CutletError::NoAttentionWith`] for a problem without a launch, and the device's errors. A
/// wrong result is no error.
pub fn packed_attention(
    modules: &Modules,
    run: &PackedAttentionRun,
    options: &RunOptions<'_>,
) -> Result<AttentionOutcome, CutletError> {
    match run.element {
        AttentionType::F16 => typed::<f16>(modules, run, options),
        AttentionType::Bf16 => typed::<bf16>(modules, run, options),
    }
}

fn typed<T: AttentionElement + Element>(
    modules: &Modules,
    run: &PackedAttentionRun,
    options: &RunOptions<'_>,
) -> Result<AttentionOutcome, CutletError> {
    let problem = run.problem();
    let all = &problem.all;
    let device = modules.device();
    let plan = packed_plan(device, &problem, run.score.parts(), run.loads)?;
    let queries = Heads {
        batches: 1,
        heads: all.heads,
        rows: all.queries,
        columns: all.dim,
    };
    let keys = Heads {
        heads: all.key_heads,
        ..queries
    };
    let [dim, dim_v] = [all.dim, all.dim_v].map(|dim| dim as usize);
    let length = all.queries as usize;
    let rows = all.heads as usize * length;
    let key_rows = all.key_heads as usize * length;
    let bytes = 2 * (rows + key_rows) as u128 * (dim + dim_v) as u128 + 4 * rows as u128;
    super::memory::check(device, bytes, bytes)?;
    options.report(RunPhase::Inputs);
    let q = reference::fill::<T>(run.seed, rows * dim);
    let k = reference::fill::<T>(run.seed ^ 1 << 32, key_rows * dim);
    let v = reference::fill::<T>(run.seed ^ 1 << 33, key_rows * dim_v);
    let starts = starts(&run.lengths);
    let (on_q, on_k, on_v) = (device.upload(&q)?, device.upload(&k)?, device.upload(&v)?);
    let of_both = device.upload(&starts)?;
    let score = run.score.of_heads(run.seed, all.heads);
    let score_on_device = score.upload(device)?;
    let mut o = poisoned::<T>(device, rows * dim_v)?;
    let mut lse = poisoned::<f32>(device, if run.lse { rows } else { 0 })?;
    let operands = AttentionOperands {
        q: HeadTensor::new(&on_q, queries),
        k: HeadTensor::new(&on_k, keys),
        v: HeadTensor::new(&on_v, keys.of_columns(all.dim_v)),
        o: HeadTensorMut::new(&mut o, queries.of_columns(all.dim_v)),
        lse: if run.lse {
            Some(lse.view_mut(0..rows)?)
        } else {
            None
        },
    };
    let sequences = SequenceStarts {
        queries: of_both.all(),
        keys: of_both.all(),
    };
    let request = AttentionRequest {
        mask: all.mask,
        scale: Some(all.scale),
        starts: Some(sequences),
        loads: run.loads,
        ..score_on_device.request()
    };
    let prepared = prepare_request(modules, operands, &request)?;
    let launched = launched(plan.launch().kernel, &prepared, options)?;
    drop(prepared);
    options.report(RunPhase::Reference);
    let results = Results {
        o: &o,
        lse: run.lse.then_some(&lse),
        rows,
        dim: dim_v,
    };
    results.compare(launched, (run.seed, run.rows), |row| {
        let (head, at) = (row / length, row % length);
        // The last sequence that begins at or before this row: a sequence without rows begins where
        // the next one does.
        let sequence = starts.partition_point(|&start| start as usize <= at) - 1;
        let first = starts[sequence] as usize;
        let own = run.lengths[sequence];
        let key_head = head / (all.heads / all.key_heads) as usize;
        let of_keys = key_head * length + first;
        let of_keys = of_keys..of_keys + own as usize;
        let q = &q[row * dim..][..dim];
        let k = &k[of_keys.start * dim..of_keys.end * dim];
        let of = (q, k, &v[of_keys.start * dim_v..of_keys.end * dim_v]);
        let score = score.of_head(head);
        ExpectedRow::of(&run.of_rows([1, 1], own), at - first, of, &score)
    })
}

//! Attention in float64, computed by its definition.

use super::Element;
use super::loops::to_f64s;
use super::score::{HeadScore, distance};
use kernel_abi::attention::AttentionProblem;
use std::ops::Range;

/// Returns row `query` of O and its log-sum-exp, for one head. `q` is the head's row of Q, `k` is
/// compact (keys, D), and `v` is compact with its own number of columns.
///
/// ```
/// use host::reference::attention_row;
/// use kernel_abi::attention::{AttentionMask, AttentionProblem, AttentionType};
/// let problem = AttentionProblem::new(AttentionType::F16, (1, 1, 2, 1), AttentionMask::Causal, 1.0);
/// let of = |query| attention_row(&problem, query, &[0.0_f32], &[1.0, 1.0], &[3.0, 5.0]);
/// assert_eq!(of(0), (vec![3.0], 0.0));
/// assert_eq!(of(1), (vec![4.0], 2.0_f64.ln()));
/// ```
#[must_use]
pub fn attention_row<T: Element>(
    problem: &AttentionProblem,
    query: usize,
    q: &[T],
    k: &[T],
    v: &[T],
) -> (Vec<f64>, f64) {
    attention_row_with(problem, query, (q, k, v), |score, _| score)
}

/// Returns the same as [`attention_row`], with each scaled score replaced by `function` of the
/// score and the key's number. The mask is applied afterwards.
///
/// ```
/// use host::reference::attention_row_with;
/// use kernel_abi::attention::{AttentionMask, AttentionProblem, AttentionType};
/// let problem = AttentionProblem::new(AttentionType::F16, (1, 1, 2, 1), AttentionMask::Full, 1.0);
/// // The second key has three times the weight of the first.
/// let bias = |score, key| score + key as f64 * 3.0_f64.ln();
/// let (o, lse) = attention_row_with(&problem, 0, (&[0.0_f32], &[1.0, 1.0], &[3.0, 5.0]), bias);
/// assert!((o[0] - 4.5).abs() < 1e-12 && (lse - 4.0_f64.ln()).abs() < 1e-12);
/// ```
#[must_use]
pub fn attention_row_with<T: Element>(
    problem: &AttentionProblem,
    query: usize,
    (q, k, v): (&[T], &[T], &[T]),
    function: impl Fn(f64, usize) -> f64,
) -> (Vec<f64>, f64) {
    let [dim, dim_v] = [problem.dim, problem.dim_v].map(|dim| dim as usize);
    let seen = seen_keys(problem, query, k.len() / dim);
    let of = |keys: &[T], dim| to_f64s(&keys[seen.start * dim..seen.end * dim]);
    let (k, v) = (of(k, dim), of(v, dim_v));
    row(problem, seen.start, &to_f64s(q), &k, &v, &function)
}

/// Returns the same as [`attention_row`], with the score parts of a head.
///
/// ```
/// use host::reference::{HeadScore, attention_row_scored};
/// use kernel_abi::attention::{AttentionMask, AttentionProblem, AttentionType};
/// let problem = AttentionProblem::new(AttentionType::F16, (1, 1, 1, 1), AttentionMask::Full, 1.0).with_keys(2, 1);
/// let of = |score| attention_row_scored(&problem, 0, (&[0.0_f32], &[1.0, 1.0], &[3.0, 5.0]), &score);
/// // The query's own place is that of the last key; a logit of ln 2 weighs as much as both.
/// let (o, _) = of(HeadScore { slope: Some(3.0_f32.ln()), ..HeadScore::default() });
/// assert!((o[0] - 4.5).abs() < 1e-6);
/// let (o, lse) = of(HeadScore { sink: Some(2.0_f32.ln()), ..HeadScore::default() });
/// assert!((o[0] - 2.0).abs() < 1e-6 && (lse - 4.0_f64.ln()).abs() < 1e-6);
/// ```
#[must_use]
pub fn attention_row_scored<T: Element>(
    problem: &AttentionProblem,
    query: usize,
    (q, k, v): (&[T], &[T], &[T]),
    score: &HeadScore,
) -> (Vec<f64>, f64) {
    let by_key = |of, key| score.score(of, distance(problem, query, key));
    let (mut o, lse) = attention_row_with(problem, query, (q, k, v), by_key);
    let lse = join_sink(&mut o, lse, score.sink());
    (o, lse)
}

/// Adds a logit to the denominator of a row of O. Returns the log-sum-exp with the logit.
fn join_sink(o: &mut [f64], lse: f64, sink: f64) -> f64 {
    if sink == f64::NEG_INFINITY {
        return lse;
    }
    let most = lse.max(sink);
    let joined = most + ((lse - most).exp() + (sink - most).exp()).ln();
    o.iter_mut().for_each(|o| *o *= (lse - joined).exp());
    joined
}

/// Returns which of `keys` keys the mask lets a query see.
pub(super) fn seen_keys(problem: &AttentionProblem, query: usize, keys: usize) -> Range<usize> {
    let (lower, upper) = problem.mask.band(problem.queries, problem.keys);
    let end = keys as i64;
    let [first, behind] = [i64::from(lower), i64::from(upper) + 1]
        .map(|distance| (query as i64 + distance).clamp(0, end) as usize);
    first..behind.max(first)
}

/// Computes [`attention_row_with`] for the keys that the query sees, where `first` is the number of
/// the first such key. The function is not generic, so that it is compiled in this crate.
fn row(
    problem: &AttentionProblem,
    first: usize,
    q: &[f64],
    k: &[f64],
    v: &[f64],
    function: &dyn Fn(f64, usize) -> f64,
) -> (Vec<f64>, f64) {
    let [dim, dim_v] = [problem.dim, problem.dim_v].map(|dim| dim as usize);
    let scale = f64::from(problem.scale);
    let scores: Vec<f64> = (k.chunks_exact(dim).zip(first..))
        .map(|(k, key)| function(dot(q, k) * scale, key))
        .collect();
    let maximum = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut row = vec![0.0; dim_v];
    if maximum == f64::NEG_INFINITY {
        return (row, maximum);
    }
    let mut sum = 0.0;
    for (score, v) in scores.iter().zip(v.chunks_exact(dim_v)) {
        let p = (score - maximum).exp();
        sum += p;
        for (row, v) in row.iter_mut().zip(v) {
            *row += p * v;
        }
    }
    row.iter_mut().for_each(|row| *row /= sum);
    (row, maximum + sum.ln())
}

/// A row of O in float64, with its intermediate results.
pub(super) struct ReferenceRow {
    /// The scores after the scale and the score parts.
    pub scores: Vec<f64>,
    pub maximum: f64,
    pub o: Vec<f64>,
    pub lse: f64,
}

impl ReferenceRow {
    /// Computes the row for the keys that the query sees. The first key that the query sees is
    /// `first` keys away from the query's own position. Returns `None` if the query sees no key.
    pub fn of(
        problem: &AttentionProblem,
        [q, k, v]: [&[f64]; 3],
        first: i64,
        score: &HeadScore,
    ) -> Option<Self> {
        let by_key = |of: f64, key: usize| score.score(of, first + key as i64);
        let (mut o, mut lse) = row(problem, 0, q, k, v, &by_key);
        let keys = k.chunks_exact(problem.dim as usize);
        let scores: Vec<f64> = (keys.enumerate())
            .map(|(key, k)| by_key(dot(q, k) * f64::from(problem.scale), key))
            .collect();
        let maximum = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if lse != f64::NEG_INFINITY {
            lse = join_sink(&mut o, lse, score.sink());
        }
        (lse != f64::NEG_INFINITY).then_some(Self {
            scores,
            maximum,
            o,
            lse,
        })
    }
}

/// Returns the dot product, Σ a b.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Computes [`attention_row`] in the way of a kernel that goes over the keys in `blocks` and rounds
/// probabilities. After each block, the row's largest score so far has the probability `2^top`. The
/// product with V uses each probability after `round`. Sums are exact.
///
/// ```
/// use host::reference::{attention_row, attention_row_by_blocks};
/// use kernel_abi::attention::{AttentionMask, AttentionProblem, AttentionType};
/// let problem = AttentionProblem::new(AttentionType::F16, (1, 1, 3, 1), AttentionMask::Full, 1.0);
/// let of = (&[1.0_f32][..], &[0.5, 2.0, 1.0][..], &[3.0, 5.0, 4.0][..]);
/// let (o, lse) = attention_row(&problem, 0, of.0, of.1, of.2);
/// let (by_blocks, its_lse) = attention_row_by_blocks(&problem, 0, of, ([2..3, 0..2], 8), |p| p);
/// assert!((o[0] - by_blocks[0]).abs() < 1e-12 && (lse - its_lse).abs() < 1e-12);
/// // A probability below 1 becomes 0.
/// let (o, _) = attention_row_by_blocks(&problem, 0, of, ([2..3, 0..2], 0), |p| p.floor());
/// assert!(o[0] < 5.0);
/// ```
#[must_use]
pub fn attention_row_by_blocks<T: Element>(
    problem: &AttentionProblem,
    query: usize,
    (q, k, v): (&[T], &[T], &[T]),
    (blocks, top): (impl IntoIterator<Item = Range<usize>>, i32),
    round: impl Fn(f64) -> f64,
) -> (Vec<f64>, f64) {
    let blocks: Vec<Range<usize>> = blocks.into_iter().collect();
    let [q, k, v] = [q, k, v].map(to_f64s);
    row_by_blocks(problem, query, [&q, &k, &v], (&blocks, top), &round)
}

/// Computes [`attention_row_by_blocks`] in float64. The function is not generic, so that it is
/// compiled in this crate.
fn row_by_blocks(
    problem: &AttentionProblem,
    query: usize,
    [q, k, v]: [&[f64]; 3],
    (blocks, top): (&[Range<usize>], i32),
    round: &dyn Fn(f64) -> f64,
) -> (Vec<f64>, f64) {
    let dim = problem.dim as usize;
    let (lower, upper) = problem.mask.band(problem.queries, problem.keys);
    let band = i64::from(lower)..=i64::from(upper);
    let (mut row, mut maximum, mut sum) = (vec![0.0; dim], f64::NEG_INFINITY, 0.0);
    for block in blocks {
        let seen = (block.clone()).filter(|&key| band.contains(&(key as i64 - query as i64)));
        let scores: Vec<(usize, f64)> = seen
            .map(|key| (key, dot(q, &k[key * dim..]) * f64::from(problem.scale)))
            .collect();
        let before = maximum;
        maximum = scores.iter().fold(maximum, |most, of| most.max(of.1));
        if maximum == f64::NEG_INFINITY {
            continue;
        }
        let correction = (before - maximum).exp();
        sum *= correction;
        row.iter_mut().for_each(|row| *row *= correction);
        for (key, score) in scores {
            let p = (score - maximum).exp() * 2.0_f64.powi(top);
            sum += p;
            let rounded = round(p);
            for (row, v) in row.iter_mut().zip(&v[key * dim..]) {
                *row += rounded * v;
            }
        }
    }
    if maximum == f64::NEG_INFINITY {
        return (row, maximum);
    }
    row.iter_mut().for_each(|row| *row /= sum);
    let log = sum.ln() - f64::from(top) * std::f64::consts::LN_2;
    (row, maximum + log)
}

/// Adds the contributions of row `query` of one head to the gradients of Q, K and V. They are
/// computed in float64 by the definition.
///
/// `q` and `d_o` are the head's rows of Q and of the gradient of O. `k`, `v`, `dk` and `dv` are
/// compact (keys, D), and `dq` is the row of dQ.
///
/// ```
/// use host::reference::add_attention_gradients;
/// use kernel_abi::attention::{AttentionMask, AttentionProblem, AttentionType};
/// let problem = AttentionProblem::new(AttentionType::F16, (1, 1, 2, 1), AttentionMask::Full, 1.0);
/// let (mut dq, mut dk, mut dv) = ([0.0], [0.0; 2], [0.0; 2]);
/// // Both keys have a probability of a half; O is 4.
/// add_attention_gradients(&problem, 0, (&[0.0_f32], &[1.0]), (&[1.0, -1.0], &[3.0, 5.0]), (&mut dq, &mut dk, &mut dv));
/// assert_eq!((dv, dq, dk), ([0.5, 0.5], [-1.0], [0.0, 0.0]));
/// ```
pub fn add_attention_gradients<T: Element>(
    problem: &AttentionProblem,
    query: usize,
    (q, d_o): (&[T], &[T]),
    (k, v): (&[T], &[T]),
    results: (&mut [f64], &mut [f64], &mut [f64]),
) {
    add_attention_gradients_with(problem, query, (q, d_o), (k, v), results, |score| {
        [score, 1.0]
    });
}

/// Adds the same as [`add_attention_gradients`], with each scaled score replaced by the first
/// number that `function` returns for it. The second number is the derivative of the first with
/// respect to the scaled score. The mask is applied afterwards.
///
/// ```
/// use host::reference::add_attention_gradients_with;
/// use kernel_abi::attention::{AttentionMask, AttentionProblem, AttentionType};
/// let problem = AttentionProblem::new(AttentionType::F16, (1, 1, 2, 1), AttentionMask::Full, 1.0);
/// let (mut dq, mut dk, mut dv) = ([0.0], [0.0; 2], [0.0; 2]);
/// // The scores count for nothing: both keys have a probability of a half, and neither Q nor K moves it.
/// let tensors = ((&[2.0_f32][..], &[1.0][..]), (&[1.0, -1.0][..], &[3.0, 5.0][..]));
/// add_attention_gradients_with(&problem, 0, tensors.0, tensors.1, (&mut dq, &mut dk, &mut dv), |_| [0.0, 0.0]);
/// assert_eq!((dv, dq, dk), ([0.5, 0.5], [0.0], [0.0, 0.0]));
/// ```
pub fn add_attention_gradients_with<T: Element>(
    problem: &AttentionProblem,
    query: usize,
    (q, d_o): (&[T], &[T]),
    (k, v): (&[T], &[T]),
    (dq, dk, dv): (&mut [f64], &mut [f64], &mut [f64]),
    function: impl Fn(f64) -> [f64; 2],
) {
    let dim = problem.dim as usize;
    let seen = seen_keys(problem, query, k.len() / dim);
    let places = seen.start * dim..seen.end * dim;
    let of = |keys: &[T]| to_f64s(&keys[places.clone()]);
    let (q, d_o, k, v) = (to_f64s(q), to_f64s(d_o), of(k), of(v));
    let (dk, dv) = (&mut dk[places.clone()], &mut dv[places]);
    let of = [&q[..], &d_o, &k, &v];
    let by = |score, _| function(score);
    let by = (&by as &dyn Fn(f64, usize) -> _, f64::NEG_INFINITY);
    add_gradients(problem, seen.start, of, [dq, dk, dv], by);
}

/// Adds the same as [`add_attention_gradients`], with the score parts of a head. Returns the row's
/// contribution to the gradient of the head's sink, or 0 without a sink.
///
/// ```
/// use host::reference::{HeadScore, add_attention_gradients_scored};
/// use kernel_abi::attention::{AttentionMask, AttentionProblem, AttentionType};
/// let problem = AttentionProblem::new(AttentionType::F16, (1, 1, 1, 1), AttentionMask::Full, 1.0);
/// let (mut dq, mut dk, mut dv) = ([0.0], [0.0], [0.0]);
/// let score = HeadScore { sink: Some(0.0), ..HeadScore::default() };
/// // The key and the sink have a probability of a half; O is 3 / 2, and 3 / 4 less for each unit of the sink.
/// let tensors = ((&[0.0_f32][..], &[1.0][..]), (&[1.0][..], &[3.0][..]));
/// let of_sink = add_attention_gradients_scored(&problem, 0, tensors.0, tensors.1, (&mut dq, &mut dk, &mut dv), &score);
/// assert_eq!((of_sink, dv, dq), (-0.75, [0.5], [0.75]));
/// ```
pub fn add_attention_gradients_scored<T: Element>(
    problem: &AttentionProblem,
    query: usize,
    (q, d_o): (&[T], &[T]),
    (k, v): (&[T], &[T]),
    (dq, dk, dv): (&mut [f64], &mut [f64], &mut [f64]),
    score: &HeadScore,
) -> f64 {
    let dim = problem.dim as usize;
    let seen = seen_keys(problem, query, k.len() / dim);
    let places = seen.start * dim..seen.end * dim;
    let of = |keys: &[T]| to_f64s(&keys[places.clone()]);
    let (q, d_o, k, v) = (to_f64s(q), to_f64s(d_o), of(k), of(v));
    let (dk, dv) = (&mut dk[places.clone()], &mut dv[places]);
    let of = [&q[..], &d_o, &k, &v];
    let by_key = |of, key| score.with_derivative(of, distance(problem, query, key));
    let by = (&by_key as &dyn Fn(f64, usize) -> _, score.sink());
    add_gradients(problem, seen.start, of, [dq, dk, dv], by)
}

/// Adds a row's contributions to the gradients, for the keys that the query sees (`first` is the
/// number of the first such key), with a function of each score and its key, and with a sink.
/// Returns the contribution to the sink's gradient. The function is not generic, so that it is
/// compiled in this crate.
fn add_gradients(
    problem: &AttentionProblem,
    first: usize,
    [q, d_o, k, v]: [&[f64]; 4],
    [dq, dk, dv]: [&mut [f64]; 3],
    (function, sink): (&dyn Fn(f64, usize) -> [f64; 2], f64),
) -> f64 {
    let dim = problem.dim as usize;
    let scale = f64::from(problem.scale);
    let (mut o, lse) = row(problem, first, q, k, v, &|score, key| {
        function(score, key)[0]
    });
    if lse == f64::NEG_INFINITY {
        return 0.0;
    }
    let lse = join_sink(&mut o, lse, sink);
    let delta = dot(d_o, &o);
    for (key, (k, v)) in k.chunks_exact(dim).zip(v.chunks_exact(dim)).enumerate() {
        let [score, derivative] = function(scale * dot(q, k), first + key);
        let p = (score - lse).exp();
        let ds = scale * p * (dot(d_o, v) - delta) * derivative;
        let of_key = key * dim..(key + 1) * dim;
        let (dk, dv) = (&mut dk[of_key.clone()], &mut dv[of_key]);
        for i in 0..dim {
            dq[i] += ds * k[i];
            dk[i] += ds * q[i];
            dv[i] += p * d_o[i];
        }
    }
    -(sink - lse).exp() * delta
}

/// Returns one key's rows of dK and dV in float64: sums over the queries that see the key, from the
/// forward pass's O and log-sum-exp.
///
/// `q`, `d_o` and `o` are compact (queries, D) for one head, `lse` has a number for each query, and
/// `k` and `v` are the key's rows.
///
/// ```
/// use host::reference::attention_gradients_of_key;
/// use kernel_abi::attention::{AttentionMask, AttentionProblem, AttentionType};
/// let problem = AttentionProblem::new(AttentionType::F16, (1, 1, 2, 1), AttentionMask::Causal, 1.0);
/// // The last key, which only the last query sees, with a probability of a half.
/// let of_queries = [&[0.0_f32, 0.0][..], &[1.0, 1.0], &[3.0, 4.0]];
/// let (dk, dv) = attention_gradients_of_key(&problem, 1, (&[-1.0], &[5.0]), of_queries, &[0.0, 2.0_f32.ln()]);
/// assert_eq!(dk, [0.0]);
/// assert!((dv[0] - 0.5).abs() < 1e-6);
/// ```
#[must_use]
pub fn attention_gradients_of_key<T: Element>(
    problem: &AttentionProblem,
    key: usize,
    (k, v): (&[T], &[T]),
    [q, d_o, o]: [&[T]; 3],
    lse: &[f32],
) -> (Vec<f64>, Vec<f64>) {
    let of = [q, d_o, o].map(to_f64s);
    gradients_of_key(problem, key, [&to_f64s(k), &to_f64s(v)], &of, lse)
}

/// Computes [`attention_gradients_of_key`] in float64. The function is not generic, so that it is
/// compiled in this crate.
fn gradients_of_key(
    problem: &AttentionProblem,
    key: usize,
    [k, v]: [&[f64]; 2],
    [q, d_o, o]: &[Vec<f64>; 3],
    lse: &[f32],
) -> (Vec<f64>, Vec<f64>) {
    let dim = problem.dim as usize;
    let scale = f64::from(problem.scale);
    let (lower, upper) = problem.mask.band(problem.queries, problem.keys);
    let band = i64::from(lower)..=i64::from(upper);
    let (mut dk, mut dv) = (vec![0.0; dim], vec![0.0; dim]);
    for (query, lse) in lse.iter().enumerate() {
        if !band.contains(&(key as i64 - query as i64)) {
            continue;
        }
        let of = query * dim..(query + 1) * dim;
        let (q, d_o, o) = (&q[of.clone()], &d_o[of.clone()], &o[of]);
        let p = (scale * dot(q, k) - f64::from(*lse)).exp();
        let ds = scale * p * (dot(d_o, v) - dot(d_o, o));
        for i in 0..dim {
            dk[i] += ds * q[i];
            dv[i] += p * d_o[i];
        }
    }
    (dk, dv)
}

#[cfg(test)]
mod tests {
    use super::super::fill;
    use super::*;
    use kernel_abi::attention::{AttentionMask, AttentionType};

    /// Returns the sum of dO ∘ O over one head, with `function` applied to each score.
    fn loss(
        problem: &AttentionProblem,
        [q, k, v, d_o]: [&[f32]; 4],
        function: impl Fn(f64) -> [f64; 2],
    ) -> f64 {
        let rows = q.chunks_exact(4).zip(d_o.chunks_exact(4)).enumerate();
        rows.map(|(query, (q, d_o))| {
            let (o, _) =
                attention_row_with(problem, query, (q, k, v), |score, _| function(score)[0]);
            o.iter()
                .zip(d_o)
                .map(|(o, d)| o * f64::from(*d))
                .sum::<f64>()
        })
        .sum()
    }

    #[test]
    fn gradients_are_those_of_finite_differences() {
        are_finite_differences(|score| [score, 1.0]);
    }

    #[test]
    fn gradients_with_a_soft_cap_are_those_of_finite_differences() {
        let cap = 0.4;
        are_finite_differences(|score| {
            let tanh = (score / cap).tanh();
            [cap * tanh, 1.0 - tanh * tanh]
        });
    }

    #[test]
    fn a_key_s_gradients_are_what_all_queries_add() {
        for mask in [AttentionMask::Full, AttentionMask::Causal] {
            let problem =
                AttentionProblem::new(AttentionType::F16, (1, 1, 6, 4), mask, 0.7).with_keys(5, 1);
            let of = |seed, rows: usize| fill::<f32>(seed, rows * 4);
            let [q, k, v, d_o] = [of(1, 6), of(2, 5), of(3, 5), of(4, 6)];
            let (mut dq, mut dk, mut dv) = (vec![0.0; 24], vec![0.0; 20], vec![0.0; 20]);
            let (mut o, mut lse) = (Vec::new(), Vec::new());
            for (query, dq) in dq.chunks_exact_mut(4).enumerate() {
                let row = query * 4..query * 4 + 4;
                let of = attention_row(&problem, query, &q[row.clone()], &k, &v);
                o.extend(of.0.iter().map(|&x| x as f32));
                lse.push(of.1 as f32);
                let rows = (&q[row.clone()], &d_o[row]);
                add_attention_gradients(&problem, query, rows, (&k, &v), (dq, &mut dk, &mut dv));
            }
            for key in 0..5 {
                let at = key * 4..key * 4 + 4;
                let row = (&k[at.clone()], &v[at.clone()]);
                let of_queries = [&q[..], &d_o, &o];
                let found = attention_gradients_of_key(&problem, key, row, of_queries, &lse);
                for (found, expected) in [(found.0, &dk), (found.1, &dv)] {
                    for (found, expected) in found.iter().zip(&expected[at.clone()]) {
                        assert!(
                            (found - expected).abs() < 1e-5,
                            "{mask:?} {key}: {found} {expected}"
                        );
                    }
                }
            }
        }
    }

    /// Checks the gradients with every score part, including the sink's gradient, for fewer queries
    /// than keys and for more.
    #[test]
    fn gradients_with_score_parts_are_those_of_finite_differences() {
        let score = HeadScore {
            soft_cap: Some(0.4),
            slope: Some(0.3),
            sink: Some(-0.2),
        };
        for (mask, keys) in [(AttentionMask::Full, 9), (AttentionMask::Causal, 4)] {
            let problem = AttentionProblem::new(AttentionType::F16, (1, 1, 6, 4), mask, 0.7);
            let problem = problem.with_keys(keys, 1);
            let of = |seed, rows: usize| fill::<f32>(seed, rows * 4);
            let keys = keys as usize;
            let tensors = [of(1, 6), of(2, keys), of(3, keys), of(4, 6)];
            let loss = |tensors: &[Vec<f32>; 4], score: &HeadScore| -> f64 {
                let [q, k, v, d_o] = tensors.each_ref().map(Vec::as_slice);
                let rows = q.chunks_exact(4).zip(d_o.chunks_exact(4)).enumerate();
                let of_row = |(query, (q, d_o)): (usize, (&[f32], &[f32]))| {
                    let (o, _) = attention_row_scored(&problem, query, (q, k, v), score);
                    dot(&o, &to_f64s(d_o))
                };
                rows.map(of_row).sum()
            };
            let [q, k, v, d_o] = tensors.each_ref().map(Vec::as_slice);
            let mut gradients = [vec![0.0; 24], vec![0.0; 4 * keys], vec![0.0; 4 * keys]];
            let [dq, dk, dv] = &mut gradients;
            let mut of_sink = 0.0;
            for (query, dq) in dq.chunks_exact_mut(4).enumerate() {
                let row = query * 4..query * 4 + 4;
                let rows = (&q[row.clone()], &d_o[row]);
                let results = (dq, &mut dk[..], &mut dv[..]);
                of_sink +=
                    add_attention_gradients_scored(&problem, query, rows, (k, v), results, &score);
            }
            let is_quotient = |low: (f64, f64), high: (f64, f64), gradient: f64| {
                let quotient = (high.1 - low.1) / (high.0 - low.0);
                let near = (quotient - gradient).abs() < 1e-5;
                assert!(near, "{mask:?}: {quotient} {gradient}");
            };
            for (which, gradient) in gradients.iter().enumerate() {
                for (i, &gradient) in gradient.iter().enumerate() {
                    let moved = |by: f32| {
                        let mut tensors = tensors.clone();
                        tensors[which][i] += by;
                        (f64::from(tensors[which][i]), loss(&tensors, &score))
                    };
                    is_quotient(moved(-1e-3), moved(1e-3), gradient);
                }
            }
            let moved = |at: f32| {
                let sink = Some(at);
                let moved = HeadScore { sink, ..score };
                (f64::from(at), loss(&tensors, &moved))
            };
            is_quotient(moved(-0.201), moved(-0.199), of_sink);
        }
    }

    fn are_finite_differences(function: impl Fn(f64) -> [f64; 2]) {
        let window = AttentionMask::Window {
            before: 2,
            after: 1,
        };
        for mask in [AttentionMask::Full, AttentionMask::Causal, window] {
            let problem =
                AttentionProblem::new(AttentionType::F16, (1, 1, 6, 4), mask, 0.7).with_keys(5, 1);
            let of = |seed, rows: usize| fill::<f32>(seed, rows * 4);
            let tensors = [of(1, 6), of(2, 5), of(3, 5), of(4, 6)];
            let [q, k, v, d_o] = tensors.each_ref().map(Vec::as_slice);
            let mut gradients = [vec![0.0; 24], vec![0.0; 20], vec![0.0; 20]];
            let [dq, dk, dv] = &mut gradients;
            for (query, dq) in dq.chunks_exact_mut(4).enumerate() {
                let row = query * 4..query * 4 + 4;
                let rows = (&q[row.clone()], &d_o[row]);
                let results = (dq, &mut dk[..], &mut dv[..]);
                add_attention_gradients_with(&problem, query, rows, (k, v), results, &function);
            }
            for (which, gradient) in gradients.iter().enumerate() {
                for (i, gradient) in gradient.iter().enumerate() {
                    let moved = |by: f32| {
                        let mut tensors = tensors.clone();
                        tensors[which][i] += by;
                        let at = f64::from(tensors[which][i]);
                        let of = tensors.each_ref().map(Vec::as_slice);
                        (at, loss(&problem, of, &function))
                    };
                    let (low, high) = (moved(-1e-3), moved(1e-3));
                    let quotient = (high.1 - low.1) / (high.0 - low.0);
                    assert!(
                        (quotient - gradient).abs() < 1e-5,
                        "{mask:?} {which} {i}: {quotient} {gradient}"
                    );
                }
            }
        }
    }
}

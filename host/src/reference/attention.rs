//! Attention in float64, by its definition.

use super::Element;
use kernel_abi::attention::AttentionProblem;

/// Row `query` of O and its log-sum-exp, of one head: `q` is its row of Q, `k` and `v` are compact (keys, D).
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
    let dim = problem.dim as usize;
    let (lower, upper) = problem.mask.band(problem.queries, problem.keys);
    let scores: Vec<f64> = k
        .chunks_exact(dim)
        .enumerate()
        .map(|(key, k)| {
            let distance = key as i64 - query as i64;
            if !(i64::from(lower)..=i64::from(upper)).contains(&distance) {
                return f64::NEG_INFINITY;
            }
            let products = q.iter().zip(k).map(|(q, k)| q.to_f64() * k.to_f64());
            products.sum::<f64>() * f64::from(problem.scale)
        })
        .collect();
    let maximum = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut row = vec![0.0; dim];
    if maximum == f64::NEG_INFINITY {
        return (row, maximum);
    }
    let mut sum = 0.0;
    for (score, v) in scores.iter().zip(v.chunks_exact(dim)) {
        let p = (score - maximum).exp();
        sum += p;
        for (row, v) in row.iter_mut().zip(v) {
            *row += p * v.to_f64();
        }
    }
    row.iter_mut().for_each(|row| *row /= sum);
    (row, maximum + sum.ln())
}

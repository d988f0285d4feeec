//! The errors that attention's kernels may have compared with float64, derived from the numbers of
//! the problem. Let `a = 2⁻²⁴` be the unit roundoff of f32 and `u` the unit roundoff of the
//! elements. `g(k) = (k/8 + 2) 2⁻²³` is the loss of tensor cores in a sum of k products, relative
//! to the sum of the products' magnitudes: they add 8 products at a time, each time with an error
//! of a unit of the sum. The term 2 covers the bits by which the products are truncated:
//!
//! ```text
//!   S   = scale Q Kᵀ, or a cap's of it       |ΔS|  ≤ scale g(D) Σ|q||k| + cap 2⁻²⁰            the sum; the cap by ex2.approx, rcp.approx
//!   E   = log2(e) scale (S − M)              |ΔE|  ≤ 3a |S − M| + a (n/64 + 2) |M|            one fma from a base rounded once a row and block
//!   P   = e^(S − M)                          |ΔP|  ≤ (e^(2ε) − 1) P,  ε = ΔS + ΔE + 2⁻²²       ex2.approx: 2⁻²²
//!         for every ε at most 1 − P of the row's sum; rounded to the elements: u P + h
//!   l   = Σ P                                |Δl|  ≤ a (4 √n + 8) l                           n/4 roundings a thread of random signs, 8 deviations
//!   O   = P V / l                            |ΔO|  ≤ Σ P ε' |v − o| + u Σ P|v| + Δl |o| + g(n) Σ P|v|
//!   LSE = M + ln l                           |ΔLSE| ≤ Σ P ε + Δl + 4a (|M| + |LSE|) + 2⁻²²     lg2.approx: 2⁻²²; parts combined
//!   a bias b = slope |distance| of S         |ΔS|  ≤ 2a (b + |S|)                              one fma
//!   a sink z beside the LSE                  O and LSE once more by 4 (a (|M| + ln n + |z|) + 2⁻²²)
//! ```
//!
//! The kernels of the gradients compute P from an LSE that was rounded to f32, and δ from an O that
//! was rounded to the elements' type:
//!
//! ```text
//!   P   = e^(S − LSE)                        |ΔP|  ≤ (e^ε − 1) P + u P + h,  ε = ΔS + 4a (|S| + |LSE|) + 2⁻²²
//!   dS  = P (dP − δ) cap'                    |ΔdS| ≤ |dS| (ε + u) + P (g(D) Σ|dO||v| + u Σ|dO||o| + 2⁻²⁰ |dP − δ| with a cap) + h
//!   dQ  = scale dS K,   dK = scale dSᵀ Q     |Δ|   ≤ scale Σ (ΔdS + g(n) |dS|) |k|
//!   dV  = Pᵀ dO                              |Δ|   ≤ Σ (ΔP + g(n) P) |dO|
//!   dz  = −Σ e^(z − LSE) δ, of a sink z      |Δ|   ≤ Σ e^(z − LSE) (u Σ|dO||o| + (ε + a (4 √n + D)) Σ|dO||o|),  ε = 4a (|z| + |LSE|) + 2⁻²²
//! ```
//!
//! ΔS includes the error of a bias b of S, as above.
//!
//! For the norm, the roundings to 16 bits are independent with random signs, so their squares are
//! added. The other errors matter for the norm only if scores are large, and are added directly.
//!
//! Sources: PTX ISA, "ex2", "lg2", "rcp" (largest errors); Fasi, Higham, Mikaitis, Pranesh,
//! "Numerical Behavior of NVIDIA Tensor Cores" (2021); Higham, "Accuracy and Stability of Numerical
//! Algorithms", chapter 3 (sums).

use super::Element;
use super::allowance::Allowance;
use super::attention::{ReferenceRow, dot, seen_keys};
use super::loops::to_f64s;
use super::score::{HeadScore, distance};
use kernel_abi::attention::AttentionProblem;

/// The unit roundoff of f32.
const A: f64 = f32::EPSILON as f64 / 2.0;
/// The relative error of `ex2.approx`, and the absolute error of `lg2.approx`.
const APPROXIMATION: f64 = 1.0 / (1 << 22) as f64;
/// The error of a capped score and of its derivative, divided by the cap.
const OF_CAP: f64 = 1.0 / (1 << 20) as f64;

/// How tensor cores add up products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Products {
    /// Exact products of 16-bit floats, added in f32.
    Half,
    /// Products of e4m3 on Hopper, added with 13 bits after the point of the largest of 32
    /// products. P is rounded to e4m3.
    Fp8,
}

impl Products {
    /// Computes `g(k)` of the module's head.
    fn lost(self, k: usize) -> f64 {
        match self {
            Self::Half => (k as f64 / 8.0 + 2.0) * 2.0 * A,
            Self::Fp8 => (k as f64 / 32.0 + 2.0).sqrt() / (1 << 13) as f64,
        }
    }

    /// Returns the rounding of a probability. For e4m3 the reference rounds P too, so a difference
    /// arises only if the kernel rounds to a neighbouring number, whose relative distance is an
    /// eighth.
    fn rounding<T: Element>(self) -> Rounding {
        match self {
            Self::Half => Rounding {
                bound: T::UNIT_ROUNDOFF,
                typical: T::UNIT_ROUNDOFF,
                underflow: T::UNDERFLOW,
            },
            Self::Fp8 => Rounding {
                bound: 1.0 / 8.0,
                typical: 1.0 / 64.0,
                underflow: 0.0,
            },
        }
    }
}

/// The rounding of a probability between the two matrix products.
#[derive(Clone, Copy)]
struct Rounding {
    /// The largest relative error.
    bound: f64,
    /// The root mean square of the relative error.
    typical: f64,
    /// The absolute error near 0.
    underflow: f64,
}

/// The allowed errors of a row of O and of its log-sum-exp.
#[derive(Clone, Debug, PartialEq)]
pub struct RowAllowance {
    /// The allowed errors of O's elements.
    pub o: Allowance,
    /// The largest allowed distance of the log-sum-exp.
    pub lse: f64,
}

impl RowAllowance {
    /// Returns a log-sum-exp's distance divided by its allowed value, limited to finite numbers so
    /// that JSON can represent it. NaN on one side counts as the largest distance. Equal infinities
    /// mean a row without keys.
    #[must_use]
    pub fn of_lse(&self, found: f32, expected: f64) -> f64 {
        let found = f64::from(found);
        if found == expected {
            return 0.0;
        }
        let part = (found - expected).abs() / self.lse;
        if part.is_finite() { part } else { f64::MAX }
    }
}

/// Returns the allowed errors of one head's row `query` of O. The arguments are those of
/// [`attention_row`](super::attention_row), and `score` holds the head's score parts, or only a
/// soft cap.
///
/// ```
/// use host::reference::{Products, attention_row_allowance};
/// use kernel_abi::attention::{AttentionMask, AttentionProblem, AttentionType};
/// let of = |scale| {
///     let problem = AttentionProblem::new(AttentionType::F16, (1, 1, 2, 1), AttentionMask::Full, scale);
///     let (q, k, v) = ([half::f16::ONE], [1.0, 0.5].map(half::f16::from_f64), [half::f16::ONE; 2]);
///     attention_row_allowance(&problem, 0, (&q, &k, &v), None, Products::Half).lse
/// };
/// // A log-sum-exp of 100,000 has fewer digits after the point than one of 1.
/// assert!(of(1.0) < 1e-5 && of(1e5) > 1e-2);
/// ```
#[must_use]
pub fn attention_row_allowance<T: Element>(
    problem: &AttentionProblem,
    query: usize,
    (q, k, v): (&[T], &[T], &[T]),
    score: impl Into<HeadScore>,
    products: Products,
) -> RowAllowance {
    attention_row_allowance_in::<T, T>(problem, query, (q, k, v), score, products)
}

/// Returns the same as [`attention_row_allowance`], for a kernel that rounds to `R` although its
/// operands have another type, such as f64 for elements times their scales.
#[must_use]
pub fn attention_row_allowance_in<R: Element, T: Element>(
    problem: &AttentionProblem,
    query: usize,
    (q, k, v): (&[T], &[T], &[T]),
    score: impl Into<HeadScore>,
    products: Products,
) -> RowAllowance {
    let seen = seen_keys(problem, query, k.len() / problem.dim as usize);
    let first = distance(problem, query, seen.start);
    let [dim, dim_v] = [problem.dim, problem.dim_v].map(|dim| dim as usize);
    let of = |keys: &[T], dim| to_f64s(&keys[seen.start * dim..seen.end * dim]);
    let tensors = [&to_f64s(q)[..], &of(k, dim), &of(v, dim_v)];
    let by = (&score.into(), first, products);
    row(problem, tensors, by, products.rounding::<R>())
}

/// Computes [`attention_row_allowance`] for the keys that the query sees. The function is not
/// generic, so that it is compiled in this crate.
fn row(
    problem: &AttentionProblem,
    [q, k, v]: [&[f64]; 3],
    (score, first, products): (&HeadScore, i64, Products),
    of_p: Rounding,
) -> RowAllowance {
    let [dim_k, dim] = [problem.dim, problem.dim_v].map(|dim| dim as usize);
    let mut allowed = Allowance::none(dim);
    let sink = match score.sink() {
        f64::NEG_INFINITY => None,
        sink => Some(sink),
    };
    let Some(row) = ReferenceRow::of(problem, [q, k, v], first, score) else {
        return RowAllowance {
            o: allowed,
            lse: sink.map_or(0.0, |sink| 4.0 * A * sink.abs()),
        };
    };
    let keys = row.scores.len();
    let maximum = row.maximum;
    let blocks = keys as f64 / 64.0 + 2.0;
    let of_sum = A * (4.0 * (keys as f64).sqrt() + 8.0);
    let mut of_lse = of_sum + 4.0 * A * (maximum.abs() + row.lse.abs()) + APPROXIMATION;
    // The error that a sink adds, as in the module's head.
    let of_sink = sink.map_or(0.0, |sink| {
        4.0 * (A * (maximum.abs() + (keys as f64).ln() + sink.abs()) + APPROXIMATION)
    });
    of_lse += of_sink;
    let lost = products.lost(keys);
    // These are, for each column: the effect of the exponents' errors, the largest effect of
    // roundings of P, and the squares of these roundings.
    let (mut exact, mut magnitude) = (vec![0.0; dim], vec![0.0; dim]);
    let (mut rounded, mut squares) = (vec![0.0; dim], vec![0.0; dim]);
    for (i, (k, v)) in k.chunks_exact(dim_k).zip(v.chunks_exact(dim)).enumerate() {
        let p = (row.scores[i] - row.lse).exp();
        let off = row.scores[i] - maximum;
        let bias = score.bias(first + i as i64);
        let of_bias = 2.0 * A * (bias + if bias > 0.0 { row.scores[i].abs() } else { 0.0 });
        let error = score_error(problem, (q, k), score.soft_cap, products)
            + of_bias
            + 3.0 * A * off.abs()
            + A * blocks * maximum.abs()
            + APPROXIMATION;
        of_lse += p * error;
        // If the exponent's error is large, the weight may be any number up to 1.
        let moved = (p * (2.0 * error).exp_m1()).min(1.0 - p);
        let once = of_p.bound * p + of_p.underflow;
        let typical = of_p.typical * p + of_p.underflow;
        for c in 0..dim {
            exact[c] += moved * (v[c] - row.o[c]).abs();
            magnitude[c] += p * v[c].abs();
            rounded[c] += once * v[c].abs();
            squares[c] += (typical * v[c]).powi(2);
        }
    }
    for c in 0..dim {
        let sums = (of_sum + of_sink) * row.o[c].abs() + lost * magnitude[c];
        // The truncations accumulate over the sum. Partial sums are about as large as the final
        // value, or as a random walk of the terms.
        let walk =
            of_sum * row.o[c].abs() + lost * (row.o[c].abs() + squares[c].sqrt() / of_p.typical);
        let variance = squares[c] + exact[c].powi(2) + walk.powi(2);
        allowed.add(c, exact[c] + rounded[c] + sums, variance);
    }
    RowAllowance {
        o: allowed,
        lse: of_lse,
    }
}

/// Returns `ΔS` for a query and a key.
fn score_error(
    problem: &AttentionProblem,
    (q, k): (&[f64], &[f64]),
    cap: Option<f32>,
    products: Products,
) -> f64 {
    let magnitudes: f64 = q.iter().zip(k).map(|(q, k)| (q * k).abs()).sum();
    let sum = f64::from(problem.scale) * products.lost(problem.dim as usize) * magnitudes;
    // The error of a capped score is at most the distance from -cap to cap.
    match cap.map(f64::from) {
        Some(cap) => sum.min(2.0 * cap) + cap * OF_CAP,
        None => sum,
    }
}

/// Adds the contributions of row `query` of one head to the allowances of dQ (its row), of dK and
/// dV (keys, D), and of the gradient of the head's sink. The arguments are those of
/// [`add_attention_gradients_scored`](super::add_attention_gradients_scored).
pub fn add_gradient_allowances<T: Element>(
    problem: &AttentionProblem,
    query: usize,
    (q, d_o): (&[T], &[T]),
    (k, v): (&[T], &[T]),
    score: impl Into<HeadScore>,
    [dq, dk, dv, d_sink]: [(&mut Allowance, usize); 4],
) {
    let dim = problem.dim as usize;
    let seen = seen_keys(problem, query, k.len() / dim);
    let of = |keys: &[T]| to_f64s(&keys[seen.start * dim..seen.end * dim]);
    let tensors = [&to_f64s(q)[..], &to_f64s(d_o), &of(k), &of(v)];
    let first = seen.start * dim;
    let results = [dq, (dk.0, dk.1 + first), (dv.0, dv.1 + first), d_sink];
    let by = (&score.into(), distance(problem, query, seen.start));
    let unit = Products::Half.rounding::<T>();
    gradients(problem, tensors, by, unit, results);
}

/// Computes [`add_gradient_allowances`] for the keys that the query sees. The function is not
/// generic, so that it is compiled in this crate.
fn gradients(
    problem: &AttentionProblem,
    [q, d_o, k, v]: [&[f64]; 4],
    (by, first): (&HeadScore, i64),
    unit: Rounding,
    [(dq, at_q), (dk, at_k), (dv, at_v), (d_sink, at_sink)]: [(&mut Allowance, usize); 4],
) {
    let (dim, cap) = (problem.dim as usize, by.soft_cap);
    let Some(row) = ReferenceRow::of(problem, [q, k, v], first, by) else {
        return;
    };
    let scale = f64::from(problem.scale);
    let of_products = Products::Half.lost(dim);
    let (of_keys, of_queries) = (
        Products::Half.lost(row.scores.len()),
        Products::Half.lost(problem.queries as usize),
    );
    let delta = dot(d_o, &row.o);
    let terms = d_o.iter().zip(&row.o).map(|(d, o)| (d * o).abs());
    let magnitude_of_delta = terms.clone().sum::<f64>();
    let of_delta = unit.bound * magnitude_of_delta;
    let typical_delta = unit.typical * terms.map(|term| term * term).sum::<f64>().sqrt();
    // δ is the same number for all keys of the query, so its effects on dQ do not have random
    // signs.
    let mut by_delta = vec![0.0; dim];
    for (key, (k, v)) in k.chunks_exact(dim).zip(v.chunks_exact(dim)).enumerate() {
        let score = row.scores[key];
        let p = (score - row.lse).exp();
        let bias = by.bias(first + key as i64);
        let derivative = cap.map_or(1.0, |cap| 1.0 - ((score + bias) / f64::from(cap)).powi(2));
        let of_bias = 2.0 * A * (bias + if bias > 0.0 { score.abs() } else { 0.0 });
        let of_dp = dot(d_o, v) - delta;
        let ds = p * of_dp * derivative;
        let exponent = score_error(problem, (q, k), cap, Products::Half)
            + of_bias
            + 4.0 * A * (score.abs() + row.lse.abs())
            + APPROXIMATION;
        let relative = exponent.exp_m1();
        let magnitudes: f64 = d_o.iter().zip(v).map(|(d, v)| (d * v).abs()).sum();
        let of_cap = cap.map_or(0.0, |_| OF_CAP * of_dp.abs());
        let exact = ds.abs() * relative + p * (of_products * magnitudes + of_cap);
        let once = unit.bound * ds.abs() + unit.underflow;
        let typical = (unit.typical * ds).powi(2) + unit.underflow.powi(2);
        let p_once = unit.bound * p + unit.underflow;
        for c in 0..dim {
            let of_ds = exact + p * of_delta * derivative + once;
            let of_q = scale * k[c].abs();
            by_delta[c] += scale * p * derivative * k[c];
            let variance = typical + exact.powi(2);
            dq.add(
                at_q + c,
                of_q * (of_ds + of_keys * ds.abs()),
                of_q.powi(2) * variance,
            );
            let of_k = scale * q[c].abs();
            dk.add(
                at_k + key * dim + c,
                of_k * (of_ds + of_queries * ds.abs()),
                of_k.powi(2) * (variance + (p * typical_delta * derivative).powi(2)),
            );
            let of_p = p * relative + p_once;
            dv.add(
                at_v + key * dim + c,
                (of_p + of_queries * p) * d_o[c].abs(),
                ((p * relative).powi(2) + (unit.typical * p).powi(2) + unit.underflow.powi(2))
                    * d_o[c].powi(2),
            );
        }
    }
    for (c, by) in by_delta.iter().enumerate() {
        dq.add(at_q + c, 0.0, (typical_delta * by).powi(2));
    }
    let sink = by.sink();
    if sink != f64::NEG_INFINITY {
        let p = (sink - row.lse).exp();
        let of_sums = A * (4.0 * f64::from(problem.queries).sqrt() + dim as f64);
        let exponent = 4.0 * A * (sink.abs() + row.lse.abs()) + APPROXIMATION;
        let exact = p * (exponent + of_sums) * magnitude_of_delta;
        let variance = (p * typical_delta).powi(2) + exact.powi(2);
        d_sink.add(at_sink, p * of_delta + exact, variance);
    }
}

//! Tests the amount by which attention may differ from float64: a kernel that computes correctly
//! stays within the amount, and a kernel with a fault exceeds it.
//!
//! The kernel is a model of the real kernels' arithmetic: f32 sums, exponents by one `fma` from a
//! rounded base, probabilities in 16 bits, key blocks of 64.

use half::{bf16, f16};
use host::reference::{
    Agreement, Allowance, Element, Products, RowAllowance, add_attention_gradients_with,
    add_gradient_allowances, attention_row_allowance, attention_row_with, fill,
};
use kernel_abi::attention::{AttentionMask, AttentionProblem, AttentionType};

/// The fault of a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    /// One of the keys is left out.
    DroppedKey,
    /// The causal mask shows this many keys too many, or too few if the number is negative.
    MaskOff(i64),
    /// The capped scores lack the factor of the cap.
    UnscaledCap,
    /// The cap is left out.
    NoCap,
    /// The last 16 elements of Q and K are left out.
    MissingKTile,
    /// A block of 64 keys is left out.
    MissingKeyBlock,
    /// The last correction of O is left out.
    NoCorrection,
}

/// Computes a row of O and its log-sum-exp as a kernel does.
fn kernel<T: Element>(
    problem: &AttentionProblem,
    query: usize,
    (q, k, v): (&[T], &[T], &[T]),
    cap: Option<f32>,
    fault: Fault,
) -> (Vec<T>, f32) {
    let dim = problem.dim as usize;
    let keys = problem.keys as usize;
    let wide = |of: &[T]| of.iter().map(|x| x.to_f64() as f32).collect::<Vec<f32>>();
    let (q, k, v) = (wide(q), wide(k), wide(v));
    let c = match cap {
        None => problem.scale * std::f32::consts::LOG2_E,
        Some(_) => std::f32::consts::LOG2_E,
    };
    let seen = |key: usize| {
        let more = if let Fault::MaskOff(by) = fault {
            by
        } else {
            0
        };
        let mask = match problem.mask {
            AttentionMask::Causal => {
                key as i64 <= query as i64 + problem.keys as i64 - problem.queries as i64 + more
            }
            _ => true,
        };
        let dropped = match fault {
            Fault::DroppedKey => key == keys / 3,
            Fault::MissingKeyBlock => key / 64 == 0,
            _ => false,
        };
        mask && !dropped
    };
    let depth = dim - if fault == Fault::MissingKTile { 16 } else { 0 };
    let (mut o, mut sum, mut maximum) = (vec![0.0_f32; dim], 0.0_f32, f32::NEG_INFINITY);
    for block in (0..keys).step_by(64) {
        let of_block: Vec<(usize, f32)> = (block..(block + 64).min(keys))
            .filter(|&key| seen(key))
            .map(|key| {
                let of_key = &k[key * dim..][..depth];
                let score: f32 = q[..depth].iter().zip(of_key).map(|(q, k)| q * k).sum();
                let capped = match (cap, fault) {
                    (None, _) => score,
                    (Some(_), Fault::NoCap) => score * problem.scale,
                    (Some(cap), Fault::UnscaledCap) => (score * problem.scale / cap).tanh(),
                    (Some(cap), _) => cap * (score * problem.scale / cap).tanh(),
                };
                (key, capped)
            })
            .collect();
        let before = maximum;
        maximum = of_block.iter().fold(maximum, |most, of| most.max(of.1));
        if maximum == f32::NEG_INFINITY {
            continue;
        }
        let base = -(maximum * c);
        let correction = match fault {
            Fault::NoCorrection if block > 0 => 1.0,
            _ => before.mul_add(c, base).exp2(),
        };
        sum *= correction;
        o.iter_mut().for_each(|o| *o *= correction);
        for (key, score) in of_block {
            let p = score.mul_add(c, base).exp2();
            sum += p;
            let rounded = T::from_f64(p.into()).to_f64() as f32;
            for (o, v) in o.iter_mut().zip(&v[key * dim..]) {
                *o += rounded * v;
            }
        }
    }
    let lse = (maximum * c + sum.log2()) * std::f32::consts::LN_2;
    let row = o.iter().map(|o| match sum {
        0.0 => T::from_f64(0.0),
        sum => T::from_f64((o / sum).into()),
    });
    (row.collect(), lse)
}

/// Computes all rows of a head. Returns the agreement of O, and the greatest distance of a
/// log-sum-exp, divided by its allowed distance.
fn head<T: Element>(
    problem: &AttentionProblem,
    cap: Option<f32>,
    fault: Fault,
    rows: impl Iterator<Item = usize>,
) -> (Agreement, f64) {
    let dim = problem.dim as usize;
    let of = |seed, rows: u32| fill::<T>(seed, rows as usize * dim);
    let (q, k, v) = (
        of(1, problem.queries),
        of(2, problem.keys),
        of(3, problem.keys),
    );
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    let (mut allowed, mut worst) = (Allowance::default(), 0.0_f64);
    for query in rows {
        let of_row = (&q[query * dim..][..dim], &k[..], &v[..]);
        let capped = |score: f64, _| match cap.map(f64::from) {
            Some(cap) => cap * (score / cap).tanh(),
            None => score,
        };
        let (o, lse) = attention_row_with(problem, query, of_row, capped);
        let may: RowAllowance =
            attention_row_allowance(problem, query, of_row, cap, Products::Half);
        let (by_kernel, its_lse) = kernel(problem, query, of_row, cap, fault);
        worst = worst.max(may.of_lse(its_lse, lse));
        found.extend(by_kernel);
        expected.extend(o);
        allowed.extend(&may.o);
    }
    let agreement = Agreement::of(&found, &expected, &allowed).unwrap();
    (agreement, worst)
}

fn problem(
    element: AttentionType,
    (queries, keys): (u32, u32),
    mask: AttentionMask,
    scale: f32,
) -> AttentionProblem {
    AttentionProblem::new(element, (1, 1, queries, 64), mask, scale).with_keys(keys, 1)
}

/// The test covers scores of every size, up to the largest scale that a plan accepts.
#[test]
fn what_is_right_is_allowed() {
    for scale in [1e-40, 1e-3, 0.125, 1.0, 30.0, 100.0, 1e4, 7e5] {
        for keys in [1, 2, 65, 500] {
            for mask in [AttentionMask::Full, AttentionMask::Causal] {
                let of = |element| problem(element, (33, keys), mask, scale);
                let (o, lse) = head::<f16>(&of(AttentionType::F16), None, Fault::None, 0..33);
                assert!(o.holds() && lse <= 1.0, "{scale} {keys} f16 {o:?} {lse}");
                let (o, lse) = head::<bf16>(&of(AttentionType::Bf16), None, Fault::None, 0..33);
                assert!(o.holds() && lse <= 1.0, "{scale} {keys} bf16 {o:?} {lse}");
            }
        }
    }
    for cap in [0.5, 30.0, 1024.0] {
        for scale in [0.125, 5.0, 1e4] {
            let of = problem(AttentionType::F16, (33, 200), AttentionMask::Full, scale);
            let (o, lse) = head::<f16>(&of, Some(cap), Fault::None, 0..33);
            assert!(o.holds() && lse <= 1.0, "{cap} {scale} {o:?} {lse}");
        }
    }
}

#[test]
fn a_fault_is_not_allowed() {
    let every = |faults: &[Fault], scale: f32, keys: u32, cap: Option<f32>| {
        for &fault in faults {
            let mask = match fault {
                Fault::MaskOff(_) => AttentionMask::Causal,
                _ => AttentionMask::Full,
            };
            // These are the last rows, which see every key that the mask shows.
            let queries = keys.min(400);
            let rows = queries as usize - 8..queries as usize - 1;
            // In rows with a sharp maximum, only few keys have weight. A fault in another key shows
            // only in the log-sum-exp.
            let wrong = |(o, lse): (Agreement, f64)| lse > 1.0 && (!o.holds() || scale > 0.125);
            let of = |element| problem(element, (queries, keys), mask, scale);
            let half = head::<f16>(&of(AttentionType::F16), cap, fault, rows.clone());
            assert!(wrong(half), "{fault:?} {scale} {keys} f16: {half:?}");
            let brain = head::<bf16>(&of(AttentionType::Bf16), cap, fault, rows);
            assert!(wrong(brain), "{fault:?} {scale} {keys} bf16: {brain:?}");
        }
    };
    let any = [
        Fault::DroppedKey,
        Fault::MaskOff(1),
        Fault::MaskOff(-1),
        Fault::MissingKTile,
        Fault::MissingKeyBlock,
        Fault::NoCorrection,
    ];
    for keys in [200, 1000] {
        every(&any, 0.125, keys, None);
        every(&any, 0.5, keys, None);
    }
    // One key out of 4,000 is dropped, among 16-bit numbers.
    every(&[Fault::DroppedKey], 0.125, 4000, None);
    for cap in [0.5, 2.0, 30.0] {
        every(&[Fault::UnscaledCap], 0.5, 300, Some(cap));
    }
    for cap in [0.5, 2.0] {
        every(&[Fault::NoCap], 0.5, 300, Some(cap));
    }
}

/// Computes dQ, dK and dV of a head as kernels do. One key is skipped if `dropped` names it, and
/// the subtraction of delta is multiplied by `twice`.
fn gradients<T: Element>(
    problem: &AttentionProblem,
    dropped: Option<usize>,
    twice: f64,
) -> [Agreement; 3] {
    let (dim, queries, keys) = (64, problem.queries as usize, problem.keys as usize);
    let of = |seed, rows: usize| fill::<T>(seed, rows * dim);
    let (q, d_o, k, v) = (of(1, queries), of(4, queries), of(2, keys), of(3, keys));
    let wide = |of: &[T]| of.iter().map(|x| x.to_f64()).collect::<Vec<f64>>();
    let (q64, d_o64, k64, v64) = (wide(&q), wide(&d_o), wide(&k), wide(&v));
    let round = |x: f64| T::from_f64(x).to_f64();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let lens = [queries, keys, keys].map(|rows| rows * dim);
    let (mut expected, mut found) = (
        lens.map(|len| vec![0.0; len]),
        lens.map(|len| vec![0.0; len]),
    );
    let mut allowed = lens.map(Allowance::none);
    for query in 0..queries {
        let at = query * dim..(query + 1) * dim;
        let of_row = (&q[at.clone()], &k[..], &v[..]);
        let (o, lse) = attention_row_with(problem, query, of_row, |score, _| score);
        let [dq, dk, dv] = &mut expected;
        let rows = (&q[at.clone()], &d_o[at.clone()]);
        let results = (&mut dq[at.clone()], &mut dk[..], &mut dv[..]);
        add_attention_gradients_with(problem, query, rows, (&k, &v), results, |s| [s, 1.0]);
        let [dq, dk, dv] = &mut allowed;
        let mut of_sink = Allowance::none(1);
        let of_all = [(dq, at.start), (dk, 0), (dv, 0), (&mut of_sink, 0)];
        add_gradient_allowances(problem, query, rows, (&k, &v), None, of_all);
        // The model reads the rounded O and log-sum-exp, and rounds intermediate results to 16
        // bits.
        let lse = f64::from(lse as f32);
        let delta: f64 = o
            .iter()
            .zip(&d_o64[at.clone()])
            .map(|(o, d)| round(*o) * d)
            .sum();
        let scale = f64::from(problem.scale);
        let seen =
            |key: usize| problem.mask == AttentionMask::Full || key + queries <= query + keys;
        for key in (0..keys).filter(|&key| seen(key) && dropped != Some(key)) {
            let of_key = key * dim..(key + 1) * dim;
            let score = dot(&q64[at.clone()], &k64[of_key.clone()]) as f32;
            let p = (f64::from(score) * scale - lse).exp();
            let ds = round(p * (dot(&d_o64[at.clone()], &v64[of_key.clone()]) - twice * delta));
            let p = round(p);
            for c in 0..dim {
                found[0][at.start + c] += scale * ds * k64[of_key.start + c];
                found[1][of_key.start + c] += scale * ds * q64[at.start + c];
                found[2][of_key.start + c] += p * d_o64[at.start + c];
            }
        }
    }
    [0, 1, 2].map(|i| {
        let found: Vec<T> = found[i].iter().map(|x| T::from_f64(*x)).collect();
        Agreement::of(&found, &expected[i], &allowed[i]).unwrap()
    })
}

#[test]
fn gradients_are_allowed_what_roundings_do_and_no_fault() {
    for (queries, keys) in [(1, 1), (40, 1), (1, 40), (90, 130)] {
        for mask in [AttentionMask::Full, AttentionMask::Causal] {
            for scale in [1e-6, 0.125, 1.0, 700.0] {
                let of = |element| problem(element, (queries, keys), mask, scale);
                for right in gradients::<f16>(&of(AttentionType::F16), None, 1.0) {
                    assert!(right.holds(), "{queries} {keys} {scale} {right:?}");
                }
                for right in gradients::<bf16>(&of(AttentionType::Bf16), None, 1.0) {
                    assert!(right.holds(), "{queries} {keys} {scale} {right:?}");
                }
            }
        }
    }
    let of = |element| problem(element, (300, 300), AttentionMask::Full, 0.125);
    for dropped in [Some(7), None] {
        let twice = if dropped.is_some() { 1.0 } else { 0.0 };
        let all = [
            gradients::<f16>(&of(AttentionType::F16), dropped, twice),
            gradients::<bf16>(&of(AttentionType::Bf16), dropped, twice),
        ];
        for [dq, dk, dv] in all {
            assert!(!dq.holds() && !dk.holds(), "{dropped:?}: {dq:?} {dk:?}");
            assert!(dropped.is_none() || !dv.holds(), "{dv:?}");
        }
    }
}

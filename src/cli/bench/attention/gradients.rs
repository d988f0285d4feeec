//! Benchmarks one point of attention's gradients dQ, dK and dV. They use the O and the log-sum-exp
//! of our forward kernel, which are compared too.

use super::super::super::Failure;
use super::super::super::attention::Loads;
use super::super::competitor::Started;
use super::competitors::{Competitors, median};
use super::{AttentionPoint, BenchAttentionArguments, LEAST, ROUNDS, Row};
use cutlet::attention::{
    AttentionBackwardOperands, AttentionBackwardOptions, AttentionElement, AttentionOperands,
    BackwardKernels, HeadTensor, HeadTensorMut, prepare, prepare_backward,
};
use cutlet::kernels::Modules;
use cutlet::run::{GradientsRun, ScoreRun};
use host::reference::{
    self, Element, add_attention_gradients, attention_gradients_of_key, attention_row, difference,
};
use host::time_interleaved;

/// Times a point, with all three launches, and compares rows of each gradient.
pub fn point<T: AttentionElement + Element>(
    modules: &Modules,
    arguments: &BenchAttentionArguments,
    point: &AttentionPoint,
    started: &mut [Started],
) -> Result<Row, Failure> {
    let AttentionPoint { of, problem, .. } = point;
    let (of, scale, mask) = (*of, Some(problem.scale), problem.mask);
    let (rows, columns) = (point.rows(), problem.dim as usize);
    let device = modules.device();
    let run = GradientsRun {
        problem: *problem,
        lengths: None,
        kernels: match arguments.deterministic {
            true => BackwardKernels::Deterministic,
            false => BackwardKernels::Fastest,
        },
        score: ScoreRun::default(),
        loads: arguments.loads.map(Loads::of_table),
        seed: arguments.common.seed,
    };
    // The kernel that takes most of the time: that of dK and dV, or the one that computes all three
    // gradients.
    let kernel = run.kernels(device)?[1];
    let tensors = [0, 1 << 32, 1 << 33, 1 << 34]
        .map(|of| reference::fill::<T>(arguments.common.seed ^ of, rows * columns));
    let [q, k, v, d_o] = tensors.each_ref().map(Vec::as_slice);
    let (of_q, of_k, of_v) = (device.upload(q)?, device.upload(k)?, device.upload(v)?);
    let of_d_o = device.upload(d_o)?;
    let (mut o, mut lse) = (device.alloc::<T>(rows * columns)?, device.alloc(rows)?);
    o.fill_bytes(0xff)?;
    lse.fill_bytes(0xff)?;
    let forward = AttentionOperands {
        q: HeadTensor::new(&of_q, of),
        k: HeadTensor::new(&of_k, of),
        v: HeadTensor::new(&of_v, of),
        o: HeadTensorMut::new(&mut o, of),
        lse: Some(lse.all_mut()),
    };
    prepare(modules, forward, mask, scale, None)?.run(None)?;
    let poisoned = || {
        let mut of = device.alloc::<T>(rows * columns)?;
        of.fill_bytes(0xff)?;
        Ok::<_, Failure>(of)
    };
    let (mut dq, mut dk, mut dv) = (poisoned()?, poisoned()?, poisoned()?);
    let prepared = prepare_backward(
        modules,
        AttentionBackwardOperands {
            q: HeadTensor::new(&of_q, of),
            k: HeadTensor::new(&of_k, of),
            v: HeadTensor::new(&of_v, of),
            o: HeadTensor::new(&o, of),
            lse: lse.all(),
            d_o: HeadTensor::new(&of_d_o, of),
            dq: HeadTensorMut::new(&mut dq, of),
            dk: HeadTensorMut::new(&mut dk, of),
            dv: HeadTensorMut::new(&mut dv, of),
        },
        AttentionBackwardOptions {
            mask,
            scale,
            kernels: run.kernels,
            loads: run.loads,
            ..AttentionBackwardOptions::default()
        },
    )?;
    prepared.run(None)?;

    // ---- the rows that are compared, and the competitors' results ----
    let compared = point.compared(arguments.common.seed);
    let (of_o, of_lse) = (o.to_vec()?, lse.to_vec()?);
    let (expected, expected_o, mut right) =
        expected(point, &compared, [q, k, v, d_o], &of_o, &of_lse);
    let operands = [("q", q), ("k", k), ("v", v), ("d_o", d_o)];
    let mut question = point.question(&compared);
    question["deterministic"] = arguments.deterministic.into();
    let mut others = Competitors::ask(started, &operands, question, &expected)?;

    // ---- times, in turn ----
    let mut ours = Vec::new();
    for _ in 0..ROUNDS {
        ours.push(
            time_interleaved(&[&prepared], point.timing, LEAST)?[0]
                .0
                .median,
        );
        others.time(point.timing);
    }
    let seconds = median(ours);
    drop(prepared);
    let mut relative = 0.0;
    // P and dS are rounded before the products, and the results after them.
    let allowed = 2.0 * T::UNIT_ROUNDOFF;
    let expected = expected.iter().chain([&expected_o]);
    for (found, expected) in [dq, dk, dv, o].iter().zip(expected) {
        let found = point.rows_of(&found.to_vec()?, &compared);
        let distance =
            difference(&found, expected).map_err(|error| Failure::Run(error.to_string()))?;
        right &= distance.not_finite == 0 && distance.relative <= allowed;
        // A NaN stays the largest distance.
        if !(distance.relative <= relative || f64::is_nan(relative)) {
            relative = distance.relative;
        }
    }
    // The competitors add in another order, and use their own O.
    let competitors = others.beside(seconds, 2.0 * allowed);
    let time = (seconds, run.operations());
    Ok(point.row(kernel, time, (relative, right), competitors))
}

/// Computes the expected gradients dQ, dK and dV of the compared rows, and their O, in float64.
/// Also returns whether the log-sum-exp of these rows is right.
fn expected<T: AttentionElement + Element>(
    point: &AttentionPoint,
    compared: &[usize],
    [q, k, v, d_o]: [&[T]; 4],
    of_o: &[T],
    of_lse: &[f32],
) -> ([Vec<f64>; 3], Vec<f64>, bool) {
    let (problem, columns) = (&point.problem, point.problem.dim as usize);
    let mut expected = [const { Vec::new() }; 3];
    let (mut expected_o, mut right) = (Vec::new(), true);
    for &row in compared {
        let (head, place) = point.head_of(row);
        let of_row = row * columns..(row + 1) * columns;
        let keys = (&k[head.clone()], &v[head.clone()]);
        let (row_of_o, its_lse) = attention_row(problem, place, &q[of_row.clone()], keys.0, keys.1);
        expected_o.extend(row_of_o);
        // An error of the log-sum-exp is the relative error of the probabilities.
        right &= (f64::from(of_lse[row]) - its_lse).abs() <= T::UNIT_ROUNDOFF / 8.0;
        let mut of_query = vec![0.0; columns];
        let (mut ignored, mut too) = (vec![0.0; head.len()], vec![0.0; head.len()]);
        let results = (&mut of_query[..], &mut ignored[..], &mut too[..]);
        let query = (&q[of_row.clone()], &d_o[of_row.clone()]);
        add_attention_gradients(problem, place, query, keys, results);
        let queries = [&q[head.clone()], &d_o[head.clone()], &of_o[head.clone()]];
        let of_lse = &of_lse[head.start / columns..head.end / columns];
        let key = (&k[of_row.clone()], &v[of_row]);
        let (of_k, of_v) = attention_gradients_of_key(problem, place, key, queries, of_lse);
        for (all, of_one) in expected.iter_mut().zip([of_query, of_k, of_v]) {
            all.extend(of_one);
        }
    }
    (expected, expected_o, right)
}

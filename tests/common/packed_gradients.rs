//! Compares the gradients of packed sequences with float64 of each single sequence.
//!
//! ```text
//!   ├ no sequence  ┼ 0 ─────┼ 1 ┼ 2 ────────┼ no sequence  ┤       gradients are unchanged in rows of no sequence
//! ```
#![allow(
    dead_code,
    reason = "each test file is a crate of its own and uses a part of this"
)]

use crate::common::packed::Case;
use crate::gradients_of::By;
use cutlet::attention::{
    AttentionBackwardConfiguration, AttentionBackwardOperands, AttentionBackwardOptions,
    AttentionElement, AttentionProblem, AttentionType, HeadTensor, HeadTensorMut, Heads,
    SequenceStarts, prepare_backward_packed,
};
use cutlet::kernels::Modules;
use half::{bf16, f16};
use host::Buffer;
use host::reference::{
    Agreement, Allowance, Element, add_attention_gradients_with, add_gradient_allowances,
    attention_row_with, difference, fill,
};

/// The number that fills the gradients before a launch: no gradient is that large.
const BEFORE: f64 = 1024.0;

/// Returns the scale of the scores. With a soft cap the scale is such that the cap matters.
fn scale(by: By) -> f32 {
    if by.soft_cap.is_some() { 0.5 } else { 0.125 }
}

/// The results with which those of the kernels are compared.
struct Expected<T> {
    o: Vec<T>,
    lse: Vec<f32>,
    /// dQ, dK and dV, with [`BEFORE`] in rows of no sequence.
    gradients: [Vec<f64>; 3],
    /// The allowed differences.
    allowed: [Allowance; 3],
}

/// Computes attention and its gradients for each single sequence, in float64.
fn expected<T: AttentionElement + Element>(
    case: &Case,
    [q, k, v, d_o]: [&[T]; 4],
    [of_q, of_k]: [Heads; 2],
    by: By,
) -> Expected<T> {
    let d = of_q.columns as usize;
    let mut found = Expected {
        o: vec![T::from_f64(0.0); q.len()],
        lse: vec![0.0; q.len() / d],
        gradients: [q.len(), k.len(), k.len()].map(|len| vec![BEFORE; len]),
        allowed: [q.len(), k.len(), k.len()].map(Allowance::none),
    };
    let [all_dq, all_dk, all_dv] = &mut found.gradients;
    let [of_dq, of_dk, of_dv] = &mut found.allowed;
    let [of_queries, of_keys] = [case.starts(0), case.starts(1)];
    for (i, &[queries, keys]) in case.lengths.iter().enumerate() {
        let extents = (1, 1, queries, of_q.columns);
        let problem =
            AttentionProblem::new(T::TYPE, extents, case.mask, scale(by)).with_keys(keys, 1);
        let key_rows = of_keys[i]..of_keys[i] + keys;
        for key_head in 0..of_k.heads {
            let of_head = |of: &[T]| -> Vec<T> {
                let rows = key_rows.clone();
                rows.flat_map(|row| of[case.row(of_k, key_head, row)].to_vec())
                    .collect()
            };
            let (k, v) = (of_head(k), of_head(v));
            let (mut dk, mut dv) = (vec![0.0; k.len()], vec![0.0; k.len()]);
            let (mut may_dk, mut may_dv) = (Allowance::none(k.len()), Allowance::none(k.len()));
            let group = of_q.heads / of_k.heads;
            for head in key_head * group..(key_head + 1) * group {
                for query in 0..queries {
                    let row = of_queries[i] + query;
                    let at = case.row(of_q, head, row);
                    let (of_q_row, d_o) = (&q[at.clone()], &d_o[at.clone()]);
                    let of_row = (of_q_row, &k[..], &v[..]);
                    let (o, lse) =
                        attention_row_with(&problem, query as usize, of_row, |score, _| {
                            by.of_score(score)[0]
                        });
                    for (to, from) in found.o[at.clone()].iter_mut().zip(o) {
                        *to = T::from_f64(from);
                    }
                    found.lse[(head * of_q.rows + row) as usize] = lse as f32;
                    let mut of_sink = Allowance::none(1);
                    add_gradient_allowances(
                        &problem,
                        query as usize,
                        (of_q_row, d_o),
                        (&k, &v),
                        by.soft_cap,
                        [
                            (&mut *of_dq, at.start),
                            (&mut may_dk, 0),
                            (&mut may_dv, 0),
                            (&mut of_sink, 0),
                        ],
                    );
                    let dq = &mut all_dq[at];
                    dq.fill(0.0);
                    add_attention_gradients_with(
                        &problem,
                        query as usize,
                        (of_q_row, d_o),
                        (&k, &v),
                        (dq, &mut dk, &mut dv),
                        |score| by.of_score(score),
                    );
                }
            }
            for (i, row) in key_rows.clone().enumerate() {
                let at = case.row(of_k, key_head, row).start;
                of_dk.put(at, &may_dk.part(i * d..(i + 1) * d));
                of_dv.put(at, &may_dv.part(i * d..(i + 1) * d));
            }
            for (row, (dk, dv)) in key_rows.clone().zip(dk.chunks(d).zip(dv.chunks(d))) {
                let at = case.row(of_k, key_head, row);
                all_dk[at.clone()].copy_from_slice(dk);
                all_dv[at].copy_from_slice(dv);
            }
        }
    }
    found
}

/// Computes the gradients of a case, where the kernels get `told` as the starts of the sequences.
/// Returns an error if they are not float64's.
pub fn right_by<T: AttentionElement + Element>(
    modules: &Modules,
    dim: u32,
    case: &Case,
    (told, by): ([Vec<u32>; 2], By),
) -> Result<Vec<u16>, String> {
    let device = modules.device();
    let (of_q, of_k) = (case.extents(0, dim), case.extents(1, dim));
    let elements = |of: Heads| (of.heads * of.rows * dim) as usize;
    let [q, d_o] = [1, 4].map(|seed| fill::<T>(seed, elements(of_q)));
    let [k, v] = [2, 3].map(|seed| fill::<T>(seed, elements(of_k)));
    let expected = expected(case, [&q, &k, &v, &d_o], [of_q, of_k], by);
    let on = |data: &[T]| device.upload(data).unwrap();
    let (q, k, v, o, d_o) = (on(&q), on(&k), on(&v), on(&expected.o), on(&d_o));
    let lse = device.upload(&expected.lse).unwrap();
    let mut results: [Buffer<T>; 3] =
        [of_q, of_k, of_k].map(|of| on(&vec![T::from_f64(BEFORE); elements(of)]));
    let [dq, dk, dv] = &mut results;
    let [of_queries, of_keys] = told.map(|starts| device.upload(&starts).unwrap());
    let tensor_of = |of: Heads| move |buffer| HeadTensor::new(buffer, of).strides(case.strides(of));
    let (queries, keys) = (tensor_of(of_q), tensor_of(of_k));
    let operands = AttentionBackwardOperands {
        q: queries(&q),
        k: keys(&k),
        v: keys(&v),
        o: queries(&o),
        lse: lse.all(),
        d_o: queries(&d_o),
        dq: HeadTensorMut::new(dq, of_q).strides(case.strides(of_q)),
        dk: HeadTensorMut::new(dk, of_k).strides(case.strides(of_k)),
        dv: HeadTensorMut::new(dv, of_k).strides(case.strides(of_k)),
    };
    let sequences = SequenceStarts {
        queries: of_queries.all(),
        keys: of_keys.all(),
    };
    let options = AttentionBackwardOptions {
        mask: case.mask,
        scale: Some(scale(by)),
        kernels: by.kernels,
        soft_cap: by.soft_cap,
        loads: by.loads,
        ..AttentionBackwardOptions::default()
    };
    prepare_backward_packed(modules, operands, sequences, options)
        .and_then(|of| Ok(of.run(None)?))
        .map_err(|error| error.to_string())?;
    let mut all: Vec<u16> = Vec::new();
    let of_all = expected.gradients.iter().zip(&expected.allowed);
    for ((name, buffer), (expected, allowed)) in
        (["dQ", "dK", "dV"].into_iter().zip(&results)).zip(of_all)
    {
        let found = buffer.to_vec().unwrap();
        all.extend(bytemuck::cast_slice::<T, u16>(&found));
        for (i, (found, &expected)) in found.iter().zip(expected).enumerate() {
            let found = found.to_f64();
            if (expected == BEFORE) != (found == BEFORE) {
                return Err(format!("element {i} of {name}: {found}, not {expected}"));
            }
        }
        // Rows of no sequence are right. They would make the error of the other rows look small.
        let seen: Vec<usize> = (0..found.len())
            .filter(|&i| expected[i] != BEFORE)
            .collect();
        let found: Vec<T> = seen.iter().map(|&i| found[i]).collect();
        let mut may = Allowance::default();
        seen.iter()
            .for_each(|&i| may.extend(&allowed.part(i..i + 1)));
        let expected: Vec<f64> = seen.iter().map(|&i| expected[i]).collect();
        if found.is_empty() {
            continue;
        }
        let off = difference(&found, &expected).map_err(|error| error.to_string())?;
        let agreement =
            Agreement::of(&found, &expected, &may).map_err(|error| error.to_string())?;
        if off.not_finite != 0 || !agreement.holds() {
            return Err(format!("{name}: {off:?}, {agreement:?}"));
        }
    }
    Ok(all)
}

/// Runs a case by the kernels of a configuration. Returns the bits of the gradients if they are
/// right.
pub fn gradients(
    modules: &Modules,
    of: &AttentionBackwardConfiguration,
    case: &Case,
    by: By,
) -> Result<Vec<u16>, String> {
    let told = ([case.starts(0), case.starts(1)], by);
    let right = match of.element {
        AttentionType::F16 => right_by::<f16>(modules, of.dim, case, told),
        AttentionType::Bf16 => right_by::<bf16>(modules, of.dim, case, told),
    };
    right.map_err(|error| format!("{}, {case:?}, {by:?}: {error}", of.keys.kernel))
}

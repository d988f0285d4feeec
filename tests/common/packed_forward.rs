//! Compares attention of packed sequences with float64 of each single sequence.
//!
//! ```text
//!   ├ no sequence  ┼ 0 ─────┼ 1 ┼ 2 ────────┼ no sequence  ┤       O is unchanged in rows of no sequence
//! ```
#![allow(
    dead_code,
    reason = "each test file is a crate of its own and uses a part of this"
)]

use super::packed::Case;
use cutlet::attention::{
    AttentionConfiguration, AttentionElement, AttentionLoads, AttentionMask, AttentionOperands,
    AttentionProblem, AttentionRequest, AttentionType, HeadTensor, HeadTensorMut, Heads,
    SequenceStarts, prepare_request,
};
use cutlet::kernels::Modules;
use half::{bf16, f16};
use host::reference::{
    Agreement, Allowance, Element, Products, attention_row_allowance, attention_row_with,
    difference, fill,
};

/// The number that fills O before a launch: no result is that large.
pub const BEFORE: f64 = 64.0;

/// How the kernel loads, and the soft cap or `None`.
pub type By = (AttentionLoads, Option<f32>);

/// Computes attention of a case, where the kernel gets `told` as the starts of the sequences.
/// Returns an error if the result is not float64's.
pub fn right_by<T: AttentionElement + Element>(
    modules: &Modules,
    dim: u32,
    case: &Case,
    (told, by): ([Vec<u32>; 2], By),
) -> Result<(), String> {
    computed::<T>(modules, dim, case, (told, by)).map(|_| ())
}

/// Does what [`right_by`] does, and returns the bits of O and of the log-sum-exp.
pub fn computed<T: AttentionElement + Element>(
    modules: &Modules,
    dim: u32,
    case: &Case,
    (told, (loads, cap)): ([Vec<u32>; 2], By),
) -> Result<(Vec<T>, Vec<f32>), String> {
    let device = modules.device();
    let d = dim as usize;
    let (of_q, of_k) = (case.extents(0, dim), case.extents(1, dim));
    let elements = |of: Heads| (of.heads * of.rows * dim) as usize;
    let q = fill::<T>(1, elements(of_q));
    let [k, v] = [2, 3].map(|seed| fill::<T>(seed, elements(of_k)));
    let said = |error: host::Error| error.to_string();
    let on = |data: &[T]| device.upload(data).map_err(said);
    let (on_q, on_k, on_v) = (on(&q)?, on(&k)?, on(&v)?);
    let mut on_o = on(&vec![T::from_f64(BEFORE); elements(of_q)])?;
    let mut on_lse = device
        .upload(&vec![BEFORE as f32; elements(of_q) / d])
        .map_err(said)?;
    let [of_queries, of_keys] = told;
    let (of_queries, of_keys) = (
        device.upload(&of_queries).map_err(said)?,
        device.upload(&of_keys).map_err(said)?,
    );
    let operands = AttentionOperands {
        q: HeadTensor::new(&on_q, of_q).strides(case.strides(of_q)),
        k: HeadTensor::new(&on_k, of_k).strides(case.strides(of_k)),
        v: HeadTensor::new(&on_v, of_k).strides(case.strides(of_k)),
        o: HeadTensorMut::new(&mut on_o, of_q).strides(case.strides(of_q)),
        lse: Some(on_lse.all_mut()),
    };
    let sequences = SequenceStarts {
        queries: of_queries.all(),
        keys: of_keys.all(),
    };
    let scale = 0.5;
    let request = AttentionRequest {
        mask: case.mask,
        scale: Some(scale),
        starts: Some(sequences),
        soft_cap: cap,
        loads: Some(loads),
        ..AttentionRequest::default()
    };
    prepare_request(modules, operands, &request)
        .and_then(|of| Ok(of.run(None)?))
        .map_err(|error| error.to_string())?;
    let (o, lse) = (on_o.to_vec().map_err(said)?, on_lse.to_vec().map_err(said)?);

    let mut expected = vec![BEFORE; o.len()];
    let mut expected_lse = vec![BEFORE; lse.len()];
    let mut allowed = Allowance::none(o.len());
    // The largest distance as a multiple of the allowed distance, for rows of sequences.
    let mut of_lse = vec![0.0; lse.len()];
    let [of_queries, of_keys] = [case.starts(0), case.starts(1)];
    for (i, &[queries, keys]) in case.lengths.iter().enumerate() {
        for head in 0..of_q.heads {
            let key_head = head / (of_q.heads / of_k.heads);
            let of_head = |of: &[T]| -> Vec<T> {
                let rows = of_keys[i]..of_keys[i] + keys;
                rows.flat_map(|row| of[case.row(of_k, key_head, row)].to_vec())
                    .collect()
            };
            let (k, v) = (of_head(&k), of_head(&v));
            let problem = AttentionProblem::new(T::TYPE, (1, 1, queries, dim), case.mask, scale)
                .with_keys(keys, 1);
            for query in 0..queries {
                let row = of_queries[i] + query;
                let q = &q[case.row(of_q, head, row)];
                let of_head = (q, &k[..], &v[..]);
                let (of_o, log) =
                    attention_row_with(&problem, query as usize, of_head, |score, _| {
                        cap.map_or(score, |cap| {
                            f64::from(cap) * (score / f64::from(cap)).tanh()
                        })
                    });
                let may =
                    attention_row_allowance(&problem, query as usize, of_head, cap, Products::Half);
                let at = case.row(of_q, head, row);
                allowed.put(at.start, &may.o);
                expected[at].copy_from_slice(&of_o);
                let at = (head * of_q.rows + row) as usize;
                expected_lse[at] = log;
                of_lse[at] = may.of_lse(lse[at], log);
            }
        }
    }
    for (i, (&found, &expected)) in lse.iter().zip(&expected_lse).enumerate() {
        let of_none = expected == BEFORE && f64::from(found) != BEFORE;
        if of_none || of_lse[i] > 1.0 {
            return Err(format!("log-sum-exp {i}: {found}, not {expected}"));
        }
    }
    for (i, (found, &expected)) in o.iter().zip(&expected).enumerate() {
        if (expected == BEFORE) != (found.to_f64() == BEFORE) {
            return Err(format!(
                "element {i} of O: {}, not {expected}",
                found.to_f64()
            ));
        }
    }
    // Rows of no sequence are right. They would make the error of the other rows look small.
    let seen: Vec<usize> = (0..o.len()).filter(|&i| expected[i] != BEFORE).collect();
    let of_sequences: Vec<T> = seen.iter().map(|&i| o[i]).collect();
    let mut may = Allowance::default();
    seen.iter()
        .for_each(|&i| may.extend(&allowed.part(i..i + 1)));
    let expected: Vec<f64> = seen.iter().map(|&i| expected[i]).collect();
    if of_sequences.is_empty() {
        return Ok((o, lse));
    }
    let found = difference(&of_sequences, &expected).map_err(|error| error.to_string())?;
    let agreement =
        Agreement::of(&of_sequences, &expected, &may).map_err(|error| error.to_string())?;
    if found.not_finite == 0 && agreement.holds() {
        return Ok((o, lse));
    }
    Err(format!("O: {found:?}, {agreement:?}"))
}

/// Checks that wrong starts are found: a wrong query, a key of the next sequence, a missing key.
pub fn assert_lies_are_found<T: AttentionElement + Element>(modules: &Modules, dim: u32, by: By) {
    let case = Case::of(&[[40, 50], [30, 20]], AttentionMask::Full);
    let told = |change: fn(&mut [Vec<u32>; 2])| {
        let mut told = [case.starts(0), case.starts(1)];
        change(&mut told);
        right_by::<T>(modules, dim, &case, (told, by))
    };
    assert_eq!(told(|_| ()), Ok(()));
    for change in [
        (|told| told[0][1] += 1) as fn(&mut [Vec<u32>; 2]),
        |told| told[1][1] -= 1,
        |told| told[1][2] -= 1,
    ] {
        assert!(told(change).unwrap_err().contains("log-sum-exp"));
    }
}

/// Runs a case by the kernel of a configuration, without a soft cap.
pub fn right(modules: &Modules, of: &AttentionConfiguration, case: &Case) -> Result<(), String> {
    right_with(modules, of, case, None)
}

/// Runs a case by the kernel of a configuration, which has a soft cap if there is a cap.
pub fn right_with(
    modules: &Modules,
    of: &AttentionConfiguration,
    case: &Case,
    cap: Option<f32>,
) -> Result<(), String> {
    let told = ([case.starts(0), case.starts(1)], (of.loads, cap));
    let right = match of.element {
        AttentionType::F16 => right_by::<f16>(modules, of.dim, case, told),
        AttentionType::Bf16 => right_by::<bf16>(modules, of.dim, case, told),
    };
    right.map_err(|error| format!("{}, {case:?}, a cap of {cap:?}: {error}", of.kernel))
}

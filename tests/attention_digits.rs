//! Checks elements so large that f32 lacks digits for the exponents of their scores, on every
//! device.
//!
//! ```text
//!   row of Q   2^-8 ... 2^40 times [-1, 1)    right │ NaN, in O and in the log-sum-exp
//!                               exponent 2^26 ──────┘
//! ```
//!
//! Law: no wrong row passes for a right one. A row is NaN only if its largest exponent is beyond
//! the range, and gradients are NaN if they depend on a log-sum-exp beyond its range.

mod common;

use common::{devices, load};
use cutlet::attention::{
    AttentionBackwardOperands, AttentionBackwardOptions, AttentionLoads, AttentionMask,
    AttentionOperands, AttentionProblem, AttentionType, DecodeOperands, HeadTensor, HeadTensorMut,
    Heads, PagedKeys, configuration_by, prepare, prepare_backward, prepare_decode,
};
use cutlet::kernels::Modules;
use half::bf16;
use host::reference::{
    Agreement, Products, Random, attention_row_allowance, attention_row_with, fill,
};
use kernel_abi::attention::{EXPONENTS_OF_GRADIENTS, EXPONENTS_OF_HALF};
use std::cell::Cell;
use std::f64::consts::LOG2_E;

const DIM: usize = 64;
/// The number of keys in a page.
const PAGE: u32 = 128;

fn heads(rows: usize) -> Heads {
    Heads {
        batches: 1,
        heads: 1,
        rows: rows as u32,
        columns: DIM as u32,
    }
}

/// Returns rows of Q with pseudorandom magnitudes from 2^-8 to 2^40.
fn rows_of_q(seed: u64, rows: usize) -> Vec<bf16> {
    let mut random = Random::new(seed);
    let mut q = fill::<bf16>(seed, rows * DIM);
    for row in q.chunks_exact_mut(DIM) {
        let magnitude = (random.below(49) as f32 - 8.0).exp2();
        for x in row {
            *x = bf16::from_f32(x.to_f32() * magnitude);
        }
    }
    q
}

/// Counts the rows that are right and the rows that are NaN. Any other row fails the test.
fn classify(
    problem: &AttentionProblem,
    [q, k, v]: [&[bf16]; 3],
    (o, lse): (&[bf16], &[f32]),
) -> [usize; 2] {
    let mut counts = [0; 2];
    for (row, (found, &lse)) in o.chunks_exact(DIM).zip(lse).enumerate() {
        let of = (&q[row * DIM..][..DIM], k, v);
        let largest = Cell::new(f64::NEG_INFINITY);
        let (expected, of_lse) = attention_row_with(problem, row, of, |score, _| {
            largest.set(largest.get().max(score * LOG2_E));
            score
        });
        let nan = found.iter().all(|x| x.is_nan()) && lse.is_nan();
        let allowed = attention_row_allowance(problem, row, of, None, Products::Half);
        let right = Agreement::of(found, &expected, &allowed.o).unwrap().holds()
            && allowed.of_lse(lse, of_lse) <= 1.0;
        // If rounding takes an exponent over the border, both results are right. A row that sees no
        // key has no exponent.
        let beyond = match largest.get() {
            f64::NEG_INFINITY => 0.0,
            largest => largest.abs() / f64::from(EXPONENTS_OF_HALF),
        };
        assert!(right || nan, "row {row}: {lse}, not {of_lse}: {found:?}");
        assert!(!nan || beyond > 0.99, "row {row} of {largest:?} is NaN");
        assert!(nan || beyond < 1.01, "row {row} of {largest:?} is not NaN");
        counts[usize::from(nan)] += 1;
    }
    counts
}

/// Applies [`classify`] to attention over one head.
fn attention(
    modules: &Modules,
    loads: AttentionLoads,
    seed: u64,
    (queries, keys, mask): (usize, usize, AttentionMask),
) -> [usize; 2] {
    let device = modules.device();
    let extents = (1, 1, queries as u32, DIM as u32);
    let problem = AttentionProblem::new(AttentionType::Bf16, extents, mask, 0.125)
        .with_keys(keys as u32, 1)
        .with_lse();
    let q = rows_of_q(seed, queries);
    let [k, v] = [1, 2].map(|i| fill::<bf16>(seed + i, keys * DIM));
    let on_device = [&q, &k, &v].map(|of| device.upload(of).unwrap());
    let mut o = device.alloc::<bf16>(queries * DIM).unwrap();
    let mut lse = device.alloc::<f32>(queries).unwrap();
    o.fill_bytes(0x7f).unwrap();
    let operands = AttentionOperands {
        q: HeadTensor::new(&on_device[0], heads(queries)),
        k: HeadTensor::new(&on_device[1], heads(keys)),
        v: HeadTensor::new(&on_device[2], heads(keys)),
        o: HeadTensorMut::new(&mut o, heads(queries)),
        lse: Some(lse.all_mut()),
    };
    let by = configuration_by(device, &problem, loads).unwrap();
    prepare(modules, operands, mask, Some(problem.scale), Some(by))
        .unwrap()
        .run(None)
        .unwrap();
    let found = (&o.to_vec().unwrap()[..], &lse.to_vec().unwrap()[..]);
    classify(&problem, [&q, &k, &v], found)
}

/// Applies [`classify`] to decoding. It decodes one query of each of `queries` heads that share the
/// keys, in `ctas` parts that are combined. The pages are in the order of their keys. Like rows of
/// one head, the queries see the same keys.
fn decoding(
    modules: &Modules,
    seed: u64,
    (queries, keys, ctas): (usize, usize, u32),
) -> [usize; 2] {
    let device = modules.device();
    let extents = (1, 1, queries as u32, DIM as u32);
    let problem = AttentionProblem::new(AttentionType::Bf16, extents, AttentionMask::Full, 0.125)
        .with_keys(keys as u32, 1)
        .with_lse();
    let q = rows_of_q(seed, queries);
    let [k, v] = [1, 2].map(|i| fill::<bf16>(seed + i, keys * DIM));
    let on_device = [&q, &k, &v].map(|of| device.upload(of).unwrap());
    let pages: Vec<u32> = (0..keys as u32 / PAGE).collect();
    let (lengths, table) = (device.upload(&[keys as u32]), device.upload(&pages));
    let (lengths, table) = (lengths.unwrap(), table.unwrap());
    let cache = Heads {
        batches: keys as u32 / PAGE,
        ..heads(PAGE as usize)
    };
    let mut o = device.alloc::<bf16>(queries * DIM).unwrap();
    let mut lse = device.alloc::<f32>(queries).unwrap();
    o.fill_bytes(0x7f).unwrap();
    let of_queries = Heads {
        heads: queries as u32,
        ..heads(1)
    };
    let operands = DecodeOperands {
        q: HeadTensor::new(&on_device[0], of_queries),
        k: HeadTensor::new(&on_device[1], cache),
        v: HeadTensor::new(&on_device[2], cache),
        scales: None,
        o: HeadTensorMut::new(&mut o, of_queries),
        lse: Some(lse.all_mut()),
        keys: PagedKeys {
            lengths: lengths.all(),
            table: table.all(),
        },
    };
    let prepared = prepare_decode(modules, operands, Some(problem.scale), Some(ctas)).unwrap();
    prepared.run(None).unwrap();
    drop(prepared);
    let found = (&o.to_vec().unwrap()[..], &lse.to_vec().unwrap()[..]);
    classify(&problem, [&q, &k, &v], found)
}

/// Returns the ways in which a device's kernels load.
fn loads_of(modules: &Modules) -> &'static [AttentionLoads] {
    const ALL: [AttentionLoads; 2] = [AttentionLoads::CpAsync, AttentionLoads::Tma];
    let (major, _) = modules.device().compute_capability();
    &ALL[..if major == 9 { 2 } else { 1 }]
}

#[test]
fn a_row_is_right_or_nan() {
    for device in devices() {
        let modules = load(&device);
        for &loads in loads_of(&modules) {
            let mut counts = [0; 2];
            for (seed, of) in [
                (1, (130, 200, AttentionMask::Full)),
                (2, (70, 65, AttentionMask::Causal)),
            ] {
                let found = attention(&modules, loads, seed, of);
                counts = [counts[0] + found[0], counts[1] + found[1]];
            }
            assert!(counts.iter().all(|&n| n > 20), "{loads:?}: {counts:?}");
        }
    }
}

/// Checks the parts of O, each with its log-sum-exp, and the result of their combination.
#[test]
fn a_decoded_row_is_right_or_nan() {
    for device in devices()
        .into_iter()
        .filter(|of| of.compute_capability().0 == 9)
    {
        let modules = load(&device);
        for ctas in [1, 3, 5] {
            let counts = decoding(&modules, 10 + u64::from(ctas), (60, 640, ctas));
            assert!(counts.iter().all(|&n| n > 8), "{ctas} parts: {counts:?}");
        }
    }
}

/// Computes the gradients for one head with 40 queries, where the log-sum-exp of query 3 is `lse`.
/// Returns, for each row of dQ and of dK, whether an element is NaN.
fn nan_rows(modules: &Modules, loads: AttentionLoads, lse: f32) -> [Vec<bool>; 2] {
    const ROWS: usize = 40;
    let device = modules.device();
    let inputs =
        [1, 2, 3, 4, 5].map(|seed| device.upload(&fill::<bf16>(seed, ROWS * DIM)).unwrap());
    let mut of_lse = [5.0; ROWS];
    of_lse[3] = lse;
    let of_lse = device.upload(&of_lse).unwrap();
    let mut outputs = [(); 3].map(|()| device.alloc::<bf16>(ROWS * DIM).unwrap());
    let [q, k, v, o, d_o] = inputs.each_ref().map(|of| HeadTensor::new(of, heads(ROWS)));
    let [d_q, d_k, d_v] = outputs
        .each_mut()
        .map(|of| HeadTensorMut::new(of, heads(ROWS)));
    let operands = AttentionBackwardOperands {
        q,
        k,
        v,
        o,
        d_o,
        lse: of_lse.all(),
        dq: d_q,
        dk: d_k,
        dv: d_v,
    };
    let options = AttentionBackwardOptions {
        loads: Some(loads),
        ..AttentionBackwardOptions::default()
    };
    prepare_backward(modules, operands, options)
        .unwrap()
        .run(None)
        .unwrap();
    let rows = |i: usize| {
        let values = outputs[i].to_vec().unwrap();
        let rows = values.chunks_exact(DIM);
        rows.map(|row| row.iter().any(|x| x.is_nan())).collect()
    };
    [rows(0), rows(1)]
}

#[test]
fn gradients_of_a_log_sum_exp_beyond_the_range_are_nan() {
    let most = EXPONENTS_OF_GRADIENTS * std::f32::consts::LN_2;
    for device in devices() {
        let modules = load(&device);
        for &loads in loads_of(&modules) {
            let [d_q, d_k] = nan_rows(&modules, loads, most * 1.01);
            for (row, nan) in d_q.into_iter().enumerate() {
                assert_eq!(nan, row == 3, "{loads:?}: row {row} of dQ");
            }
            assert!(d_k.into_iter().all(|nan| nan), "{loads:?}");
            for lse in [most * 0.99, f32::NEG_INFINITY] {
                let found = nan_rows(&modules, loads, lse);
                assert!(found.iter().flatten().all(|nan| !nan), "{loads:?}: {lse}");
            }
        }
    }
}

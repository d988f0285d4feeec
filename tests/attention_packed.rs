//! Attention of packed sequences against float64 of each sequence alone: lengths by chance, of 0 and of 1 too, under every schedule of the
//! emulator, on a GPU where there is one; starts that lie, which are found, and starts beyond the tensors, which leave them in peace.
//!
//! ```text
//!   ├ rows of none ┼ 0 ─────┼ 1 ┼ 2 ────────┼ rows of none ┤       O of a row of none stays what it was
//! ```

mod common;

use common::packed::Case;
use common::sample::pushed;
use cutlet::attention::{
    AttentionConfiguration, AttentionElement, AttentionMask, AttentionOperands, AttentionProblem,
    AttentionType, HeadTensor, HeadTensorMut, Heads, PACKED_CONFIGURATIONS,
    SOFT_CAP_CONFIGURATIONS, SequenceStarts, prepare_packed, prepare_packed_soft_cap,
};
use cutlet::kernels::Modules;
use cutlet::run::{PackedAttentionRun, RunOptions, packed_attention};
use emulator::Schedule;
use half::{bf16, f16};
use host::reference::{Element, Random, attention_row_with, difference, fill};
use host::{Device, EmulatorConfig, Kind};

/// What stands in O before: no result is that large.
const BEFORE: f64 = 64.0;

/// Attention of a case, whose sequences the kernel is told to begin at `told`, with a soft cap or none; the error, in words, where it is
/// not float64's.
fn right_by<T: AttentionElement + Element>(
    modules: &Modules,
    dim: u32,
    case: &Case,
    (told, cap): ([Vec<u32>; 2], Option<f32>),
) -> Result<(), String> {
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
    let (mask, scale_of) = (case.mask, Some(scale));
    let prepared = match cap {
        None => prepare_packed(modules, operands, sequences, mask, scale_of),
        Some(cap) => prepare_packed_soft_cap(modules, operands, sequences, mask, scale_of, cap),
    };
    prepared
        .and_then(|of| Ok(of.run(None)?))
        .map_err(|error| error.to_string())?;
    let (o, lse) = (on_o.to_vec().map_err(said)?, on_lse.to_vec().map_err(said)?);

    let mut expected = vec![BEFORE; o.len()];
    let mut expected_lse = vec![BEFORE; lse.len()];
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
                let (of_o, of_lse) =
                    attention_row_with(&problem, query as usize, of_head, |score, _| {
                        cap.map_or(score, |cap| {
                            f64::from(cap) * (score / f64::from(cap)).tanh()
                        })
                    });
                expected[case.row(of_q, head, row)].copy_from_slice(&of_o);
                expected_lse[(head * of_q.rows + row) as usize] = of_lse;
            }
        }
    }
    for (i, (&found, &expected)) in lse.iter().zip(&expected_lse).enumerate() {
        // Equal infinities are a row without keys.
        let off = (f64::from(found) - expected).abs();
        if f64::from(found) != expected && (off.is_nan() || off > 1e-4) {
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
    // Rows of no sequence are right: they would make the others' error look small.
    let (o, expected): (Vec<T>, Vec<f64>) = o
        .iter()
        .zip(&expected)
        .filter(|(_, expected)| **expected != BEFORE)
        .unzip();
    if o.is_empty() {
        return Ok(());
    }
    let found = difference(&o, &expected).map_err(|error| error.to_string())?;
    let unit = T::UNIT_ROUNDOFF;
    if found.not_finite == 0 && found.relative <= 2.0 * unit && found.max_absolute <= 4.0 * unit {
        return Ok(());
    }
    Err(format!("O: {found:?}"))
}

/// A case by the kernel of a row of the table, without a soft cap.
fn right(modules: &Modules, of: &AttentionConfiguration, case: &Case) -> Result<(), String> {
    right_with(modules, of, case, None)
}

/// A case by the kernel of a row of the table, which is one of a soft cap where there is a cap.
fn right_with(
    modules: &Modules,
    of: &AttentionConfiguration,
    case: &Case,
    cap: Option<f32>,
) -> Result<(), String> {
    let told = ([case.starts(0), case.starts(1)], cap);
    let right = match of.element {
        AttentionType::F16 => right_by::<f16>(modules, of.dim, case, told),
        AttentionType::Bf16 => right_by::<bf16>(modules, of.dim, case, told),
    };
    right.map_err(|error| format!("{}, {case:?}, a cap of {cap:?}: {error}", of.kernel))
}

fn emulator(schedule: Schedule) -> Modules {
    // Few multiprocessors: a CTA has several tiles.
    let device = Device::emulator_with(EmulatorConfig {
        schedule,
        multiprocessors: 2,
        ..EmulatorConfig::default()
    });
    Modules::load(&device).unwrap()
}

#[test]
fn every_kernel_is_right_under_every_schedule() {
    let mut random = Random::new(41);
    for schedule in [Schedule::Early, Schedule::Late, Schedule::Seeded(7)] {
        let modules = emulator(schedule);
        for of in pushed(PACKED_CONFIGURATIONS, |of| of.kernel) {
            let case = Case::by_chance(&mut random, 0..200, 5);
            assert_eq!(right(&modules, of, &case), Ok(()), "{schedule:?}");
        }
    }
}

#[test]
fn every_kernel_with_a_soft_cap_is_right_under_every_schedule() {
    let mut random = Random::new(44);
    let mut caps = [0.5, 2.0, 30.0].into_iter().cycle();
    for schedule in [Schedule::Early, Schedule::Late, Schedule::Seeded(7)] {
        let modules = emulator(schedule);
        for of in pushed(SOFT_CAP_CONFIGURATIONS, |of| of.kernel) {
            let case = Case::by_chance(&mut random, 0..200, 5);
            let right = right_with(&modules, of, &case, caps.next());
            assert_eq!(right, Ok(()), "{schedule:?}");
        }
    }
}

#[test]
fn lengths_of_no_rows_and_of_one_are_right() {
    let modules = emulator(Schedule::Late);
    let of = PACKED_CONFIGURATIONS
        .iter()
        .find(|of| of.element == AttentionType::Bf16 && of.dim == 128)
        .unwrap();
    let window = AttentionMask::Window {
        before: 3,
        after: 2,
    };
    for (lengths, mask) in [
        // None has a row: nothing is written.
        (&[[0, 0], [0, 0]][..], AttentionMask::Full),
        (&[[0, 5], [1, 1], [0, 0], [1, 300]], AttentionMask::Causal),
        // Queries without keys, between others and at the end.
        (&[[3, 4], [2, 0], [130, 130], [5, 0]], AttentionMask::Full),
        // More queries than keys: rows that see none of their own, and not those before.
        (&[[129, 9], [9, 129], [1, 0]], AttentionMask::Causal),
        (&[[260, 260], [127, 128], [128, 1]], window),
        (&[[1, 1]; 70], AttentionMask::Causal),
    ] {
        assert_eq!(right(&modules, of, &Case::of(lengths, mask)), Ok(()));
    }
}

/// The run of `cutlet attention --lengths` compares every row with its own sequence, with and without the log-sum-exp.
#[test]
fn the_run_of_the_command_is_right() {
    let modules = emulator(Schedule::Late);
    let mut random = Random::new(43);
    for (lse, dim, heads) in [(true, 128, [2, 1]), (false, 64, [4, 2]), (true, 96, [3, 3])] {
        let Case { lengths, mask, .. } = Case::by_chance(&mut random, 0..200, 5);
        let run = PackedAttentionRun {
            element: AttentionType::F16,
            lengths: lengths
                .iter()
                .map(|&[length, _]| length)
                .chain([1])
                .collect(),
            heads,
            dim,
            mask,
            scale: Some(0.5),
            soft_cap: None,
            lse,
            seed: 5,
            rows: 1000,
        };
        let outcome = packed_attention(&modules, &run, &RunOptions::default()).unwrap();
        assert!(outcome.right(), "{run:?}: {outcome:?}");
        assert_eq!(outcome.lse_error.is_some(), lse);
        let rows: u32 = run.lengths.iter().sum();
        assert_eq!(outcome.rows, 1000.min((rows * heads[0]) as usize));
    }
}

#[test]
fn a_gpu_is_right_too() {
    for device in common::devices() {
        if device.kind() != Kind::Gpu || device.compute_capability() != (9, 0) {
            continue;
        }
        let modules = Modules::load(&device).unwrap();
        let mut random = Random::new(42);
        for of in PACKED_CONFIGURATIONS {
            for most in [200, 200, 200, 200, 1500] {
                let case = Case::by_chance(&mut random, 0..most, 5);
                assert_eq!(right(&modules, of, &case), Ok(()));
            }
        }
        for of in SOFT_CAP_CONFIGURATIONS {
            for (most, cap) in [(200, 0.5), (200, 2.0), (200, 30.0), (1500, 3.0)] {
                let case = Case::by_chance(&mut random, 0..most, 5);
                assert_eq!(right_with(&modules, of, &case, Some(cap)), Ok(()));
            }
        }
    }
}

#[test]
fn starts_that_lie_are_found() {
    let modules = emulator(Schedule::Late);
    let case = Case::of(&[[40, 50], [30, 20]], AttentionMask::Full);
    let told = |change: fn(&mut [Vec<u32>; 2])| {
        let mut told = [case.starts(0), case.starts(1)];
        change(&mut told);
        right_by::<f16>(&modules, 64, &case, (told, None))
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

/// Starts beyond the tensors, and such as decrease, name no rows outside.
#[test]
fn starts_beyond_the_tensors_stay_inside() {
    let modules = emulator(Schedule::Early);
    let case = Case::of(&[[9, 9], [11, 11], [0, 0], [0, 0]], AttentionMask::Causal);
    let beyond = vec![0, 9, 4_000_000_000, u32::MAX, 2];
    let found = right_by::<bf16>(&modules, 128, &case, ([beyond.clone(), beyond], None));
    assert_eq!(found, Ok(()));
}

#[test]
fn starts_of_different_numbers_of_sequences_are_refused() {
    let modules = emulator(Schedule::Early);
    let case = Case::of(&[[4, 4], [4, 4]], AttentionMask::Full);
    let refused = |told| right_by::<f16>(&modules, 64, &case, (told, None)).unwrap_err();
    assert_eq!(
        refused([vec![0, 4, 8], vec![0, 8]]),
        "the starts of keys have 2 elements; 3 are those of the planned sequences and the end of the last"
    );
    assert_eq!(
        refused([vec![0], vec![0]]),
        "the number of sequences is 0; it must be at least 1"
    );
}

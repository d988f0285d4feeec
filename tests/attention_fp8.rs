//! Compares attention of 8-bit floats with float64, where the probabilities are rounded to e4m3 as
//! in the kernel: random sizes, masks, heads and scales, under every schedule of the emulator and
//! on a GPU if there is one. Checks that planted mistakes are found, and that a problem without a
//! kernel is refused.

mod common;

use common::emulator;
use common::ptx_text::{alone, entry, with_one_entry};
use common::sample::pushed;
use cutlet::attention::{
    AttentionConfiguration, AttentionMask, AttentionOptions, AttentionProblem, AttentionScales,
    AttentionType, FP8_CONFIGURATIONS, Fp8AttentionProblem, HeadTensor, HeadTensorMut, Heads,
    attention_fp8, default_scale,
};
use cutlet::kernels::Modules;
use cutlet::run::{self, AttentionOutcome, Fp8AttentionRun, RunOptions};
use emulator::Schedule;
use half::bf16;
use host::reference::Random;
use host::{Device, Kind, Timing};
use layout_types::atom::element::FloatE4M3;

const SCHEDULES: [Schedule; 3] = [Schedule::Early, Schedule::Late, Schedule::Seeded(7)];

fn problem(
    element: AttentionType,
    (queries, keys): (u32, u32),
    (batches, heads, key_heads): (u32, u32, u32),
    mask: AttentionMask,
) -> Fp8AttentionProblem {
    let extents = (batches, heads, queries, 128);
    let of = AttentionProblem::new(element, extents, mask, default_scale(128))
        .with_keys(keys, key_heads)
        .with_lse();
    Fp8AttentionProblem {
        of,
        scales_of_heads: batches * key_heads > 1,
    }
}

/// Returns a pseudorandom problem of a kernel.
fn by_chance(random: &mut Random, of: &AttentionConfiguration, most: u64) -> Fp8AttentionProblem {
    let mut below = |n| random.below(n) as u32;
    let sizes = (1 + below(most), 1 + below(most));
    let (heads, key_heads) = [(1, 1), (2, 1), (3, 3), (4, 2)][below(4) as usize];
    let mask = match below(3) {
        0 => AttentionMask::Full,
        1 => AttentionMask::Causal,
        _ => AttentionMask::Window {
            before: below(100),
            after: below(40),
        },
    };
    let scales_of_heads = below(2) == 0;
    Fp8AttentionProblem {
        scales_of_heads,
        ..problem(of.element, sizes, (1 + below(2), heads, key_heads), mask)
    }
}

fn outcome(
    modules: &Modules,
    problem: Fp8AttentionProblem,
    by: Option<&'static AttentionConfiguration>,
) -> Result<AttentionOutcome, String> {
    let run = Fp8AttentionRun {
        problem,
        configuration: by,
        seed: u64::from(problem.of.queries) << 20 | u64::from(problem.of.keys),
        rows: 100,
    };
    let options = RunOptions {
        timing: Some(Timing { warmup: 0, runs: 1 }),
        ..RunOptions::default()
    };
    run::fp8_attention(modules, &run, &options).map_err(|error| error.to_string())
}

/// Runs a problem by the kernel that is chosen, or by the kernel `by`. Returns an error unless the
/// result is right.
fn right(
    modules: &Modules,
    problem: Fp8AttentionProblem,
    by: Option<&'static AttentionConfiguration>,
) -> Result<(), String> {
    match outcome(modules, problem, by)? {
        outcome if outcome.right() => Ok(()),
        outcome => Err(format!("{problem:?}: {outcome:?}")),
    }
}

#[test]
fn every_kernel_is_right_with_every_mask() {
    let modules = Modules::load(&emulator(Schedule::Seeded(3))).unwrap();
    let window = AttentionMask::Window {
        before: 150,
        after: 20,
    };
    for of in pushed(FP8_CONFIGURATIONS, |of| of.kernel) {
        for mask in [AttentionMask::Full, AttentionMask::Causal, window] {
            let problem = problem(of.element, (200, 270), (2, 4, 2), mask);
            let outcome = outcome(&modules, problem, Some(of)).unwrap();
            println!("{} {:?} {:?}", of.kernel, outcome.agreement, outcome.lse);
            assert_eq!(right(&modules, problem, Some(of)), Ok(()));
        }
    }
}

#[test]
fn every_kernel_is_right_under_every_schedule() {
    let mut random = Random::new(61);
    for schedule in SCHEDULES {
        let modules = Modules::load(&emulator(schedule)).unwrap();
        for of in pushed(FP8_CONFIGURATIONS, |of| of.kernel) {
            for _ in 0..3 {
                let problem = by_chance(&mut random, of, 300);
                assert_eq!(right(&modules, problem, Some(of)), Ok(()), "{schedule:?}");
            }
        }
    }
}

#[test]
fn the_smallest_and_ragged_edges_are_right() {
    let modules = Modules::load(&emulator(Schedule::Late)).unwrap();
    for (sizes, mask) in [
        ((1, 1), AttentionMask::Full),
        ((1, 129), AttentionMask::Causal),
        // Some rows see no key.
        ((140, 9), AttentionMask::Causal),
        ((129, 128), AttentionMask::Full),
    ] {
        let mut problem = problem(AttentionType::Bf16, sizes, (1, 1, 1), mask);
        assert_eq!(right(&modules, problem, None), Ok(()));
        problem.of.lse = false;
        assert_eq!(right(&modules, problem, None), Ok(()));
    }
}

#[test]
fn a_gpu_is_right_too() {
    for device in common::devices() {
        if device.kind() != Kind::Gpu || device.compute_capability() != (9, 0) {
            continue;
        }
        let modules = Modules::load(&device).unwrap();
        let mut random = Random::new(62);
        for of in FP8_CONFIGURATIONS {
            for most in [300, 300, 300, 3000] {
                let problem = by_chance(&mut random, of, most);
                assert_eq!(right(&modules, problem, Some(of)), Ok(()));
            }
        }
    }
}

/// Checks that the kernel with `from` replaced by `to` gives a wrong result or a finding, under
/// every schedule.
fn is_found(kernel: &str, (from, to): (&str, &str)) {
    let ptx = &alone(kernel);
    let text = entry(ptx, kernel);
    assert!(text.contains(from), "{kernel} has no `{from}`");
    let changed = with_one_entry(ptx, kernel, &text.replace(from, to));
    for schedule in SCHEDULES {
        let modules = Modules::from(emulator(schedule).load(&changed).unwrap());
        let problem = problem(
            AttentionType::Bf16,
            (130, 300),
            (1, 1, 1),
            AttentionMask::Full,
        );
        let found = right(&modules, problem, None);
        assert!(
            found.is_err(),
            "{from} as {to} passes in silence, {schedule:?}"
        );
    }
}

#[test]
fn planted_faults_are_found() {
    // V's keys are in another order than P's: 0x1054 replaces 0x5410, 0x6273 replaces 0x7362.
    is_found("attention_transpose_b8", ("21520;", "4180;"));
    is_found("attention_transpose_b8", ("29538;", "25203;"));
    // The products begin before their registers are ready.
    is_found(
        "attention_e4m3_bf16_d128_128x128_s2",
        ("wgmma.fence.sync.aligned;", ""),
    );
}

const HEADS: Heads = Heads {
    batches: 1,
    heads: 2,
    rows: 2,
    columns: 128,
};

/// Computes attention in one call, for two heads of two queries and two keys. Returns the first
/// query's result of each head, with scales of both heads.
fn in_one_call(scales: &[f32], soft_cap: Option<f32>) -> Result<[f32; 2], String> {
    let device = Device::emulator();
    let said = |error: host::Error| error.to_string();
    let of = |values: [f32; 2]| {
        let rows = values
            .map(|value| [FloatE4M3::from_f32(value); 128])
            .concat();
        device.upload(&[&rows[..], &rows[..]].concat())
    };
    let (q, k, v) = (
        of([1.0; 2]).map_err(said)?,
        of([0.0, 1.0]).map_err(said)?,
        of([0.0, 1.0]).map_err(said)?,
    );
    let mut o = device.upload(&[bf16::ZERO; 4 * 128]).map_err(said)?;
    let scales = device.upload(scales).map_err(said)?;
    let options = AttentionOptions {
        scale: Some(1.0 / 128.0),
        soft_cap,
        ..AttentionOptions::default()
    };
    attention_fp8(
        &device,
        [&q, &k, &v].map(|of| HeadTensor::new(of, HEADS)),
        AttentionScales {
            q: scales.all(),
            k: scales.all(),
            v: scales.all(),
        },
        HeadTensorMut::new(&mut o, HEADS),
        options,
    )
    .map_err(|error| error.to_string())?;
    let o = o.to_vec().map_err(said)?;
    Ok([o[0], o[256]].map(bf16::to_f32))
}

/// Checks that a head's scores are multiplied by the scales of its Q and K, and its O by the scale
/// of its V.
#[test]
fn scales_are_those_of_the_head() {
    let by_definition = |scale: f32| scale / (1.0 + (-scale * scale).exp());
    for (scales, of) in [(&[1.5][..], [1.5; 2]), (&[0.5, 2.0], [0.5, 2.0])] {
        let found = in_one_call(scales, None).unwrap();
        for (found, scale) in found.into_iter().zip(of) {
            let expected = by_definition(scale);
            // Both probabilities are rounded to e4m3.
            assert!(
                (found - expected).abs() < expected / 16.0,
                "{scales:?}: {found}"
            );
        }
    }
}

#[test]
fn what_has_no_kernel_is_refused() {
    assert_eq!(
        in_one_call(&[1.0; 3], None).unwrap_err(),
        "there are 3 scales of Q; there is one, or 2 of each head of keys, of Q, K and V alike"
    );
    let said = in_one_call(&[1.0], Some(3.0)).unwrap_err();
    assert!(
        said.starts_with("there is no soft cap of 8-bit floats"),
        "{said}"
    );
    let modules = Modules::load(&emulator(Schedule::Late)).unwrap();
    let mut of = problem(AttentionType::Bf16, (8, 8), (1, 1, 1), AttentionMask::Full);
    of.of = AttentionProblem::new(AttentionType::Bf16, (1, 1, 8, 64), AttentionMask::Full, 0.1);
    let said = right(&modules, of, None).unwrap_err();
    assert!(said.contains("64"), "{said}");
    of.of = AttentionProblem::new(
        AttentionType::Bf16,
        (1, 1, 8, 128),
        AttentionMask::Full,
        0.1,
    );
    of.of.strides[2].row = 136;
    let said = right(&modules, of, None).unwrap_err();
    assert_eq!(
        said,
        "the row stride of V is 136; it must be a multiple of 16"
    );
}

//! Compares attention with a soft cap with float64, by the kernels of the table: random sizes,
//! masks and caps, under every schedule of the emulator and on a GPU if there is one. Checks that
//! another cap is found, and that a problem without a kernel is refused.

mod common;

use common::sample::{MMA_DIMENSIONS, pushed};
use common::{cutlet, emulated};

use cutlet::attention::{
    AttentionConfiguration, AttentionMask, AttentionOptions, AttentionProblem, AttentionType,
    CONFIGURATIONS, HeadTensor, HeadTensorMut, Heads, MMA_CONFIGURATIONS,
    MMA_PACKED_SOFT_CAP_CONFIGURATIONS, MMA_SOFT_CAP_CONFIGURATIONS, SOFT_CAP_CONFIGURATIONS,
    SequenceStarts, attention, attention_packed, starts,
};
use cutlet::kernels::Modules;
use cutlet::run::{self, AttentionRun, PackedAttentionRun, RunOptions, ScoreRun};
use emulator::Schedule;
use half::bf16;
use host::reference::{Random, attention_row_with};
use host::{Device, Kind, Timing};
use std::process::Command;

/// Returns a pseudorandom problem of a kernel, with a scale of the scores at which a cap matters.
fn by_chance(random: &mut Random, of: &AttentionConfiguration, most: u64) -> AttentionProblem {
    let mut below = |n| random.below(n) as u32;
    let (queries, keys) = (1 + below(most), 1 + below(most));
    let (heads, key_heads) = [(1, 1), (2, 1), (3, 3), (4, 2)][below(4) as usize];
    let mask = match below(3) {
        0 => AttentionMask::Full,
        1 => AttentionMask::Causal,
        _ => AttentionMask::Window {
            before: below(100),
            after: below(40),
        },
    };
    let extents = (1 + below(2), heads, queries, of.dim);
    AttentionProblem::new(of.element, extents, mask, 0.5)
        .with_keys(keys, key_heads)
        .with_lse()
}

/// Runs a problem by the kernel that is chosen, or by the kernel `by`. Returns an error unless the
/// result is right.
fn right(
    modules: &Modules,
    problem: AttentionProblem,
    cap: f32,
    by: Option<&'static AttentionConfiguration>,
) -> Result<(), String> {
    let run = AttentionRun {
        problem,
        score: ScoreRun {
            soft_cap: Some(cap),
            ..ScoreRun::default()
        },
        configuration: by,
        seed: u64::from(problem.queries) << 20 | u64::from(problem.keys),
        rows: 100,
    };
    let options = RunOptions {
        timing: Some(Timing { warmup: 0, runs: 1 }),
        ..RunOptions::default()
    };
    match run::attention(modules, &run, &options) {
        Ok(outcome) if outcome.right() => Ok(()),
        Ok(outcome) => Err(format!("{problem:?}, a cap of {cap}: {outcome:?}")),
        Err(error) => Err(error.to_string()),
    }
}

/// Returns the end of a refusal, which lists the head dimensions that some kernel has.
fn there_is() -> String {
    let dims = MMA_DIMENSIONS.map(|dim| dim.to_string()).join(", ");
    format!("there is of f16 and bf16 with a head dimension of {dims}")
}

const CAPS: [f32; 5] = [0.5, 3.0, 30.0, 50.0, 1024.0];

#[test]
fn every_kernel_is_right_under_every_schedule() {
    let mut random = Random::new(51);
    let mut caps = CAPS.into_iter().cycle();
    for schedule in [Schedule::Early, Schedule::Late, Schedule::Seeded(7)] {
        let modules = emulated(schedule);
        let all = SOFT_CAP_CONFIGURATIONS
            .iter()
            .chain(MMA_SOFT_CAP_CONFIGURATIONS);
        for of in pushed(all, |of| of.kernel) {
            for cap in caps.by_ref().take(2) {
                let problem = by_chance(&mut random, of, 300);
                assert_eq!(
                    right(&modules, problem, cap, Some(of)),
                    Ok(()),
                    "{schedule:?}"
                );
            }
        }
    }
}

/// Checks that there is one kernel for each type and head dimension that attention has.
#[test]
fn every_type_and_head_dimension_has_a_kernel() {
    let of = |table: &[AttentionConfiguration]| {
        let mut of: Vec<_> = table.iter().map(|of| (of.element.name(), of.dim)).collect();
        of.sort_unstable();
        of
    };
    let mut plain = of(CONFIGURATIONS);
    plain.dedup();
    assert_eq!(of(SOFT_CAP_CONFIGURATIONS), plain);
    let mut plain = of(MMA_CONFIGURATIONS);
    plain.dedup();
    assert_eq!(of(MMA_SOFT_CAP_CONFIGURATIONS), plain);
    assert_eq!(of(MMA_PACKED_SOFT_CAP_CONFIGURATIONS), plain);
}

/// Checks that the run of `cutlet attention --lengths --soft-cap` compares every row with its own
/// sequence.
#[test]
fn the_run_of_packed_sequences_is_right() {
    let modules = emulated(Schedule::Late);
    let run = PackedAttentionRun {
        element: AttentionType::Bf16,
        lengths: vec![100, 7, 0, 150],
        heads: [4, 2],
        dim: 64,
        dim_v: None,
        mask: AttentionMask::Causal,
        scale: Some(0.5),
        score: ScoreRun {
            soft_cap: Some(2.0),
            ..ScoreRun::default()
        },
        loads: None,
        lse: true,
        seed: 5,
        rows: 1000,
    };
    let ran =
        |run: &PackedAttentionRun| run::packed_attention(&modules, run, &RunOptions::default());
    let outcome = ran(&run).unwrap();
    assert!(outcome.right() && outcome.rows == 1000, "{outcome:?}");
    let refused = ran(&PackedAttentionRun { dim: 72, ..run }).unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!(
            "there is no soft cap of bf16 with a head dimension of 72; {}",
            there_is()
        )
    );
}

#[test]
fn a_gpu_is_right_too() {
    for device in common::devices() {
        if device.kind() != Kind::Gpu {
            continue;
        }
        let modules = Modules::load(&device).unwrap();
        let mut random = Random::new(52);
        let all = SOFT_CAP_CONFIGURATIONS
            .iter()
            .chain(MMA_SOFT_CAP_CONFIGURATIONS);
        for of in all.filter(|of| modules.has(of.kernel)) {
            for most in [300, 300, 300, 2000] {
                for cap in CAPS {
                    let problem = by_chance(&mut random, of, most);
                    assert_eq!(right(&modules, problem, cap, Some(of)), Ok(()));
                }
            }
        }
    }
}

const HEADS: Heads = Heads {
    batches: 1,
    heads: 1,
    rows: 2,
    columns: 128,
};

/// Computes attention in one call, for two queries and two keys. The elements of Q and K come from
/// `of`, and V is 0 and 1. Returns the queries' share of the second key.
fn in_one_call(of: [f32; 2], soft_cap: Option<f32>) -> Result<f32, String> {
    let device = Device::emulator();
    let said = |error: host::Error| error.to_string();
    let rows = |values: [f32; 2]| values.map(|value| [bf16::from_f32(value); 128]).concat();
    let (q, k) = (
        device.upload(&rows([of[0]; 2])).map_err(said)?,
        device.upload(&rows([0.0, of[1]])).map_err(said)?,
    );
    let v = device.upload(&rows([0.0, 1.0])).map_err(said)?;
    let mut o = device.upload(&rows([0.0; 2])).map_err(said)?;
    let options = AttentionOptions {
        soft_cap,
        ..AttentionOptions::default()
    };
    let [of_q, of_k, of_v] = [&q, &k, &v].map(|tensor| HeadTensor::new(tensor, HEADS));
    let of_o = HeadTensorMut::new(&mut o, HEADS);
    attention(&device, of_q, of_k, of_v, of_o, options).map_err(|error| error.to_string())?;
    Ok(o.to_vec().map_err(said)?[0].to_f32())
}

/// Checks that the cap of the options is applied to the scores, and not another cap or none.
#[test]
fn the_cap_of_the_call_is_that_of_the_scores() {
    let problem = AttentionProblem::new(
        AttentionType::Bf16,
        (1, 1, 2, 128),
        AttentionMask::Full,
        1.0 / 128.0_f32.sqrt(),
    );
    let by_definition = |cap: f64| {
        let [q, ones, zeros] = [1.0_f32, 1.0, 0.0].map(|value| vec![value; 128]);
        let second = [zeros, ones].concat();
        let of_head = (&q[..], &second[..], &second[..]);
        let capped = |score: f64, _| cap * (score / cap).tanh();
        attention_row_with(&problem, 0, of_head, capped).0[0] as f32
    };
    for cap in [1.0_f32, 3.0, 20.0] {
        let found = in_one_call([1.0, 1.0], Some(cap)).unwrap();
        let off = (found - by_definition(cap.into())).abs();
        assert!(off < 4e-3, "a cap of {cap}: {off}");
    }
    // The scores are 0 and 11.3, so that no cap and different caps give different results.
    let found = [None, Some(1.0), Some(1.5), Some(3.0)].map(|cap| in_one_call([1.0, 1.0], cap));
    let [none, one, more, three] = found.map(Result::unwrap);
    assert!(one + 0.05 < more && more + 0.05 < three && three + 0.03 < none);
}

#[test]
fn what_has_no_kernel_is_refused() {
    let of_dim = |element, dim| {
        let extents = (1, 1, 8, dim);
        AttentionProblem::new(element, extents, AttentionMask::Full, 0.5)
    };
    let modules = emulated(Schedule::Late);
    let refused = |problem, cap| right(&modules, problem, cap, None).unwrap_err();
    assert_eq!(
        refused(of_dim(AttentionType::F16, 72), 30.0),
        format!(
            "there is no soft cap of f16 with a head dimension of 72; {}",
            there_is()
        )
    );
    let of = of_dim(AttentionType::Bf16, 128);
    for (cap, says) in [
        (-1.0, "the soft cap is -1; it must be above 0 and finite"),
        (
            f32::NAN,
            "the soft cap is NaN; it must be above 0 and finite",
        ),
        (1024.5, "the soft cap is 1025; a launch covers at most 1024"),
    ] {
        assert_eq!(refused(of, cap), says);
    }
}

/// Checks that `cutlet attention --soft-cap .. --loads cp-async` uses the kernels by `mma.sync`,
/// and that it says that there are no gradients.
#[test]
fn the_command_takes_kernels_by_how_they_load() {
    let of = pushed(MMA_SOFT_CAP_CONFIGURATIONS, |of| of.kernel)[0];
    let command = "attention --device emulator --queries 70 --causal --soft-cap 3 --loads cp-async";
    let said = |more: &[&str]| {
        let output = Command::new(cutlet())
            .args(command.split(' '))
            .args(["--dim", &of.dim.to_string(), "--dtype", of.element.name()])
            .args(more)
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        (output.status.code(), text)
    };
    let (code, text) = said(&[]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains(of.kernel) && text.contains("right"), "{text}");
    let (code, text) = said(&["--backward"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains("soft_cap_backward") && text.contains("right"),
        "{text}"
    );
}

/// Checks that the cap of the options is applied to each sequence's scores. Two sequences of one
/// row and one key each see only themselves. In one sequence both rows see both keys.
#[test]
fn packed_sequences_take_the_cap_of_the_call() {
    let device = Device::emulator();
    let rows = |values: [f32; 2]| values.map(|value| [bf16::from_f32(value); 128]).concat();
    let q = device.upload(&rows([1.0; 2])).unwrap();
    let [k, v] = [(); 2].map(|()| device.upload(&rows([0.0, 1.0])).unwrap());
    let mut o = device.upload(&rows([5.0; 2])).unwrap();
    let mut of = |lengths: &[u32], soft_cap| {
        let of_both = device.upload(&starts(lengths)).unwrap();
        attention_packed(
            &device,
            [&q, &k, &v].map(|tensor| HeadTensor::new(tensor, HEADS)),
            HeadTensorMut::new(&mut o, HEADS),
            SequenceStarts {
                queries: of_both.all(),
                keys: of_both.all(),
            },
            AttentionOptions {
                soft_cap,
                ..AttentionOptions::default()
            },
        )
        .map_err(|error| error.to_string())?;
        let o = o.to_vec().unwrap();
        Ok::<_, String>([o[0].to_f32(), o[128].to_f32()])
    };
    assert_eq!(of(&[1, 1], Some(1.0)), Ok([0.0, 1.0]));
    // The scores are 0 and 11.3. With a cap of 1 the share is e / (1 + e).
    let [first, second] = of(&[2], Some(1.0)).unwrap();
    assert_eq!(first, second);
    assert!((first - 0.731).abs() < 4e-3, "{first}");
    let refused = of(&[1, 1], Some(0.0)).unwrap_err();
    assert_eq!(refused, "the soft cap is 0; it must be above 0 and finite");
}

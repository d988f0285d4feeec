//! Compares attention with score parts, which are ALiBi, sinks and a soft cap together, with
//! float64: random problems of one length and packed problems, under every schedule of the emulator
//! and on a GPU if there is one. Checks that the numbers of another head are found, and that
//! options that do not fit together are refused.

mod common;

use common::sample::pushed;
use common::{cutlet, emulated, mask_by_chance};

use cutlet::attention::{
    AttentionConfiguration, AttentionLoads, AttentionMask, AttentionOperands, AttentionProblem,
    AttentionRequest, AttentionType, HeadTensor, HeadTensorMut, Heads, forward_configurations_by,
    prepare_request,
};
use cutlet::check::{self, Effort};
use cutlet::kernels::Modules;
use cutlet::run::{
    AttentionRun, PackedAttentionRun, RunOptions, ScoreRun, attention, packed_attention,
};
use emulator::Schedule;
use half::bf16;
use host::reference::{
    Agreement, Allowance, HeadScore, Products, Random, attention_row_allowance,
    attention_row_scored, fill,
};
use host::{Kind, Timing};
use kernel_abi::ArgumentName;
use kernel_abi::attention::KernelSequences;
use std::process::Command;

/// Returns the kernels with ALiBi or sinks, and the kernels with two head dimensions.
fn kernels() -> Vec<&'static AttentionConfiguration> {
    let ways = [AttentionLoads::Tma, AttentionLoads::CpAsync];
    let all = ways.into_iter().flat_map(forward_configurations_by);
    all.filter(|of| of.parts.sequences != KernelSequences::Paged)
        .filter(|of| of.parts.alibi || of.parts.sinks || of.dim != of.dim_v)
        .collect()
}

/// Returns the score parts of a kernel, with a cap that matters.
fn score(of: &AttentionConfiguration) -> ScoreRun {
    ScoreRun {
        soft_cap: of.parts.soft_cap.then_some(3.0),
        alibi: of.parts.alibi,
        sinks: of.parts.sinks,
    }
}

/// Runs a pseudorandom problem and pseudorandom sequences by a kernel. Returns an error unless both
/// are right.
fn right(
    modules: &Modules,
    random: &mut Random,
    of: &'static AttentionConfiguration,
    most: u64,
) -> Result<(), String> {
    let (heads, key_heads) = [(1, 1), (2, 1), (3, 3), (4, 2)][random.below(4) as usize];
    let mut rows = || 1 + random.below(most) as u32;
    let (queries, keys, lengths) = (rows(), rows(), vec![rows(), 0, rows()]);
    let extents = (1 + random.below(2) as u32, heads, queries, of.dim);
    let problem = AttentionProblem::new(of.element, extents, mask_by_chance(random), 0.3)
        .with_keys(keys, key_heads)
        .with_values(of.dim_v)
        .with_lse();
    let options = RunOptions {
        timing: Some(Timing { warmup: 0, runs: 1 }),
        ..RunOptions::default()
    };
    let uniform = AttentionRun {
        problem,
        score: score(of),
        configuration: Some(of),
        seed: random.below(1 << 40),
        rows: 100,
    };
    let packed = PackedAttentionRun {
        element: of.element,
        lengths,
        heads: [heads, key_heads],
        dim: of.dim,
        dim_v: Some(of.dim_v),
        mask: mask_by_chance(random),
        scale: Some(0.3),
        score: score(of),
        loads: Some(of.loads),
        lse: true,
        seed: uniform.seed,
        rows: 100,
    };
    let outcomes = [
        (
            format!("{uniform:?}"),
            attention(modules, &uniform, &options),
        ),
        (
            format!("{packed:?}"),
            packed_attention(modules, &packed, &options),
        ),
    ];
    for (run, outcome) in outcomes {
        let outcome = outcome.map_err(|error| error.to_string())?;
        if !outcome.right() || outcome.launched.kernel != of.kernel {
            return Err(format!("{run}: {outcome:?}"));
        }
    }
    Ok(())
}

#[test]
fn every_kernel_is_right_under_every_schedule() {
    let mut random = Random::new(61);
    for schedule in [Schedule::Early, Schedule::Late, Schedule::Seeded(7)] {
        let modules = emulated(schedule);
        for of in pushed(kernels(), |of| of.kernel) {
            assert_eq!(
                right(&modules, &mut random, of, 300),
                Ok(()),
                "{schedule:?}"
            );
        }
    }
}

/// Checks that the manifest lists the arguments of each kernel as in the PTX, and that
/// `cutlet check` finds nothing.
#[test]
fn their_arguments_are_described_and_checked() {
    for of in pushed(kernels(), |of| of.kernel) {
        let ptx = cutlet::kernels::alone(of.kernel).unwrap().unwrap();
        let described = cutlet::manifest::manifest("kernel.ptx", &ptx).unwrap();
        let names: Vec<_> = (described.kernels[0].parameters.iter())
            .map(|parameter| parameter.name)
            .collect();
        let listed: Vec<_> = (of.arguments().iter()).map(|of| of.name.name()).collect();
        assert_eq!(names, listed);
        let checked = own_launches_of(of.kernel);
        assert!(checked > 1, "{}", of.kernel);
    }
}

/// Returns the number of launches of a kernel that `cutlet check` makes. Panics if it finds
/// anything.
fn own_launches_of(kernel: &str) -> usize {
    let checked = check::own(kernel, Effort::Few, &check::every_check()).unwrap();
    if let Some((launched, finding)) = checked.findings().next() {
        panic!("{kernel} at {}: {finding}", launched.problem);
    }
    checked.launches.len()
}

#[test]
fn a_gpu_is_right_too() {
    for device in common::devices() {
        if device.kind() != Kind::Gpu {
            continue;
        }
        let modules = Modules::load(&device).unwrap();
        let mut random = Random::new(62);
        for of in pushed(kernels(), |of| of.kernel) {
            for most in [300, 300, 2000] {
                assert_eq!(right(&modules, &mut random, of, most), Ok(()));
            }
        }
    }
}

/// Checks that every type and head dimension has a kernel for every composition.
#[test]
fn every_composition_has_a_kernel() {
    for loads in [AttentionLoads::Tma, AttentionLoads::CpAsync] {
        let all: Vec<_> = forward_configurations_by(loads).collect();
        for of in &all {
            for bits in 0..8 {
                let wanted = cutlet::attention::AttentionParts {
                    soft_cap: bits & 1 != 0,
                    alibi: bits & 2 != 0,
                    sinks: bits & 4 != 0,
                    ..Default::default()
                };
                for wanted in [wanted, wanted.packed()] {
                    let has = |by: &&&AttentionConfiguration| {
                        (by.element, by.dim, by.dim_v) == (of.element, of.dim, of.dim_v)
                            && by.parts.computes(wanted)
                    };
                    assert!(all.iter().find(has).is_some(), "{} {wanted:?}", of.kernel);
                }
            }
        }
    }
}

const HEADS: Heads = Heads {
    batches: 1,
    heads: 2,
    rows: 33,
    columns: 64,
};
const KEYS: Heads = Heads {
    rows: 50,
    heads: 1,
    ..HEADS
};

/// Whether the result of a launch with the numbers `given` for two heads is float64's result for
/// `expected`.
fn agrees(given: [[f32; 2]; 2], expected: [[f32; 2]; 2]) -> bool {
    let modules = emulated(Schedule::Late);
    let device = modules.device();
    let [q, k, v] =
        [(1, 2 * 33), (2, 50), (3, 50)].map(|(seed, rows)| fill::<bf16>(seed, rows * 64));
    let [of_q, of_k, of_v] = [&q, &k, &v].map(|of| device.upload(of).unwrap());
    let [slopes, sinks] = given.map(|of| device.upload(&of).unwrap());
    let mut o = device.upload(&vec![bf16::ZERO; q.len()]).unwrap();
    let operands = AttentionOperands {
        q: HeadTensor::new(&of_q, HEADS),
        k: HeadTensor::new(&of_k, KEYS),
        v: HeadTensor::new(&of_v, KEYS),
        o: HeadTensorMut::new(&mut o, HEADS),
        lse: None,
    };
    let request = AttentionRequest {
        mask: AttentionMask::Causal,
        scale: Some(0.3),
        slopes: Some(slopes.all()),
        sinks: Some(sinks.all()),
        ..AttentionRequest::default()
    };
    let prepared = prepare_request(&modules, operands, &request).unwrap();
    prepared.run(None).unwrap();
    drop(prepared);
    let extents = (1, 2, 33, 64);
    let problem = AttentionProblem::new(AttentionType::Bf16, extents, request.mask, 0.3);
    let problem = problem.with_keys(50, 1);
    let (mut rows, mut allowed) = (Vec::new(), Allowance::default());
    for (row, q) in q.chunks_exact(64).enumerate() {
        let head = row / 33;
        let [slope, sink] = expected.map(|of| Some(of[head]));
        let score = HeadScore {
            slope,
            sink,
            soft_cap: None,
        };
        let of = (q, &k[..], &v[..]);
        rows.extend(attention_row_scored(&problem, row % 33, of, &score).0);
        allowed.extend(&attention_row_allowance(&problem, row % 33, of, score, Products::Half).o);
    }
    let found = o.to_vec().unwrap();
    Agreement::of(&found, &rows, &allowed).unwrap().holds()
}

/// Checks that a slope or a sink of another head is found, and one that is slightly wrong.
#[test]
fn other_numbers_are_found() {
    let of = [[0.5, 0.01], [1.5, -2.0]];
    assert!(agrees(of, of));
    assert!(!agrees([[0.01, 0.5], of[1]], of));
    assert!(!agrees([of[0], [-2.0, 1.5]], of));
    assert!(!agrees([[0.51, 0.01], of[1]], of));
    assert!(!agrees([of[0], [1.6, -2.0]], of));
}

/// Checks that the command uses a kernel for the parts, and that a message names the two parts that
/// do not fit together if there is no kernel.
#[test]
fn the_command_takes_parts_together() {
    let said = |arguments: &str| {
        let output = Command::new(cutlet())
            .args(arguments.split(' '))
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].concat();
        (
            output.status.code(),
            String::from_utf8_lossy(&text).into_owned(),
        )
    };
    let base = "attention --device emulator --queries 20 --keys 70 --causal --dim 64 --heads 2";
    let (code, text) = said(&format!("{base} --sinks --lse"));
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains("attention_sinks_bf16_d64_128x128_s2"),
        "{text}"
    );
    for (more, says) in [
        ("--dtype e4m3 --alibi", "e4m3 has none"),
        (
            "--backward --dim-v 128",
            "gradients have one head dimension",
        ),
        (
            "--dim-v 96",
            "a head dimension of 64 and one of 96 for V; there is of 64 and 128, 128 and 64, 192 and 128, 512 and 256",
        ),
        (
            "--dim 72 --alibi --sinks",
            "no attention of bf16 with ALiBi and sinks and a head dimension of 72",
        ),
    ] {
        let arguments =
            format!("{base} {more}").replace("--dim 64 --heads 2 --dim 72", "--heads 2 --dim 72");
        let (code, text) = said(&arguments);
        assert_ne!(code, Some(0), "{text}");
        assert!(text.contains(says), "{text}");
    }
}

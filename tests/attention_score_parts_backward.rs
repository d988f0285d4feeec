//! Compares the gradients of attention with score parts with float64, and the gradient of the
//! sinks: random problems of one length and packed problems, under every schedule of the emulator
//! and on a GPU if there is one. Checks that kernels with mistakes and numbers of another head are
//! found.
//!
//! ```text
//!   a row of the tables: soft cap, ALiBi, both or neither ─┬─► without sinks ─► dQ, dK, dV
//!                                                          └─► with sinks    ─► dQ, dK, dV, d sinks
//! ```

mod common;

use common::ptx_text::{END, ENTRY, alone, entry};
use common::sample::{MMA_DIMENSIONS, pushed};
use common::{emulated, emulator, mask_by_chance};
use cutlet::attention::{
    AttentionBackwardConfiguration, AttentionBackwardOperands, AttentionBackwardOptions,
    AttentionLoads, AttentionMask, AttentionParts, AttentionProblem, AttentionType,
    BackwardKernels, HeadTensor, HeadTensorMut, Heads, SINK_GRADIENT, SinkGradientOperands,
    attention_backward, gradient_configurations_by, prepare_backward,
};
use cutlet::check::{self, Effort};
use cutlet::kernels::{self, Modules};
use cutlet::run::{GradientsRun, RunOptions, ScoreRun, gradients};
use emulator::Schedule;
use half::bf16;
use host::reference::{
    Agreement, Allowance, HeadScore, Random, add_attention_gradients_scored,
    add_gradient_allowances, attention_row_scored, fill,
};
use host::{Device, Kind, Timing};
use kernel_abi::attention::KernelSequences;
use std::process::Command;

/// Returns the kernels of gradients, with score parts and without: the latter are tested here with
/// sinks.
fn all_kernels() -> impl Iterator<Item = &'static AttentionBackwardConfiguration> + Clone {
    let ways = [AttentionLoads::Tma, AttentionLoads::CpAsync];
    ways.into_iter().flat_map(gradient_configurations_by)
}

/// Returns the kernels with score parts that a push tests.
fn tested() -> Vec<&'static AttentionBackwardConfiguration> {
    let scored = all_kernels().filter(|of| of.parts.soft_cap || of.parts.alibi);
    pushed(scored, |of| of.keys.kernel)
}

/// Returns a pseudorandom problem, or pseudorandom sequences, for the kernels of a configuration,
/// with or without sinks.
fn run_by_chance(
    random: &mut Random,
    of: &AttentionBackwardConfiguration,
    (sinks, most): (bool, u64),
) -> GradientsRun {
    let (heads, key_heads) = [(1, 1), (2, 1), (3, 3), (4, 2)][random.below(4) as usize];
    let mut rows = || 1 + random.below(most) as u32;
    let (queries, keys, lengths) = (rows(), rows(), vec![rows(), 0, rows()]);
    let packed = of.parts.sequences == KernelSequences::Packed;
    let all = lengths.iter().sum();
    let (batches, queries, keys) = match packed {
        true => (1, all, all),
        false => (1 + random.below(2) as u32, queries, keys),
    };
    let extents = (batches, heads, queries, of.dim);
    let problem = AttentionProblem::new(of.element, extents, mask_by_chance(random), 0.3);
    GradientsRun {
        problem: problem.with_keys(keys, key_heads),
        lengths: packed.then_some(lengths),
        kernels: BackwardKernels::Deterministic,
        score: ScoreRun {
            soft_cap: of.parts.soft_cap.then_some(3.0),
            alibi: of.parts.alibi,
            sinks,
        },
        loads: Some(of.loads),
        seed: random.below(1 << 40),
    }
}

/// Runs by the kernels of a configuration. Returns an error if the result is not float64's, or if
/// other kernels ran.
fn right(
    modules: &Modules,
    run: &GradientsRun,
    of: &AttentionBackwardConfiguration,
) -> Result<(), String> {
    let options = RunOptions {
        timing: Some(Timing { warmup: 0, runs: 1 }),
        ..RunOptions::default()
    };
    let outcome = gradients(modules, run, &options).map_err(|error| error.to_string())?;
    let mut kernels = vec![of.rows, of.keys.kernel, of.queries.kernel];
    kernels.extend(run.score.sinks.then_some(SINK_GRADIENT.kernel));
    if !outcome.right() || outcome.kernels != kernels {
        return Err(format!("{run:?}: {outcome:?}"));
    }
    Ok(())
}

#[test]
fn every_kernel_is_right_under_every_schedule() {
    let mut random = Random::new(91);
    for schedule in [Schedule::Early, Schedule::Late, Schedule::Seeded(7)] {
        let modules = emulated(schedule);
        for of in tested() {
            for sinks in [false, true] {
                let run = run_by_chance(&mut random, of, (sinks, 200));
                assert_eq!(right(&modules, &run, of), Ok(()), "{schedule:?}");
            }
        }
    }
}

/// Checks that sinks without other parts need no other kernels of tiles: the log-sum-exp includes
/// them.
#[test]
fn kernels_without_score_parts_are_right_with_sinks() {
    let mut random = Random::new(92);
    let modules = emulated(Schedule::Late);
    let plain = all_kernels().filter(|of| of.dim <= 128 && !of.parts.soft_cap && !of.parts.alibi);
    for of in pushed(plain, |of| of.keys.kernel) {
        let run = run_by_chance(&mut random, of, (true, 150));
        assert_eq!(right(&modules, &run, of), Ok(()));
    }
    // The fused kernels get more rows than one stride of the sinks' kernel.
    let extents = (2, 2, 700, 64);
    let fused = GradientsRun {
        problem: AttentionProblem::new(AttentionType::Bf16, extents, AttentionMask::Causal, 0.3),
        lengths: None,
        kernels: BackwardKernels::Fused,
        score: ScoreRun {
            sinks: true,
            ..ScoreRun::default()
        },
        loads: None,
        seed: 5,
    };
    let outcome = gradients(&modules, &fused, &RunOptions::default()).unwrap();
    assert!(outcome.right(), "{outcome:?}");
    assert!(outcome.kernels[1].contains("fused") && outcome.kernels[3] == SINK_GRADIENT.kernel);
}

#[test]
fn a_gpu_is_right_too() {
    for device in common::devices() {
        if device.kind() != Kind::Gpu {
            continue;
        }
        let modules = Modules::load(&device).unwrap();
        let mut random = Random::new(93);
        for of in tested() {
            if of.loads == AttentionLoads::Tma && device.compute_capability() != (9, 0) {
                continue;
            }
            for (sinks, most) in [(false, 300), (true, 300), (true, 2000)] {
                let run = run_by_chance(&mut random, of, (sinks, most));
                assert_eq!(right(&modules, &run, of), Ok(()));
            }
        }
    }
}

/// Checks that every type and head dimension with gradients has gradients for every composition of
/// score parts, for both kinds of sequences.
#[test]
fn every_composition_has_kernels() {
    for loads in [AttentionLoads::Tma, AttentionLoads::CpAsync] {
        let all = || gradient_configurations_by(loads);
        let dims: Vec<u32> = match loads {
            AttentionLoads::Tma | AttentionLoads::TmaUmma => vec![64, 96, 128, 192, 256],
            AttentionLoads::CpAsync => MMA_DIMENSIONS.to_vec(),
        };
        for element in [AttentionType::F16, AttentionType::Bf16] {
            for &dim in &dims {
                for bits in 0..8 {
                    let wanted = AttentionParts {
                        soft_cap: bits & 1 != 0,
                        alibi: bits & 2 != 0,
                        sinks: bits & 4 != 0,
                        ..AttentionParts::NONE
                    };
                    for wanted in [wanted, wanted.packed()] {
                        let of_wanted = all()
                            .filter(|of| (of.element, of.dim) == (element, dim) && of.has(wanted));
                        assert_eq!(of_wanted.count(), 1, "{element:?} {dim} {wanted:?}");
                    }
                }
            }
        }
    }
}

/// Checks that the manifest lists the arguments of each kernel as in the PTX, and that
/// `cutlet check` finds nothing.
#[test]
fn their_arguments_are_described_and_checked() {
    let of_tiles =
        |of: &'static AttentionBackwardConfiguration| [of.keys.kernel, of.queries.kernel];
    let mut names: Vec<&str> = tested().into_iter().flat_map(of_tiles).collect();
    names.push(SINK_GRADIENT.kernel);
    names.sort_unstable();
    names.dedup();
    for name in names {
        let ptx = kernels::alone(name).unwrap().unwrap();
        let described = cutlet::manifest::manifest("kernel.ptx", &ptx).unwrap();
        let parameters: Vec<_> = (described.kernels[0].parameters.iter())
            .map(|parameter| parameter.name)
            .collect();
        if name.contains("alibi") {
            assert_eq!(parameters.last(), Some(&"slopes"), "{parameters:?}");
        }
        let checked = check::own(name, Effort::Few, &check::every_check()).unwrap();
        if let Some((launched, finding)) = checked.findings().next() {
            panic!("{name} at {}: {finding}", launched.problem);
        }
        assert!(checked.launches.len() > 1, "{name}");
    }
}

/// Returns the configuration with ALiBi by `mma.sync` that a push tests, for sequences of one
/// length.
fn alibi_by_mma() -> &'static AttentionBackwardConfiguration {
    let all = tested().into_iter();
    let mut alibi = all.filter(|of| of.has(AttentionParts::NONE.alibi()));
    alibi
        .find(|of| of.loads == AttentionLoads::CpAsync)
        .unwrap()
}

/// Checks a kernel whose bias keeps the sign of the distance, and a sinks' kernel that adds instead
/// of subtracting. Each changes exactly the results that it computes.
#[test]
fn kernels_with_mistakes_are_found() {
    let of = alibi_by_mma();
    let extents = (1, 2, 65, of.dim);
    let problem = AttentionProblem::new(of.element, extents, AttentionMask::Full, 0.3);
    let run = GradientsRun {
        problem: problem.with_keys(70, 1),
        lengths: None,
        kernels: BackwardKernels::Deterministic,
        score: ScoreRun {
            alibi: true,
            sinks: true,
            ..ScoreRun::default()
        },
        loads: Some(of.loads),
        seed: 9,
    };
    assert_eq!(right(&emulated(Schedule::Late), &run, of), Ok(()));
    let names = [
        of.keys.kernel,
        of.queries.kernel,
        SINK_GRADIENT.kernel,
        of.rows,
    ];
    let texts = names.map(alone);
    // Makes a module of all four kernels. The head of the first text declares what they share.
    let (head, _) = texts[0].split_once(ENTRY).unwrap();
    for (kernel, [from, to], wrong) in [
        (
            of.keys.kernel,
            ["abs.f32", "mov.b32"],
            [false, true, true, false],
        ),
        (
            of.queries.kernel,
            ["abs.f32", "mov.b32"],
            [true, false, false, false],
        ),
        (
            SINK_GRADIENT.kernel,
            ["neg.f32", "mov.b32"],
            [false, false, false, true],
        ),
    ] {
        let module = names.iter().zip(&texts).map(|(name, text)| {
            let text = entry(text, name);
            assert!(*name != kernel || text.contains(from), "{kernel}");
            let text = match *name == kernel {
                true => text.replace(from, to),
                false => text.to_owned(),
            };
            [ENTRY, &text, END].concat()
        });
        let module: Vec<String> = module.collect();
        let module = format!("{head}{}", module.join("\n"));
        let mistaken = emulator(Schedule::Late).load(&module).unwrap();
        let outcome = gradients(&Modules::from(mistaken), &run, &RunOptions::default()).unwrap();
        let found: Vec<bool> = (outcome.agreements.iter())
            .map(|agreement| !agreement.holds())
            .collect();
        assert_eq!(found, wrong, "{kernel}: {outcome:?}");
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

/// Returns whether each of the gradients dQ, dK, dV and d sinks, for the slopes and sinks `given`
/// of two heads, is float64's result for `expected`.
fn agree(given: [[f32; 2]; 2], expected: [[f32; 2]; 2]) -> Vec<bool> {
    let modules = emulated(Schedule::Late);
    let device = modules.device();
    let of = |seed, rows: usize| fill::<bf16>(seed, rows * 64);
    let tensors = [of(1, 2 * 33), of(2, 50), of(3, 50), of(4, 2 * 33)];
    let [q, k, v, d_o] = tensors.each_ref().map(Vec::as_slice);
    let extents = (1, 2, 33, 64);
    let problem = AttentionProblem::new(AttentionType::Bf16, extents, AttentionMask::Causal, 0.3);
    let problem = problem.with_keys(50, 1);
    let lens = [q.len(), k.len(), v.len(), 2];
    let (mut gradients, mut allowed) = (lens.map(|len| vec![0.0; len]), lens.map(Allowance::none));
    let (mut o, mut lse) = (Vec::new(), Vec::new());
    for row in 0..2 * 33 {
        let (head, at) = (row / 33, row * 64..(row + 1) * 64);
        let [slope, sink] = expected.map(|of| Some(of[head]));
        let soft_cap = None;
        let score = HeadScore {
            soft_cap,
            slope,
            sink,
        };
        let (q, d_o) = (&q[at.clone()], &d_o[at.clone()]);
        let (of_row, of_lse) = attention_row_scored(&problem, row % 33, (q, k, v), &score);
        o.extend(of_row.into_iter().map(bf16::from_f64));
        lse.push(of_lse as f32);
        let [dq, dk, dv, d_sinks] = &mut gradients;
        let results = (&mut dq[at.clone()], &mut dk[..], &mut dv[..]);
        let (rows, keys) = ((q, d_o), (k, v));
        d_sinks[head] +=
            add_attention_gradients_scored(&problem, row % 33, rows, keys, results, &score);
        let [dq, dk, dv, d_sinks] = &mut allowed;
        let of_all = [(dq, at.start), (dk, 0), (dv, 0), (d_sinks, head)];
        add_gradient_allowances(&problem, row % 33, rows, keys, score, of_all);
    }
    let [q, k, v, d_o] = [q, k, v, d_o].map(|of| device.upload(of).unwrap());
    let (o, lse) = (device.upload(&o).unwrap(), device.upload(&lse).unwrap());
    let [slopes, sinks] = given.map(|of| device.upload(&of).unwrap());
    let mut results = [HEADS, KEYS, KEYS].map(|of| {
        let elements = (of.heads * of.rows * of.columns) as usize;
        device.alloc::<bf16>(elements).unwrap()
    });
    let mut d_sinks = device.alloc::<f32>(2).unwrap();
    let [dq, dk, dv] = &mut results;
    let operands = AttentionBackwardOperands {
        q: HeadTensor::new(&q, HEADS),
        k: HeadTensor::new(&k, KEYS),
        v: HeadTensor::new(&v, KEYS),
        o: HeadTensor::new(&o, HEADS),
        lse: lse.all(),
        d_o: HeadTensor::new(&d_o, HEADS),
        dq: HeadTensorMut::new(dq, HEADS),
        dk: HeadTensorMut::new(dk, KEYS),
        dv: HeadTensorMut::new(dv, KEYS),
    };
    let options = AttentionBackwardOptions {
        mask: problem.mask,
        scale: Some(problem.scale),
        slopes: Some(slopes.all()),
        sinks: Some(SinkGradientOperands {
            sinks: sinks.all(),
            d_sinks: d_sinks.all_mut(),
        }),
        loads: Some(AttentionLoads::CpAsync),
        ..AttentionBackwardOptions::default()
    };
    let prepared = prepare_backward(&modules, operands, options).unwrap();
    assert_eq!(prepared.run(None).unwrap().len(), 4);
    drop(prepared);
    let mut holds: Vec<bool> = (results.iter().zip(&gradients).zip(&allowed))
        .map(|((found, expected), allowed)| {
            let found = found.to_vec().unwrap();
            Agreement::of(&found, expected, allowed).unwrap().holds()
        })
        .collect();
    let found = d_sinks.to_vec().unwrap();
    let of_sinks = Agreement::of(&found, &gradients[3], &allowed[3]).unwrap();
    holds.push(of_sinks.holds());
    holds
}

/// Checks that a slope of another head, or a slightly wrong slope, is found in dQ, dK and dV. A
/// wrong sink is found only in its own gradient, since the log-sum-exp is given.
#[test]
fn other_numbers_are_found() {
    let of = [[0.5, 0.01], [1.5, -2.0]];
    let all = [true; 4];
    assert_eq!(agree(of, of), all);
    for slopes in [[0.01, 0.5], [0.52, 0.01]] {
        assert_eq!(agree([slopes, of[1]], of), [false, false, false, true]);
    }
    for sinks in [[-2.0, 1.5], [1.6, -2.0]] {
        assert_eq!(agree([of[0], sinks], of), [true, true, true, false]);
    }
}

/// Checks that options that do not fit together are refused, with a message.
#[test]
fn what_does_not_go_together_is_refused() {
    let device = Device::emulator();
    let said = |columns, kernels, slopes: usize, sinks: usize| {
        let heads = Heads {
            batches: 1,
            heads: 2,
            rows: 2,
            columns,
        };
        let elements = 4 * columns as usize;
        let zeros = device.upload(&vec![bf16::ZERO; elements]).unwrap();
        let lse = device.upload(&[0.0_f32; 4]).unwrap();
        let of_heads = device.upload(&vec![0.5_f32; slopes]).unwrap();
        let of_sinks = device.upload(&vec![0.5_f32; sinks]).unwrap();
        let mut d_sinks = device.alloc::<f32>(sinks).unwrap();
        let mut results = [(); 3].map(|()| device.alloc::<bf16>(elements).unwrap());
        let [dq, dk, dv] = &mut results;
        let tensor = || HeadTensor::new(&zeros, heads);
        let operands = AttentionBackwardOperands {
            q: tensor(),
            k: tensor(),
            v: tensor(),
            o: tensor(),
            lse: lse.all(),
            d_o: tensor(),
            dq: HeadTensorMut::new(dq, heads),
            dk: HeadTensorMut::new(dk, heads),
            dv: HeadTensorMut::new(dv, heads),
        };
        let options = AttentionBackwardOptions {
            kernels,
            slopes: (slopes > 0).then(|| of_heads.all()),
            sinks: (sinks > 0).then(|| SinkGradientOperands {
                sinks: of_sinks.all(),
                d_sinks: d_sinks.all_mut(),
            }),
            loads: Some(AttentionLoads::CpAsync),
            ..AttentionBackwardOptions::default()
        };
        let ran = attention_backward(&device, operands, options);
        ran.err().map(|error| error.to_string()).unwrap_or_default()
    };
    let fastest = BackwardKernels::Fastest;
    assert_eq!(said(64, fastest, 2, 2), "");
    assert_eq!(
        said(64, BackwardKernels::Fused, 2, 0),
        "there are no fused gradients of ALiBi: the deterministic kernels compute them"
    );
    assert!(
        said(72, fastest, 2, 0)
            .contains("no attention of bf16 with ALiBi and a head dimension of 72")
    );
    assert_eq!(
        said(64, fastest, 3, 0),
        "the slopes are 3; there is one for each of 2 heads"
    );
    assert_eq!(
        said(64, fastest, 0, 1),
        "the sinks are 1; there is one for each of 2 heads"
    );
}

#[test]
fn the_command_says_what_it_found() {
    let base =
        "attention --backward --device emulator --causal --dim 64 --dtype bf16 --loads cp-async";
    for (more, sinks) in [
        ("--queries 40 --keys 70 --alibi", false),
        ("--lengths 40,0,70 --alibi --sinks", true),
    ] {
        let output = Command::new(common::cutlet())
            .args(format!("{base} {more} --json").split(' '))
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["verdict"], "right");
        assert_eq!(report["problem"]["sinks"], sinks);
        let of_sinks = report["d_sinks"]["relative_frobenius"].as_f64();
        assert_eq!(of_sinks.is_some_and(|error| error > 0.0), sinks, "{report}");
        assert!(
            report["kernels"][1]
                .as_str()
                .unwrap()
                .contains("alibi_backward_keys")
        );
    }
}

//! Compares the gradients of attention with a soft cap with float64, by every kernel of the table:
//! random sizes, masks and caps, under every schedule of the emulator and on a GPU if there is one.
//! Checks that a kernel that forgets the cap's derivative is found. `attention_packed_backward`
//! tests the gradients of packed sequences, by the same kernels.

mod common;
#[path = "common/gradients.rs"]
mod gradients_of;

use common::sample::{MMA_DIMENSIONS, pushed, sample};
use common::{devices, emulator};
use cutlet::attention::{
    AttentionBackwardOperands, AttentionBackwardOptions, AttentionMask, AttentionProblem,
    AttentionType, BACKWARD_CONFIGURATIONS, BackwardKernels, HeadTensor, HeadTensorMut, Heads,
    PACKED_BACKWARD_CONFIGURATIONS, PACKED_SOFT_CAP_BACKWARD_CONFIGURATIONS,
    SOFT_CAP_BACKWARD_CONFIGURATIONS, attention_backward,
};
use cutlet::kernels::{self, Modules};
use emulator::Schedule;
use gradients_of::{By, gradients_by, problem};
use half::bf16;
use host::reference::Random;
use host::{Device, Kind};
use serde_json::Value;
use std::process::{Command, Output};

const SCHEDULES: [Schedule; 3] = [Schedule::Early, Schedule::Late, Schedule::Seeded(7)];
const CAPS: [f32; 4] = [0.5, 3.0, 30.0, 1024.0];

/// Returns a pseudorandom problem, with a scale of the scores at which a cap matters.
fn by_chance(random: &mut Random, of: (AttentionType, u32), most: u64) -> AttentionProblem {
    let mut below = |n| random.below(n) as u32;
    let sizes = (1 + below(most), 1 + below(most));
    let heads = [(1, 1), (2, 1), (3, 3), (4, 2)][below(4) as usize];
    let mask = match below(3) {
        0 => AttentionMask::Full,
        1 => AttentionMask::Causal,
        _ => AttentionMask::Window {
            before: below(100),
            after: below(40),
        },
    };
    AttentionProblem {
        scale: 0.5,
        ..problem(of, 1 + below(2), sizes, heads, mask)
    }
}

/// Checks that every type and head dimension with gradients has kernels, in the same order.
#[test]
fn every_type_and_head_dimension_has_kernels() {
    for (plain, capped) in [
        (BACKWARD_CONFIGURATIONS, SOFT_CAP_BACKWARD_CONFIGURATIONS),
        (
            PACKED_BACKWARD_CONFIGURATIONS,
            PACKED_SOFT_CAP_BACKWARD_CONFIGURATIONS,
        ),
    ] {
        let plain = plain.iter().map(|of| (of.element, of.dim, of.rows));
        assert!(plain.eq(capped.iter().map(|of| (of.element, of.dim, of.rows))));
    }
}

/// Checks each type and head dimension with each mask: several blocks and tiles, heads that share
/// keys.
#[test]
fn every_kernel_is_right_with_every_mask() {
    let modules = Modules::load(&emulator(Schedule::Seeded(3))).unwrap();
    let mut caps = CAPS.into_iter().cycle();
    for of in pushed(SOFT_CAP_BACKWARD_CONFIGURATIONS, |of| of.keys.kernel) {
        for mask in [AttentionMask::Full, AttentionMask::Causal] {
            let problem = AttentionProblem {
                scale: 0.5,
                ..problem((of.element, of.dim), 1, (131, 139), (2, 1), mask)
            };
            let cap = caps.next().unwrap();
            gradients_by(&modules, &problem, By::soft_cap(cap)).unwrap();
        }
    }
}

#[test]
fn every_kernel_is_right_under_every_schedule() {
    let mut random = Random::new(53);
    let mut caps = CAPS.into_iter().cycle();
    for schedule in SCHEDULES {
        let modules = Modules::load(&emulator(schedule)).unwrap();
        for of in pushed(SOFT_CAP_BACKWARD_CONFIGURATIONS, |of| of.keys.kernel) {
            let problem = by_chance(&mut random, (of.element, of.dim), 150);
            let by = By::soft_cap(caps.next().unwrap());
            gradients_by(&modules, &problem, by).unwrap();
        }
        caps.next();
    }
}

/// Checks one query and one key, rows that see no key, and scores far above the cap.
#[test]
fn the_smallest_and_saturated_scores_are_right() {
    let modules = Modules::load(&emulator(Schedule::Late)).unwrap();
    // There are two bodies of kernels: at d 192 each consumer group has a gradient of its own.
    for dim in sample("bodies", 2, 0, [64, 192]) {
        let of = |sizes, mask, scale| AttentionProblem {
            scale,
            ..problem((AttentionType::Bf16, dim), 1, sizes, (1, 1), mask)
        };
        for problem in [
            of((1, 1), AttentionMask::Full, 0.5),
            of((70, 9), AttentionMask::Causal, 0.5),
            of((33, 65), AttentionMask::Full, 2.0),
        ] {
            gradients_by(&modules, &problem, By::soft_cap(2.0)).unwrap();
        }
    }
}

#[test]
fn the_same_bits_come_again() {
    let of = problem(
        (AttentionType::Bf16, 128),
        1,
        (70, 130),
        (2, 1),
        AttentionMask::Causal,
    );
    let [first, second] = [Schedule::Early, Schedule::Seeded(9)].map(|schedule| {
        let modules = Modules::load(&emulator(schedule)).unwrap();
        gradients_by(&modules, &of, By::soft_cap(2.0)).unwrap()
    });
    assert!(first == second);
}

#[test]
fn a_gpu_is_right_too() {
    for device in devices() {
        if device.kind() != Kind::Gpu || device.compute_capability() != (9, 0) {
            continue;
        }
        let modules = Modules::load(&device).unwrap();
        let mut random = Random::new(54);
        for of in SOFT_CAP_BACKWARD_CONFIGURATIONS {
            for (cap, most) in CAPS.into_iter().zip([300, 300, 300, 1000]) {
                let problem = by_chance(&mut random, (of.element, of.dim), most);
                let first = gradients_by(&modules, &problem, By::soft_cap(cap)).unwrap();
                let again = gradients_by(&modules, &problem, By::soft_cap(cap)).unwrap();
                assert!(first == again, "other bits");
            }
        }
    }
}

/// Checks that a kernel without the factor 1 - tanh² differs from a right kernel, and that a
/// reference without this factor is found.
#[test]
fn a_forgotten_derivative_is_found() {
    for of in pushed(SOFT_CAP_BACKWARD_CONFIGURATIONS, |of| of.keys.kernel) {
        if of.element == AttentionType::F16 || [96, 256].contains(&of.dim) {
            continue;
        }
        let problem = AttentionProblem {
            scale: 0.5,
            ..problem(
                (of.element, of.dim),
                1,
                (65, 70),
                (1, 1),
                AttentionMask::Full,
            )
        };
        let by = By::soft_cap(2.0);
        for (kernel, says) in [(of.keys.kernel, "dK"), (of.queries.kernel, "dQ")] {
            let text = kernels::alone(kernel).unwrap().unwrap();
            let mut lines = 0;
            // The right kernel computes d = -tanh tanh + 1.
            let forgets: String = (text.lines())
                .map(|line| match line.trim_start().strip_prefix("fma.rn.f32") {
                    Some(operands) if line.ends_with(", 0f3F800000;") => {
                        lines += 1;
                        let to = operands.split(',').next().unwrap_or_default();
                        format!("\tmov.b32 {to}, 0f3F800000;\n")
                    }
                    _ => format!("{line}\n"),
                })
                .collect();
            assert!(lines > 0, "{kernel} has no derivative");
            let modules = emulator(Schedule::Late).load(&forgets).unwrap();
            let modules = Modules::from(modules);
            let said = gradients_by(&modules, &problem, by).unwrap_err();
            assert!(said.contains(&format!(" {says}: ")), "{said}");
        }
        let modules = Modules::load(&emulator(Schedule::Late)).unwrap();
        assert!(gradients_by(&modules, &problem, by).is_ok());
        let without = By {
            derivative: false,
            ..by
        };
        assert!(gradients_by(&modules, &problem, without).is_err());
    }
}

/// Computes gradients in one call, for two queries and two keys. All elements of Q and K are 1
/// except the first key; V and dO are 0 and 1. Returns the first number of dQ.
fn in_one_call(options: AttentionBackwardOptions, columns: u32) -> Result<f32, String> {
    let device = Device::emulator();
    let heads = Heads {
        batches: 1,
        heads: 1,
        rows: 2,
        columns,
    };
    let rows = |values: [f32; 2]| {
        let row = |value| vec![bf16::from_f32(value); columns as usize];
        device.upload(&values.map(row).concat()).unwrap()
    };
    let (q, k, v) = (rows([1.0; 2]), rows([0.0, 1.0]), rows([0.0, 1.0]));
    // With a soft cap of 1 the scores are 0 and tanh(11.3).
    let p = 1.0 / (1.0 + (-1.0_f32).exp());
    let o = rows([p; 2]);
    let d_o = rows([1.0 / 64.0; 2]);
    let lse = device.upload(&[(1.0 + 1.0_f32.exp()).ln(); 2]).unwrap();
    let mut results = [(); 3].map(|()| rows([5.0; 2]));
    let [dq, dk, dv] = &mut results;
    let operands = AttentionBackwardOperands {
        q: HeadTensor::new(&q, heads),
        k: HeadTensor::new(&k, heads),
        v: HeadTensor::new(&v, heads),
        o: HeadTensor::new(&o, heads),
        lse: lse.all(),
        d_o: HeadTensor::new(&d_o, heads),
        dq: HeadTensorMut::new(dq, heads),
        dk: HeadTensorMut::new(dk, heads),
        dv: HeadTensorMut::new(dv, heads),
    };
    attention_backward(&device, operands, options).map_err(|error| error.to_string())?;
    Ok(results[0].to_vec().unwrap()[0].to_f32())
}

/// Checks that the cap of the options is applied to the scores: a cap that saturates them makes dQ
/// 0, a cap of 10 does not.
#[test]
fn the_cap_of_the_call_is_that_of_the_scores() {
    let of = |cap, kernels| {
        let options = AttentionBackwardOptions {
            soft_cap: Some(cap),
            kernels,
            ..AttentionBackwardOptions::default()
        };
        in_one_call(options, 128)
    };
    let fastest = |cap| of(cap, BackwardKernels::Fastest);
    assert!(fastest(1.0).unwrap().abs() < 1e-4);
    assert!(fastest(10.0).unwrap().abs() > 1e-3);
    for (cap, says) in [
        (0.0, "the soft cap is 0; it must be above 0 and finite"),
        (2000.0, "the soft cap is 2000; a launch covers at most 1024"),
    ] {
        assert_eq!(fastest(cap).unwrap_err(), says);
    }
    assert_eq!(
        of(1.0, BackwardKernels::Fused).unwrap_err(),
        "there are no fused gradients of a soft cap: the deterministic kernels compute them"
    );
    let dims = MMA_DIMENSIONS.map(|dim| dim.to_string()).join(", ");
    let options = AttentionBackwardOptions {
        soft_cap: Some(1.0),
        ..AttentionBackwardOptions::default()
    };
    assert_eq!(
        in_one_call(options, 72).unwrap_err(),
        format!(
            "there is no soft cap of bf16 with a head dimension of 72; there is of f16 and bf16 with a head dimension of {dims}"
        )
    );
}

/// Runs `cutlet attention --backward` with these arguments.
fn command(arguments: &str) -> Output {
    let arguments = format!("attention --backward --device emulator {arguments}");
    let mut cutlet = Command::new(common::cutlet());
    cutlet.args(arguments.split(' ')).output().unwrap()
}

#[test]
fn the_command_says_what_it_found() {
    for (arguments, rows, cap) in [
        ("--queries 40 --keys 70 --batches 2 --causal", 40, None),
        ("--lengths 40,0,70 --soft-cap 2", 110, Some(2.0)),
        ("--queries 70 --key-heads 1 --soft-cap 30", 70, Some(30.0)),
    ] {
        let output = command(&format!(
            "{arguments} --dim 64 --dtype bf16 --scale 0.5 --json"
        ));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(output.status.success(), "{report}");
        assert_eq!(report["verdict"], "right");
        assert_eq!(report["problem"]["queries"], rows);
        assert_eq!(report["problem"]["soft_cap"].as_f64(), cap);
        for of in ["dq", "dk", "dv"] {
            let error = report[of]["relative_frobenius"].as_f64().unwrap();
            assert!(error > 0.0, "{of} is not compared");
        }
        let kernel = report["kernels"][1].as_str().unwrap();
        assert_eq!(kernel.contains("soft_cap"), cap.is_some());
    }
    let output = command("--lengths 9,3 --dim 64 --dtype bf16 --soft-cap 2");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(
        said.contains("dQ, dK, dV of O = softmax(2 tanh(0.125 Q·Kᵀ / 2))·V"),
        "{said}"
    );
    let output = command("--dtype e4m3");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("e4m3 has no gradients"), "{said}");
}

//! Compares the gradients of attention with float64, under every schedule of the emulator's
//! asynchronous operations and on a GPU if there is one, checks that every run gives the same bits,
//! and that planted mistakes are found.
mod common;
#[path = "common/gradients.rs"]
mod gradients_of;

use common::ptx_text::{alone, entry, with_one_entry};
use common::sample::pushed;
use common::{devices, emulator};
use cutlet::attention::{
    AttentionBackwardOperands, AttentionBackwardOptions, AttentionMask, AttentionProblem,
    AttentionType, BACKWARD_CONFIGURATIONS, BackwardKernels, FUSED_BACKWARD_CONFIGURATIONS,
    HeadTensor, HeadTensorMut, Heads, attention_backward,
};
use cutlet::kernels::Modules;
use emulator::Schedule;
use gradients_of::{By, by_chance, problem};
use half::f16;
use host::reference::Random;
use host::{Buffer, Kind};

const SCHEDULES: [Schedule; 3] = [Schedule::Early, Schedule::Late, Schedule::Seeded(7)];

/// Runs the deterministic kernels of a problem and compares the gradients with the reference.
/// Returns the gradients if all are right.
fn gradients(modules: &Modules, problem: &AttentionProblem) -> Result<[Vec<u16>; 3], String> {
    gradients_by(modules, problem, BackwardKernels::Deterministic)
}

/// Runs the given kernels of a problem and compares the gradients with the reference. Returns the
/// gradients if all are right.
fn gradients_by(
    modules: &Modules,
    problem: &AttentionProblem,
    kernels: BackwardKernels,
) -> Result<[Vec<u16>; 3], String> {
    gradients_of::gradients_by(modules, problem, By::kernels(kernels))
}

fn right(modules: &Modules, problem: &AttentionProblem) {
    right_by(modules, problem, BackwardKernels::Deterministic);
}

fn right_by(modules: &Modules, problem: &AttentionProblem, kernels: BackwardKernels) {
    if let Err(message) = gradients_by(modules, problem, kernels) {
        panic!("{kernels:?}: {message}");
    }
}

const WINDOW: AttentionMask = AttentionMask::Window {
    before: 60,
    after: 20,
};

/// Checks each type and head dimension with each mask, several blocks, more tiles than CTAs, and
/// heads that share keys in pairs.
#[test]
fn every_kernel_is_right_with_every_mask() {
    let modules = Modules::load(&emulator(Schedule::Seeded(3))).unwrap();
    for of in pushed(BACKWARD_CONFIGURATIONS, |of| of.keys.kernel) {
        for mask in [AttentionMask::Full, AttentionMask::Causal, WINDOW] {
            let of = (of.element, of.dim);
            right(&modules, &problem(of, 1, (140, 200), (2, 1), mask));
        }
    }
}

#[test]
fn every_kernel_is_right_under_every_schedule() {
    let mut random = Random::new(23);
    for schedule in SCHEDULES {
        let modules = Modules::load(&emulator(schedule)).unwrap();
        for of in pushed(BACKWARD_CONFIGURATIONS, |of| of.keys.kernel) {
            right(&modules, &by_chance(&mut random, (of.element, of.dim), 150));
        }
    }
}

#[test]
fn the_smallest_and_ragged_edges_are_right() {
    let modules = Modules::load(&emulator(Schedule::Late)).unwrap();
    let of = |sizes, mask| problem((AttentionType::Bf16, 64), 1, sizes, (1, 1), mask);
    for problem in [
        of((1, 1), AttentionMask::Full),
        of((1, 129), AttentionMask::Causal),
        // Some rows see no key, and so does a whole tile.
        of((140, 9), AttentionMask::Causal),
        of((129, 128), AttentionMask::Full),
        of(
            (65, 260),
            AttentionMask::Window {
                before: 3,
                after: 2,
            },
        ),
    ] {
        right(&modules, &problem);
    }
}

/// Checks each type with each mask: several blocks and tiles, heads that share keys in pairs, rows
/// that see no key, less than a block.
#[test]
fn fused_kernels_are_right_with_every_mask() {
    let modules = Modules::load(&emulator(Schedule::Seeded(5))).unwrap();
    for of in pushed(FUSED_BACKWARD_CONFIGURATIONS, |of| of.gradients.kernel) {
        for mask in [AttentionMask::Full, AttentionMask::Causal, WINDOW] {
            let of = (of.element, of.dim);
            for problem in [
                problem(of, 1, (140, 200), (2, 1), mask),
                problem(of, 2, (70, 9), (1, 1), mask),
            ] {
                right_by(&modules, &problem, BackwardKernels::Fused);
            }
        }
    }
}

/// Checks a tile that extends beyond the last key. The scores there are 0. If all of a query's own
/// scores are far below 0, the dS of these places would be infinite in f16, and dQ would be NaN.
#[test]
fn keys_behind_the_last_add_nothing_to_dq() {
    let modules = Modules::load(&emulator(Schedule::Early)).unwrap();
    for of in pushed(FUSED_BACKWARD_CONFIGURATIONS, |of| of.gradients.kernel) {
        if of.element == AttentionType::F16 {
            let of = (of.element, of.dim);
            let of = AttentionProblem {
                scale: 2.0,
                ..problem(of, 1, (400, 2), (2, 1), AttentionMask::Full)
            };
            right_by(&modules, &of, BackwardKernels::Fused);
        }
    }
}

#[test]
fn fused_kernels_are_right_under_every_schedule() {
    let mut random = Random::new(25);
    for schedule in SCHEDULES {
        let modules = Modules::load(&emulator(schedule)).unwrap();
        for of in pushed(FUSED_BACKWARD_CONFIGURATIONS, |of| of.gradients.kernel) {
            let problem = by_chance(&mut random, (of.element, of.dim), 200);
            right_by(&modules, &problem, BackwardKernels::Fused);
        }
    }
}

#[test]
fn the_same_bits_come_again() {
    let of = problem(
        (AttentionType::Bf16, 64),
        1,
        (70, 130),
        (2, 1),
        AttentionMask::Causal,
    );
    let [first, second] = [Schedule::Early, Schedule::Seeded(9)]
        .map(|schedule| gradients(&Modules::load(&emulator(schedule)).unwrap(), &of).unwrap());
    assert!(first == second);
}

#[test]
fn what_has_no_kernel_or_does_not_fit_is_said() {
    let device = emulator(Schedule::Early);
    let said_by = |kernels, columns: u32, rows_of_dv: u32| {
        let heads = Heads {
            batches: 1,
            heads: 1,
            rows: 2,
            columns,
        };
        let room = device.alloc::<f16>(2048).unwrap();
        let lse = device.alloc::<f32>(2).unwrap();
        let mut results: [Buffer<f16>; 3] = [(); 3].map(|()| device.alloc(2048).unwrap());
        let [dq, dk, dv] = &mut results;
        let of_dv = Heads {
            rows: rows_of_dv,
            ..heads
        };
        let operands = AttentionBackwardOperands {
            q: HeadTensor::new(&room, heads),
            k: HeadTensor::new(&room, heads),
            v: HeadTensor::new(&room, heads),
            o: HeadTensor::new(&room, heads),
            lse: lse.all(),
            d_o: HeadTensor::new(&room, heads),
            dq: HeadTensorMut::new(dq, heads),
            dk: HeadTensorMut::new(dk, heads),
            dv: HeadTensorMut::new(dv, of_dv),
        };
        let options = AttentionBackwardOptions {
            kernels,
            ..AttentionBackwardOptions::default()
        };
        let ran = attention_backward(&device, operands, options);
        ran.err().unwrap().to_string()
    };
    let said = |columns, rows| said_by(BackwardKernels::Fastest, columns, rows);
    assert!(said(168, 2).contains("168"), "{}", said(168, 2));
    assert_eq!(said(64, 3), "dV has 3 rows, K has 2: they must be equal");
    let fused = said_by(BackwardKernels::Fused, 96, 2);
    assert!(fused.contains("96") && fused.contains("64, 128"), "{fused}");
}

#[test]
fn a_gpu_is_right_too() {
    for device in devices() {
        if device.kind() != Kind::Gpu || device.compute_capability() != (9, 0) {
            continue;
        }
        let modules = Modules::load(&device).unwrap();
        let mut random = Random::new(24);
        for of in BACKWARD_CONFIGURATIONS {
            for most in [300, 300, 300, 300, 1000] {
                let problem = by_chance(&mut random, (of.element, of.dim), most);
                let first = gradients(&modules, &problem).unwrap();
                assert!(
                    first == gradients(&modules, &problem).unwrap(),
                    "other bits"
                );
            }
        }
    }
}

#[test]
fn fused_kernels_are_right_on_a_gpu_too() {
    for device in devices() {
        if device.kind() != Kind::Gpu || device.compute_capability() != (9, 0) {
            continue;
        }
        let modules = Modules::load(&device).unwrap();
        let mut random = Random::new(26);
        for of in FUSED_BACKWARD_CONFIGURATIONS {
            for most in [300, 300, 300, 300, 1000, 1000] {
                let problem = by_chance(&mut random, (of.element, of.dim), most);
                let by = || gradients_by(&modules, &problem, BackwardKernels::Fused).unwrap();
                let ([_, dk, dv], [_, dk_again, dv_again]) = (by(), by());
                assert!(dk == dk_again && dv == dv_again, "other bits");
            }
        }
    }
}

/// Checks which mistakes on dQ's way through shared memory the emulator finds, in the fused
/// kernels.
#[test]
fn mistakes_of_fused_kernels_are_found() {
    for of in pushed(FUSED_BACKWARD_CONFIGURATIONS, |of| of.gradients.kernel) {
        if of.element == AttentionType::F16 {
            continue;
        }
        let kernel = of.gradients.kernel;
        let ptx = &alone(kernel);
        let text = entry(ptx, kernel);
        for (from, to) in [
            // dS and dQ are read before the writes are visible.
            ("fence.proxy.async.shared::cta;", ""),
            // One group does not wait for the other's dS.
            ("bar.sync \t1, 256;", ""),
            // A block of dQ is staged over a block that is still being read.
            ("cp.async.bulk.wait_group.read 0;", ""),
        ] {
            assert!(text.contains(from), "{kernel} has no `{from}`");
            let changed = with_one_entry(ptx, kernel, &text.replace(from, to));
            let mut found = false;
            for schedule in SCHEDULES {
                let modules = Modules::from(emulator(schedule).load(&changed).unwrap());
                let of = problem(
                    (of.element, of.dim),
                    1,
                    (300, 128),
                    (1, 1),
                    AttentionMask::Full,
                );
                found |= gradients_by(&modules, &of, BackwardKernels::Fused).is_err();
            }
            assert!(found, "without `{from}` all is right");
        }
    }
}

#[test]
fn mistakes_are_found_under_every_schedule() {
    let of = BACKWARD_CONFIGURATIONS
        .iter()
        .find(|of| of.element == AttentionType::Bf16 && of.dim == 64)
        .unwrap();
    let kernel = of.keys.kernel;
    let ptx = &alone(kernel);
    let text = entry(ptx, kernel);
    for (from, to, says) in [
        // The scores are read while their product is in flight.
        (
            "wgmma.wait_group.sync.aligned \t1;",
            "wgmma.wait_group.sync.aligned \t2;",
            "wgmma",
        ),
        // The products begin before their registers are ready.
        ("wgmma.fence.sync.aligned;", "", "wgmma"),
        // No consumer frees the stage.
        (
            "; @p mbarrier.arrive.shared::cta",
            "; setp.ne.b32 p, 0, 0; @p mbarrier.arrive.shared::cta",
            "deadlock",
        ),
    ] {
        assert!(text.contains(from), "{kernel} has no `{from}`");
        let changed = with_one_entry(ptx, kernel, &text.replace(from, to));
        for schedule in SCHEDULES {
            // The other kernels are those of the module.
            let modules = Modules::from(emulator(schedule).load(&changed).unwrap());
            let of = (of.element, of.dim);
            let of = problem(of, 1, (300, 128), (1, 1), AttentionMask::Full);
            let ran = gradients(&modules, &of).map(|_| ());
            let message = ran.expect_err("the mistake passes in silence");
            assert!(message.contains(says), "{from} {schedule:?}: {message}");
        }
    }
}

//! Compares the gradients of attention by `mma.sync` with float64, on the emulator and on every GPU
//! from compute capability 8.0 on, checks that every run gives the same bits, and that planted
//! mistakes are found.
//!
//! ```text
//!   random sizes, 1 to 300, masks, grouped heads, both types             0 wrong
//!   a wait, a barrier taken away                                         found
//! ```

mod common;
#[path = "common/gradients.rs"]
mod gradients_of;

use common::ptx_text::{END, ENTRY, alone, entry, with_one_entry};
use common::sample::pushed;
use common::{cutlet, devices};
use cutlet::attention::{
    AttentionBackwardConfiguration, AttentionBackwardProblem, AttentionLoads, AttentionMask,
    AttentionParts, AttentionProblem, AttentionType, BackwardKernels, MMA_BACKWARD_CONFIGURATIONS,
    backward_plan,
};
use cutlet::kernels::Modules;
use gradients_of::{By, by_chance, gradients_by, problem};
use host::reference::Random;
use host::{Device, EmulatorConfig, Kind};
use std::process::Command;

const WINDOW: AttentionMask = AttentionMask::Window {
    before: 60,
    after: 20,
};

/// Returns the kernels that a push tests.
fn tested() -> Vec<&'static AttentionBackwardConfiguration> {
    pushed(MMA_BACKWARD_CONFIGURATIONS, |of| of.keys.kernel)
}

fn emulator() -> Device {
    Device::emulator()
}

/// Computes the gradients and compares them with the reference. Returns their bits if all are
/// right.
fn gradients(modules: &Modules, problem: &AttentionProblem) -> Result<[Vec<u16>; 3], String> {
    gradients_by(modules, problem, By::mma())
}

/// Checks each type and head dimension with each mask: several blocks and tiles, heads that share
/// keys in pairs.
#[test]
fn every_kernel_is_right_with_every_mask() {
    let modules = Modules::load(&emulator()).unwrap();
    for of in tested() {
        for mask in [AttentionMask::Full, AttentionMask::Causal, WINDOW] {
            let of = problem((of.element, of.dim), 1, (140, 200), (2, 1), mask);
            gradients(&modules, &of).unwrap();
        }
    }
}

#[test]
fn every_kernel_is_right_for_problems_by_chance() {
    let modules = Modules::load(&emulator()).unwrap();
    let mut random = Random::new(27);
    for of in tested() {
        for _ in 0..4 {
            let of = by_chance(&mut random, (of.element, of.dim), 300);
            gradients(&modules, &of).unwrap();
        }
    }
}

#[test]
fn the_smallest_and_ragged_edges_are_right() {
    let modules = Modules::load(&emulator()).unwrap();
    let narrow = AttentionMask::Window {
        before: 3,
        after: 2,
    };
    for of in tested() {
        for (sizes, mask) in [
            ((1, 1), AttentionMask::Full),
            ((1, 129), AttentionMask::Causal),
            // Some rows see no key, and so does a whole tile.
            ((140, 9), AttentionMask::Causal),
            ((129, 128), AttentionMask::Full),
            ((65, 260), narrow),
        ] {
            let of = problem((of.element, of.dim), 1, sizes, (1, 1), mask);
            gradients(&modules, &of).unwrap();
        }
    }
}

/// Checks that devices other than Hopper choose these kernels by themselves, and that 99 KiB of
/// shared memory suffice for each kernel.
#[test]
fn devices_without_tma_take_them() {
    for (compute_capability, max_shared_per_block) in [((8, 0), 163 * 1024), ((8, 9), 99 * 1024)] {
        let device = Device::emulator_with(EmulatorConfig {
            compute_capability,
            max_shared_per_block,
            ..EmulatorConfig::default()
        });
        let modules = Modules::load(&device).unwrap();
        for of in tested() {
            let of = problem(
                (of.element, of.dim),
                1,
                (70, 90),
                (2, 1),
                AttentionMask::Causal,
            );
            let plan = backward_plan(
                &device,
                &AttentionBackwardProblem::new(of),
                AttentionParts::NONE,
                None,
            )
            .unwrap();
            assert_eq!(plan.loads(), AttentionLoads::CpAsync);
            gradients_by(&modules, &of, By::kernels(BackwardKernels::Fastest)).unwrap();
        }
    }
}

#[test]
fn the_same_bits_come_again() {
    let of = tested()[0];
    let of = problem(
        (of.element, of.dim),
        1,
        (70, 130),
        (2, 1),
        AttentionMask::Causal,
    );
    let single = Device::emulator_with(EmulatorConfig {
        threads: Some(1),
        ..EmulatorConfig::default()
    });
    let [first, second] = [single, emulator()]
        .map(|device| gradients(&Modules::load(&device).unwrap(), &of).unwrap());
    assert!(first == second);
}

#[test]
fn what_has_no_kernel_is_said() {
    let modules = Modules::load(&emulator()).unwrap();
    let of = |dim| {
        problem(
            (AttentionType::Bf16, dim),
            1,
            (2, 2),
            (1, 1),
            AttentionMask::Full,
        )
    };
    let said = |dim, by| gradients_by(&modules, &of(dim), by).unwrap_err();
    assert!(said(168, By::mma()).contains("168"));
    let fused = By {
        kernels: BackwardKernels::Fused,
        ..By::mma()
    };
    assert!(said(64, fused).contains("the fused gradients by mma.sync"));
    let capped = By {
        soft_cap: Some(2.0),
        ..fused
    };
    assert!(said(64, capped).contains("no fused gradients of a soft cap"));
}

#[test]
fn a_gpu_is_right_too() {
    for device in devices() {
        if device.kind() != Kind::Gpu {
            continue;
        }
        let modules = Modules::load(&device).unwrap();
        let mut random = Random::new(28);
        for of in MMA_BACKWARD_CONFIGURATIONS {
            for most in [300, 300, 300, 300, 1000] {
                let of = by_chance(&mut random, (of.element, of.dim), most);
                let first = gradients(&modules, &of).unwrap();
                assert!(first == gradients(&modules, &of).unwrap(), "other bits");
            }
        }
    }
}

#[test]
fn mistakes_are_found() {
    let of = tested()[0];
    for kernel in [of.keys.kernel, of.queries.kernel] {
        let ptx = &alone(kernel);
        let text = entry(ptx, kernel);
        let problem = problem(
            (of.element, of.dim),
            1,
            (200, 300),
            (1, 1),
            AttentionMask::Causal,
        );
        for (from, to, says) in [
            // The resident and the streamed tensors are read while their copies are in flight.
            ("cp.async.wait_group", "// cp.async.wait_group", "cp.async"),
            // A stage is read before the other warps' copies are complete, and filled while those
            // warps read it.
            ("bar.sync", "// bar.sync", "race"),
        ] {
            assert!(text.contains(from), "{kernel} has no `{from}`");
            let mut changed = with_one_entry(ptx, kernel, &text.replace(from, to));
            for other in [of.rows, of.keys.kernel, of.queries.kernel] {
                if other != kernel {
                    let text = &alone(other);
                    changed += &format!("{ENTRY}{}{END}\n", entry(text, other));
                }
            }
            let modules = Modules::from(emulator().load(&changed).unwrap());
            let ran = gradients(&modules, &problem).map(|_| ());
            let message = ran.expect_err("the mistake passes in silence");
            assert!(message.contains(says), "{kernel}, {from}: {message}");
        }
    }
}

#[test]
fn the_command_compares_them() {
    let of = tested()[0];
    let command = "attention --backward --device emulator --queries 70 --keys 30 --key-heads 1 --causal --loads cp-async";
    let output = Command::new(cutlet())
        .args(command.split(' '))
        .args(["--dim", &of.dim.to_string(), "--dtype", of.element.name()])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(text.contains(of.keys.kernel), "{text}");
    assert!(text.contains("right"), "{text}");
}

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
#[path = "common/mma_gradients.rs"]
mod mma_gradients;

use common::devices;
use common::sample::pushed;
use cutlet::attention::{
    AttentionBackwardConfiguration, AttentionBackwardProblem, AttentionLoads, AttentionMask,
    AttentionParts, AttentionProblem, AttentionType, BackwardKernels, MMA_BACKWARD_CONFIGURATIONS,
    backward_plan,
};
use cutlet::kernels::Modules;
use gradients_of::{By, by_chance, gradients_by, problem};
use host::reference::Random;
use host::{Device, EmulatorConfig, Kind};
use mma_gradients::{assert_mistakes_are_found, assert_the_command_compares};

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
    let kind = (of.element, of.dim);
    let problem = problem(kind, 1, (200, 300), (1, 1), AttentionMask::Causal);
    assert_mistakes_are_found(of, |modules| gradients(modules, &problem).map(|_| ()));
}

/// Checks that `cutlet attention --backward --loads cp-async` uses these kernels.
#[test]
fn the_command_compares_them() {
    assert_the_command_compares(tested()[0], "--queries 70 --keys 30");
}

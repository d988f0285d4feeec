//! Compares attention by `mma.sync` with float64, on the emulator and on every GPU from compute
//! capability 8.0 on, and checks that planted mistakes are found.
//!
//! ```text
//!   random sizes, 1 to 300, masks, grouped heads, both types, the log-sum-exp         0 wrong
//!   a wait, a barrier taken away, another swizzle                                     found
//! ```

mod common;

use common::devices;
use common::ptx_text::{alone, entry, with_one_entry};
use common::sample::pushed;
use cutlet::attention::{
    AttentionConfiguration, AttentionLoads, AttentionMask, AttentionProblem, MMA_CONFIGURATIONS,
    configuration, default_scale,
};
use cutlet::kernels::Modules;
use cutlet::run::{AttentionRun, RunOptions, ScoreRun, attention};
use host::reference::Random;
use host::{Device, EmulatorConfig, Kind, Timing};

/// Returns an emulator with few multiprocessors, so that a CTA has several tiles.
fn emulator() -> Device {
    Device::emulator_with(EmulatorConfig {
        multiprocessors: 2,
        ..EmulatorConfig::default()
    })
}

fn right(
    modules: &Modules,
    configuration: &'static AttentionConfiguration,
    problem: AttentionProblem,
) -> Result<bool, String> {
    let run = AttentionRun {
        problem,
        score: ScoreRun::default(),
        configuration: Some(configuration),
        seed: u64::from(problem.queries) << 20 | u64::from(problem.keys),
        rows: 100,
    };
    let options = RunOptions {
        timing: Some(Timing { warmup: 0, runs: 1 }),
        ..RunOptions::default()
    };
    match attention(modules, &run, &options) {
        Ok(outcome) if outcome.right() => Ok(true),
        Ok(outcome) => Err(format!("{problem:?}: {outcome:?}")),
        Err(error) => Err(format!("{problem:?}: {error}")),
    }
}

fn problem(
    of: &AttentionConfiguration,
    batches: u32,
    (queries, keys): (u32, u32),
    (heads, key_heads): (u32, u32),
    mask: AttentionMask,
) -> AttentionProblem {
    let extents = (batches, heads, queries, of.dim);
    AttentionProblem::new(of.element, extents, mask, default_scale(of.dim))
        .with_keys(keys, key_heads)
        .with_lse()
}

/// Returns a pseudorandom problem of a kernel; every other problem has no log-sum-exp.
fn by_chance(random: &mut Random, of: &AttentionConfiguration, most: u64) -> AttentionProblem {
    let rows = |random: &mut Random| 1 + random.below(most) as u32;
    let sizes = (rows(random), rows(random));
    let heads = [(1, 1), (2, 1), (2, 2), (3, 1), (4, 2)][random.below(5) as usize];
    let mask = match random.below(4) {
        0 => AttentionMask::Full,
        1 => AttentionMask::Window {
            before: random.below(100) as u32,
            after: random.below(40) as u32,
        },
        _ => AttentionMask::Causal,
    };
    let batches = 1 + random.below(2) as u32;
    AttentionProblem {
        lse: random.below(2) == 0,
        ..problem(of, batches, sizes, heads, mask)
    }
}

/// Checks several key blocks, more tiles than CTAs, two batches, and heads that share keys in
/// pairs.
#[test]
fn every_kernel_is_right_with_every_mask() {
    let modules = Modules::load(&emulator()).unwrap();
    let window = AttentionMask::Window {
        before: 150,
        after: 20,
    };
    for of in pushed(MMA_CONFIGURATIONS, |of| of.kernel) {
        for mask in [AttentionMask::Full, AttentionMask::Causal, window] {
            let problem = problem(of, 2, (200, 270), (4, 2), mask);
            assert_eq!(right(&modules, of, problem), Ok(true));
        }
    }
}

#[test]
fn every_kernel_is_right_for_problems_by_chance() {
    let modules = Modules::load(&emulator()).unwrap();
    let mut random = Random::new(21);
    for of in pushed(MMA_CONFIGURATIONS, |of| of.kernel) {
        for _ in 0..4 {
            let problem = by_chance(&mut random, of, 300);
            assert_eq!(right(&modules, of, problem), Ok(true));
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
    for of in pushed(MMA_CONFIGURATIONS, |of| of.kernel) {
        for (sizes, mask) in [
            ((1, 1), AttentionMask::Full),
            ((1, 129), AttentionMask::Causal),
            // Some rows see no key.
            ((140, 9), AttentionMask::Causal),
            ((129, 128), AttentionMask::Full),
            ((130, 260), narrow),
        ] {
            let problem = problem(of, 1, sizes, (1, 1), mask);
            assert_eq!(right(&modules, of, problem), Ok(true));
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
        for of in pushed(MMA_CONFIGURATIONS, |of| of.kernel) {
            let problem = problem(of, 1, (70, 90), (2, 1), AttentionMask::Causal);
            let by = configuration(&device, &problem).unwrap();
            assert_eq!((by.loads, by.dim), (AttentionLoads::CpAsync, of.dim));
            assert_eq!(right(&modules, by, problem), Ok(true));
        }
    }
}

#[test]
fn a_gpu_is_right_too() {
    for device in devices() {
        if device.kind() != Kind::Gpu {
            continue;
        }
        let modules = Modules::load(&device).unwrap();
        let mut random = Random::new(22);
        for of in MMA_CONFIGURATIONS {
            for most in [300, 300, 300, 3000] {
                let problem = by_chance(&mut random, of, most);
                assert_eq!(right(&modules, of, problem), Ok(true));
            }
        }
    }
}

#[test]
fn mistakes_are_found() {
    for of in MMA_CONFIGURATIONS.iter().take(2) {
        let ptx = &alone(of.kernel);
        let text = entry(ptx, of.kernel);
        let problem = problem(of, 1, (128, 300), (1, 1), AttentionMask::Causal);
        for (from, to, says) in [
            // K and V are read while their copies are in flight.
            ("cp.async.wait_group", "// cp.async.wait_group", "cp.async"),
            // A stage is read before the other warps' copies are complete, and filled while those
            // warps read it.
            ("bar.sync", "// bar.sync", "race"),
        ] {
            assert!(text.contains(from), "{} has no `{from}`", of.kernel);
            let changed = with_one_entry(ptx, of.kernel, &text.replace(from, to));
            let modules = Modules::from(emulator().load(&changed).unwrap());
            let message = right(&modules, of, problem).expect_err("the mistake passes in silence");
            assert!(message.contains(says), "{from}: {message}");
        }
    }
}

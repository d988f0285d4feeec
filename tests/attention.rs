//! Compares attention with float64, under every schedule of the emulator's asynchronous operations
//! and on a GPU if there is one, and checks that planted mistakes are found.
//!
//! ```text
//!   random sizes, 1 to 300, masks, grouped heads, both types, the log-sum-exp         0 wrong
//!   a fence, a wait, a barrier between the groups taken away                          found
//! ```

mod common;

use common::ptx_text::{alone, entry, with_one_entry};
use common::sample::pushed;
use common::{devices, emulated};
use cutlet::attention::{
    AttentionConfiguration, AttentionMask, AttentionProblem, AttentionType, CONFIGURATIONS,
    default_scale,
};
use cutlet::kernels::Modules;
use cutlet::run::{AttentionRun, RunOptions, ScoreRun, attention};
use emulator::Schedule;
use host::reference::Random;
use host::{Device, EmulatorConfig, Kind, Timing};
use serde_json::Value;
use std::process::Command;

const SCHEDULES: [Schedule; 3] = [Schedule::Early, Schedule::Late, Schedule::Seeded(7)];

fn right(modules: &Modules, problem: AttentionProblem) -> Result<bool, String> {
    right_by(modules, problem, None)
}

fn right_by(
    modules: &Modules,
    problem: AttentionProblem,
    configuration: Option<&'static AttentionConfiguration>,
) -> Result<bool, String> {
    let run = AttentionRun {
        problem,
        score: ScoreRun::default(),
        configuration,
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
    element: AttentionType,
    dim: u32,
    (queries, keys): (u32, u32),
    (heads, key_heads): (u32, u32),
    mask: AttentionMask,
) -> AttentionProblem {
    of_batches(1, element, dim, (queries, keys), (heads, key_heads), mask)
}

fn of_batches(
    batches: u32,
    element: AttentionType,
    dim: u32,
    (queries, keys): (u32, u32),
    (heads, key_heads): (u32, u32),
    mask: AttentionMask,
) -> AttentionProblem {
    let extents = (batches, heads, queries, dim);
    AttentionProblem::new(element, extents, mask, default_scale(dim))
        .with_keys(keys, key_heads)
        .with_lse()
}

/// Returns a pseudorandom problem of a kernel.
fn by_chance(random: &mut Random, element: AttentionType, dim: u32, most: u64) -> AttentionProblem {
    let rows = |random: &mut Random| 1 + random.below(most) as u32;
    let sizes = (rows(random), rows(random));
    let heads = [(1, 1), (2, 1), (2, 2), (3, 1), (4, 2)][random.below(5) as usize];
    let batches = 1 + random.below(2) as u32;
    let mask = match random.below(4) {
        0 => AttentionMask::Full,
        1 => AttentionMask::Window {
            before: random.below(100) as u32,
            after: random.below(40) as u32,
        },
        _ => AttentionMask::Causal,
    };
    of_batches(batches, element, dim, sizes, heads, mask)
}

/// Checks each kernel with each mask, several key blocks, more tiles than CTAs, two batches, and
/// heads that share keys in pairs.
#[test]
fn every_kernel_is_right_with_every_mask() {
    let modules = emulated(Schedule::Seeded(3));
    let window = AttentionMask::Window {
        before: 150,
        after: 20,
    };
    for of in pushed(CONFIGURATIONS, |of| of.kernel) {
        for mask in [AttentionMask::Full, AttentionMask::Causal, window] {
            let problem = of_batches(2, of.element, of.dim, (200, 270), (4, 2), mask);
            assert_eq!(right_by(&modules, problem, Some(of)), Ok(true));
        }
    }
}

#[test]
fn every_kernel_is_right_under_every_schedule() {
    let mut random = Random::new(21);
    for schedule in SCHEDULES {
        let modules = emulated(schedule);
        for of in pushed(CONFIGURATIONS, |of| of.kernel) {
            let problem = by_chance(&mut random, of.element, of.dim, 300);
            assert_eq!(
                right_by(&modules, problem, Some(of)),
                Ok(true),
                "{schedule:?}"
            );
        }
    }
}

#[test]
fn the_smallest_and_ragged_edges_are_right() {
    let modules = emulated(Schedule::Late);
    let of = |sizes, mask| problem(AttentionType::Bf16, 128, sizes, (1, 1), mask);
    for problem in [
        of((1, 1), AttentionMask::Full),
        of((1, 129), AttentionMask::Causal),
        // Some rows see no key.
        of((140, 9), AttentionMask::Causal),
        of((129, 128), AttentionMask::Full),
        of(
            (130, 260),
            AttentionMask::Window {
                before: 3,
                after: 2,
            },
        ),
    ] {
        assert_eq!(right(&modules, problem), Ok(true));
    }
}

/// Checks tiles of 192 queries that end with the last query: the first tile has 64, 128 or all of
/// its queries, or it is the only tile, or it sees no key.
#[test]
fn a_short_tile_that_comes_first_is_right() {
    let modules = emulated(Schedule::Seeded(6));
    let wide = |of: &&AttentionConfiguration| of.tile[0] == 192;
    for of in pushed(CONFIGURATIONS, |of| of.kernel)
        .into_iter()
        .filter(wide)
    {
        for sizes in [(64, 64), (256, 256), (320, 400), (384, 384), (448, 90)] {
            let problem = problem(of.element, of.dim, sizes, (2, 1), AttentionMask::Causal);
            assert_eq!(right_by(&modules, problem, Some(of)), Ok(true));
        }
    }
}

#[test]
fn without_the_log_sum_exp_it_is_right_too() {
    let problem = AttentionProblem {
        lse: false,
        ..problem(
            AttentionType::F16,
            64,
            (70, 70),
            (2, 2),
            AttentionMask::Causal,
        )
    };
    assert_eq!(right(&emulated(Schedule::Late), problem), Ok(true));
}

#[test]
fn a_gpu_is_right_too() {
    for device in devices() {
        if device.kind() != Kind::Gpu || device.compute_capability() != (9, 0) {
            continue;
        }
        let modules = Modules::load(&device).unwrap();
        let mut random = Random::new(22);
        for of in CONFIGURATIONS {
            for most in [300, 300, 300, 3000] {
                let problem = by_chance(&mut random, of.element, of.dim, most);
                assert_eq!(right_by(&modules, problem, Some(of)), Ok(true));
            }
        }
    }
}

#[test]
fn mistakes_are_found_under_every_schedule() {
    let kernel = "attention_bf16_d128_128x128_s2";
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
        // A group waits for its turn, which never comes.
        ("bar.arrive", "// bar.arrive", "deadlock"),
    ] {
        assert!(text.contains(from), "{kernel} has no `{from}`");
        let changed = with_one_entry(ptx, kernel, &text.replace(from, to));
        for schedule in SCHEDULES {
            let device = Device::emulator_with(EmulatorConfig {
                schedule,
                ..EmulatorConfig::default()
            });
            let modules = Modules::from(device.load(&changed).unwrap());
            let problem = problem(
                AttentionType::Bf16,
                128,
                (128, 300),
                (1, 1),
                AttentionMask::Full,
            );
            let message = right(&modules, problem).expect_err("the mistake passes in silence");
            assert!(message.contains(says), "{from} {schedule:?}: {message}");
        }
    }
}

/// Checks what `cutlet profile attention` counts for a tile of 192 queries and three blocks of 80
/// keys.
#[test]
fn it_is_profiled() {
    let profile = |sizes: &str| {
        let arguments = format!("profile attention {sizes} --json");
        let mut cutlet = Command::new(common::cutlet());
        cutlet.args(arguments.split(' ')).output().unwrap()
    };
    let output = profile("--size queries=130 --size keys=200");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.contains("the result is right"));
    // Three groups multiply S and P V of a block of 80 keys: 128 / 16 steps for S, 80 / 16 for P V.
    let counts: Value = serde_json::from_str(&text).unwrap();
    let wgmmas = &counts["totals"]["asynchronous"]["wgmmas"];
    assert_eq!(*wgmmas, 3 * 3 * (8 + 5), "{text}");
    let stderr = String::from_utf8(profile("--size heads=2").stderr).unwrap();
    assert!(
        stderr.contains("attention has no size `heads`; it has queries, keys"),
        "{stderr}"
    );
}

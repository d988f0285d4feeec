//! Compares score functions of attention with float64: random sizes under every schedule, on a GPU
//! if there is one. Checks that a function other than the kernel's is found.

mod common;
#[path = "../examples/10_attention_scores.rs"]
#[allow(
    dead_code,
    clippy::duplicate_mod,
    reason = "what the example's main prints is the example's test"
)]
mod example;

use cutlet::attention::{AttentionMask, AttentionProblem, AttentionType};
use emulator::Schedule;
use example::{Distance, alibi, documents, soft_cap};
use example_hopper_kernels::attention::ALIBI;
use host::reference::Random;
use host::{ByValue, Device, EmulatorConfig, Kind, Module};
use std::error::Error;

/// Returns a pseudorandom problem, with a scale of the scores at which a cap and a bias matter.
fn by_chance(random: &mut Random, element: AttentionType, dim: u32) -> AttentionProblem {
    let mut below = |n| random.below(n) as u32;
    let (queries, keys) = (1 + below(300), 1 + below(300));
    let (heads, key_heads) = [(1, 1), (2, 1), (3, 3), (4, 2)][below(4) as usize];
    let mask = match below(3) {
        0 => AttentionMask::Full,
        1 => AttentionMask::Causal,
        _ => AttentionMask::Window {
            before: below(100),
            after: below(40),
        },
    };
    AttentionProblem::new(element, (1 + below(2), heads, queries, dim), mask, 0.5)
        .with_keys(keys, key_heads)
        .with_lse()
}

fn is_right(
    problem: &AttentionProblem,
    found: Result<Distance, Box<dyn Error>>,
) -> Result<(), String> {
    match found {
        Ok(found) if found.is_right() => Ok(()),
        Ok(found) => Err(format!("{problem:?}: {found:?}")),
        Err(error) => Err(format!("{problem:?}: {error}")),
    }
}

fn each_function(module: &Module, random: &mut Random) {
    let problem = by_chance(random, AttentionType::Bf16, 128);
    assert_eq!(is_right(&problem, alibi(module, &problem)), Ok(()));
    // In short documents some rows have no key in many blocks, and in whole tiles.
    let problem = by_chance(random, AttentionType::Bf16, 64);
    let length = random.below(9) as u32;
    let found = documents(module, &problem, length);
    assert_eq!(is_right(&problem, found), Ok(()), "documents of 2^{length}");
    let problem = by_chance(random, AttentionType::F16, 64);
    let cap = [0.5, 3.0, 50.0][random.below(3) as usize];
    let found = soft_cap(module, &problem, cap, cap);
    assert_eq!(is_right(&problem, found), Ok(()), "a cap of {cap}");
}

fn emulator(schedule: Schedule) -> Module {
    // There are few multiprocessors, so a CTA has several tiles.
    let device = Device::emulator_with(EmulatorConfig {
        schedule,
        multiprocessors: 2,
        ..EmulatorConfig::default()
    });
    device.load(example_ptx::hopper().unwrap()).unwrap()
}

#[test]
fn functions_are_right_under_every_schedule() {
    let mut random = Random::new(31);
    for schedule in [Schedule::Early, Schedule::Late, Schedule::Seeded(5)] {
        each_function(&emulator(schedule), &mut random);
    }
}

#[test]
fn a_gpu_is_right_too() {
    for device in common::devices() {
        if device.kind() != Kind::Gpu || device.compute_capability() != (9, 0) {
            continue;
        }
        let module = device.load(example_ptx::hopper().unwrap()).unwrap();
        let mut random = Random::new(32);
        for _ in 0..20 {
            each_function(&module, &mut random);
        }
    }
}

#[test]
fn another_function_is_found() {
    let module = emulator(Schedule::Late);
    let problem =
        AttentionProblem::new(AttentionType::F16, (1, 1, 64, 64), AttentionMask::Full, 0.5)
            .with_lse();
    let found = soft_cap(&module, &problem, 3.0, 3.1).unwrap();
    assert!(!found.is_right(), "{found:?}");
}

#[test]
fn a_value_of_another_size_is_refused() {
    let module = emulator(Schedule::Late);
    let problem = AttentionProblem::new(
        AttentionType::Bf16,
        (1, 1, 8, 128),
        AttentionMask::Full,
        0.5,
    );
    let score = ByValue([1.0_f32; 2]);
    let found =
        example::distance::<half::bf16, _>(&module, &ALIBI, &problem.with_lse(), score, |s, _| s);
    let said = found.unwrap_err().to_string();
    assert!(
        said.contains("8 bytes") && said.contains("4 bytes"),
        "{said}"
    );
}

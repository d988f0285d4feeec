//! Tests an attention kernel by `mma.sync` of another crate,
//! `examples/kernels/src/own_attention.rs`, which has its own head dimension and score function,
//! and no entry in the library's tables. The test compares it with float64, on the emulator as
//! every architecture from Ampere on, and on a GPU if there is one.

mod common;
#[path = "../examples/10_attention_scores.rs"]
#[allow(
    dead_code,
    clippy::duplicate_mod,
    reason = "what the example's main prints is the example's test"
)]
mod example;

use common::devices;
use example::distance;
use example_kernels::own_attention::AlibiD160;
use half::bf16;
use host::{ByValue, Device, EmulatorConfig};
use kernel_abi::attention::{AttentionMask, AttentionProblem, AttentionType};

/// Whether the kernel's O and log-sum-exp are those of a slope that differs from the head's by
/// `wrong`, within the rounding error.
fn right(device: &Device, problem: &AttentionProblem, wrong: f64) -> bool {
    let module = device.load(example_ptx::ptx().unwrap()).unwrap();
    let ratio = -8.0 / problem.heads as f32;
    let of = &AlibiD160::CONFIGURATION;
    let score = ByValue([ratio]);
    let own = i64::from(problem.keys) - i64::from(problem.queries);
    let found = distance::<bf16, _>(&module, of, problem, score, |score, [head, query, key]| {
        let slope = (f64::from(ratio) * (head + 1) as f64).exp2() + wrong;
        score - slope * (query as i64 + own).abs_diff(key as i64) as f64
    });
    found.unwrap().is_right()
}

fn problem((queries, keys): (u32, u32), heads: [u32; 2], mask: AttentionMask) -> AttentionProblem {
    let [heads, key_heads] = heads;
    AttentionProblem::new(AttentionType::Bf16, (2, heads, queries, 160), mask, 0.1)
        .with_keys(keys, key_heads)
        .with_lse()
}

fn is_right_on(device: &Device) {
    let window = AttentionMask::Window {
        before: 40,
        after: 0,
    };
    for problem in [
        problem((70, 90), [2, 1], AttentionMask::Causal),
        problem((1, 130), [3, 3], AttentionMask::Full),
        problem((129, 129), [4, 2], window),
    ] {
        assert!(right(device, &problem, 0.0), "{problem:?}");
    }
}

#[test]
fn it_is_right_on_every_device() {
    for device in devices() {
        is_right_on(&device);
    }
    for (compute_capability, max_shared_per_block) in [((8, 0), 163 * 1024), ((8, 9), 99 * 1024)] {
        is_right_on(&Device::emulator_with(EmulatorConfig {
            compute_capability,
            max_shared_per_block,
            ..EmulatorConfig::default()
        }));
    }
}

#[test]
fn another_slope_is_found() {
    let problem = problem((70, 90), [2, 1], AttentionMask::Full);
    assert!(!right(&Device::emulator(), &problem, 0.01));
}

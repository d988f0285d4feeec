//! Runs kernels that are wrong on purpose, and checks that the validation finds each, so that its
//! verdict "right" has a meaning.
//!
//! The PTX is changed in one place of one kernel, and run like any other PTX.

mod common;

use common::devices;
use common::ptx_text::{alone, entry, with_one_entry};
use cutlet::CutletError;
use cutlet::gemm::AccumulatorType;
use cutlet::run::{self, GemmRun, RunOptions, TransposeProblem, VecaddProblem, Width};
use host::{Device, Kind, Module, Timing};

/// Loads only the kernel `name`, with `change` applied to its text.
fn sabotaged(device: &Device, name: &str, change: impl Fn(&str) -> String) -> Module {
    let ptx = &alone(name);
    let text = entry(ptx, name);
    let changed = change(text);
    assert_ne!(changed, text, "the change must change something");
    device.load(&with_one_entry(ptx, name, &changed)).unwrap()
}

/// Returns `text` without its first instruction that starts with `opcode`.
fn without(text: &str, opcode: &str) -> String {
    let start = text.find(opcode).unwrap();
    let end = start + text[start..].find(';').unwrap();
    [&text[..start], &text[end + 1..]].concat()
}

/// A kernel of the collective.
const KERNEL: &str = "gemm_f16_f16_tn_128x128x32_s3";

fn problem() -> GemmRun {
    let mut run = GemmRun::default().with_kernel(KERNEL);
    run.problem.accumulator = AccumulatorType::F16;
    run
}

fn options() -> RunOptions<'static> {
    RunOptions {
        timing: Some(Timing { warmup: 0, runs: 1 }),
        ..RunOptions::default()
    }
}

#[test]
fn a_sum_that_subtracts() {
    for device in devices() {
        let module = sabotaged(&device, "vecadd", |text| {
            text.replacen("add.rn.f32", "sub.rn.f32", 1)
        });
        let problem = VecaddProblem { n: 1024, seed: 1 };
        let outcome = run::vecadd(&module, &problem, &options()).unwrap();
        assert!(!outcome.right());
        // One of a thread's four elements is wrong: every fourth element, unless b is 0 there.
        assert!((250..=256).contains(&outcome.wrong), "{outcome:?}");
        assert!(outcome.guard_intact);
    }
}

#[test]
fn a_sum_that_is_written_one_vector_too_far() {
    for device in devices() {
        let module = sabotaged(&device, "vecadd", |text| {
            let store = text.find("st.global.v4.b32").unwrap();
            let bracket = store + text[store..].find(']').unwrap();
            [&text[..bracket], "+16", &text[bracket..]].concat()
        });
        let problem = VecaddProblem { n: 1024, seed: 1 };
        let outcome = run::vecadd(&module, &problem, &options()).unwrap();
        assert!(!outcome.right());
        assert!(!outcome.guard_intact, "what lies behind c was written to");
        assert_eq!(outcome.first_wrong, Some(0), "the poison is still there");
    }
}

#[test]
fn a_product_that_is_left_out() {
    for device in devices() {
        let module = sabotaged(&device, KERNEL, |text| without(text, "mma.sync"));
        let outcome = run::gemm(&module, &problem(), &options()).unwrap();
        assert!(!outcome.right(), "{outcome:?}");
    }
}

#[test]
fn vectors_that_are_not_written() {
    for device in devices() {
        let module = sabotaged(&device, KERNEL, |text| {
            text.replace("st.global.v4.b32", "// st.global.v4.b32")
        });
        let outcome = run::gemm(&module, &problem(), &options()).unwrap();
        assert!(!outcome.right());
        assert!(
            outcome.difference.max_absolute.is_nan(),
            "the poison is NaN"
        );
    }
}

/// Checks mistakes that a GPU may run without error by chance; the emulator reports what is wrong.
#[test]
fn shared_memory_used_wrongly_is_a_fault_on_the_emulator() {
    let problem = TransposeProblem {
        rows: 128,
        cols: 128,
        width: Width::B32,
        seed: 1,
    };
    for missing in ["st.shared.b32", "bar.sync"] {
        let device = Device::emulator();
        let module = sabotaged(&device, "transpose_b32", |text| {
            // A barrier may be written with or without the name of its first operand.
            let opcode = if text.contains(missing) {
                missing
            } else {
                "barrier.sync"
            };
            without(text, opcode)
        });
        let error = run::transpose(&module, &problem, &options()).unwrap_err();
        let CutletError::Host(host::Error::Fault(fault)) = &error else {
            panic!("{error}")
        };
        assert_eq!(fault.kind, Kind::Emulator);
        let said = error.to_string();
        assert!(
            said.contains("kernel `transpose_b32` failed on emulated sm_90"),
            "{said}"
        );
        assert!(said.contains("shared"), "{said}");
        println!("without {missing}: {said}");
    }
}

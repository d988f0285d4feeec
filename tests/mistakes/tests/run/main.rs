//! Checks what the launch, the emulator and the comparison with plain code find: every mistake with its pinned message,
//! under every schedule; and no twin, on the GPU too if there is one.
//!
//! ```text
//!   NAME          ──►  Err, kind and first line  ==  messages/NAME.txt
//!   NAME_right    ──►  no finding, and d is what plain code computes
//! ```
//!
//! Law: a message has at most 40 lines. Its first line is the sentence: for a launch it names the kernel or the device, for wrong numbers an
//! element, its value and the right value; a fault's second line is one of the mistake's file. `BLESS=1` writes the pinned messages.

mod bench;
mod kernels;

use bench::{Bench, Outcome, sentence};
use emulator::Schedule;
use host::{Device, EmulatorConfig};
use mistakes::{Caught, executed};
use std::collections::{BTreeMap, BTreeSet};
use std::{env, fs};

/// The largest number of lines in a message.
const SCREEN: usize = 40;

type Run = fn(&Bench, bool) -> Outcome;

macro_rules! launches {
    ($($name:ident: $path:literal;)*) => {
        $(#[path = $path] mod $name;)*
        fn launches() -> BTreeMap<&'static str, Run> {
            BTreeMap::from([$((stringify!($name), $name::run as Run)),*])
        }
    };
}
launches! {
    another_gpu: "../../launch/another_gpu.rs";
    block_size: "../../launch/block_size.rs";
    element_size: "../../launch/element_size.rs";
    grid_rounds_down: "../../launch/grid_rounds_down.rs";
}

fn emulators() -> Vec<Bench> {
    [Schedule::Early, Schedule::Late, Schedule::Seeded(7)]
        .map(|schedule| {
            let config = EmulatorConfig {
                schedule,
                ..EmulatorConfig::default()
            };
            Bench::new(Device::emulator_with(config)).unwrap()
        })
        .into()
}

/// Returns the launches of all cases, by name.
fn runs() -> BTreeMap<&'static str, Run> {
    let (mut runs, kernels) = (launches(), kernels::runs());
    runs.extend(kernels);
    let files: BTreeSet<String> = executed().into_iter().map(|case| case.0.name).collect();
    let listed: BTreeSet<String> = runs.keys().map(|name| (*name).to_owned()).collect();
    assert_eq!(files, listed, "files of the catalogue, and launches");
    runs
}

#[test]
fn every_mistake_is_found_with_its_message() {
    let (runs, benches) = (runs(), emulators());
    let mut wrong = Vec::new();
    for (mistake, _) in executed() {
        let name = mistake.name.as_str();
        if mistake.caught == Caught::Build {
            continue;
        }
        let mut said = BTreeSet::new();
        for bench in &benches {
            let Err(failure) = runs[name](bench, false) else {
                wrong.push(format!("{name}: silent"));
                continue;
            };
            let (caught, kind) = failure.kind();
            let message = failure.to_string();
            if caught != mistake.caught {
                wrong.push(format!("{name}: caught by {caught:?}:\n{message}"));
            }
            if message.lines().count() > SCREEN {
                wrong.push(format!("{name}: more than {SCREEN} lines:\n{message}"));
            }
            // The second line is the place, which is in the mistake's own file.
            let place = message.lines().nth(1).unwrap_or_default();
            let has_line = place.starts_with("  at ") && place.contains(&format!("{name}.rs:"));
            if !has_line && caught == Caught::Emulator {
                wrong.push(format!("{name}: no line of the mistake's file:\n{message}"));
            }
            let first = message.lines().next().unwrap_or_default();
            let named = match caught {
                Caught::Launch => first.contains("kernel `") || first.contains("this device ("),
                Caught::Test => {
                    first.contains(" elements are wrong: element ") && first.contains(", not ")
                }
                _ => first.len() > 20 && !first.contains("Fault("),
            };
            if !named {
                wrong.push(format!("{name}: the first line names nothing:\n{message}"));
            }
            if env::var_os("CUTLET_SHOW").is_some() {
                println!("--- {name}\n{message}\n");
            }
            said.insert(format!("{kind}\n{}\n", sentence(&failure)));
        }
        let said: Vec<String> = said.into_iter().collect();
        let [text] = said.as_slice() else {
            wrong.push(format!(
                "{name}: not one message under all schedules: {said:#?}"
            ));
            continue;
        };
        if env::var_os("BLESS").is_some() {
            fs::write(&mistake.message, text).unwrap();
        }
        let pinned = fs::read_to_string(&mistake.message).unwrap_or_default();
        if pinned != *text {
            wrong.push(format!("{name}: another message:\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn no_twin_has_a_finding_on_any_device() {
    let (runs, mut benches) = (runs(), emulators());
    match Device::gpu(0) {
        Ok(gpu) if gpu.compute_capability().0 == 9 => benches.push(Bench::new(gpu).unwrap()),
        Ok(gpu) => println!("not on {}: the kernels are sm_90a's", gpu.name()),
        Err(why) => println!("no CUDA device: on the emulator alone ({why})"),
    }
    let mut wrong = Vec::new();
    for (name, run) in runs {
        for bench in &benches {
            if let Err(failure) = run(bench, true) {
                wrong.push(format!("{name}: {failure}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

//! Runs every kernel of the collective at many random sizes and at the benchmark sizes, on a GPU:
//! the same as the tests do on the emulator, but longer.
//!
//! ```text
//!   cargo bench --bench collective -- cases=40 most=300 seed=1 emulator=1 large=1
//! ```
//!
//! The sweep runs `cases` cases of each kernel, with extents from 1 to `most`, and some cases of
//! whole tiles unless `whole=0`. `emulator=1` runs each case on the emulator too, whose bits must
//! equal the GPU's. `large=1` adds the benchmark sizes, with their extents divided by `divide`.
//! `only=bf16` selects the kernels with that in their names. `gpu=0` needs no GPU. `parallel=0`
//! launches one at a time. `plant=memcheck` runs a kernel with a defect that this memory checker
//! should report. Law: the last table has a row for each kernel, with no failures.

#[allow(dead_code, reason = "the tests and the sweep share it")]
mod bound;
#[allow(dead_code, reason = "the tests and the sweep share it")]
mod cases;
mod data;
#[allow(dead_code, reason = "the tests and the sweep share it")]
mod harness;
mod large;
mod planted;

use cases::{Case, Cases, by_kernel, whole};
use cutlet::gemm::CONFIGURATIONS;
use cutlet::gemm::select::launches;
use cutlet::kernels::{self, Modules};
use harness::{Outcome, check};
use host::Device;
use kernel_abi::gemm::{Activation, Configuration, Schedule};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::time::Instant;

/// The results of a kernel's cases.
#[derive(Default)]
struct Tally {
    cases: u32,
    bitwise: u32,
    large: u32,
    worst: f64,
    worst_large: f64,
    failed: Vec<String>,
}

/// Returns the value of the argument `name`.
fn argument(name: &str, default: u64) -> u64 {
    text(name).map_or(default, |value| {
        value
            .parse()
            .unwrap_or_else(|_| panic!("{name}={value} is no number"))
    })
}
fn text(name: &str) -> Option<String> {
    std::env::args().find_map(|argument| {
        let (found, value) = argument.split_once('=')?;
        (found == name).then(|| value.to_owned())
    })
}

fn main() {
    let (count, most) = (argument("cases", 6), argument("most", 300) as u32);
    let (seed, runs) = (argument("seed", 1), argument("runs", 2) as usize);
    let only = text("only").unwrap_or_default();
    let device = match Device::gpu(0) {
        Ok(gpu) if argument("gpu", 1) == 1 => gpu,
        Ok(_) => Device::emulator(),
        Err(why) => {
            println!("no CUDA device: runs on the emulator ({why})");
            Device::emulator()
        }
    };
    println!(
        "{}; driver {}",
        device.where_it_ran(),
        device.driver().unwrap_or("none")
    );
    if let Some(checker) = text("plant") {
        println!(
            "planted for {checker}: {:?}",
            planted::run(&device, &checker)
        );
        return;
    }
    let start = Instant::now();
    let ptx = kernels::ptx().unwrap();
    let module = Modules::from(device.load(ptx).unwrap());
    let emulator = (argument("emulator", 0) == 1)
        .then(|| Modules::from(Device::emulator().load(ptx).unwrap()));
    println!(
        "kernels loaded after {:.1} s; seed {seed}",
        start.elapsed().as_secs_f64()
    );

    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    let kernels: Vec<Vec<Configuration>> = by_kernel(CONFIGURATIONS)
        .into_iter()
        .filter(|orders| orders[0].kernel.contains(&only) && launches(&module, &orders[0]))
        .collect();
    let cases: Vec<(u64, Case)> = kernels
        .iter()
        .enumerate()
        .flat_map(|(index, orders)| {
            let seed = seed * 1_000_000 + 10_000 * index as u64;
            let mut cases = Cases::new(orders.clone(), seed);
            let by_chance = (0..count).map(move |turn| (seed + turn, cases.next(most)));
            let whole: Vec<Case> = if argument("whole", 1) == 1 {
                whole(&orders[0])
            } else {
                Vec::new()
            };
            by_chance.chain(whole.into_iter().map(move |case| (seed, case)))
        })
        .collect();
    let one = |(seed, case): &(u64, Case)| {
        let compared =
            check(&module, case, *seed, runs).and_then(|Outcome { worst, d, .. }| {
                // Each device has its own approximations of GELU.
                let bitwise = case.gemm.epilogue.activation != Activation::Gelu;
                let Some(emulator) = emulator.as_ref().filter(|_| bitwise) else {
                    return Ok((worst, false));
                };
                let there = check(emulator, case, *seed, 1)?;
                if d == there.d {
                    Ok((worst, true))
                } else {
                    Err(format!("{case} seed {seed}: not the emulator's bits"))
                }
            });
        (case.configuration.kernel, compared)
    };
    // Memory checkers need one launch at a time.
    let outcomes: Vec<_> = if argument("parallel", 1) == 1 {
        cases.par_iter().map(one).collect()
    } else {
        cases.iter().map(one).collect()
    };
    for (kernel, outcome) in outcomes {
        let tally = tallies.entry(kernel).or_default();
        tally.cases += 1;
        match outcome {
            Ok((worst, emulated)) => {
                tally.worst = tally.worst.max(worst);
                tally.bitwise += u32::from(emulated);
            }
            Err(why) => tally.failed.push(why),
        }
    }
    println!(
        "{} cases after {:.1} s",
        cases.len(),
        start.elapsed().as_secs_f64()
    );
    if argument("large", 0) == 1 {
        large_sizes(&module, &kernels, seed, &mut tallies, start);
    }

    println!(
        "{:36} {:>6} {:>9} {:>6} {:>8} {:>12} failed",
        "kernel", "cases", "emulated", "worst", "large", "worst"
    );
    let mut failed = 0;
    for (kernel, tally) in &tallies {
        println!(
            "{kernel:36} {:>6} {:>9} {:>6.3} {:>8} {:>12.3} {}",
            tally.cases,
            tally.bitwise,
            tally.worst,
            tally.large,
            tally.worst_large,
            tally.failed.len()
        );
        failed += tally.failed.len();
    }
    for why in tallies.values().flat_map(|tally| &tally.failed).take(20) {
        println!("FAILED {why}");
    }
    println!("{failed} failed; {:.1} s", start.elapsed().as_secs_f64());
    std::process::exit(i32::from(failed > 0));
}

/// Runs the benchmark sizes by all kernels, grouped by types, sums and orders.
fn large_sizes(
    module: &Modules,
    kernels: &[Vec<Configuration>],
    seed: u64,
    tallies: &mut BTreeMap<&str, Tally>,
    start: Instant,
) {
    let all: Vec<Configuration> = kernels.concat();
    let inputs_of = |of: &Configuration| of.input;
    let divisor = argument("divide", 1) as u32;
    for shape in large::SHAPES.map(|shape| shape.map(|extent| extent / divisor)) {
        let mut types: Vec<_> = all.iter().map(inputs_of).collect();
        types.dedup();
        for input in types {
            let inputs = large::Inputs::new(module, shape, input, seed + 100);
            let mut groups: Vec<_> = Vec::new();
            for of in all.iter().filter(|of| of.input == input) {
                if !groups.contains(&(of.accumulator, of.majors)) {
                    groups.push((of.accumulator, of.majors));
                }
            }
            for (accumulator, majors) in groups {
                let mut bases = [None, None];
                for of in all.iter().filter(|of| {
                    (of.input, of.accumulator, of.majors) == (input, accumulator, majors)
                }) {
                    let [plain, general] = large::products(shape, input, accumulator, majors);
                    let runs = [
                        (0, &plain, Schedule::Tiles),
                        (0, &plain, Schedule::StreamK(132)),
                        (1, &general, Schedule::SplitK(2)),
                        (1, &general, Schedule::Tiles),
                    ];
                    for (which, gemm, schedule) in runs {
                        let schedule = match schedule {
                            Schedule::Tiles => schedule,
                            _ if of.persistent => Schedule::Persistent(132),
                            _ => schedule,
                        };
                        let case = Case {
                            configuration: *of,
                            gemm: *gemm,
                            schedule,
                        };
                        let tally = tallies.entry(of.kernel).or_default();
                        tally.large += 1;
                        match large::check(module, &case, &inputs, &mut bases[which]) {
                            Ok(worst) => tally.worst_large = tally.worst_large.max(worst),
                            Err(why) => tally.failed.push(why),
                        }
                    }
                }
            }
        }
        println!("{shape:?} after {:.1} s", start.elapsed().as_secs_f64());
    }
}

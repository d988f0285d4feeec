//! Tests what devices of compute capability 9.0 added: transactions of mbarrier objects,
//! `setmaxnreg`, clusters, bulk copies, `wgmma`.
//!
//! ```text
//!   body ──► right result, or the fault with its place
//! ```

mod barriers;
mod bulk;
mod clusters;
#[path = "../common/mod.rs"]
mod common;
mod counts;
mod dependents;
mod floats;
mod kernels;
mod listing;
mod reductions;
mod store_async;
mod tensor_maps;
mod tensor_modes;
mod wgmma;

use common::{Arg, Bench};
use emulator::{Config, FaultKind, Launch, LaunchError, Program, Report};

/// Writes a module for `sm_90a` around a body. The parameters are `%a0` and so on, `%r30` is the
/// address of the dynamic shared memory, and `directives` follow the list of parameters.
fn module(directives: &str, parameters: usize, body: &str) -> String {
    let text = common::entry(parameters, &format!("mov.u32 %r30, dynamic;\n{body}\nret;"));
    text.replace(".target sm_90\n", ".target sm_90a\n")
        .replace(".align 16 .b8 dynamic", ".align 1024 .b8 dynamic")
        .replacen(") {", &format!(") {directives} {{"), 1)
}

/// Runs blocks of `threads` threads with 1 KiB of dynamic shared memory, in the clusters that the
/// kernel names or in `cluster`, with a buffer of 1,024 words that count up. Returns the buffer
/// after the launch, or the fault, which is the same under every schedule.
#[track_caller]
fn run_in_clusters(
    directives: &str,
    cluster: Option<[u32; 3]>,
    (grid, threads): ([u32; 3], u32),
    body: &str,
) -> Result<Vec<u32>, LaunchError> {
    let mut results = bulk::SCHEDULES.map(|schedule| {
        let config = Config {
            schedule,
            ..Config::default()
        };
        let bench = Bench::with(&module(directives, 1, body), config);
        let words: Vec<u32> = (0..1024).collect();
        let a = bench.words(&words);
        let launch = Launch {
            grid,
            block: [threads, 1, 1],
            dynamic_shared: 1024,
        };
        let (device, program) = (&bench.device, &bench.program);
        let argument = a.to_le_bytes();
        device.launch_in_clusters(program, "k", &launch, cluster, &[&argument], None)?;
        Ok(bench.read_words(a, 1024))
    });
    let said = |result: &Result<Vec<u32>, LaunchError>| {
        let result = result.as_ref();
        result.cloned().map_err(ToString::to_string)
    };
    for (schedule, result) in bulk::SCHEDULES.iter().zip(&results).skip(1) {
        assert_eq!(said(result), said(&results[0]), "{schedule:?}");
    }
    std::mem::replace(&mut results[0], Ok(Vec::new()))
}

/// Runs one such block.
#[track_caller]
fn run(directives: &str, threads: u32, body: &str) -> Result<Vec<u32>, LaunchError> {
    run_in_clusters(directives, None, ([1, 1, 1], threads), body)
}

#[track_caller]
fn passes(directives: &str, threads: u32, body: &str) -> Vec<u32> {
    run(directives, threads, body).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the text of the fault.
#[track_caller]
fn says(directives: &str, threads: u32, body: &str) -> String {
    match run(directives, threads, body) {
        Err(LaunchError::Fault(fault)) => fault.what.to_string(),
        other => panic!("a fault expected, got {other:?}"),
    }
}

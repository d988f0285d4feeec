//! What devices of compute capability 9.0 added: transactions of mbarrier objects, `setmaxnreg`, clusters, bulk copies,
//! `wgmma`.
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
mod wgmma;

use common::{Arg, Bench, kind};
use emulator::{Config, FaultKind, Launch, LaunchError, Program, Report};

/// A module for `sm_90a` around a body: parameters `%a0` and so on, `%r30` the address of the dynamic shared memory, and
/// `directives` behind the list of parameters.
fn module(directives: &str, parameters: usize, body: &str) -> String {
    let text = common::entry(parameters, &format!("mov.u32 %r30, dynamic;\n{body}\nret;"));
    text.replace(".target sm_90\n", ".target sm_90a\n")
        .replace(".align 16 .b8 dynamic", ".align 1024 .b8 dynamic")
        .replacen(") {", &format!(") {directives} {{"), 1)
}

/// One block of so many threads with 1 KiB of dynamic shared memory and a buffer of 1,024 words that count up.
fn run(directives: &str, threads: u32, body: &str) -> Result<Vec<u32>, LaunchError> {
    let bench = Bench::new(&module(directives, 1, body));
    let words: Vec<u32> = (0..1024).collect();
    let a = bench.words(&words);
    let launch = Launch {
        grid: [1, 1, 1],
        block: [threads, 1, 1],
        dynamic_shared: 1024,
    };
    bench.launch_with("k", launch, &[Arg::U64(a)])?;
    Ok(bench.read_words(a, 1024))
}

#[track_caller]
fn passes(directives: &str, threads: u32, body: &str) -> Vec<u32> {
    run(directives, threads, body).unwrap_or_else(|error| panic!("{error}"))
}

/// What the fault says.
#[track_caller]
fn says(directives: &str, threads: u32, body: &str) -> String {
    match run(directives, threads, body) {
        Err(LaunchError::Fault(fault)) => fault.what.to_string(),
        other => panic!("a fault expected, got {other:?}"),
    }
}

//! Checks planted faults: two or more of every kind that the emulator looks for. Each is found at
//! its instruction, block, thread and lanes, with the buffer named, and the corrected kernel runs.
//!
//! ```text
//!   body with a fault ──► Fault { what, instruction, block, thread, lanes, buffer } == the row's
//!   body put right    ──► no finding
//! ```
//!
//! If `EMULATOR_WRITE_PLANTED` is set to a folder, the faulty kernels are written there as PTX, for
//! other tools; see [`listing`].

#[path = "../common/mod.rs"]
mod common;
mod control;
mod listing;
mod memory;
mod races;

use common::{Arg, Bench, entry};
use emulator::{Config, Fault, Launch, LaunchError, Report};

/// A kernel with a fault. `%a0` is `p0`, 256 words that count up; `%a1` is `p1`, 256 words that
/// nothing wrote. Shared memory is at `%r30` (`%d30`), and a local array of 16 bytes at `%d31`;
/// `%d0` is 4 times the thread, and `%r20` is the block.
struct Planted {
    kind: &'static str,
    body: &'static str,
    /// The text to replace in the body, and its replacement, which correct the kernel.
    right: (&'static str, &'static str),
    blocks: u32,
    threads: u32,
    shared: usize,
    /// The text of the fault.
    says: &'static str,
    /// The instruction of the fault. The next fields are its block, thread, lanes and buffer.
    at: &'static str,
    block: u32,
    thread: u32,
    lanes: u32,
    buffer: Option<&'static str>,
    setup: Setup,
}

/// The special condition of a launch.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Setup {
    Usual,
    /// `p0` is freed before the launch, and not freed for the corrected kernel.
    Free,
    /// Local memory is not allowed.
    NoLocal,
    /// The check for registers that nothing wrote is on.
    Registers,
    /// A block may execute a million instructions.
    Budget,
    /// The launch itself is wrong; the corrected launch has 512 bytes of shared memory.
    Wrong,
}

const ALL: u32 = u32::MAX;

/// A launch of one block with 32 threads and 512 bytes of shared memory, and a fault in thread 0
/// and all lanes.
const PLAIN: Planted = Planted {
    kind: "",
    body: "",
    right: ("", ""),
    blocks: 1,
    threads: 32,
    shared: 512,
    says: "",
    at: "",
    block: 0,
    thread: 0,
    lanes: ALL,
    buffer: None,
    setup: Setup::Usual,
};

const P0: Option<&str> = Some("parameter `p0`");
const P1: Option<&str> = Some("parameter `p1`");

fn planted() -> Vec<Planted> {
    [memory::rows(), races::rows(), control::rows()]
        .into_iter()
        .flatten()
        .collect()
}

fn text(body: &str) -> String {
    entry(
        2,
        &format!(
            "mov.u64 %d30, dynamic; mov.u32 %r30, dynamic; .local .align 16 .b8 own[16]; mov.u64 %d31, own;\n\
             mul.wide.u32 %d0, %tid, 4; mov.u32 %r20, %ctaid.x;\n{body}\nret;"
        ),
    )
}

fn launch(row: &Planted, body: &str, right: bool) -> Result<Report, LaunchError> {
    launch_with(row, body, right, Config::default())
}

fn launch_with(
    row: &Planted,
    body: &str,
    right: bool,
    mut config: Config,
) -> Result<Report, LaunchError> {
    match row.setup {
        Setup::NoLocal => config.allow_local_memory = false,
        Setup::Registers => config.check_registers = true,
        Setup::Budget => config.max_instructions_per_block = 1_000_000,
        _ => {}
    }
    let bench = Bench::with(&text(body), config);
    let words: Vec<u32> = (0..256).collect();
    let (a, b) = (bench.words(&words), bench.device.alloc(1024).unwrap());
    if row.setup == Setup::Free && !right {
        bench.device.free(a).unwrap();
    }
    let dynamic_shared = if row.setup == Setup::Wrong && right {
        512
    } else {
        row.shared
    };
    let launch = Launch {
        grid: [row.blocks, 1, 1],
        block: [row.threads, 1, 1],
        dynamic_shared,
    };
    bench.launch_with("k", launch, &[Arg::U64(a), Arg::U64(b)])
}

fn check(row: &Planted, fault: &Fault) {
    let place = |what: &str| format!("{}: {what}\n{fault}", row.kind);
    let said = fault.what.to_string();
    assert!(said.contains(row.says), "{}", place("says"));
    assert_eq!((fault.kernel.as_str(), fault.function.as_str()), ("k", "k"));
    if row.at.is_empty() {
        // An endless loop may be interrupted at any of its instructions.
        assert!(row.body.contains(&fault.instruction), "{}", place("at"));
    } else {
        assert_eq!(fault.instruction, row.at, "{}", place("at"));
        let line = text(row.body)
            .lines()
            .position(|line| line.contains(row.at.lines().next().unwrap()))
            .unwrap();
        assert_eq!(fault.line, line + 1, "{}", place("line"));
    }
    assert_eq!(fault.block, [row.block, 0, 0], "{}", place("block"));
    let (thread, warp) = ([row.thread, 0, 0], row.thread / 32);
    assert_eq!(fault.thread, Some(thread), "{}", place("thread"));
    assert_eq!(fault.warp, Some(warp), "{}", place("warp"));
    if !row.at.is_empty() {
        assert_eq!(fault.lanes, row.lanes, "{}", place("lanes"));
    }
    let buffer = fault.buffer.as_ref().map(|b| b.name.as_deref());
    assert_eq!(buffer, row.buffer.map(Some), "{}", place("buffer"));
}

#[test]
fn every_planted_fault_is_found_and_its_cure_is_none() {
    let rows = planted();
    if let Some(folder) = std::env::var_os("EMULATOR_WRITE_PLANTED") {
        listing::write(&rows, std::path::Path::new(&folder));
    }
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for row in &rows {
        match launch(row, row.body, false) {
            Err(LaunchError::Fault(fault)) => {
                check(row, &fault);
                let again = |config| launch_with(row, row.body, false, config);
                common::accepts(&fault, Config::default(), again);
            }
            other => panic!("{}: {other:?}", row.kind),
        }
        let (wrong, right) = row.right;
        let by_launch = matches!(row.setup, Setup::Free | Setup::Wrong);
        assert!(
            by_launch || row.body.matches(wrong).count() == 1,
            "{}",
            row.kind
        );
        let cured = row
            .body
            .replacen(wrong, right, usize::from(!wrong.is_empty()));
        if let Err(error) = launch(row, &cured, true) {
            panic!("{}, put right: {error}", row.kind);
        }
        match kinds.iter_mut().find(|(kind, _)| *kind == row.kind) {
            Some((_, n)) => *n += 1,
            None => kinds.push((row.kind, 1)),
        }
    }
    for (kind, n) in &kinds {
        println!("{n} of {kind}");
        assert!(*n >= 2, "{kind}");
    }
    assert!(rows.len() >= 24);
}

/// Checks that each fault is found, and its correction has no finding, whichever warp goes first.
#[test]
fn faults_are_found_under_every_order_of_the_warps() {
    let mut runs = 0;
    for row in &planted() {
        let warps = row.threads.div_ceil(32);
        let orders: u32 = (1..=warps.min(4)).product();
        let (wrong, right) = row.right;
        let cured = row
            .body
            .replacen(wrong, right, usize::from(!wrong.is_empty()));
        for warp_order in 1..orders {
            let config = || Config {
                warp_order,
                ..Config::default()
            };
            let place = format!("{}, order {warp_order}", row.kind);
            let found = launch_with(row, row.body, false, config());
            assert!(
                matches!(found, Err(LaunchError::Fault(_))),
                "{place}: {found:?}"
            );
            let silent = launch_with(row, &cured, true, config());
            assert!(silent.is_ok(), "{place}: {silent:?}");
            runs += 1;
        }
    }
    assert!(runs >= 10, "{runs}");
}

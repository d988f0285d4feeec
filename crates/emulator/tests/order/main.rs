//! Plants faults of memory order in realistic kernels. Each fault is found, with its kind and one
//! of its lines, under every schedule; the kernel without the fault has no finding and the right
//! result.
//!
//! ```text
//! bar.sync 0; //~ no_barrier: bar.warp.sync -1;      with `no_barrier` planted the line is the other one
//! ld.global.u32 %r4, [%d2]; //! no_barrier           one of the two accesses that are found
//! //# no_barrier GlobalRace                          the kind that must be found; then a description
//! ```
//!
//! Law: a kernel has each fault that its file names, one at a time, and differs only in the lines
//! of that fault. Whichever warp goes first, each fault is found, and the right kernel has no
//! finding. `kernels` holds patterns of which kernels consist, and `published` holds bugs that were
//! found in public projects, rewritten. A line that only a fault has is a comment in the right
//! kernel.

#[path = "../common/mod.rs"]
mod common;
mod patterns;

use std::collections::BTreeSet;

use common::Bench;
use emulator::{
    Config, Fault, Launch, LaunchAttributes, LaunchError, Schedule, TensorElement, TensorMap,
};
use patterns::{Argument, Pattern, all};

const SCHEDULES: [Schedule; 5] = [
    Schedule::Early,
    Schedule::Late,
    Schedule::Seeded(1),
    Schedule::Seeded(2),
    Schedule::Seeded(3),
];

/// The schedule of asynchronous operations, and the number that selects the warps' order.
#[derive(Clone, Copy)]
struct Order {
    schedule: Schedule,
    warps: u32,
}

impl From<Schedule> for Order {
    fn from(schedule: Schedule) -> Order {
        Order { schedule, warps: 0 }
    }
}

impl std::fmt::Display for Order {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}, order {} of the warps", self.schedule, self.warps)
    }
}

/// The number of orders that are run for a pattern with more than four warps. With up to four
/// warps, all orders are run.
const MOST_ORDERS: u32 = 24;

/// Returns each schedule with the warps in their own order, and one schedule with every other
/// order.
fn orders(pattern: &Pattern) -> Vec<Order> {
    let warps = pattern.threads.div_ceil(32);
    let all = (1..=warps).try_fold(1u32, |all, n| all.checked_mul(n));
    let most = all.unwrap_or(MOST_ORDERS).min(MOST_ORDERS);
    let schedules = SCHEDULES.iter().map(|&schedule| schedule.into());
    let other = (1..most).map(|warps| Order {
        schedule: Schedule::Early,
        warps,
    });
    schedules.chain(other).collect()
}

/// The smallest number of PTX lines in a kernel.
const LINES: usize = 40;

/// A fault that a kernel's file names.
struct Planted<'a> {
    name: &'a str,
    kinds: Vec<&'a str>,
}

/// Returns the faults of a file: `//# name Kind|Kind`, with a description on the following lines.
fn planted(text: &str) -> Vec<Planted<'_>> {
    let heads = text.lines().filter_map(|line| line.strip_prefix("//# "));
    heads
        .map(|head| {
            let (name, kinds) = head.split_once(' ').expect("a name and a kind");
            Planted {
                name,
                kinds: kinds.split('|').collect(),
            }
        })
        .collect()
}

/// Returns a line as it is with a fault planted, and whether the line holds an access that is
/// found.
fn line_with(line: &str, fault: &str) -> (String, bool) {
    let (rest, marks) = match line.split_once("//! ") {
        Some((rest, marks)) => (rest, marks),
        None => (line, ""),
    };
    let mut parts = rest.split("//~ ");
    let right = parts.next().unwrap_or_default();
    let other = parts.find_map(|part| {
        let (name, text) = part.split_once(':').expect("a name and a text");
        (name == fault).then_some(text)
    });
    let marked = marks.split_whitespace().any(|name| name == fault);
    (other.unwrap_or(right).trim().to_owned(), marked)
}

/// Returns the module with a fault, and the numbers of its lines that are found. The fault `""`
/// gives the right module.
fn with_fault(text: &str, fault: &str) -> (String, Vec<usize>) {
    let (mut module, mut found) = (String::new(), Vec::new());
    for (i, line) in text.lines().enumerate() {
        let (line, marked) = line_with(line, fault);
        module += &line;
        module.push('\n');
        if marked {
            found.push(i + 1);
        }
    }
    (module, found)
}

/// Launches a module's kernels as the pattern says. Returns the words of each buffer after the last
/// launch.
fn launched(
    pattern: &Pattern,
    module: &str,
    order: impl Into<Order>,
) -> Result<Vec<Vec<u32>>, Box<Fault>> {
    let compute_capability = match module.contains(".target sm_100a") {
        true => (10, 0),
        false => (9, 0),
    };
    let Order { schedule, warps } = order.into();
    let config = Config {
        schedule,
        warp_order: warps,
        compute_capability,
        ..Config::default()
    };
    let bench = Bench::with(module, config);
    let mut buffers: Vec<(u64, usize)> = Vec::new();
    let mut parameters: Vec<Vec<u8>> = Vec::new();
    for argument in pattern.arguments {
        let words: Vec<u32> = match *argument {
            Argument::Zeros(n) => vec![0; n],
            Argument::Count(n) => (0..n as u32).collect(),
            Argument::MapOf(i, extent, side) => {
                let address = buffers[i].0;
                let map = TensorMap::new(TensorElement::U32, address, &[extent], &[], &[side]);
                parameters.push(map.encode().unwrap().to_vec());
                continue;
            }
        };
        let address = bench.words(&words);
        buffers.push((address, words.len()));
        parameters.push(address.to_le_bytes().to_vec());
    }
    let parameters: Vec<&[u8]> = parameters.iter().map(Vec::as_slice).collect();
    let launch = Launch {
        grid: [pattern.blocks, 1, 1],
        block: [pattern.threads, 1, 1],
        dynamic_shared: 0,
    };
    for (i, kernel) in pattern.kernels.iter().enumerate() {
        let attributes = LaunchAttributes {
            programmatic: i > 0,
            ..LaunchAttributes::default()
        };
        let (device, program) = (&bench.device, &bench.program);
        match device.launch_with(program, kernel, &launch, &attributes, &parameters, None) {
            Ok(_) => {}
            Err(LaunchError::Fault(fault)) => return Err(fault),
            Err(other) => panic!("{}: {other}", pattern.name),
        }
    }
    let read = |&(address, n): &(u64, usize)| bench.read_words(address, n);
    Ok(buffers.iter().map(read).collect())
}

/// Describes what is wrong with the finding of a fault, or its absence. Returns `None` if the
/// finding is right.
fn misses(
    pattern: &Pattern,
    fault: &Planted,
    order: Order,
    module: &str,
    lines: &[usize],
) -> Option<String> {
    let place = format!("{} with {}, {order}", pattern.name, fault.name);
    let found = match launched(pattern, module, order) {
        Ok(_) => return Some(format!("{place}: nothing found")),
        Err(found) => found,
    };
    let debug = format!("{:?}", found.what);
    let kind = debug.split(|c: char| !c.is_alphanumeric()).next();
    let earlier = found.earlier.as_ref().map(|place| place.line);
    let at_line = lines.contains(&found.line) || earlier.is_some_and(|line| lines.contains(&line));
    let right = kind.is_some_and(|kind| fault.kinds.contains(&kind)) && at_line;
    // If a warp comes too early, the finding may be the word that it reads, or its wait.
    let early = |kind: &str| ["Uninitialised", "Deadlock"].contains(&kind);
    let right = right || order.warps != 0 && kind.is_some_and(early);
    (!right).then(|| format!("{place}: {found}"))
}

/// Runs every fault of these patterns under every schedule and order, and every kernel without a
/// fault.
fn hold(patterns: &[Pattern]) -> usize {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for pattern in patterns {
        let (right, _) = with_fault(pattern.text, "");
        let code = right.lines().filter(|line| !line.starts_with("//"));
        let code = code.filter(|line| !line.is_empty()).count();
        assert!(code > LINES, "{}: {code} lines", pattern.name);
        let orders = orders(pattern);
        for &order in &orders {
            match launched(pattern, &right, order) {
                Ok(buffers) => (pattern.right)(&buffers),
                Err(fault) => wrong.push(format!("{}, {order}: {fault}", pattern.name)),
            }
        }
        let faults = planted(pattern.text);
        let names: BTreeSet<&str> = faults.iter().map(|fault| fault.name).collect();
        assert_eq!(names.len(), faults.len(), "{}", pattern.name);
        for fault in &faults {
            count += 1;
            let (module, lines) = with_fault(pattern.text, fault.name);
            assert_ne!(module, right, "{}: {}", pattern.name, fault.name);
            assert!(!lines.is_empty(), "{}: {}", pattern.name, fault.name);
            let each = orders.iter();
            wrong.extend(each.filter_map(|&one| misses(pattern, fault, one, &module, &lines)));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {count} faults:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    count
}

#[test]
fn planted_faults_of_memory_order_are_found_and_their_mends_are_silent() {
    let count = hold(&all(false));
    println!("{count} planted faults under {} schedules", SCHEDULES.len());
    assert!(count >= 60, "{count}");
}

/// Checks that a volatile or relaxed poll is right with a fence after it, and that without a fence
/// the finding says so.
#[test]
fn a_poll_that_acquires_nothing_is_named() {
    let patterns = all(false);
    let message = patterns.iter().find(|pattern| pattern.name == "message");
    let message = message.unwrap();
    let said = |fault: &str| {
        let (module, _) = with_fault(message.text, fault);
        launched(message, &module, Schedule::Early).map_err(|fault| fault.what.to_string())
    };
    for poll in ["volatile_poll", "acquire_in_the_block"] {
        let said = said(poll).unwrap_err();
        let named = said.contains("a poll needs ld.acquire, or a fence behind it");
        assert!(named || said.contains("the scope .cta"), "{poll}: {said}");
    }
    assert!(said("volatile_poll").unwrap_err().contains("a poll needs"));
    let other = said("no_barrier_before_release").unwrap_err();
    assert!(!other.contains("a poll needs"), "{other}");
    for poll in ["ld.volatile.global.u32", "ld.relaxed.gpu.global.u32"] {
        let (module, _) = with_fault(message.text, "");
        let module = module.replace("ld.acquire.gpu.global.u32", poll);
        let fenced = module.replace("MEET:", "fence.acq_rel.gpu; MEET:");
        let result = launched(message, &fenced, Schedule::Early);
        (message.right)(&result.unwrap_or_else(|fault| panic!("{poll}: {fault}")));
    }
}

/// Checks that the sentence after a race names the first missing edge between the two accesses.
#[test]
fn a_race_names_the_first_edge_that_is_missing() {
    let patterns = all(false);
    for (pattern, fault, sentence) in [
        (
            "message",
            "no_barrier_before_release",
            "thread (0,0,0) of block (0,0,0) has released to this thread, and nothing orders the earlier access before that: a barrier of its block (bar.sync) must stand between",
        ),
        (
            "message",
            "release_in_the_block",
            "the scope .cta of the earlier access reaches its own block alone: .gpu is needed",
        ),
        (
            "message",
            "relaxed_flag",
            "thread (0,0,0) has read a flag that thread (0,0,0) of block (0,0,0) wrote behind it, and that write does not release it: it needs .release, or a fence between the two",
        ),
        (
            "message",
            "volatile_poll",
            "thread (0,0,0) has read a flag that releases it, and acquires nothing by that: a poll needs ld.acquire, or a fence behind it",
        ),
        (
            "message",
            "acquire_in_the_block",
            "the scope .cta of this access reaches its own block alone: .gpu is needed",
        ),
        (
            "message",
            "no_barrier_behind_acquire",
            "thread (0,0,0) of this block has acquired it, and nothing orders this thread behind that one: a barrier of the block (bar.sync) must stand between",
        ),
        (
            "handshake",
            "membar_cta",
            "`membar.cta` in PTX line 68 orders thread (0,0,0) of block (1,0,0) with its own block alone; the reader is in block (0,0,0): .gpu is needed",
        ),
    ] {
        let of = patterns.iter().find(|of| of.name == pattern).unwrap();
        let (module, _) = with_fault(of.text, fault);
        let said = launched(of, &module, Schedule::Early).unwrap_err();
        let said = said.what.to_string();
        assert!(said.contains(sentence), "{pattern} with {fault}: {said}");
    }
}

#[test]
fn published_bugs_are_found_and_their_mends_are_silent() {
    let count = hold(&all(true));
    println!("{count} faults of published bugs");
    assert!(count >= 8, "{count}");
}

#[test]
fn a_line_is_the_one_of_the_fault_that_is_planted() {
    let line = "    bar.sync 0; //~ none: //~ warp: bar.warp.sync -1; //! none other";
    assert_eq!(line_with(line, ""), ("bar.sync 0;".to_owned(), false));
    assert_eq!(line_with(line, "none"), (String::new(), true));
    assert_eq!(line_with(line, "warp").0, "bar.warp.sync -1;");
    assert_eq!(line_with("    //~ none: ret;", "").0, "");
}

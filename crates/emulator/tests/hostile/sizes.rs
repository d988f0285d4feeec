//! Checks sizes that no device has, and endless work: they end in a typed error, or in the result,
//! within 2 seconds of CPU time and 100 MB.
//!
//! ```text
//!   measured ──starts──► a process of its own, for one case: what it ends with, CPU time, peak memory
//! ```
//!
//! Law: a size that a text declares costs nothing until its bytes are used, and endless work has a
//! limit.

use crate::common::entry;
use emulator::{Config, Emulator, FaultKind, Launch, LaunchError, Program};
use std::process::Command;

const HEAD: &str = ".version 8.7\n.target sm_90\n.address_size 64\n";
/// The environment variable that names the case that a process runs.
const CASE: &str = "EMULATOR_HOSTILE_CASE";

/// The end of a case: `Ok`, or the error's text.
type End = Result<(), String>;

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Parses and loads a module, and launches `k` without parameters.
fn ends(text: &str, config: Config, launch: Launch) -> End {
    let program = Program::parse(text).map_err(said)?;
    let device = Emulator::new(config);
    device.load(&program).map_err(said)?;
    let launched = device.launch(&program, "k", &launch, &[], None);
    launched.map(drop).map_err(said)
}

const ONE: Launch = Launch {
    grid: [1, 1, 1],
    block: [32, 1, 1],
    dynamic_shared: 0,
};

fn module(declarations: &str, body: &str) -> String {
    format!(
        "{HEAD}{declarations}\n.visible .entry k() {{ .reg .b64 %d<9>; .reg .b32 %r<9>;\n{body}\nret; }}\n"
    )
}

/// The name of a case, the text in its error (empty if it must succeed), and its function.
type Case = (&'static str, &'static str, fn() -> End);

const CASES: [Case; 15] = [
    (
        "an initial value in a tebibyte of constants",
        "1099511627776",
        || {
            ends(
                &module(".const .b8 t[1099511627776] = {1};", ""),
                Config::default(),
                ONE,
            )
        },
    ),
    (
        "an initial value in a tebibyte",
        "out of device memory: 1099511627776 bytes",
        || {
            ends(
                &module(".global .b8 t[1099511627776] = {1};", ""),
                Config::default(),
                ONE,
            )
        },
    ),
    (
        "beyond 2^40 behind an extent that is open",
        "too large",
        || {
            let declaration = ".global .b8 t[][4611686018427387904] = {{1}, {2}};";
            ends(&module(declaration, ""), Config::default(), ONE)
        },
    ),
    (
        "too many initial values",
        "more initial values than elements: 3 for 2",
        || {
            ends(
                &module(".global .b8 t[2][2] = {{1, 2, 3}, {4}};", ""),
                Config::default(),
                ONE,
            )
        },
    ),
    // The variable has all but 8 bytes of the device's memory, and two of its words are used.
    ("a variable as large as the device", "", || {
        let text = module(
            ".global .u64 x[2147483647];",
            "mov.u64 %d1, x; ld.global.u64 %d2, [%d1+17179869168]; st.global.u64 [%d1+8], %d2;",
        );
        match ends(&text, Config::default(), ONE) {
            // A machine with less memory returns this error.
            Err(error) if error.contains("the host has no memory for 17179869176 bytes") => Ok(()),
            end => end,
        }
    }),
    ("far initial values", "", || {
        let text = module(
            ".global .b32 t[2][268435455] = {{1}, {2}};",
            "mov.u64 %d1, t; ld.global.u32 %r1, [%d1+1073741820]; ld.global.u32 %r2, [%d1+1073741824];\n\
             .reg .pred %p; add.u32 %r1, %r1, %r2; setp.ne.u32 %p, %r1, 2; @%p trap;",
        );
        ends(&text, Config::default(), ONE)
    }),
    ("local memory beyond 32 bits", "4294967312 bytes", || {
        ends(
            &module("", ".local .b8 t[4294967312];"),
            Config::default(),
            ONE,
        )
    }),
    (
        "more local memory than a thread has",
        "1048576 bytes of local memory a thread, a thread has 524288",
        || {
            ends(
                &module("", ".local .b8 t[1048576];"),
                Config::default(),
                ONE,
            )
        },
    ),
    (
        "parameters beyond 32 bits",
        "4294967300 bytes, those of a kernel have 32764",
        || {
            let text = format!("{HEAD}.visible .entry k(.param .b8 p[4294967300]) {{ ret; }}");
            ends(&text, Config::default(), ONE)
        },
    ),
    (
        "call parameters beyond a thread's memory",
        "bytes of local memory a thread",
        || {
            ends(
                &module("", "{ .param .b8 a[1000000000]; }"),
                Config::default(),
                ONE,
            )
        },
    ),
    (
        "dynamic shared memory beside static",
        "shared memory, a block has 232448",
        || {
            let text = module(".shared .b32 s[4];", "mov.u64 %d1, s;");
            ends(
                &text,
                Config::default(),
                Launch {
                    dynamic_shared: usize::MAX,
                    ..ONE
                },
            )
        },
    ),
    (
        "a grid of 2^31 blocks",
        "executed 100000 warp instructions (Config::max_instructions_per_launch) in 100000 of",
        || {
            // The limit is a tenth of the next case's, because each instruction runs in a block of
            // its own.
            let config = Config {
                max_instructions_per_launch: 100_000,
                ..Config::default()
            };
            ends(
                &module("", ""),
                config,
                Launch {
                    grid: [0x7fff_ffff, 1, 1],
                    ..ONE
                },
            )
        },
    ),
    (
        "an endless block in a launch with a budget",
        "executed 1000000 warp instructions",
        || {
            let config = Config {
                max_instructions_per_launch: 1_000_000,
                ..Config::default()
            };
            ends(&module("", "L: bra L;"), config, ONE)
        },
    ),
    (
        "printing without end",
        "printed more than 67108864 bytes",
        || {
            let declarations = ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n\
            .global .b8 text[8] = {37, 57, 57, 57, 57, 99, 0, 0};";
            let body = "mov.u64 %d1, text; L: { .param .b64 a; .param .b64 b; .param .b32 r;\n\
            st.param.b64 [a], %d1; st.param.b64 [b], %d1; call (r), vprintf, (a, b); } bra L;";
            ends(&module(declarations, body), Config::default(), ONE)
        },
    ),
    ("recursion with many registers", "stack overflow", || {
        let adds: String = (1..200)
            .map(|i| format!("add.u32 %r{i}, %r{}, {i};", i - 1))
            .collect();
        let uses: String = (1..200)
            .map(|i| format!("add.u32 %r0, %r0, %r{i};"))
            .collect();
        let function = format!(
            ".func (.param .b32 o) f(.param .b32 i) {{ .reg .b32 %r<200>; ld.param.b32 %r0, [i]; {adds}\n\
             {{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r0; call (b), f, (a); ld.param.b32 %r0, [b]; }}\n\
             {uses} st.param.b32 [o], %r0; ret; }}"
        );
        let body = "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r0; call (b), f, (a); }";
        ends(
            &module(&function, body),
            Config::default(),
            Launch {
                block: [1024, 1, 1],
                ..ONE
            },
        )
    }),
];

/// Returns the kibibytes in a line of `/proc/self/status`.
fn status(line: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let found = text.lines().find_map(|l| l.strip_prefix(line));
    let number = found.and_then(|rest| rest.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Returns the CPU time of the process, in hundredths of a second.
fn cpu_time() -> u64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    // utime and stime, fields 14 and 15 of proc(5), which counts from 1.
    let times = fields.split_whitespace().skip(11).take(2);
    times.filter_map(|field| field.parse::<u64>().ok()).sum()
}

/// Runs one case, if the environment variable names one.
#[test]
fn case_of_its_own_process() {
    let Some(name) = std::env::var_os(CASE) else {
        return;
    };
    if name == "host memory" {
        let device = Emulator::new(Config::default());
        println!(
            "END {}",
            device.alloc(8 << 30).map(drop).map_err(said).unwrap_err()
        );
        return;
    }
    let (_, _, run) = CASES.iter().find(|(known, ..)| name == *known).unwrap();
    let before = status("VmHWM:");
    let end = run();
    let (time, memory) = (cpu_time(), status("VmHWM:") - before);
    println!(
        "END {time} {memory} {}",
        end.err().unwrap_or_default().replace('\n', " ")
    );
}

/// Runs a case in its own process. Returns the end that the process prints.
fn child(shell: &str, name: &str) -> String {
    let exe = std::env::current_exe().unwrap();
    let test = ["--exact", "sizes::case_of_its_own_process", "--nocapture"];
    let output = Command::new("sh")
        .args(["-c", &format!("{shell} exec \"$0\" \"$@\"")])
        .arg(exe)
        .args(test)
        .env(CASE, name)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = text
        .split("END ")
        .nth(1)
        .and_then(|rest| rest.lines().next());
    said.unwrap_or_else(|| panic!("{name}: no end\n{text}{output:?}"))
        .to_owned()
}

#[test]
fn hostile_sizes_end_soon_and_take_little() {
    for (name, expected, _) in CASES {
        let said = child("", name);
        let mut parts = said.splitn(3, ' ');
        let mut number = || parts.next().unwrap().parse::<u64>().unwrap();
        let (time, memory) = (number(), number());
        let end = parts.next().unwrap_or_default().trim();
        assert!(
            end.contains(expected) && end.is_empty() == expected.is_empty(),
            "{name}: {end}"
        );
        assert!(
            time <= 200 && memory <= 100_000,
            "{name}: {time} cs, {memory} KiB"
        );
    }
}

#[test]
fn a_host_out_of_memory_is_an_error() {
    let said = child("ulimit -v 4000000;", "host memory");
    assert_eq!(
        said,
        "the host has no memory for 8589934592 bytes of the emulated device"
    );
}

/// Checks that the blocks of a launch share its limits, and that the place where it ends does not
/// depend on the threads.
#[test]
fn limits_of_a_launch_do_not_depend_on_the_threads() {
    // Block i executes about 64 i instructions, and block 50 would fault.
    let text = entry(
        1,
        "mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 50; @%p1 trap; mul.lo.u32 %r1, %r1, 20;\n\
         L: sub.u32 %r1, %r1, 1; setp.gt.s32 %p1, %r1, 0; @%p1 bra L; ret;",
    );
    let program = Program::parse(&text).unwrap();
    let mut ends = Vec::new();
    for threads in [1, 2, 3] {
        for budget in [100, 10_000, 60_000, 1 << 40] {
            let device = Emulator::new(Config {
                threads: Some(threads),
                max_instructions_per_launch: budget,
                ..Config::default()
            });
            device.load(&program).unwrap();
            let launch = Launch {
                grid: [1000, 1, 1],
                ..ONE
            };
            let result = device.launch(&program, "k", &launch, &[&[0; 8]], None);
            ends.push((budget, result.unwrap_err()));
        }
    }
    let (first, rest) = ends.split_at(4);
    assert!(rest.chunks(4).all(|other| other == first), "{ends:?}");
    let done = |end: &LaunchError| match end {
        LaunchError::Budget {
            done, blocks: 1000, ..
        } => Some(*done),
        _ => None,
    };
    let done: Vec<_> = first.iter().map(|(_, end)| done(end)).collect();
    assert!(done[0].is_some_and(|n| n < 3) && done[1].is_some_and(|n| (10..40).contains(&n)));
    assert!(done[2].is_some_and(|n| (40..50).contains(&n)), "{done:?}");
    let LaunchError::Fault(fault) = &first[3].1 else {
        panic!("{first:?}");
    };
    assert_eq!((&fault.what, fault.block), (&FaultKind::Trap, [50, 0, 0]));
}

//! Checks blocks that write the value that is there already, or that others write: the findings are
//! the same on any number of CPU threads.

use super::*;
use emulator::Report;

/// Kernels of the buffer at `%a0`, which counts up from 0: what each does, whether it has a race,
/// and the code. `%r9` is the block, and `%r8` the block's last bit.
const KERNELS: [(&str, bool, &str); 16] = [
    ("equal", false, "st.global.u32 [%a0], 7;"),
    (
        "equal, of all threads and again",
        false,
        "st.global.u32 [%a0], 7; st.global.u32 [%a0], 7;",
    ),
    (
        "equal to what is there",
        false,
        "st.global.u32 [%a0+12], 3;",
    ),
    (
        "equal, of words of which one is there",
        false,
        "mov.u32 %r1, 9; mov.u32 %r2, 1; st.global.v2.u32 [%a0], {%r1, %r2};",
    ),
    (
        "equal in one word, apart in the other",
        true,
        "mov.u32 %r1, 9; st.global.v2.u32 [%a0], {%r1, %r9};",
    ),
    ("unequal", true, "st.global.u32 [%a0], %r9;"),
    ("unequal in the last bit", true, "st.global.u32 [%a0], %r8;"),
    (
        "another value first, then equal ones",
        true,
        "add.u32 %r1, %r9, 50; st.global.u32 [%a0], %r1; st.global.u32 [%a0], 7;",
    ),
    (
        "two equal values, one after the other",
        true,
        "st.global.u32 [%a0], 6; st.global.u32 [%a0], 7;",
    ),
    (
        "lanes of two values",
        true,
        "and.b32 %r1, %tid, 1; st.global.u32 [%a0], %r1;",
    ),
    (
        "the first block twice, the others the last value",
        false,
        "setp.ne.u32 %p1, %tid, 0; @%p1 exit; setp.eq.u32 %p1, %r9, 0; @%p1 st.global.u32 [%a0], 6; st.global.u32 [%a0], 7;",
    ),
    (
        "all threads of the first block twice",
        true,
        "setp.eq.u32 %p1, %r9, 0; @%p1 st.global.u32 [%a0], 6; st.global.u32 [%a0], 7;",
    ),
    (
        "the others twice, the first block the last value",
        true,
        "setp.ne.u32 %p1, %r9, 0; @%p1 st.global.u32 [%a0], 6; st.global.u32 [%a0], 7;",
    ),
    (
        "the first block reads, the others write what is there",
        false,
        "setp.eq.u32 %p1, %r9, 0; @%p1 ld.global.u32 %r1, [%a0+12]; @!%p1 st.global.u32 [%a0+12], 3;",
    ),
    (
        "the first block writes what is there, the others read",
        true,
        "setp.eq.u32 %p1, %r9, 0; @!%p1 ld.global.u32 %r1, [%a0+12]; @%p1 st.global.u32 [%a0+12], 3;",
    ),
    (
        "atomics, then an equal write",
        true,
        "atom.global.add.u32 %r1, [%a0], 1; st.global.u32 [%a0], 5000;",
    ),
];

/// The result of a launch, and the buffer after it.
type Outcome = (Result<Report, LaunchError>, Vec<u32>);

fn outcome(body: &str, blocks: u32, threads: usize, go_on: bool) -> Outcome {
    let text = entry(
        1,
        &format!("mov.u32 %r9, %ctaid.x; and.b32 %r8, %r9, 1;\n{body}\nret;"),
    );
    let config = Config {
        threads: Some(threads),
        continue_past_findings: go_on,
        ..Config::default()
    };
    let bench = Bench::with(&text, config);
    let a = bench.words(&(0..64).collect::<Vec<u32>>());
    let result = bench.launch("k", blocks, 64, &[Arg::U64(a)]);
    (result, bench.read_words(a, 64))
}

#[test]
fn findings_do_not_depend_on_the_number_of_cpu_threads() {
    for (name, race, body) in KERNELS {
        for blocks in [2, 3, 8] {
            for go_on in [false, true] {
                let expected = outcome(body, blocks, 1, go_on);
                match &expected.0 {
                    Ok(report) => assert_eq!(!report.findings.is_empty(), race, "{name}"),
                    Err(LaunchError::Fault(fault)) => {
                        let found = matches!(
                            fault.what,
                            FaultKind::GlobalRace { .. }
                                | FaultKind::ThreadRace { .. }
                                | FaultKind::WriteConflict { .. }
                        );
                        assert!(found && race && !go_on, "{name}: {fault}");
                    }
                    Err(other) => panic!("{name}: {other}"),
                }
                for threads in [2, 4] {
                    for _ in 0..8 {
                        let seen = outcome(body, blocks, threads, go_on);
                        assert_eq!(seen, expected, "{name}: {blocks} blocks, {threads} threads");
                    }
                }
            }
        }
    }
}

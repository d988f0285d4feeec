//! Checks findings that are accepted, or skipped for the sake of the counters: the kernel continues
//! as the hardware would.

use super::*;
use emulator::{Acceptable, Acceptance, AcceptedLine, Report};

fn rule(kind: Option<Acceptable>, instruction: Option<&str>) -> Acceptance {
    let mut rule = Acceptance::new("because");
    rule.kind = kind;
    rule.instruction = instruction.map(str::to_owned);
    rule
}

fn accepting(rules: &[Acceptance]) -> Config {
    Config {
        accept: rules.to_vec(),
        ..Config::default()
    }
}

/// Runs as [`run`] does, on a device of that configuration. Also returns the first words of the
/// buffer afterwards.
fn run_with(
    config: Config,
    body: &str,
    blocks: u32,
    threads: u32,
) -> (Result<Report, LaunchError>, Vec<u32>) {
    let text = entry(
        1,
        &format!("mov.u64 %d30, dynamic; mov.u32 %r30, dynamic;\n{body}\nret;"),
    );
    let bench = Bench::with(&text, config);
    let a = bench.words(&(0..1024).collect::<Vec<u32>>());
    let launch = Launch {
        grid: [blocks, 1, 1],
        block: [threads, 1, 1],
        dynamic_shared: 512,
    };
    let result = bench.launch_with("k", launch, &[Arg::U64(a)]);
    (result, bench.read_words(a, 64))
}

/// Thread i reads word i ^ 1 of shared memory, in which only even threads wrote their words, and
/// stores it.
const RAGGED: &str = "mul.wide.u32 %d0, %tid, 4; add.u64 %d1, %d30, %d0; add.u64 %d4, %a0, %d0; and.b32 %r1, %tid, 1;\n\
     setp.eq.u32 %p1, %r1, 0; add.u32 %r5, %tid, 100; @%p1 st.shared.u32 [%d1], %r5; bar.sync 0;\n\
     xor.b32 %r1, %tid, 1; mul.wide.u32 %d2, %r1, 4; add.u64 %d2, %d30, %d2; ld.shared.u32 %r2, [%d2];\n\
     st.global.u32 [%d4], %r2;";

#[test]
fn an_uninitialised_read_is_accepted_and_counted() {
    let rules = [
        rule(Some(Acceptable::Race), None),
        rule(Some(Acceptable::Uninitialised), Some("ld.shared")),
    ];
    let (result, words) = run_with(accepting(&rules), RAGGED, 1, 64);
    let report = result.unwrap();
    // 32 even threads read words that no odd thread wrote; each reads the value in memory.
    assert_eq!(report.accepted, [0, 32]);
    for (i, word) in words.iter().enumerate() {
        let expected = if i % 2 == 1 { 99 + i as u32 } else { 0 };
        assert_eq!(*word, expected, "word {i}");
    }
    let [noted] = &report.findings[..] else {
        panic!("{:?}", report.findings)
    };
    assert_eq!((noted.count, noted.accepted), (32, Some(1)));
    // The warp that came to the barrier last continues first.
    assert_eq!(noted.fault.thread, Some([32, 0, 0]));
    assert_eq!(noted.fault.lanes, u32::MAX);
    // For another instruction, another kernel or another kind, the finding ends the launch.
    let mut elsewhere = rule(Some(Acceptable::Uninitialised), None);
    elsewhere.kernel = Some("other".into());
    for rule in [
        rule(Some(Acceptable::Uninitialised), Some("ld.global")),
        rule(Some(Acceptable::Race), None),
        elsewhere,
    ] {
        let what = kind(run_with(accepting(&[rule]), RAGGED, 1, 64).0);
        assert!(matches!(what, FaultKind::Uninitialised { .. }), "{what}");
    }
}

#[test]
fn every_kind_that_a_kernel_can_go_on_from() {
    let copy = "cp.async.ca.shared.global [%r30], [%a0+4], 4;\nld.shared.u32 %r2, [%r30]; st.global.u32 [%a0], %r2;";
    let race = "setp.eq.u32 %p1, %tid, 0; @%p1 st.shared.u32 [%r30], 7;\nld.shared.u32 %r2, [%r30];\n\
                st.global.u32 [%a0], %r2;";
    let warps = "setp.eq.u32 %p1, %tid, 0; @%p1 st.shared.u32 [%r30], 7; setp.ge.u32 %p2, %tid, 32;\n\
                 @%p2 ld.shared.u32 %r2, [%r30]; @%p2 st.global.u32 [%a0], %r2;";
    let conflict = "st.shared.u32 [%r30], %tid; bar.sync 0; ld.shared.u32 %r2, [%r30]; st.global.u32 [%a0], %r2;";
    let blocks = "mov.u32 %r1, %ctaid.x; add.u32 %r1, %r1, 50; st.global.u32 [%a0], %r1;";
    for (accepted, body, grid, threads, count, value) in [
        (Acceptable::AsyncCopyPending, copy, 1, 1, 1, 1),
        (Acceptable::WarpSynchronous, race, 1, 32, 31, 7),
        (Acceptable::Race, warps, 1, 64, 32, 7),
        (Acceptable::WriteConflict, conflict, 1, 32, 31, 31),
        (Acceptable::GlobalRace, blocks, 4, 1, 3, 53),
    ] {
        let unaccepted = kind(run_with(Config::default(), body, grid, threads).0);
        assert_eq!(Acceptable::of(&unaccepted), Some(accepted));
        for cpus in [1, 4] {
            let config = Config {
                threads: Some(cpus),
                ..accepting(&[rule(Some(accepted), None)])
            };
            let (result, words) = run_with(config, body, grid, threads);
            let report = result.unwrap_or_else(|error| panic!("{accepted}: {error}"));
            assert_eq!((report.accepted[0], words[0]), (count, value), "{accepted}");
        }
    }
}

/// Thread i writes 100 + i to word i of `y`, the array after the shared array `x` of 64 bytes, and
/// reads that word as word 16 + i of `x`.
const BEYOND: &str = ".shared .align 16 .b8 x[64]; .shared .align 16 .b8 y[128]; mov.u32 %r50, x; mov.u32 %r51, y;\n\
     mad.lo.u32 %r1, %tid, 4, %r51; add.u32 %r2, %tid, 100; st.shared.u32 [%r1], %r2; bar.sync 0;\n\
     mad.lo.u32 %r3, %tid, 4, %r50; ld.shared.u32 %r4, [%r3+64];\n\
     mul.wide.u32 %d0, %tid, 4; add.u64 %d1, %a0, %d0; st.global.u32 [%d1], %r4;";

#[test]
fn an_access_of_another_variable_is_accepted_and_counted() {
    let unaccepted = run_with(Config::default(), BEYOND, 2, 32).0;
    let Err(LaunchError::Fault(fault)) = unaccepted else {
        panic!("a finding expected")
    };
    assert!(
        matches!(fault.what, FaultKind::Provenance { .. }),
        "{fault}"
    );
    for rules in [
        vec![rule(Some(Acceptable::Provenance), None)],
        vec![
            rule(Some(Acceptable::Race), None),
            rule(None, Some("ld.shared")),
        ],
    ] {
        let (result, words) = run_with(accepting(&rules), BEYOND, 2, 32);
        let report = result.unwrap_or_else(|error| panic!("{error}"));
        // In each of two blocks, every thread leaves `x` by 64 bytes.
        assert_eq!(report.accepted.last(), Some(&64));
        let expected: Vec<u32> = (100..132).collect();
        assert_eq!(words[..32], expected);
    }
    let elsewhere = accepting(&[rule(Some(Acceptable::Provenance), Some("st.shared"))]);
    assert_eq!(kind(run_with(elsewhere, BEYOND, 2, 32).0), fault.what);
    let elsewhere = accepting(&[rule(Some(Acceptable::Uninitialised), None)]);
    assert_eq!(kind(run_with(elsewhere, BEYOND, 2, 32).0), fault.what);
}

#[test]
fn what_is_beyond_memory_is_told_in_spite_of_accepted_provenance() {
    let rules = accepting(&[rule(Some(Acceptable::Provenance), None)]);
    let body = BEYOND.replace("[%r3+64]", "[%r3+65536]");
    let what = kind(run_with(rules, &body, 1, 32).0);
    assert!(matches!(what, FaultKind::OutOfBounds { .. }), "{what}");
    // Accepting the finding does not hide races of other threads at that place.
    let rules = accepting(&[rule(Some(Acceptable::Provenance), None)]);
    let body = BEYOND
        .replace("bar.sync 0;", "")
        .replace("[%r3+64]", "[%r3+68]");
    let what = kind(run_with(rules, &body, 1, 31).0);
    assert!(
        matches!(
            what,
            FaultKind::Uninitialised { .. } | FaultKind::Race { .. }
        ),
        "{what}"
    );
}

#[test]
fn an_uninitialised_register_is_accepted_and_counted() {
    // Only odd threads write %r5, but all read it.
    let body = "and.b32 %r1, %tid, 1; setp.eq.u32 %p1, %r1, 1; @%p1 mov.u32 %r5, 7; add.u32 %r6, %r5, 1;\n\
         mul.wide.u32 %d0, %tid, 4; add.u64 %d1, %a0, %d0; st.global.u32 [%d1], %r6;";
    let watching = |rules: &[Acceptance]| Config {
        check_registers: true,
        ..accepting(rules)
    };
    let register = "%r5".to_owned();
    let expected = FaultKind::UninitialisedRegister { register };
    assert_eq!(kind(run_with(watching(&[]), body, 1, 64).0), expected);
    for accepted in [
        rule(Some(Acceptable::UninitialisedRegister), None),
        rule(None, Some("add.u32")),
    ] {
        let (result, words) = run_with(watching(&[accepted]), body, 1, 64);
        let report = result.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(report.accepted, [32], "even threads of two warps");
        let [noted] = &report.findings[..] else {
            panic!("{:?}", report.findings)
        };
        assert_eq!((&noted.fault.what, noted.count), (&expected, 32));
        assert_eq!(noted.fault.thread, Some([0, 0, 0]));
        assert!(noted.fault.instruction.starts_with("add.u32 %r6"));
        for (i, word) in words.iter().enumerate().filter(|(i, _)| i % 2 == 1) {
            assert_eq!(*word, 8, "word {i}");
        }
    }
    let elsewhere = rule(Some(Acceptable::UninitialisedRegister), Some("mov"));
    assert_eq!(
        kind(run_with(watching(&[elsewhere]), body, 1, 64).0),
        expected
    );
}

#[test]
fn lines_are_of_the_ptx_or_of_the_source() {
    let (result, _) = run_with(Config::default(), RAGGED, 1, 64);
    let Err(LaunchError::Fault(fault)) = result else {
        panic!("a finding expected")
    };
    let at = |line| {
        let mut rule = rule(None, None);
        rule.line = Some(line);
        run_with(accepting(&[rule]), RAGGED, 1, 64).0
    };
    assert_eq!(at(AcceptedLine::Ptx(fault.line)).unwrap().accepted, [32]);
    assert!(at(AcceptedLine::Ptx(fault.line + 1)).is_err());
    assert!(at("k.cu:7".parse().unwrap()).is_err());
    let body = format!(".loc 1 7 3\n{RAGGED}");
    let mut of_source = rule(None, None);
    of_source.line = Some("k.cu:7".parse().unwrap());
    let text = entry(1, &format!("mov.u64 %d30, dynamic;\n{body}\nret;"));
    let bench = Bench::with(
        &format!("{text}\n.file 1 \"/src/k.cu\"\n"),
        accepting(&[of_source]),
    );
    let a = bench.words(&[0; 64]);
    let launch = Launch {
        grid: [1, 1, 1],
        block: [64, 1, 1],
        dynamic_shared: 256,
    };
    let report = bench.launch_with("k", launch, &[Arg::U64(a)]).unwrap();
    assert_eq!(report.accepted, [32]);
}

#[test]
fn what_has_no_value_to_go_on_with_cannot_be_accepted() {
    let body = "ld.global.u32 %r1, [%a0+4096];";
    let rule = rule(None, Some("ld.global"));
    let (result, _) = run_with(accepting(&[rule]), body, 1, 1);
    let Err(LaunchError::Fault(fault)) = result else {
        panic!("a finding expected")
    };
    assert!(matches!(fault.what, FaultKind::Unmapped { .. }), "{fault}");
    assert_eq!(fault.not_accepted.as_deref(), Some("because"));
    let said = fault.to_string();
    assert!(
        said.contains("an acceptance names this place (because), but"),
        "{said}"
    );
    // A rule without a reason, or about all findings, is not valid.
    for (rule, problem) in [
        (
            Acceptance::new("why"),
            "it names no kind, line or instruction",
        ),
        (
            Acceptance {
                reason: String::new(),
                kind: Some(Acceptable::Race),
                ..Acceptance::new("")
            },
            "it has no reason",
        ),
    ] {
        let (result, _) = run_with(accepting(&[rule]), RAGGED, 1, 64);
        assert_eq!(result, Err(LaunchError::Acceptance { number: 1, problem }));
    }
}

#[test]
fn counters_in_spite_of_findings_are_those_without_checks() {
    // The kernel has uninitialised reads, then a race within a warp, then a race between two warps.
    let body = format!(
        "{RAGGED} bar.sync 0; st.shared.u32 [%d1], %tid; bar.sync 0;\nst.shared.u32 [%d1], %r5;\nld.shared.u32 %r3, [%d2];\n\
         xor.b32 %r1, %tid, 32; mul.wide.u32 %d2, %r1, 4; add.u64 %d2, %d30, %d2;\nld.shared.u32 %r4, [%d2];"
    );
    let unchecked = Config {
        check_races: false,
        check_initialised: false,
        ..Config::default()
    };
    let expected = run_with(unchecked, &body, 3, 64).0.unwrap();
    let mut seen = Vec::new();
    for cpus in [1, 4] {
        let config = Config {
            continue_past_findings: true,
            threads: Some(cpus),
            ..accepting(&[rule(Some(Acceptable::Uninitialised), None)])
        };
        let report = run_with(config, &body, 3, 64).0.unwrap();
        assert_eq!(report.lines, expected.lines);
        assert_eq!(report.memory, expected.memory);
        assert_eq!(report.accepted, [96]);
        seen.push(report.findings);
    }
    assert_eq!(seen[0], seen[1], "on any number of CPU threads");
    let found = &seen[0];
    assert!(found.iter().all(|noted| noted.fault.block == [0, 0, 0]));
    let races: Vec<_> = found
        .iter()
        .filter(|noted| matches!(noted.fault.what, FaultKind::Race { .. }))
        .collect();
    assert!(races.len() >= 2, "{found:?}");
    // Races of two warps come before the race within a warp, whose line is not the last.
    let within: Vec<bool> = races
        .iter()
        .map(|noted| match noted.fault.what {
            FaultKind::Race { other, .. } => noted.fault.warp == Some(other[0] / 32),
            _ => false,
        })
        .collect();
    assert_eq!(within, [false, false, true], "{found:?}");
}

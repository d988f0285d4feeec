//! Checks mbarrier objects in shared memory: what they order, and which uses are wrong.

use super::*;

/// Writes code by which thread 0 initialises the object at offset 0 for `count` arrivals. `%r2` is
/// the address of the thread's own word after the object, at 64.
fn made(count: u32) -> String {
    format!(
        "shl.b32 %r1, %tid, 2; add.u32 %r2, %r30, %r1; setp.eq.u32 %p1, %tid, 0;\n\
         @%p1 mbarrier.init.shared.b64 [%r30], {count}; bar.sync 0;\n"
    )
}

const WAIT: &str = "WAIT: mbarrier.test_wait.shared::cta.b64 %p2, [%r30], %d1; @!%p2 bra WAIT;\n";
/// Reads the words of the neighbouring lane and of the other warp, and stores their sum in the
/// buffer.
const OTHERS: &str = "xor.b32 %r3, %r1, 4; add.u32 %r3, %r30, %r3; ld.shared.u32 %r4, [%r3+64];\n\
     xor.b32 %r3, %r1, 128; add.u32 %r3, %r30, %r3; ld.shared.u32 %r5, [%r3+64];\n\
     add.u32 %r4, %r4, %r5; mul.wide.u32 %d2, %tid, 4; add.u64 %d2, %a0, %d2; st.global.u32 [%d2], %r4;\n";

/// Returns the words that two warps leave in the buffer.
fn results(body: &str) -> Vec<u32> {
    let text = entry(1, &format!("mov.u32 %r30, dynamic;\n{body}\nret;"));
    let bench = Bench::new(&text);
    let a = bench.words(&[0; 64]);
    let launch = Launch {
        grid: [1, 1, 1],
        block: [64, 1, 1],
        dynamic_shared: 1024,
    };
    bench
        .launch_with("k", launch, &[Arg::U64(a)])
        .unwrap_or_else(|error| panic!("{error}"));
    bench.read_words(a, 64)
}

fn neighbours() -> Vec<u32> {
    (0..64).map(|t| (t ^ 1) + (t ^ 32)).collect()
}

#[test]
fn a_wait_is_ordered_behind_every_arrival() {
    let body = |arrive: &str, wait: &str| {
        made(64) + "st.shared.u32 [%r2+64], %tid;\n" + arrive + wait + OTHERS
    };
    let by_state = body("mbarrier.arrive.shared.b64 %d1, [%r30];\n", WAIT);
    assert_eq!(results(&by_state), neighbours());
    let by_parity = body(
        "mbarrier.arrive.release.cta.shared::cta.b64 _, [%r30];\n",
        "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r30], 0, 100; @!%p2 bra WAIT;\n",
    );
    assert_eq!(results(&by_parity), neighbours());
    // The last thread to arrive is in another warp than most that wait; the second variant uses
    // generic addresses.
    let generic = by_state
        .replace(".shared.b64", ".b64")
        .replace(".shared::cta.b64", ".b64")
        .replace("[%r30]", "[%d31]");
    assert_eq!(
        results(&format!("cvta.shared.u64 %d31, dynamic;\n{generic}")),
        neighbours()
    );
    // There is a race without the wait, and if the word is written after the arrival.
    let early = body("mbarrier.arrive.shared.b64 %d1, [%r30];\n", "");
    assert!(matches!(
        kind(run(&early, 64, 1024)),
        FaultKind::Race { .. }
    ));
    let late = made(64)
        + "mbarrier.arrive.shared.b64 %d1, [%r30]; st.shared.u32 [%r2+64], %tid;\n"
        + WAIT
        + OTHERS;
    assert!(matches!(kind(run(&late, 64, 1024)), FaultKind::Race { .. }));
}

#[test]
fn phases_follow_each_other_and_arrivals_can_be_dropped() {
    // Warp 1 drops out in phase 0; warp 0 completes phases 1 and 2 without it, and each state holds
    // the pending count.
    let body = made(64)
        + "setp.ge.u32 %p3, %tid, 32; @%p3 mbarrier.arrive_drop.shared.b64 %d1, [%r30]; @%p3 ret;\n\
           mbarrier.arrive.shared.b64 %d1, [%r30];\n"
        + WAIT
        + "mbarrier.arrive.shared.b64 %d1, [%r30]; mbarrier.pending_count.b64 %r6, %d1;\n"
        + &WAIT.replace("WAIT", "AGAIN")
        + "mbarrier.test_wait.parity.shared.b64 %p4, [%r30], 1; mbarrier.test_wait.parity.shared.b64 %p5, [%r30], 0;\n\
           @%p4 add.u32 %r6, %r6, 100; @%p5 add.u32 %r6, %r6, 1000;\n\
           mbarrier.arrive.shared.b64 %d1, [%r30], 1;\n"
        + &WAIT.replace("WAIT", "THIRD")
        + "mul.wide.u32 %d2, %tid, 4; add.u64 %d2, %a0, %d2; st.global.u32 [%d2], %r6;";
    // 32 arrivals are pending before lane 0's, and 1 before lane 31's; phase 1 is complete, and
    // phase 2 is not.
    let expected: Vec<u32> = (0..64).map(|t| if t < 32 { 132 - t } else { 0 }).collect();
    assert_eq!(results(&body), expected);
}

#[test]
fn copies_arrive_at_an_object() {
    let copy = "mul.wide.u32 %d4, %tid, 4; add.u64 %d4, %a0, %d4; cp.async.ca.shared.global [%r2+64], [%d4], 4;\n";
    let read = "xor.b32 %r3, %r1, 128; add.u32 %r3, %r30, %r3; ld.shared.u32 %r5, [%r3+64];";
    let counted = "cp.async.mbarrier.arrive.noinc.shared.b64 [%r30];\n";
    let wait = "WAIT: mbarrier.test_wait.parity.shared.b64 %p2, [%r30], 0; @!%p2 bra WAIT;\n";
    passes(&(made(64) + copy + counted + wait + read), 64, 1024);
    // The copies' arrivals do not use up the object's count: the threads arrive too.
    let beside =
        "cp.async.mbarrier.arrive.shared.b64 [%r30]; mbarrier.arrive.shared.b64 %d1, [%r30];\n";
    passes(&(made(64) + copy + beside + wait + read), 64, 1024);
    // Four lanes copy, each for eight lanes, and arrive by themselves in between.
    let few = format!(
        "shl.b32 %r6, %tid, 5; add.u32 %r6, %r30, %r6; setp.lt.u32 %p3, %tid, 4; mul.wide.u32 %d4, %tid, 32; add.u64 %d4, %a0, %d4;\n\
         @!%p3 bra ON;\n{}ON: mbarrier.arrive.shared.b64 %d1, [%r30];\n",
        [0, 16]
            .map(|at| format!(
                "cp.async.cg.shared.global [%r6+{}], [%d4+{at}], 16; cp.async.mbarrier.arrive.shared.b64 [%r30];\n",
                64 + at
            ))
            .concat()
    );
    let all = "and.b32 %r3, %r1, 127; add.u32 %r3, %r30, %r3; ld.shared.u32 %r5, [%r3+64];";
    passes(&(made(64) + &few + wait + all), 64, 1024);
    let arrived = "mbarrier.arrive.shared.b64 %d1, [%r30];\n";
    assert!(matches!(
        kind(run(&(made(64) + copy + arrived + wait + read), 64, 1024)),
        FaultKind::AsyncCopyPending { .. }
    ));
}

#[test]
fn objects_are_made_before_they_are_used_and_not_used_up() {
    let problem = |body: &str| match kind(run(body, 64, 1024)) {
        FaultKind::Operand(problem) => problem,
        none @ FaultKind::NoMbarrier { .. } => none.to_string(),
        other => panic!("{other}"),
    };
    let none =
        "no mbarrier object lies here: none was made by mbarrier.init, or it was invalidated";
    assert_eq!(problem("mbarrier.arrive.shared.b64 %d1, [%r30];"), none);
    let invalid = "setp.eq.u32 %p1, %tid, 0; @%p1 mbarrier.init.shared.b64 [%r30], 1; @%p1 mbarrier.inval.shared.b64 [%r30];\n\
                   bar.sync 0; mbarrier.test_wait.parity.shared.b64 %p2, [%r30], 0;";
    assert_eq!(problem(invalid), none);
    assert_eq!(
        problem("mbarrier.init.shared.b64 [%r30], 0;"),
        "a count is within 1..=1048575, not 0"
    );
    let two = made(3) + "@%p1 mbarrier.arrive.shared.b64 %d1, [%r30], 2; bar.sync 0;\n";
    assert_eq!(
        problem(&(two.clone() + "@%p1 mbarrier.arrive.shared.b64 %d1, [%r30], 2;")),
        "2 arrivals where the phase waits for 1 of 3"
    );
    assert_eq!(
        problem(&(two + "@%p1 mbarrier.arrive.noComplete.shared.b64 %d1, [%r30], 1;")),
        "`.noComplete`, and the phase completes"
    );
    assert_eq!(
        problem(&(made(1) + "mov.u64 %d1, 5; mbarrier.test_wait.shared.b64 %p2, [%r30], %d1;")),
        "the state is not of the object's current or preceding phase"
    );
    assert_eq!(
        problem("mbarrier.init.b64 [%a0], 1;"),
        "an mbarrier object lies in shared memory"
    );
    // The object is invalidated after arrivals, and nothing orders the arrivals before the
    // invalidation: libcu++ does so after a `match.sync`.
    let behind = made(32)
        + "setp.ge.u32 %p3, %tid, 32; @%p3 mbarrier.arrive.shared.b64 %d1, [%r30];\n\
           setp.eq.u32 %p4, %tid, 33; @%p4 mbarrier.inval.shared.b64 [%r30];";
    passes(&behind, 64, 1024);
    // Nothing orders the object's initialisation before its use.
    let unordered = made(32).replace("bar.sync 0;", "")
        + "setp.ge.u32 %p3, %tid, 32; @%p3 mbarrier.arrive.shared.b64 %d1, [%r30];";
    assert!(matches!(
        kind(run(&unordered, 64, 1024)),
        FaultKind::Race { .. }
    ));
}

/// Checks that a live object cannot be initialised again: it has to be invalidated first. All lanes
/// together may initialise one.
#[test]
fn an_object_is_not_made_over_one_that_lives() {
    let launched = |body: &str, config: Config| {
        let text = entry(
            1,
            &format!("mov.u32 %r30, dynamic;\n{}{body}\nret;", made(64)),
        );
        let bench = Bench::with(&text, config);
        let a = bench.words(&[0; 64]);
        let launch = Launch {
            grid: [1, 1, 1],
            block: [64, 1, 1],
            dynamic_shared: 1024,
        };
        bench.launch_with("k", launch, &[Arg::U64(a)])
    };
    let again = format!(
        "mbarrier.arrive.shared.b64 %d1, [%r30];\n{WAIT}bar.sync 0; END @%p1 mbarrier.init.shared.b64 [%r30], 32; bar.sync 0;"
    );
    let wrong = again.replace("END", "");
    let what = kind(launched(&wrong, Config::default()));
    let FaultKind::Mbarrier { phase, problem, .. } = &what else {
        panic!("{what}");
    };
    assert_eq!(*phase, 1);
    assert!(
        problem.contains("mbarrier.inval ends it first"),
        "{problem}"
    );
    let right = again.replace("END", "@%p1 mbarrier.inval.shared.b64 [%r30]; bar.sync 0;");
    launched(&right, Config::default()).unwrap();
    // The count is another, and no thread has arrived.
    let what = kind(launched(
        "@%p1 mbarrier.init.shared.b64 [%r30], 32;",
        Config::default(),
    ));
    assert!(matches!(what, FaultKind::Mbarrier { .. }), "{what}");
    launched(
        "@%p1 mbarrier.init.shared.b64 [%r30], 64;",
        Config::default(),
    )
    .unwrap();
    // An object that data has overwritten is no longer an object.
    launched(
        "@%p1 st.shared.u64 [%r30], 0; @%p1 mbarrier.init.shared.b64 [%r30], 32;",
        Config::default(),
    )
    .unwrap();
}

/// Checks that, if the finding is accepted, operations where there is no object have no effect, and
/// waits end.
#[test]
fn what_is_no_object_can_be_accepted() {
    let text = entry(
        1,
        "mov.u32 %r30, dynamic; mbarrier.arrive.shared.b64 %d1, [%r30]; mbarrier.expect_tx.relaxed.cta.shared.b64 [%r30], 16;\n\
         cp.async.ca.shared.global [%r30+64], [%a0], 4; cp.async.mbarrier.arrive.noinc.b64 [%r30];\n\
         WAIT: mbarrier.try_wait.shared.b64 %p1, [%r30], %d1; @!%p1 bra WAIT; mbarrier.inval.shared.b64 [%r30];\n\
         mov.u32 %r1, 5; st.global.u32 [%a0+4], %r1; ret;",
    );
    let launched = |config: Config| {
        let bench = Bench::with(&text, config);
        let a = bench.words(&[1, 2]);
        let launch = Launch {
            grid: [1, 1, 1],
            block: [1, 1, 1],
            dynamic_shared: 128,
        };
        let report = bench.launch_with("k", launch, &[Arg::U64(a)])?;
        assert_eq!(bench.read_words(a, 2), [1, 5]);
        Ok(report)
    };
    let Err(LaunchError::Fault(fault)) = launched(Config::default()) else {
        panic!("no fault");
    };
    assert_eq!(fault.what, FaultKind::NoMbarrier { barrier: 1024 });
    common::accepts(&fault, Config::default(), launched);
    let config = Config {
        accept: vec!["mbarrier".parse().unwrap()],
        ..Config::default()
    };
    assert_eq!(launched(config).unwrap().accepted, [5]);
}

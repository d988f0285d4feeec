//! Checks mbarrier objects with transactions, and registers that warps hand over to each other.

use super::*;

/// Writes code by which thread 0 initialises an object for `count` arrivals at the start of shared
/// memory; `%p1` is thread 0.
fn made(count: u32) -> String {
    format!(
        "setp.eq.u32 %p1, %tid, 0; @%p1 mbarrier.init.shared::cta.b64 [%r30], {count};\n\
         fence.mbarrier_init.release.cluster; bar.sync 0;\n"
    )
}

/// Writes code by which thread 0 stores, as bits of word `at`, whether the phases of parity 0 and 1
/// count as complete.
fn noted(at: u32) -> String {
    format!(
        "mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r30], 0; mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r30], 1;\n\
         selp.u32 %r1, 1, 0, %p2; selp.u32 %r2, 2, 0, %p3; or.b32 %r1, %r1, %r2; st.global.u32 [%a0+{}], %r1;\n",
        4 * at
    )
}

#[test]
fn a_phase_waits_for_its_arrivals_and_its_bytes() {
    let steps = [
        // No thread has arrived: the phase before the first one, of parity 1, counts as complete.
        ("", 2),
        (
            "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %d1, [%r30], 48;",
            2,
        ),
        (
            "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r30], 32;",
            2,
        ),
        ("mbarrier.complete_tx.shared::cluster.b64 [%r30], 16;", 1),
        // The bytes arrive before they are announced, and before the arrival.
        ("mbarrier.complete_tx.shared::cta.b64 [%r30], 8;", 1),
        (
            "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r30], 8;",
            1,
        ),
        ("mbarrier.arrive.shared::cluster.b64 _, [%r30];", 2),
        // Bytes that are announced without an arrival hold the phase.
        (
            "mbarrier.expect_tx.b64 [%d31], 8; mbarrier.arrive.b64 %d1, [%d31];",
            2,
        ),
        ("mbarrier.complete_tx.b64 [%d31], 8;", 1),
    ];
    let mut body = made(1) + "cvta.shared.u64 %d31, dynamic;\n";
    for (i, (step, _)) in steps.iter().enumerate() {
        body += &format!("{step}\n{}", noted(i as u32));
    }
    let found = passes("", 1, &body);
    let expected: Vec<u32> = steps.iter().map(|(_, parities)| *parities).collect();
    assert_eq!(found[..steps.len()], expected);
}

#[test]
fn a_producer_and_consumers_go_through_many_phases() {
    // Warp 0 announces 4 bytes in each phase and completes them; warps 1 and 2 read the word that
    // it wrote, and arrive.
    let body = "
        setp.eq.u32 %p1, %tid, 0;
        @%p1 mbarrier.init.shared::cta.b64 [%r30], 1; @%p1 mbarrier.init.shared::cta.b64 [%r30+8], 64; bar.sync 0;
        mov.u32 %r1, 0; mov.u32 %r2, 0; setp.lt.u32 %p4, %tid, 32; @!%p4 bra CONSUME;
        @!%p1 bra END; mov.u32 %r3, 1;
        PRODUCE:
        FREE: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r30+8], %r3; @!%p2 bra FREE;
        st.shared.u32 [%r30+16], %r1;
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r30], 4;
        mbarrier.complete_tx.shared::cta.b64 [%r30], 4;
        xor.b32 %r3, %r3, 1; add.u32 %r1, %r1, 1; setp.lt.u32 %p3, %r1, 10; @%p3 bra PRODUCE; bra END;
        CONSUME: mov.u32 %r3, 0;
        NEXT:
        FULL: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r30], %r3; @!%p2 bra FULL;
        ld.shared.u32 %r4, [%r30+16]; mad.lo.u32 %r2, %r2, 3, %r4;
        mbarrier.arrive.shared::cta.b64 _, [%r30+8];
        xor.b32 %r3, %r3, 1; add.u32 %r1, %r1, 1; setp.lt.u32 %p3, %r1, 10; @%p3 bra NEXT;
        mul.wide.u32 %d1, %tid, 4; add.u64 %d1, %a0, %d1; st.global.u32 [%d1], %r2;
        END:";
    let expected = (0..10).fold(0, |sum: u32, i| 3 * sum + i);
    let found = passes("", 96, body);
    assert!(found[32..96].iter().all(|&word| word == expected));
    // Either the producer does not wait for the consumers, or the consumers do not arrive after
    // reading.
    let unasked = body.replace("@!%p2 bra FREE;", "");
    assert!(says("", 96, &unasked).starts_with("race on shared memory: write"));
    let unread = body.replace("mbarrier.arrive.shared::cta.b64 _, [%r30+8];\n", "");
    let said = says("", 96, &unread);
    assert!(
        said.contains("phase 0 waits for 64 of 64 arrivals and 0 bytes"),
        "{said}"
    );
    // An arrival does not acquire what earlier arrivals released.
    let unordered = body.replace(
        "FULL: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r30], %r3; @!%p2 bra FULL;",
        "mbarrier.complete_tx.shared::cta.b64 [%r30], 0;",
    );
    assert!(matches!(
        kind_of(&unordered, 96),
        FaultKind::Race { .. } | FaultKind::Uninitialised { .. }
    ));
}

fn kind_of(body: &str, threads: u32) -> FaultKind {
    match run("", threads, body) {
        Err(LaunchError::Fault(fault)) => fault.what,
        other => panic!("a fault expected, got {other:?}"),
    }
}

#[test]
fn too_many_bytes_expected_are_a_deadlock_with_its_counts() {
    let body = made(1)
        + "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r30], 64; @%p1 mbarrier.complete_tx.shared::cta.b64 [%r30], 48;\n\
           WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r30], 0; @!%p2 bra WAIT;";
    let said = says("", 32, &body);
    assert!(
        said.contains("waits at the mbarrier at 0x400 (made at PTX line")
            && said.contains("phase 0 waits for 0 of 1 arrivals and 16 bytes"),
        "{said}"
    );
    passes("", 32, &body.replace("], 48;", "], 64;"));
    let most = made(1) + "mbarrier.expect_tx.shared::cta.b64 [%r30], 0x100000;";
    assert!(says("", 1, &most).contains("1048575 at most"));
}

#[test]
fn a_wait_two_phases_behind_is_seen() {
    // Thread 32 completes phases without waiting; thread 0 waits for phase 0 once they are
    // complete.
    let body = |phases: usize| {
        made(1)
            + "setp.eq.u32 %p4, %tid, 32;\n"
            + &"@%p4 mbarrier.arrive.shared::cta.b64 _, [%r30];\n".repeat(phases)
            + "bar.sync 1, 64;\n\
               @%p1 mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r30], 0;"
    };
    passes("", 64, &body(1));
    passes("", 64, &body(1).replace("bar.sync 1, 64;", ""));
    // Nothing informs thread 0 of the phases between.
    let said = says("", 64, &body(3).replace("bar.sync 1, 64;", ""));
    assert!(
        said.contains("a wait by parity 0 for phase 0, which is two phases behind or more"),
        "{said}"
    );
}

#[test]
fn registers_are_handed_from_warp_to_warp() {
    // 128 threads have 168 registers each: those of two warps release 128 each, and those of the
    // other two take 64 more each.
    let roles = |take: u32| {
        format!(
            "setp.lt.u32 %p1, %tid, 64; @%p1 bra GIVE; setmaxnreg.inc.sync.aligned.u32 {take}; bra END;\n\
             GIVE: setmaxnreg.dec.sync.aligned.u32 40; END:"
        )
    };
    let directives = ".maxntid 128, 1, 1 .minnctapersm 3";
    passes(directives, 128, &roles(232));
    // Warps whose lanes reach the instruction in parts may execute it too: some lanes might end
    // elsewhere.
    let parts = "setp.gt.u32 %p2, %tid, 200; setp.lt.u32 %p3, %tid, 12; @!%p3 bra OUT; @!%p2 bra OUT; st.global.u32 [%a0], %tid; bra LAST; OUT:\n";
    let last = " bra REST; LAST: st.global.u32 [%a0], %tid; REST:";
    passes(directives, 128, &format!("{parts}{}{last}", roles(232)));
    let said = says(
        directives,
        128,
        &roles(256).replace("dec.sync.aligned.u32 40", "dec.sync.aligned.u32 88"),
    );
    assert!(
        said.contains("waits for registers beyond its 168 a thread, 2304 are free"),
        "{said}"
    );
    let wrong = "setmaxnreg.dec.sync.aligned.u32 240;";
    assert_eq!(
        says(directives, 128, wrong),
        "setmaxnreg.dec to 240 registers where the thread has 168: no more than these"
    );
    // If no directive states the number of registers, `ptxas` ignores the instruction.
    passes("", 128, wrong);
    let odd = Program::parse(&module("", 1, "setmaxnreg.dec.sync.aligned.u32 30;"));
    assert!(
        odd.unwrap_err()
            .to_string()
            .contains("a multiple of 8 from 24 to 256, not 30")
    );
}

/// Checks that threads begin with the number of registers that `ptxas` gives a kernel: they may not
/// request fewer.
#[test]
fn registers_are_those_that_ptxas_gives() {
    let table = include_str!("../data/ptxas_registers.txt");
    let mut combinations = 0;
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let numbers: Vec<Option<u32>> = line.split(' ').map(|n| n.parse().ok()).collect();
        let [threads, blocks, most, Some(registers)] = numbers[..] else {
            panic!("{line}");
        };
        // Fewer threads than a warp cannot execute an instruction of a whole warp.
        if threads.is_some_and(|threads| threads < 32) {
            continue;
        }
        let directive =
            |name: &str, n: Option<u32>| n.map_or(String::new(), |n| format!(".{name} {n} "));
        let directives = directive("maxntid", threads)
            + &directive("minnctapersm", blocks)
            + &directive("maxnreg", most);
        let given = registers.next_multiple_of(8);
        let asking = |count: u32| {
            let body = format!("setmaxnreg.inc.sync.aligned.u32 {count};");
            let bench = Bench::new(&module(&directives, 0, &body));
            bench.launch("k", 1, threads.unwrap_or(32).min(32), &[])
        };
        asking(given).unwrap_or_else(|error| panic!("{line}: {error}"));
        if given > 24 {
            let fewer = asking(given - 8);
            assert!(
                matches!(fewer, Err(LaunchError::Fault(_))),
                "{line}: {fewer:?}"
            );
        }
        combinations += 1;
    }
    assert!(combinations > 200);
}

//! Races in shared memory, asynchronous copies among them.

use super::*;

/// Thread i writes word i; then thread i reads word i ^ `partner`, with `between` between.
fn exchange(partner: u32, between: &str) -> String {
    format!(
        "{OWN} xor.b32 %r1, %tid, {partner}; mul.wide.u32 %d2, %r1, 4; add.u64 %d2, %d30, %d2;\n\
         st.shared.u32 [%d1], %tid; {between}\nld.shared.u32 %r2, [%d2];"
    )
}

#[test]
fn races_of_reads_with_writes() {
    passes(&exchange(32, "bar.sync 0;"), 64, 256);
    passes(&exchange(32, "barrier.sync 0;"), 64, 256);
    passes(&exchange(32, "bar.sync 3, 64;"), 64, 256);
    passes(
        &exchange(32, "setp.eq.u32 %p1, %tid, 0; bar.red.or.pred %p2, 0, %p1;"),
        64,
        256,
    );
    passes(&exchange(0, ""), 64, 256);
    // Of another warp.
    let Err(LaunchError::Fault(fault)) = run(&exchange(32, ""), 64, 256) else {
        panic!()
    };
    // Warp 0 runs first and finds nothing there; or, had it come second, a race. Either way it is caught.
    assert!(
        matches!(
            fault.what,
            FaultKind::Uninitialised { .. } | FaultKind::Race { .. }
        ),
        "{fault}"
    );
    let body = exchange(32, "").replace(
        "st.shared.u32 [%d1], %tid;",
        "st.shared.u32 [%d1], 5; bar.sync 0; st.shared.u32 [%d1], %tid;",
    );
    let what = kind(run(&body, 64, 256));
    // One warp writes what the other has read; the one that came to the barrier last goes on first.
    assert_eq!(
        what,
        FaultKind::Race {
            access: Access::Write,
            earlier: Earlier::Read,
            other: [32, 0, 0]
        }
    );
    // A shfl or a vote is no barrier, and a fence orders nobody by itself.
    for between in [
        "shfl.sync.bfly.b32 %r5, %r1, 1, 31, -1;",
        "vote.sync.ballot.b32 %r5, %p1, -1;",
        "membar.cta;",
    ] {
        let what = kind(run(&exchange(1, between), 32, 128));
        assert_eq!(
            what,
            FaultKind::Race {
                access: Access::Read,
                earlier: Earlier::Wrote,
                other: [1, 0, 0]
            },
            "{between}"
        );
    }
}

#[test]
fn races_within_a_warp() {
    passes(&exchange(1, "bar.warp.sync -1;"), 32, 128);
    passes(&exchange(16, "bar.sync 0;"), 32, 128);
    let what = kind(run(&exchange(1, ""), 32, 128));
    assert_eq!(
        what,
        FaultKind::Race {
            access: Access::Read,
            earlier: Earlier::Wrote,
            other: [1, 0, 0]
        }
    );
    // Halves that meet each for themselves: fine for partners within a half, not across.
    let halves = "and.b32 %r5, %tid, 16; shl.b32 %r5, 0xffff, %r5; bar.warp.sync %r5;";
    passes(&exchange(1, halves), 32, 128);
    let what = kind(run(&exchange(16, halves), 32, 128));
    assert_eq!(
        what,
        FaultKind::Race {
            access: Access::Read,
            earlier: Earlier::Wrote,
            other: [16, 0, 0]
        }
    );
}

#[test]
fn races_of_writes() {
    // All write one word: the same value is no race, different ones are.
    passes("st.shared.u32 [%r30], 7;", 64, 4);
    let what = kind(run("st.shared.u32 [%r30], %tid;", 32, 4));
    assert_eq!(what, FaultKind::WriteConflict { other: [0, 0, 0] });
    let body = "setp.eq.u32 %p1, %tid, 0; setp.eq.u32 %p2, %tid, 40; @%p1 st.shared.u32 [%r30], 1; @%p2 st.shared.u32 [%r30], 2;";
    let what = kind(run(body, 64, 4));
    assert_eq!(
        what,
        FaultKind::Race {
            access: Access::Write,
            earlier: Earlier::Wrote,
            other: [0, 0, 0]
        }
    );
    passes(&body.replace("@%p2", "bar.sync 0; @%p2"), 64, 4);
    // Neighbouring halves of one word are two places.
    passes(
        "mul.wide.u32 %d0, %tid, 2; add.u64 %d1, %d30, %d0; cvt.u16.u32 %h1, %tid; st.shared.u16 [%d1], %h1;",
        64,
        128,
    );
    // Atomics are no race with each other, but with plain accesses.
    let zero = "setp.eq.u32 %p1, %tid, 0; @%p1 st.shared.u32 [%r30], 0; bar.sync 0;";
    passes(
        &format!("{zero} red.shared.add.u32 [%r30], 1; bar.sync 0; ld.shared.u32 %r1, [%r30];"),
        64,
        4,
    );
    let what = kind(run(
        &format!("{zero} red.shared.add.u32 [%r30], 1; ld.shared.u32 %r1, [%r30];"),
        64,
        4,
    ));
    assert_eq!(
        what,
        FaultKind::Race {
            access: Access::Read,
            earlier: Earlier::Wrote,
            other: [63, 0, 0]
        }
    );
    let what = kind(run(
        &format!("{zero} ld.shared.u32 %r1, [%r30]; red.shared.add.u32 [%r30], 1;"),
        64,
        4,
    ));
    assert_eq!(
        what,
        FaultKind::Race {
            access: Access::Atomic,
            earlier: Earlier::Read,
            other: [33, 0, 0]
        }
    );
}

#[test]
fn races_can_be_left_unchecked() {
    let text = entry(
        1,
        &format!("mov.u64 %d30, dynamic; {} ret;", exchange(1, "")),
    );
    let bench = Bench::with(
        &text,
        Config {
            check_races: false,
            ..Config::default()
        },
    );
    let launch = Launch {
        grid: [1, 1, 1],
        block: [32, 1, 1],
        dynamic_shared: 128,
    };
    bench.launch_with("k", launch, &[Arg::U64(0)]).unwrap();
}

/// Thread i copies 16 bytes of the buffer to its place; `wait`; then reads the place of thread i ^ `partner`.
fn copy(partner: u32, wait: &str) -> String {
    format!(
        "mul.wide.u32 %d0, %tid, 16; add.u64 %d1, %d30, %d0; add.u64 %d2, %a0, %d0; xor.b32 %r1, %tid, {partner};\n\
         mul.wide.u32 %d3, %r1, 16; add.u64 %d3, %d30, %d3; cvt.u32.u64 %r2, %d1;\n\
         cp.async.cg.shared.global [%r2], [%d2], 16;\n{wait}\nld.shared.v4.u32 {{%r3, %r4, %r5, %r6}}, [%d3];"
    )
}

#[test]
fn asynchronous_copies() {
    passes(&copy(0, "cp.async.wait_all;"), 32, 512);
    passes(
        &copy(0, "cp.async.commit_group; cp.async.wait_group 0;"),
        32,
        512,
    );
    passes(&copy(5, "cp.async.wait_all; bar.sync 0;"), 32, 512);
    passes(&copy(5, "cp.async.wait_all; bar.warp.sync -1;"), 32, 512);
    // Not waited for; waited for before the group was closed; a later group is not this one.
    for wait in [
        "",
        "cp.async.commit_group;",
        "cp.async.commit_group; cp.async.wait_group 1;",
        "cp.async.wait_group 0;",
        "bar.sync 0;",
    ] {
        let what = kind(run(&copy(0, wait), 32, 512));
        assert_eq!(
            what,
            FaultKind::AsyncCopyPending {
                access: Access::Read,
                issuer: [0, 0, 0]
            },
            "{wait}"
        );
    }
    // Waited for, but not together with the thread that reads.
    let what = kind(run(&copy(1, "cp.async.wait_all;"), 32, 512));
    assert_eq!(
        what,
        FaultKind::Race {
            access: Access::Read,
            earlier: Earlier::Wrote,
            other: [1, 0, 0]
        }
    );
    // The barrier before the wait orders nothing: another thread's copy is still on its way, or just waited for.
    let what = kind(run(&copy(1, "bar.sync 0; cp.async.wait_all;"), 32, 512));
    assert_eq!(
        what,
        FaultKind::Race {
            access: Access::Read,
            earlier: Earlier::Wrote,
            other: [1, 0, 0]
        }
    );
    // Writing over a copy on its way, and copying over what is still read.
    let what = kind(run(
        "cp.async.ca.shared.global [%r30], [%a0], 4; st.shared.u32 [%r30], 1;",
        1,
        16,
    ));
    assert_eq!(
        what,
        FaultKind::AsyncCopyPending {
            access: Access::Write,
            issuer: [0, 0, 0]
        }
    );
    let body = "setp.eq.u32 %p1, %tid, 0; st.shared.u32 [%r30], 9; bar.sync 0; ld.shared.u32 %r1, [%r30];\n\
                @%p1 cp.async.ca.shared.global [%r30], [%a0], 4;";
    let what = kind(run(body, 32, 16));
    assert!(
        matches!(
            what,
            FaultKind::Race {
                access: Access::Write,
                earlier: Earlier::Read,
                ..
            }
        ),
        "{what}"
    );
    passes(&body.replace("@%p1 cp", "bar.sync 0; @%p1 cp"), 32, 16);
    // Uninitialised and out of bounds at the source.
    let what = kind(run(
        "cp.async.cg.shared.global [%r30], [%a0+4096], 16;",
        1,
        16,
    ));
    assert!(matches!(what, FaultKind::Unmapped { .. }), "{what}");
    // Nothing is read where the source size is 0.
    passes(
        "cp.async.cg.shared.global [%r30], [%a0+4096], 16, 0;",
        1,
        16,
    );
    let what = kind(run(
        "cp.async.cg.shared.global [%r30], [%a0], 16, 17;",
        1,
        16,
    ));
    assert!(matches!(what, FaultKind::Operand(_)), "{what}");
}

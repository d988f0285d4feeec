//! Checks threads that must converge, and kernels that stop or do not end.

use super::*;

#[test]
fn aligned_instructions_need_the_whole_warp() {
    let part =
        |op: &str| format!("setp.lt.u32 %p1, %tid, 20; @!%p1 bra E; {op} E: add.u32 %r9, %r9, 1;");
    for op in [
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r3}, {%r1,%r2,%r3,%r4};",
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r30];",
        "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;",
    ] {
        let what = kind(run(&part(op), 32, 256));
        assert_eq!(
            what,
            FaultKind::Divergent {
                active: 0xf_ffff,
                required: u32::MAX
            },
            "{op}"
        );
        // A warp with fewer threads cannot execute the instruction.
        let what = kind(run(op, 20, 256));
        assert_eq!(
            what,
            FaultKind::Divergent {
                active: 0xf_ffff,
                required: u32::MAX
            },
            "{op}"
        );
    }
    let what = kind(run(&part("bar.sync 0;"), 32, 256));
    assert_eq!(
        what,
        FaultKind::Divergent {
            active: 0xf_ffff,
            required: u32::MAX
        }
    );
    // A guard also removes lanes, without a branch.
    let what = kind(run("setp.lt.u32 %p1, %tid, 20; @%p1 bar.sync 0;", 32, 0));
    assert_eq!(
        what,
        FaultKind::Divergent {
            active: 0xf_ffff,
            required: u32::MAX
        }
    );
    passes("bar.sync 0;", 20, 0);
    passes("movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;", 64, 0);
    // The form without .aligned waits for each lane by itself.
    passes(
        &part("barrier.sync 0; bra F; F:")
            .replace("E: add", "barrier.sync 0; E: add")
            .replace("@!%p1 bra E; barrier", "@!%p1 bra E2; barrier")
            .replace("F: ", "F: bra E; E2: "),
        32,
        0,
    );
}

#[test]
fn sync_masks() {
    let shfl = |mask: &str| format!("shfl.sync.bfly.b32 %r1, %r2, 1, 31, {mask};");
    passes(&shfl("-1"), 32, 0);
    // Lanes that have exited, or that do not exist, are not waited for, but reading their values is
    // wrong.
    passes(&shfl("-1"), 20, 0);
    passes(
        &format!("setp.ge.u32 %p1, %tid, 20; @%p1 exit; {}", shfl("-1")),
        32,
        0,
    );
    let what = kind(run("shfl.sync.idx.b32 %r1, %r2, 25, 31, -1;", 20, 0));
    assert_eq!(
        what,
        FaultKind::InactiveSource {
            lane: 25,
            active: 0xf_ffff
        }
    );
    let what = kind(run(&shfl("0xffff"), 32, 0));
    assert_eq!(
        what,
        FaultKind::MaskWithoutSelf {
            mask: 0xffff,
            lane: 16
        }
    );
    // Lanes 20 to 31 took another branch and never come.
    let what = kind(run(
        &format!(
            "setp.lt.u32 %p1, %tid, 20; @!%p1 bra E; {} E: add.u32 %r9, %r9, 1;",
            shfl("-1")
        ),
        32,
        0,
    ));
    let FaultKind::MissingLanes {
        mask: u32::MAX,
        missing: 0xfff0_0000,
        ..
    } = what
    else {
        panic!("{what}")
    };
    let what = kind(run(
        "and.b32 %r3, %tid, 1; sub.u32 %r3, -1, %r3; shfl.sync.bfly.b32 %r1, %r2, 2, 31, %r3;",
        32,
        0,
    ));
    assert!(
        matches!(
            what,
            FaultKind::MaskWithoutSelf { .. } | FaultKind::DifferentMasks { .. }
        ),
        "{what}"
    );
}

#[test]
fn barriers() {
    let deadlock = |body: &str, threads: u32| match kind(run(body, threads, 0)) {
        FaultKind::Deadlock(text) => text,
        other => panic!("{other}"),
    };
    // Warp 1 waits at another barrier than warp 0.
    let text = deadlock(
        "setp.ge.u32 %p1, %tid, 32; @%p1 bra B; bar.sync 1; bra E; B: bar.sync 2; E: add.u32 %r9, %r9, 1;",
        64,
    );
    assert!(
        text.contains("barrier 1") && text.contains("barrier 2"),
        "{text}"
    );
    assert!(
        text.contains("waits for all 64 threads, 32 came, missing: warp 1"),
        "{text}"
    );
    // The barrier waits for more threads than ever come.
    let text = deadlock("setp.ge.u32 %p1, %tid, 32; @!%p1 bar.sync 1, 64;", 64);
    assert!(
        text.contains("waits for 64 threads, 32 came, missing: none that lives"),
        "{text}"
    );
    // The barrier does not wait for a warp that has ended.
    passes(
        "setp.ge.u32 %p1, %tid, 32; @%p1 exit; bar.sync 0, 32;",
        64,
        0,
    );
    let problem = |body: &str, threads: u32| match kind(run(body, threads, 0)) {
        FaultKind::Barrier { barrier, problem } => (barrier, problem),
        other => panic!("{other}"),
    };
    assert_eq!(
        problem("bar.sync 16;", 32).1,
        "a block has the barriers 0 to 15"
    );
    assert!(
        problem("bar.sync 1, 48;", 64)
            .1
            .contains("multiple of 32 up to 64, not 48")
    );
    assert!(problem("bar.sync 1, 96;", 64).1.contains("not 96"));
    let (barrier, text) = problem(
        "setp.ge.u32 %p1, %tid, 32; @%p1 bra B; bar.sync 1, 64; bra E; B: bar.sync 1; E: ret;",
        64,
    );
    assert!(
        barrier == 1 && text.contains("waits for all threads") && text.contains("for 64 threads"),
        "{text}"
    );
    assert!(
        problem("bar.arrive 1, 64; bar.arrive 1, 64;", 32 + 32)
            .1
            .contains("twice")
    );
}

#[test]
fn endless_loops_end() {
    let text = entry(1, "L: add.u32 %r1, %r1, 1; bra L;");
    let bench = Bench::with(
        &text,
        Config {
            max_instructions_per_block: 100_000,
            ..Config::default()
        },
    );
    let what = kind(bench.launch("k", 2, 64, &[Arg::U64(0)]));
    assert_eq!(what, FaultKind::Budget { budget: 100_000 });
    // The loop that only reads is also found, in a kernel with one block and in one with several.
    let text = entry(
        1,
        "L: ld.volatile.global.u32 %r1, [%a0]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; ret;",
    );
    for grid in [1, 3] {
        let bench = Bench::with(
            &text,
            Config {
                max_instructions_per_block: 1_000_000,
                ..Config::default()
            },
        );
        let a = bench.words(&[0]);
        let what = kind(bench.launch("k", grid, 64, &[Arg::U64(a)]));
        assert_eq!(what, FaultKind::Budget { budget: 1_000_000 });
    }
}

#[test]
fn the_budget_names_the_warp_that_polls() {
    // The first warp has ended, and the module's first function is the system's, which has no
    // instruction to name.
    let text = entry(
        1,
        "setp.lt.u32 %p1, %tid, 32; @%p1 ret; L: ld.volatile.global.u32 %r1, [%a0]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; ret;",
    )
    .replacen(
        ".extern",
        ".extern .func (.param .b64 r) malloc (.param .b64 n);\n.extern",
        1,
    );
    let bench = Bench::with(
        &text,
        Config {
            max_instructions_per_block: 20_000,
            ..Config::default()
        },
    );
    let a = bench.words(&[0]);
    let Err(LaunchError::Fault(fault)) = bench.launch("k", 1, 64, &[Arg::U64(a)]) else {
        panic!("an endless loop ended");
    };
    assert_eq!(fault.what, FaultKind::Budget { budget: 20_000 });
    assert_eq!((fault.function.as_str(), fault.warp), ("k", Some(1)));
}

#[test]
fn traps_and_bad_calls() {
    assert_eq!(
        kind(run("setp.eq.u32 %p1, %tid, 3; @%p1 trap;", 32, 0)),
        FaultKind::Trap
    );
    assert_eq!(kind(run("brkpt;", 32, 0)), FaultKind::Breakpoint);
    let what = kind(run(
        "mov.u64 %d1, 12; proto: .callprototype _ (); call %d1, (), proto;",
        1,
        0,
    ));
    assert_eq!(
        what,
        FaultKind::BadCall {
            target: 12,
            mismatch: false
        }
    );
    let what = kind(run(
        "LIST: .branchtargets A, B; brx.idx %tid, LIST; A: B: add.u32 %r1, %r1, 1;",
        3,
        0,
    ));
    assert_eq!(
        what,
        FaultKind::Operand("index 2 into a list of 2 targets".to_owned())
    );
}

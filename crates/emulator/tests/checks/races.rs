//! Checks races in shared memory, among them races with asynchronous copies.

use super::*;

/// Writes code in which thread i writes word i, executes `between`, and reads word i ^ `partner`.
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
    // The partner is in another warp.
    let Err(LaunchError::Fault(fault)) = run(&exchange(32, ""), 64, 256) else {
        panic!()
    };
    // Warp 0 runs first and reads an unwritten word; if it ran second, there would be a race. Both
    // are found.
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
    // One warp writes what the other has read; the warp that came to the barrier last continues
    // first.
    assert_eq!(
        what,
        FaultKind::Race {
            note: None,
            access: Access::Write,
            earlier: Earlier::Read,
            other: [32, 0, 0],
            block: None,
            slot: None,
            within_warp: false,
        }
    );
    // A shfl or a vote is no barrier, and a fence by itself orders no thread.
    for between in [
        "shfl.sync.bfly.b32 %r5, %r1, 1, 31, -1;",
        "vote.sync.ballot.b32 %r5, %p1, -1;",
        "membar.cta;",
    ] {
        let what = kind(run(&exchange(1, between), 32, 128));
        assert_eq!(
            what,
            FaultKind::Race {
                note: None,
                access: Access::Read,
                earlier: Earlier::Wrote,
                other: [1, 0, 0],
                block: None,
                slot: None,
                within_warp: true,
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
            note: None,
            access: Access::Read,
            earlier: Earlier::Wrote,
            other: [1, 0, 0],
            block: None,
            slot: None,
            within_warp: true,
        }
    );
    // Each half of a warp converges by itself: this suffices for partners within a half, but not
    // across.
    let halves = "and.b32 %r5, %tid, 16; shl.b32 %r5, 0xffff, %r5; bar.warp.sync %r5;";
    passes(&exchange(1, halves), 32, 128);
    let what = kind(run(&exchange(16, halves), 32, 128));
    assert_eq!(
        what,
        FaultKind::Race {
            note: None,
            access: Access::Read,
            earlier: Earlier::Wrote,
            other: [16, 0, 0],
            block: None,
            slot: None,
            within_warp: true,
        }
    );
}

#[test]
fn races_of_writes() {
    // If all threads write one word, equal values are no race, but different ones are.
    passes("st.shared.u32 [%r30], 7;", 64, 4);
    let what = kind(run("st.shared.u32 [%r30], %tid;", 32, 4));
    assert_eq!(what, FaultKind::WriteConflict { other: [0, 0, 0] });
    let body = "setp.eq.u32 %p1, %tid, 0; setp.eq.u32 %p2, %tid, 40; @%p1 st.shared.u32 [%r30], 1; @%p2 st.shared.u32 [%r30], 2;";
    let what = kind(run(body, 64, 4));
    assert_eq!(
        what,
        FaultKind::Race {
            note: None,
            access: Access::Write,
            earlier: Earlier::Wrote,
            other: [0, 0, 0],
            block: None,
            slot: None,
            within_warp: false,
        }
    );
    passes(&body.replace("@%p2", "bar.sync 0; @%p2"), 64, 4);
    // Neighbouring halves of a word are different places.
    passes(
        "mul.wide.u32 %d0, %tid, 2; add.u64 %d1, %d30, %d0; cvt.u16.u32 %h1, %tid; st.shared.u16 [%d1], %h1;",
        64,
        128,
    );
    // Atomics do not race with each other, but with plain accesses.
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
            note: None,
            access: Access::Atomic,
            earlier: Earlier::Read,
            other: [32, 0, 0],
            block: None,
            slot: None,
            within_warp: false,
        }
    );
    let mixed = format!("{zero} ld.shared.u32 %r1, [%r30]; red.shared.add.u32 [%r30], 1;");
    assert_eq!(
        kind(run(&mixed, 32, 4)),
        FaultKind::Race {
            note: None,
            access: Access::Atomic,
            earlier: Earlier::Read,
            other: [1, 0, 0],
            block: None,
            slot: None,
            within_warp: true,
        }
    );
    // With two warps there is also a race between them, which is reported first.
    assert_eq!(
        kind(run(&mixed, 64, 4)),
        FaultKind::Race {
            note: None,
            access: Access::Read,
            earlier: Earlier::Wrote,
            other: [63, 0, 0],
            block: None,
            slot: None,
            within_warp: false,
        }
    );
}

/// Writes a module with debug information as `nvcc -lineinfo` writes it. Thread i writes word i,
/// and reads word `i ^ partner` in a function that was inlined into another, which was inlined into
/// the kernel.
fn with_lines(partner: u32) -> String {
    format!(
        ".version 8.7\n.target sm_90\n.address_size 64\n.extern .shared .align 16 .b8 dynamic[];\n\
         .visible .entry _Z5scaleIfEvPT_i() {{\n.reg .b32 %r<8>; .loc 1 20 5\nmov.u32 %r0, %tid.x; mov.u32 %r1, dynamic;\n\
         mad.lo.u32 %r2, %r0, 4, %r1; xor.b32 %r3, %r0, {partner}; mad.lo.u32 %r3, %r3, 4, %r1;\n\
         st.shared.u32 [%r2], 1; bar.sync 0;\n.loc 1 21 9\nst.shared.u32 [%r2], %r0;\n\
         .loc 1 22 7\nmov.u32 %r6, 1;\n\
         .loc 2 9 3, function_name $L__info_string0, inlined_at 1 22 7\nmov.u32 %r6, 1;\n\
         .loc 3 5 11, function_name $L__info_string0+10, inlined_at 2 9 3\nld.shared.u32 %r4, [%r3];\n\
         .loc 1 23 1\nret;\n}}\n.file 1 \"scale.cu\"\n.file 2 \"helper.h\"\n.file 3 \"load.h\"\n\
         .section .debug_str\n{{\n$L__info_string0:\n.b8 95,90,54,104,101,108,112,101,114,0\n.b8 95,90,52,108,111,97,100,80,102,0\n}}\n"
    )
}

#[test]
fn a_race_tells_both_places_and_what_was_inlined_there() {
    let text = with_lines(1);
    let bench = Bench::new(&text);
    let line = |what: &str| text.lines().position(|l| l.starts_with(what)).unwrap() + 1;
    let launch = Launch {
        grid: [1, 1, 1],
        block: [32, 1, 1],
        dynamic_shared: 256,
    };
    let Err(LaunchError::Fault(fault)) = bench.launch_with("_Z5scaleIfEvPT_i", launch, &[]) else {
        panic!("a race expected")
    };
    assert_eq!(fault.line, line("ld.shared"));
    assert_eq!(fault.source_line, Some(("load.h".into(), 5)));
    let calls: Vec<_> = fault
        .inlined
        .iter()
        .map(|call| {
            (
                call.function.as_deref(),
                call.file.as_str(),
                call.line,
                call.column,
            )
        })
        .collect();
    // The name of the outer function, `_Z6helper`, lacks the types of arguments.
    assert_eq!(
        calls,
        [
            (Some("_Z4loadPf"), "helper.h", 9, 3),
            (Some("_Z6helper"), "scale.cu", 22, 7)
        ]
    );
    let earlier = fault.earlier.as_ref().unwrap();
    assert_eq!(earlier.line, line("st.shared.u32 [%r2], %r0"));
    assert_eq!(earlier.source_line, Some(("scale.cu".into(), 21)));
    assert!(earlier.inlined.is_empty());
    let said = fault.to_string();
    let places = format!(
        "\n  at load.h:5:11\n    \
         `load(float*)` inlined at helper.h:9:3\n    `helper` inlined at scale.cu:22:7\n  \
         in kernel `void scale<float>(float*, int)`, PTX line {}: ld.shared.u32 %r4, [%r3];\n  \
         the earlier access: scale.cu:21:9\n    PTX line {}: st.shared.u32 [%r2], %r0;\n",
        fault.line, earlier.line
    );
    assert!(said.contains(&places), "{said}");
    // A reader of another warp is the earlier access here, and its place has the calls.
    let bench = Bench::new(&with_lines(33));
    let launch = Launch {
        block: [64, 1, 1],
        ..launch
    };
    let Err(LaunchError::Fault(fault)) = bench.launch_with("_Z5scaleIfEvPT_i", launch, &[]) else {
        panic!("a race expected")
    };
    assert!(matches!(fault.what, FaultKind::Race { .. }), "{fault}");
    assert!(fault.instruction.starts_with("st.shared"), "{fault}");
    let earlier = fault.earlier.as_ref().unwrap();
    assert!(earlier.instruction.starts_with("ld.shared"), "{fault}");
    assert_eq!(earlier.inlined.len(), 2);
}

/// Writes a module as [`with_lines`] does, in the form of rustc and `cuda_builder`: the calls are
/// in comments, and the kernel's crate is next to a library.
fn with_comments() -> String {
    ".version 7.0\n// Generated by LLVM NVPTX Back-End\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 dynamic[];\n\
     .visible .entry k() {\n.reg .b32 %r<8>;\n.loc 1 4 0 // kernels/src/lib.rs:4:0\nmov.u32 %r0, %tid.x; mov.u32 %r1, dynamic;\n\
     mad.lo.u32 %r2, %r0, 4, %r1; xor.b32 %r3, %r0, 1; mad.lo.u32 %r3, %r3, 4, %r1;\n\
     .loc 1 7 9 // kernels/src/lib.rs:7:9\nst.shared.u32 [%r2], %r0;\n\
     .loc 2 88 5 // library/src/arch.rs:88:5 @[ library/src/copy.rs:12:3 @[ kernels/src/tile.rs:41:9 @[ kernels/src/lib.rs:8:5 ] ] ]\n\
     ld.shared.u32 %r4, [%r3];\nret;\n}\n.file 1 \"/w/kernels/src/lib.rs\"\n.file 2 \"/w/library/src/arch.rs\"\n\
     //cutlet.path /w/target/out/kernels.ptx\n"
        .to_owned()
}

#[test]
fn a_fault_names_the_line_of_the_kernels_own_crate_first() {
    let launch = Launch {
        grid: [1, 1, 1],
        block: [32, 1, 1],
        dynamic_shared: 128,
    };
    let fault_of = |text: &str| match Bench::new(text).launch_with("k", launch, &[]) {
        Err(LaunchError::Fault(fault)) => fault,
        other => panic!("a race expected: {other:?}"),
    };
    let fault = fault_of(&with_comments());
    assert_eq!(
        fault.own_line().unwrap().to_string(),
        "kernels/src/tile.rs:41:9"
    );
    assert_eq!(
        fault.source_line,
        Some(("/w/library/src/arch.rs".into(), 88))
    );
    let said = fault.to_string();
    let places = "\n  at kernels/src/tile.rs:41:9\n    inlined there: library/src/copy.rs:12:3\n    \
                  inlined there: library/src/arch.rs:88:5\n    inlined at kernels/src/lib.rs:8:5\n  in kernel `k`, PTX line 14: ";
    assert!(said.contains(places), "{said}");
    assert!(
        said.contains("the earlier access: kernels/src/lib.rs:7:9\n    PTX line 12: "),
        "{said}"
    );
    assert!(
        said.contains("\n  the PTX is /w/target/out/kernels.ptx"),
        "{said}"
    );
    assert!(!said.contains("LineTables"), "{said}");
    // Without `.loc`, the message says how to add it; for PTX that rustc did not write, the message
    // does not.
    let plain: String = (with_comments().lines())
        .filter(|line| !line.starts_with(".loc"))
        .map(|line| format!("{line}\n"))
        .collect();
    let fault = fault_of(&plain);
    assert!(fault.own_line().is_none() && fault.to_string().contains("DebugInfo::LineTables"));
    let fault = fault_of(&plain.replace("Generated by LLVM", "Generated by NVVM"));
    assert!(!fault.to_string().contains("LineTables"));
}

#[test]
fn a_race_of_two_warps_is_told_before_one_of_a_warp() {
    // A tree reduction without barriers: warp 0 races with itself first, and then with warp 1.
    let step = |half: u32| {
        format!(
            "setp.lt.u32 %p1, %tid, {half}; @%p1 ld.shared.u32 %r1, [%d1]; @%p1 ld.shared.u32 %r2, [%d1+{}];\n\
             @%p1 add.u32 %r1, %r1, %r2;\n@%p1 st.shared.u32 [%d1], %r1;\n",
            4 * half
        )
    };
    let steps: String = [32, 16, 8].map(step).concat();
    let body = format!("{OWN} st.shared.u32 [%d1], %tid; bar.sync 0;\n{steps}");
    let Err(LaunchError::Fault(fault)) = run(&body, 64, 256) else {
        panic!("a race expected")
    };
    assert!(matches!(fault.what, FaultKind::Race { .. }), "{fault}");
    assert_eq!(fault.warp, Some(0), "{fault}");
    // After the same reduction, warp 0 reads what warp 1 wrote.
    let body = format!(
        "{OWN} setp.ge.u32 %p2, %tid, 32; st.shared.u32 [%d1], %tid; bar.sync 0; @%p2 st.shared.u32 [%d1+256], 7;\n\
         {steps} @!%p2 ld.shared.u32 %r3, [%d1+384];"
    );
    let Err(LaunchError::Fault(fault)) = run(&body, 64, 512) else {
        panic!("a race expected")
    };
    let FaultKind::Race { other, .. } = fault.what else {
        panic!("{fault}")
    };
    assert_eq!((fault.warp, other), (Some(0), [32, 0, 0]), "{fault}");
    assert!(fault.instruction.starts_with("@!%p2 ld.shared"), "{fault}");
}

#[test]
fn a_race_of_blocks_tells_both_places() {
    let text = entry(
        1,
        "mov.u32 %r0, %ctaid.x; setp.eq.u32 %p1, %r0, 0;\n@%p1 st.global.u32 [%a0], %r0;\n\
         @!%p1 ld.global.u32 %r1, [%a0];\nret;",
    );
    for threads in [Some(1), Some(4)] {
        let config = Config {
            threads,
            ..Config::default()
        };
        let bench = Bench::with(&text, config);
        let a = bench.words(&[5]);
        let fault = bench.fault("k", 2, 1, &[Arg::U64(a)]);
        assert!(
            matches!(fault.what, FaultKind::GlobalRace { .. }),
            "{fault}"
        );
        let earlier = fault.earlier.as_ref().unwrap();
        assert_eq!(earlier.instruction, "@%p1 st.global.u32 [%a0], %r0;");
        assert_eq!(fault.line, earlier.line + 1);
    }
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

/// Writes code in which thread i copies 16 bytes of the buffer to its place, executes `wait`, and
/// reads the place of thread i ^ `partner`.
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
    // There is no wait, or the wait comes before the group is closed, or it leaves this group in
    // flight.
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
    // The thread has waited, but not together with the thread that reads.
    let what = kind(run(&copy(1, "cp.async.wait_all;"), 32, 512));
    assert_eq!(
        what,
        FaultKind::Race {
            note: None,
            access: Access::Read,
            earlier: Earlier::Wrote,
            other: [1, 0, 0],
            block: None,
            slot: None,
            within_warp: true,
        }
    );
    // A barrier before the wait orders nothing: another thread's copy may still be in flight, or
    // its wait may come after the barrier.
    let what = kind(run(&copy(1, "bar.sync 0; cp.async.wait_all;"), 32, 512));
    assert_eq!(
        what,
        FaultKind::Race {
            note: None,
            access: Access::Read,
            earlier: Earlier::Wrote,
            other: [1, 0, 0],
            block: None,
            slot: None,
            within_warp: true,
        }
    );
    // One body writes over a copy in flight, and one copies over a word that is still read.
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
    // The source is uninitialised, or out of bounds.
    let what = kind(run(
        "cp.async.cg.shared.global [%r30], [%a0+4096], 16;",
        1,
        16,
    ));
    assert!(matches!(what, FaultKind::Unmapped { .. }), "{what}");
    // Nothing is read if the source size is 0.
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

#[test]
fn an_atomic_publishes_what_its_thread_knows_of_other_lanes() {
    // Lanes 0 to 15 have converged later than lane 31, which is the last of its warp to add; warp 1
    // reads after all 32 lanes.
    let body = "setp.eq.u32 %p1, %tid, 0; @%p1 st.shared.u32 [%r30], 0; shl.b32 %r1, %tid, 2; add.u32 %r2, %r30, %r1;\n\
                st.shared.u32 [%r2+64], 99; bar.sync 0;\n\
                setp.ge.u32 %p2, %tid, 32; @%p2 bra READ; setp.ge.u32 %p3, %tid, 16; @%p3 bra ON;\n\
                bar.warp.sync 0xffff; st.shared.u32 [%r2+64], %tid;\n\
                ON: atom.acq_rel.cta.shared.add.u32 %r5, [%r30], 1; bra END;\n\
                READ: atom.acq_rel.cta.shared.add.u32 %r5, [%r30], 0; setp.lt.u32 %p4, %r5, COUNT; @%p4 bra READ; ld.shared.u32 %r6, [%r30+64];\n\
                END:";
    passes(&body.replace("COUNT", "32"), 64, 1024);
    // A fence on either side of relaxed atomics does the same; without a fence nothing is ordered.
    let relaxed = body.replace(".acq_rel.cta", "").replace("COUNT", "32");
    let what = kind(run(&relaxed, 64, 1024));
    assert!(matches!(what, FaultKind::Race { .. }), "{what}");
    let fenced = relaxed
        .replace("ON: atom", "ON: membar.cta; atom")
        .replace("ld.shared.u32 %r6", "membar.cta; ld.shared.u32 %r6");
    passes(&fenced, 64, 1024);
    for one in ["ON: ", "bra READ; "] {
        let half = fenced.replace(&format!("{one}membar.cta; "), one);
        let what = kind(run(&half, 64, 1024));
        assert!(matches!(what, FaultKind::Race { .. }), "{what}");
    }
    // No atomic of warp 0 is observed.
    let early = body
        .replace("READ: atom", "READ: bra GO; atom")
        .replace("ld.shared.u32 %r6", "GO: ld.shared.u32 %r6");
    let what = kind(run(&early.replace("COUNT", "32"), 64, 1024));
    assert!(matches!(what, FaultKind::Race { .. }), "{what}");
}

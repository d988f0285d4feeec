//! Every check: a program that is wrong is caught with its place, and the right one beside it passes.

mod common;

use common::{Arg, Bench, entry, kind};
use emulator::{
    Access, Config, Earlier, Emulator, FaultKind, Launch, LaunchError, LoadError, MemoryError,
    Program, Space,
};

/// A block of `threads` with `shared` bytes of dynamic shared memory; `%d30` is its address, `%r30` too, `%a0` a
/// buffer of 1,024 words that count up.
fn run(body: &str, threads: u32, shared: usize) -> Result<emulator::Report, LaunchError> {
    let text = entry(
        1,
        &format!("mov.u64 %d30, dynamic; mov.u32 %r30, dynamic;\n{body}\nret;"),
    );
    let bench = Bench::new(&text);
    let words: Vec<u32> = (0..1024).collect();
    let a = bench.words(&words);
    bench.launch_with(
        "k",
        Launch {
            grid: [1, 1, 1],
            block: [threads, 1, 1],
            dynamic_shared: shared,
        },
        &[Arg::U64(a)],
    )
}

#[track_caller]
fn passes(body: &str, threads: u32, shared: usize) {
    if let Err(error) = run(body, threads, shared) {
        panic!("{error}");
    }
}

const OWN: &str = "mul.wide.u32 %d0, %tid, 4; add.u64 %d1, %d30, %d0;";

#[test]
fn a_fault_tells_its_place() {
    let text = entry(
        1,
        "mov.u32 %r2, %tid.y; mad.lo.u32 %r2, %r2, 4, %tid; mov.u32 %r3, %tid.z; mad.lo.u32 %r2, %r3, 16, %r2;\n\
         mul.wide.u32 %d0, %r2, 4;\nadd.u64 %d1, %a0, %d0;\n  ld.global.u32 %r1,\n [%d1+4000];\nret;",
    );
    let bench = Bench::new(&text);
    let a = bench.words(&[0; 1008]);
    let launch = Launch {
        grid: [2, 3, 1],
        block: [4, 4, 2],
        dynamic_shared: 0,
    };
    let Err(LaunchError::Fault(fault)) = bench.launch_with("k", launch, &[Arg::U64(a)]) else {
        panic!()
    };
    assert_eq!((fault.block, fault.thread), ([0, 0, 0], Some([0, 2, 0])));
    assert_eq!(fault.address, Some(a + 4032));
    let line = text.lines().position(|l| l.contains("ld.global")).unwrap() + 1;
    assert_eq!(
        (fault.line, fault.instruction.as_str()),
        (line, "ld.global.u32 %r1, [%d1+4000];")
    );
    assert_eq!(
        fault.to_string(),
        format!(
            "global access of 4 bytes outside of every allocation; the nearest is {a:#x} of 4032 bytes, 1 bytes away\n  \
             in kernel `k`, PTX line {line}: ld.global.u32 %r1, [%d1+4000];\n  \
             block (0,0,0), thread (0,2,0), address {:#x}\n  warp 0, lanes 0xffffffff\n  \
             buffer {a:#x} of 4032 bytes, parameter `p0`",
            a + 4032
        )
    );
}

#[test]
fn the_fault_of_the_lowest_block_is_told() {
    // Blocks 5 to 99 read out of bounds; those after 5 may do it sooner.
    let text = entry(
        1,
        "mov.u32 %r0, %ctaid.x; mul.wide.u32 %d0, %r0, 4; add.u64 %d1, %a0, %d0; ld.global.u32 %r1, [%d1]; ret;",
    );
    for _ in 0..20 {
        let bench = Bench::new(&text);
        let a = bench.words(&[0; 5]);
        assert_eq!(bench.fault("k", 100, 32, &[Arg::U64(a)]).block, [5, 0, 0]);
    }
}

#[test]
fn global_bounds() {
    let at =
        |offset: &str, size: &str| run(&format!("ld.global.{size} %r1, [%a0+{offset}];"), 1, 0);
    passes(
        "ld.global.u32 %r1, [%a0+4092]; ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%a0+4080];",
        32,
        0,
    );
    for offset in ["4096", "-4", "1048576"] {
        let what = kind(at(offset, "u32"));
        assert!(
            matches!(
                what,
                FaultKind::Unmapped {
                    space: Space::Global,
                    size: 4,
                    ..
                }
            ),
            "{what}"
        );
    }
    let what = kind(run("mov.u64 %d0, 0; ld.global.u32 %r1, [%d0];", 1, 0));
    assert!(matches!(what, FaultKind::Unmapped { .. }), "null: {what}");
    let what = kind(run("mov.u64 %d0, 0; st.u32 [%d0], 1;", 1, 0));
    assert!(
        matches!(what, FaultKind::Unmapped { .. }),
        "null, generic: {what}"
    );
    // The first byte inside, the last not.
    let text = entry(1, "ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%a0]; ret;");
    let bench = Bench::new(&text);
    let short = bench.words(&[1, 2, 3]);
    let what = kind(bench.launch("k", 1, 1, &[Arg::U64(short)]));
    assert!(
        matches!(
            what,
            FaultKind::OutOfBounds {
                space: Space::Global,
                size: 16,
                offset: 0,
                length: 12
            }
        ),
        "{what}"
    );
}

#[test]
fn nothing_is_written_before_a_fault() {
    let text = entry(
        1,
        "mul.wide.u32 %d0, %tid, 4; add.u64 %d1, %a0, %d0; st.global.u32 [%d1], 7; ret;",
    );
    let bench = Bench::new(&text);
    let a = bench.words(&[1; 16]);
    bench.fault("k", 1, 32, &[Arg::U64(a)]);
    assert_eq!(bench.read_words(a, 16), [1; 16]);
}

#[test]
fn use_after_free() {
    let bench = Bench::new(&entry(1, "ld.global.u32 %r1, [%a0+8]; ret;"));
    let a = bench.words(&[1; 16]);
    bench.run("k", 1, 32, &[Arg::U64(a)]);
    bench.device.free(a).unwrap();
    let what = kind(bench.launch("k", 1, 32, &[Arg::U64(a)]));
    assert_eq!(
        what,
        FaultKind::UseAfterFree {
            size: 4,
            offset: 8,
            length: 64
        }
    );
    assert_eq!(
        bench.device.read(a, &mut [0]),
        Err(MemoryError::Freed {
            address: a,
            base: a,
            size: 64
        })
    );
}

#[test]
fn uninitialised_global_memory() {
    let bench = Bench::new(&entry(
        1,
        "mul.wide.u32 %d0, %tid, 4; add.u64 %d1, %a0, %d0; ld.global.u32 %r1, [%d1]; ret;",
    ));
    let a = bench.device.alloc(128).unwrap();
    bench.device.write(a, &[0; 66]).unwrap();
    let fault = bench.fault("k", 1, 32, &[Arg::U64(a)]);
    assert_eq!(
        fault.what,
        FaultKind::Uninitialised {
            space: Space::Global,
            offset: 66,
            length: 128
        }
    );
    assert_eq!(
        (fault.thread, fault.address),
        (Some([16, 0, 0]), Some(a + 66))
    );
    bench.device.write(a + 66, &[0; 62]).unwrap();
    bench.run("k", 1, 32, &[Arg::U64(a)]);
    // What a kernel wrote counts; and the check can be off.
    let b = bench.device.alloc(128).unwrap();
    let store = entry(
        1,
        "mul.wide.u32 %d0, %tid, 4; add.u64 %d1, %a0, %d0; st.global.u32 [%d1], 1; bar.sync 0; ld.global.u32 %r1, [%d1]; ret;",
    );
    let program = Program::parse(&store).unwrap();
    bench.device.load(&program).unwrap();
    let launch = Launch {
        grid: [1, 1, 1],
        block: [32, 1, 1],
        dynamic_shared: 0,
    };
    bench
        .device
        .launch(&program, "k", &launch, &[&b.to_le_bytes()], None)
        .unwrap();
    bench.run("k", 1, 32, &[Arg::U64(b)]);
    let bare = Bench::with(
        &entry(1, "ld.global.u32 %r1, [%a0]; ret;"),
        Config {
            check_initialised: false,
            ..Config::default()
        },
    );
    let c = bare.device.alloc(4).unwrap();
    bare.run("k", 1, 32, &[Arg::U64(c)]);
}

#[test]
fn alignment() {
    passes(
        "ld.global.v2.u32 {%r1,%r2}, [%a0+8]; ld.global.u16 %h1, [%a0+2]; ld.global.u8 %h1, [%a0+3];",
        32,
        0,
    );
    for (access, alignment) in [
        ("ld.global.u32 %r1, [%a0+2];", 4),
        ("ld.global.v2.u32 {%r1,%r2}, [%a0+4];", 8),
        ("ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%a0+8];", 16),
        ("ld.global.u64 %d1, [%a0+4];", 8),
        ("st.global.u16 [%a0+1], %h1;", 2),
        ("ld.u32 %r1, [%a0+2];", 4),
    ] {
        assert_eq!(
            kind(run(access, 1, 0)),
            FaultKind::Misaligned {
                space: Space::Global,
                alignment
            },
            "{access}"
        );
    }
    for (access, alignment) in [
        ("st.shared.u32 [%r30+2], 1;", 4),
        ("st.shared.v4.u32 [%r30+8], {%r1,%r1,%r1,%r1};", 16),
        ("cp.async.cg.shared.global [%r30+8], [%a0], 16;", 16),
        (
            "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r30+8];",
            16,
        ),
        ("atom.shared.add.u32 %r1, [%r30+2], 1;", 4),
    ] {
        assert_eq!(
            kind(run(access, 32, 64)),
            FaultKind::Misaligned {
                space: Space::Shared,
                alignment
            },
            "{access}"
        );
    }
    let what = kind(run("cp.async.ca.shared.global [%r30], [%a0+4], 8;", 1, 64));
    assert_eq!(
        what,
        FaultKind::Misaligned {
            space: Space::Global,
            alignment: 8
        }
    );
}

#[test]
fn shared_bounds() {
    passes(&format!("{OWN} st.shared.u32 [%d1], %tid;"), 32, 128);
    let what = kind(run(&format!("{OWN} st.shared.u32 [%d1], %tid;"), 33, 128));
    assert_eq!(
        what,
        FaultKind::OutOfBounds {
            space: Space::Shared,
            size: 4,
            offset: 128,
            length: 128
        }
    );
    // A shared address below the first: the KiB of the system.
    let what = kind(run("mov.u32 %r1, 0; st.shared.u32 [%r1], 1;", 1, 128));
    assert_eq!(
        what,
        FaultKind::OutOfBounds {
            space: Space::Shared,
            size: 4,
            offset: -1024,
            length: 128
        }
    );
    let what = kind(run(
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r30+128];",
        32,
        128,
    ));
    assert!(
        matches!(
            what,
            FaultKind::OutOfBounds {
                size: 16,
                offset: 128,
                ..
            }
        ),
        "{what}"
    );
    // A pointer into shared memory used as a global one.
    let what = kind(run("ld.global.u32 %r1, [%d30];", 1, 128));
    assert!(matches!(what, FaultKind::Unmapped { .. }), "{what}");
}

#[test]
fn uninitialised_shared_memory() {
    passes(
        &format!("{OWN} st.shared.u32 [%d1], %tid; ld.shared.u32 %r1, [%d1];"),
        32,
        128,
    );
    let what = kind(run(&format!("{OWN} ld.shared.u32 %r1, [%d1];"), 32, 128));
    assert_eq!(
        what,
        FaultKind::Uninitialised {
            space: Space::Shared,
            offset: 0,
            length: 128
        }
    );
    // Two bytes of four.
    let what = kind(run(
        "st.shared.u16 [%r30], %h1; ld.shared.u32 %r1, [%r30];",
        1,
        128,
    ));
    assert_eq!(
        what,
        FaultKind::Uninitialised {
            space: Space::Shared,
            offset: 2,
            length: 128
        }
    );
    // What another block left is not there.
    let text = entry(
        1,
        "mov.u32 %r30, dynamic; mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; @%p1 st.shared.u32 [%r30], 1; ld.shared.u32 %r2, [%r30]; ret;",
    );
    let config = Config {
        threads: Some(1),
        ..Config::default()
    };
    let bench = Bench::with(&text, config);
    let launch = Launch {
        grid: [2, 1, 1],
        block: [1, 1, 1],
        dynamic_shared: 4,
    };
    let Err(LaunchError::Fault(fault)) = bench.launch_with("k", launch, &[Arg::U64(0)]) else {
        panic!()
    };
    assert_eq!(fault.block, [1, 0, 0]);
}

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
        // A warp of fewer threads cannot execute it at all.
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
    // The guard alone takes lanes away as well.
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
    // The form without .aligned waits for the lanes one by one.
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
    // Lanes that have exited, or never were, are not missed; but reading one is wrong.
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
    // Lanes 20 to 31 are elsewhere, for good.
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
    // More threads than ever come.
    let text = deadlock("setp.ge.u32 %p1, %tid, 32; @!%p1 bar.sync 1, 64;", 64);
    assert!(
        text.contains("waits for 64 threads, 32 came, missing: none that lives"),
        "{text}"
    );
    // A warp that has ended is not waited for.
    passes("setp.ge.u32 %p1, %tid, 32; @%p1 exit; bar.sync 0;", 64, 0);
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
    // Also one that only looks, in a kernel with one block and in one with several.
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

#[test]
fn constants_are_read_only() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n.const .align 4 .b32 c[2] = {5, 6};\n\
        .global .u32 g = 7;\n\
        .visible .entry read(.param .u64 p) { .reg .b32 %r<4>; .reg .b64 %d<3>; ld.param.u64 %d1, [p];\n\
          ld.const.u32 %r1, [c+4]; mov.u64 %d2, c; ld.u32 %r2, [%d2]; mad.lo.u32 %r1, %r1, 10, %r2;\n\
          ld.global.u32 %r3, [g]; mad.lo.u32 %r1, %r1, 10, %r3; st.global.u32 [g], %r1; st.global.u32 [%d1], %r1; ret; }\n\
        .visible .entry write() { .reg .b64 %d<2>; mov.u64 %d1, c; st.u32 [%d1], 1; ret; }";
    let bench = Bench::new(text);
    let out = bench.words(&[0]);
    bench.run("read", 1, 1, &[Arg::U64(out)]);
    assert_eq!(bench.read_words(out, 1), [657]);
    // A module's variable keeps what a kernel wrote.
    bench.run("read", 1, 1, &[Arg::U64(out)]);
    assert_eq!(bench.read_words(out, 1), [650 + 657]);
    assert_eq!(
        kind(bench.launch("write", 1, 1, &[])),
        FaultKind::ReadOnly(Space::Const)
    );
}

#[test]
fn launches_are_checked_before_they_start() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n.shared .b8 fixed[40000];\n\
        .visible .entry k(.param .u64 p, .param .align 8 .b8 q[24]) .maxntid 64, 2, 1 {\n\
          .reg .b64 %d<2>; mov.u64 %d1, fixed; ret; }\n\
        .visible .entry exact() .reqntid 32, 2 { ret; }";
    let bench = Bench::new(text);
    let launch = |grid: [u32; 3], block: [u32; 3], dynamic_shared: usize, params: &[&[u8]]| {
        bench
            .device
            .launch(
                &bench.program,
                "k",
                &Launch {
                    grid,
                    block,
                    dynamic_shared,
                },
                params,
                None,
            )
            .unwrap_err()
    };
    let (p, q) = ([0u8; 8], [0u8; 24]);
    let good: [&[u8]; 2] = [&p, &q];
    let one = [1, 1, 1];
    let text = |error: LaunchError| error.to_string();
    assert_eq!(
        text(launch(one, one, 0, &[&p])),
        "kernel `k` takes 2 parameters, 1 given"
    );
    assert_eq!(
        text(launch(one, one, 0, &[&p, &p])),
        "parameter 1 (`q`, .b8[24]) of kernel `k` has 24 bytes, 8 given"
    );
    assert!(matches!(
        launch([0, 1, 1], one, 0, &good),
        LaunchError::Grid { .. }
    ));
    assert!(matches!(
        launch([1, 65536, 1], one, 0, &good),
        LaunchError::Grid { .. }
    ));
    assert!(matches!(
        launch(one, [1, 1, 65], 0, &good),
        LaunchError::Block { .. }
    ));
    assert!(matches!(
        launch(one, [64, 32, 1], 0, &good),
        LaunchError::Block { threads: 1024, .. }
    ));
    assert_eq!(
        text(launch(one, [129, 1, 1], 0, &good)),
        "kernel `k` is built for at most 128 threads a block (.maxntid), [129, 1, 1] given"
    );
    assert_eq!(
        text(launch(one, one, 200_000, &good)),
        "kernel `k` needs 40000 + 200000 bytes of shared memory, a block has 232448"
    );
    let exact = Launch {
        grid: one,
        block: [64, 1, 1],
        dynamic_shared: 0,
    };
    let error = bench
        .device
        .launch(&bench.program, "exact", &exact, &[], None)
        .unwrap_err();
    assert!(text(error).contains("blocks of [32, 2, 1] threads (.reqntid)"));
    let error = bench
        .device
        .launch(&bench.program, "no", &exact, &[], None)
        .unwrap_err();
    assert_eq!(text(error), "no kernel `no` in the module; it has k, exact");
    let other = Emulator::new(Config::default());
    let error = other
        .launch(&bench.program, "k", &exact, &good, None)
        .unwrap_err();
    assert_eq!(
        text(error),
        "the module of kernel `k` is not loaded onto this device"
    );
}

#[test]
fn modules_are_checked_when_they_are_loaded() {
    let module = |target: &str, body: &str| {
        Program::parse(&format!(
            ".version 8.0\n.target {target}\n.address_size 64\n{body}"
        ))
        .unwrap()
    };
    let device = |cc| {
        Emulator::new(Config {
            compute_capability: cc,
            ..Config::default()
        })
    };
    let kernel = ".visible .entry k() { ret; }";
    for (target, cc, fits) in [
        ("sm_80", (8, 0), true),
        ("sm_80", (9, 0), true),
        ("sm_90", (8, 9), false),
        ("sm_90a", (9, 0), true),
        ("sm_90a", (10, 0), false),
        ("sm_100", (10, 3), true),
    ] {
        assert_eq!(
            device(cc).load(&module(target, kernel)).is_ok(),
            fits,
            "{target} on {cc:?}"
        );
    }
    let error = device((8, 0)).load(&module("sm_90a", kernel)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the module is for sm_90a, the device has compute capability 8.0 (an `a` target runs on that compute \
         capability only)"
    );
    let missing = ".extern .func helper();\n.visible .entry k() { call helper; ret; }";
    assert_eq!(
        device((9, 0)).load(&module("sm_80", missing)),
        Err(LoadError::Undefined("helper".to_owned()))
    );
    let unused = ".extern .func helper();\n.visible .entry k() { ret; }";
    assert_eq!(device((9, 0)).load(&module("sm_80", unused)), Ok(()));
    let small = Emulator::new(Config {
        memory: 1000,
        ..Config::default()
    });
    let error = small
        .load(&module(
            "sm_80",
            ".global .b8 x[2000];\n.visible .entry k() { ret; }",
        ))
        .unwrap_err();
    assert!(matches!(
        error,
        LoadError::Memory(MemoryError::OutOfMemory {
            requested: 2000,
            ..
        })
    ));
}

#[test]
fn the_heap() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n\
        .extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n\
        .visible .entry k(.param .u64 out, .param .u32 wrong) { .reg .b64 %d<8>; .reg .b32 %r<4>; .reg .pred %p<2>;\n\
          ld.param.u64 %d1, [out]; ld.param.u32 %r2, [wrong]; mov.u32 %r1, %tid.x;\n\
          { .param .b64 n; .param .b64 r; st.param.b64 [n], 40; call (r), malloc, (n); ld.param.b64 %d2, [r]; }\n\
          st.u32 [%d2+36], %r1; ld.u32 %r3, [%d2+36]; setp.eq.u32 %p1, %r2, 1; @%p1 ld.u32 %r3, [%d2];\n\
          mul.wide.u32 %d3, %r1, 8; add.u64 %d3, %d1, %d3; st.global.u64 [%d3], %d2;\n\
          { .param .b64 p; setp.eq.u32 %p1, %r2, 2; @%p1 add.u64 %d2, %d2, 16; st.param.b64 [p], %d2; call free, (p); }\n\
          ret; }";
    let bench = Bench::new(text);
    let out = bench.longs(&[0; 32]);
    bench.run("k", 1, 32, &[Arg::U64(out), Arg::U32(0)]);
    let mut pieces = bench.read_longs(out, 32);
    pieces.sort_unstable();
    assert!(
        pieces
            .windows(2)
            .all(|p| p[1] - p[0] >= 40 && p[0] % 16 == 0),
        "{pieces:x?}"
    );
    let what = kind(bench.launch("k", 1, 32, &[Arg::U64(out), Arg::U32(1)]));
    assert!(
        matches!(
            what,
            FaultKind::Uninitialised {
                space: Space::Global,
                ..
            }
        ),
        "{what}"
    );
    let what = kind(bench.launch("k", 1, 32, &[Arg::U64(out), Arg::U32(2)]));
    assert!(matches!(what, FaultKind::Operand(_)), "{what}");
}

/// A module around a kernel with 16 bytes of local memory, `%d1` its local address and `%d2` its generic one.
fn with_local(body: &str) -> String {
    entry(
        1,
        &format!(
            ".local .align 16 .b8 own[16]; mov.u64 %d1, own; cvta.local.u64 %d2, %d1;\n{body}\nret;"
        ),
    )
}

fn local(body: &str, config: Config) -> Result<emulator::Report, LaunchError> {
    let bench = Bench::with(&with_local(body), config);
    let a = bench.words(&[0; 64]);
    bench.launch("k", 1, 32, &[Arg::U64(a)])
}

#[test]
fn local_bounds() {
    let at = |access: &str| {
        let result = local(access, Config::default());
        match result {
            Err(LaunchError::Fault(fault)) => fault,
            other => panic!("{access}: {other:?}"),
        }
    };
    local(
        "st.local.v2.u64 [%d1], {%d3, %d3}; ld.local.u32 %r1, [%d1+12]; ld.u8 %h1, [%d2+15];",
        Config::default(),
    )
    .unwrap();
    for (access, offset, size) in [
        ("ld.local.u32 %r1, [%d1+16];", 16, 4),
        ("st.local.u64 [%d1+16], %d3;", 16, 8),
        ("ld.u32 %r1, [%d2+16];", 16, 4),
        ("st.local.u32 [%d1+4096], 1;", 4096, 4),
        (
            // An index that is one too large for thread 5 only.
            "sub.u32 %r1, %tid, 5; setp.eq.u32 %p1, %r1, 0; selp.u64 %d3, 16, 12, %p1; add.u64 %d3, %d1, %d3; ld.local.u32 %r2, [%d3];",
            16,
            4,
        ),
    ] {
        let fault = at(access);
        assert_eq!(
            fault.what,
            FaultKind::OutOfBounds {
                space: Space::Local,
                size,
                offset,
                length: 16
            },
            "{access}"
        );
        let last = access.trim_end_matches(';').rsplit("; ").next().unwrap();
        assert_eq!(fault.instruction, format!("{last};"));
        let thread = if access.contains("%tid, 5") { 5 } else { 0 };
        assert_eq!((fault.thread, fault.warp), (Some([thread, 0, 0]), Some(0)));
        assert_eq!(fault.buffer, None);
    }
    let fault = at("st.local.u64 [%d1+4], %d3;");
    assert_eq!(
        fault.what,
        FaultKind::Misaligned {
            space: Space::Local,
            alignment: 8
        }
    );
}

/// A pointer to a variable of a function that has returned.
#[test]
fn use_after_return() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n\
        .func (.param .b64 r) leak(.param .b32 n) { .local .align 8 .b8 gone[32]; .reg .b64 %d<4>;\n\
          mov.u64 %d1, gone; st.local.u64 [%d1+24], %d1; cvta.local.u64 %d2, %d1; st.param.b64 [r], %d2; ret; }\n\
        .visible .entry k() { .reg .b64 %d<4>; .local .align 8 .b8 own[8]; mov.u64 %d3, own; st.local.u64 [%d3], %d3;\n\
          { .param .b32 n; .param .b64 r; st.param.b32 [n], 1; call (r), leak, (n); ld.param.b64 %d1, [r]; }\n\
          ld.u64 %d2, [%d1+24]; ret; }";
    let bench = Bench::new(text);
    let fault = bench.fault("k", 1, 32, &[]);
    let FaultKind::OutOfBounds {
        space: Space::Local,
        size: 8,
        length: 8,
        ..
    } = fault.what
    else {
        panic!("{fault}")
    };
    assert_eq!(fault.instruction, "ld.u64 %d2, [%d1+24];");
}

#[test]
fn uninitialised_local_memory() {
    let config = || Config {
        check_local_initialised: true,
        ..Config::default()
    };
    for right in [
        "st.local.u32 [%d1+4], 1; ld.local.u32 %r1, [%d1+4]; ld.u16 %h1, [%d2+6];",
        "st.local.u16 [%d1], %h1; st.u16 [%d2+2], %h1; ld.local.u32 %r1, [%d1];",
    ] {
        local(right, config()).unwrap();
    }
    for (wrong, offset, thread) in [
        ("ld.local.u32 %r1, [%d1];", 0, 0),
        (
            "st.local.u16 [%d1+8], %h1; ld.local.v2.u32 {%r1, %r2}, [%d1+8];",
            10,
            0,
        ),
        (
            "setp.ne.u32 %p1, %tid, 9; @%p1 st.local.u32 [%d1], 1; ld.u32 %r1, [%d2];",
            0,
            9,
        ),
    ] {
        // Off by itself: compilers copy padding.
        local(wrong, Config::default()).unwrap();
        let Err(LaunchError::Fault(fault)) = local(wrong, config()) else {
            panic!("{wrong}")
        };
        let FaultKind::Uninitialised {
            space: Space::Local,
            offset: found,
            ..
        } = fault.what
        else {
            panic!("{fault}")
        };
        assert_eq!(
            (found, fault.thread),
            (offset, Some([thread, 0, 0])),
            "{wrong}"
        );
    }
}

/// Uses of local memory are counted, and can be forbidden.
#[test]
fn local_memory_use() {
    let body = "st.local.u32 [%d1], 1; setp.lt.u32 %p1, %tid, 4; @%p1 ld.u32 %r1, [%d2]; ld.global.u32 %r2, [%a0];";
    let report = local(body, Config::default()).unwrap();
    assert_eq!(report.memory.local_requests, 2);
    let counts: Vec<(&str, u64)> = report
        .lines
        .iter()
        .filter(|line| line.memory.local_requests > 0)
        .map(|line| (line.instruction.as_str(), line.memory.local_requests))
        .collect();
    assert_eq!(
        counts,
        [
            ("st.local.u32 [%d1], 1;", 1),
            ("@%p1 ld.u32 %r1, [%d2];", 1)
        ]
    );
    let forbid = || Config {
        allow_local_memory: false,
        ..Config::default()
    };
    for (body, instruction, lanes) in [
        (body, "st.local.u32 [%d1], 1;", u32::MAX),
        (
            "setp.lt.u32 %p1, %tid, 4; @%p1 ld.u32 %r1, [%d2];",
            "@%p1 ld.u32 %r1, [%d2];",
            0xf,
        ),
    ] {
        let Err(LaunchError::Fault(fault)) = local(body, forbid()) else {
            panic!("{body}")
        };
        assert_eq!(fault.what, FaultKind::LocalMemory { bytes: 16 });
        assert_eq!(
            (fault.instruction.as_str(), fault.lanes),
            (instruction, lanes)
        );
    }
    // Memory that is declared and not used is no use.
    local("ld.global.u32 %r2, [%a0];", forbid()).unwrap();
}

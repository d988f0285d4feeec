//! Checks reads of memory that nothing wrote.

use super::*;

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
            length: 128,
            later: None,
        }
    );
    assert_eq!(
        (fault.thread, fault.address),
        (Some([16, 0, 0]), Some(a + 66))
    );
    bench.device.write(a + 66, &[0; 62]).unwrap();
    bench.run("k", 1, 32, &[Arg::U64(a)]);
    // A kernel's writes count, and the check can be off.
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
            length: 128,
            later: Some(Later::Nobody),
        }
    );
    // Only two of the four bytes are written.
    let what = kind(run(
        "st.shared.u16 [%r30], 1; ld.shared.u32 %r1, [%r30];",
        1,
        128,
    ));
    assert_eq!(
        what,
        FaultKind::Uninitialised {
            space: Space::Shared,
            offset: 2,
            length: 128,
            later: Some(Later::Nobody),
        }
    );
    // A block does not see what another block left in shared memory.
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

#[test]
fn an_exchange_whose_result_nobody_reads_is_a_write() {
    let body = |rest: &str| {
        format!(
            "setp.eq.u32 %p1, %tid, 0; @%p1 atom.shared.exch.b32 %r1, [%r30], 7; bar.sync 0; ld.shared.u32 %r2, [%r30]; {rest}"
        )
    };
    passes(&body(""), 64, 64);
    let Err(LaunchError::Fault(fault)) = run(&body("add.u32 %r3, %r1, 1;"), 64, 64) else {
        panic!("a fault expected");
    };
    assert!(fault.instruction.contains("atom.shared.exch"), "{fault}");
    // The check holds in global memory too.
    let global = |rest: &str| {
        let bench = Bench::new(&entry(
            1,
            &format!("atom.global.exch.b32 %r1, [%a0], 7; ld.global.u32 %r2, [%a0]; {rest} ret;"),
        ));
        let a = bench.device.alloc(4).unwrap();
        bench.launch("k", 1, 1, &[Arg::U64(a)])
    };
    global("").unwrap();
    assert!(matches!(
        kind(global("st.global.u32 [%a0], %r1;")),
        FaultKind::Uninitialised { .. }
    ));
}

/// Checks that a thread that writes the place after the read decides the advice: a barrier, a wait,
/// or the write itself is missing.
#[test]
fn a_read_of_what_is_written_later_says_by_whom() {
    let later = |body: &str, threads: u32| match kind(run(body, threads, 256)) {
        FaultKind::Uninitialised {
            later: Some(later), ..
        } => later,
        other => panic!("{body}: {other}"),
    };
    // Each thread reads what the thread 32 beyond it writes: warp 0 runs first.
    let exchange = |between: &str, value: &str| {
        format!(
            "{OWN} xor.b32 %r1, %tid, 32; mul.wide.u32 %d2, %r1, 4; add.u64 %d2, %d30, %d2;\n\
             setp.lt.u32 %p1, %tid, 32; @%p1 ld.shared.u32 %r2, [%d2];\n{between}\n@!%p1 st.shared.u32 [%d1], {value};"
        )
    };
    assert_eq!(
        later(&exchange("", "%tid"), 64),
        Later::Unordered([32, 0, 0])
    );
    // The finding must not be the consequence of the value that was read: an address out of bounds.
    let used = format!(
        "{} mul.wide.u32 %d3, %r2, 65536; add.u64 %d3, %a0, %d3; @%p1 st.global.u32 [%d3+1073741824], %r2;",
        exchange("", "%tid")
    );
    assert!(
        matches!(later(&used, 64), Later::Fault(next) if next.contains("outside of every allocation"))
    );
    assert_eq!(
        later(&exchange("bar.sync 0;", "%tid"), 64),
        Later::Ordered([32, 0, 0])
    );
    let own =
        format!("{OWN} ld.shared.u32 %r1, [%d1]; add.u32 %r1, %r1, 1; st.shared.u32 [%d1], %r1;");
    assert_eq!(later(&own, 64), Later::Own);
    assert_eq!(
        later(&format!("{OWN} ld.shared.u32 %r1, [%d1];"), 64),
        Later::Nobody
    );
    // The copies are issued after the read.
    let copy = exchange("", "%tid").replace(
        "@!%p1 st.shared.u32 [%d1], %tid;",
        "@!%p1 cp.async.ca.shared.global [%d1], [%a0], 4; cp.async.wait_all;",
    );
    assert!(
        matches!(later(&copy, 64), Later::Asynchronous { operation, .. } if operation.starts_with("cp.async.ca")),
    );
    let own = format!(
        "{OWN} ld.shared.u32 %r1, [%d1]; cp.async.ca.shared.global [%d1], [%a0], 4; cp.async.wait_all;"
    );
    assert_eq!(later(&own, 64), Later::Own);
}

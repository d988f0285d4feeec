//! Checks races in global memory between threads of one block, or of one cluster: each ordered case
//! has a twin without the order.

mod common;

use common::{Arg, Bench, entry};
use emulator::{Config, FaultKind, Launch, LaunchAttributes, LaunchError};

/// Runs two blocks of 128 threads, in one cluster if `cluster`. `%r1` is the warp, `%d1` the
/// thread's own word of the buffer at `%a0`, and `%d2` the word of the thread 32 after it.
fn run(body: &str, cluster: bool) -> Result<(), Box<emulator::Fault>> {
    let text = entry(
        1,
        &format!(
            ".shared .align 8 .b8 object[8]; mov.u32 %r50, object; shr.u32 %r1, %tid, 5; mov.u32 %r2, %ctaid.x;\n\
             mad.lo.u32 %r3, %r2, 128, %tid; mul.wide.u32 %d1, %r3, 4; add.u64 %d1, %a0, %d1;\n\
             add.u32 %r4, %tid, 32; and.b32 %r4, %r4, 127; mad.lo.u32 %r3, %r2, 128, %r4; mul.wide.u32 %d2, %r3, 4; add.u64 %d2, %a0, %d2;\n\
             xor.b32 %r4, %r2, 1; mad.lo.u32 %r3, %r4, 128, %tid; mul.wide.u32 %d3, %r3, 4; add.u64 %d3, %a0, %d3;\n\
             {body}\nret;"
        ),
    );
    let bench = Bench::with(&text, Config::default());
    let buffer = bench.words(&(0..512).collect::<Vec<u32>>());
    let launch = Launch {
        grid: [2, 1, 1],
        block: [128, 1, 1],
        dynamic_shared: 0,
    };
    let attributes = LaunchAttributes {
        cluster: cluster.then_some([2, 1, 1]),
        ..LaunchAttributes::default()
    };
    let parameter = buffer.to_le_bytes();
    let device = &bench.device;
    let result = device.launch_with(
        &bench.program,
        "k",
        &launch,
        &attributes,
        &[&parameter],
        None,
    );
    match result {
        Ok(_) => Ok(()),
        Err(LaunchError::Fault(fault)) => Err(fault),
        Err(other) => panic!("{other}\n{body}"),
    }
}

/// Runs a body as it is, and with `cut` removed: the first must pass, and the second must have a
/// race between threads.
#[track_caller]
fn orders(body: &str, cut: &str, cluster: bool) -> String {
    assert!(body.contains(cut), "{cut}");
    if let Err(fault) = run(body, cluster) {
        panic!("{fault}\n{body}");
    }
    let fault = run(&body.replace(cut, ""), cluster).expect_err("a race expected");
    assert!(
        matches!(fault.what, FaultKind::ThreadRace { .. }),
        "{fault}"
    );
    assert!(fault.earlier.is_some() && fault.buffer.is_some(), "{fault}");
    fault.what.to_string()
}

const WRITE: &str = "st.global.u32 [%d1], %r4;";
const READ: &str = "ld.global.u32 %r5, [%d2];";

#[test]
fn barriers_of_the_block_order_its_threads() {
    let said = orders(&format!("{WRITE} bar.sync 0; {READ}"), "bar.sync 0;", false);
    assert_eq!(
        said,
        "race on global memory: write after thread (0,0,0) of the same block read it, and nothing orders the two"
    );
    // A thread reads a word, and then another thread writes it.
    orders(
        &format!("{READ} barrier.sync 1; {WRITE}"),
        "barrier.sync 1;",
        false,
    );
}

#[test]
fn named_barriers_order_those_who_come_to_them() {
    // Warps 0 and 1 meet at one barrier, and warps 2 and 3 at another: each reads its neighbour's
    // word in the pair.
    let pairs = "xor.b32 %r6, %tid, 32; mad.lo.u32 %r6, %r2, 128, %r6; mul.wide.u32 %d4, %r6, 4; add.u64 %d4, %a0, %d4;\n\
                 shr.u32 %r7, %r1, 1; add.u32 %r7, %r7, 1;";
    orders(
        &format!(
            "{pairs} st.global.u32 [%d1], %r4; barrier.sync %r7, 64; ld.global.u32 %r5, [%d4];"
        ),
        "barrier.sync %r7, 64;",
        false,
    );
    // The neighbour of warp 1 is in the other pair.
    let fault = run(
        &format!("{pairs} {WRITE} barrier.sync %r7, 64; {READ}"),
        false,
    );
    assert!(fault.is_err());
    // After a read and a barrier of the pair, one thread writes what all have read.
    orders(
        &format!(
            "{pairs} ld.global.u32 %r5, [%d4]; barrier.sync %r7, 64; and.b32 %r8, %tid, 63; setp.ne.u32 %p1, %r8, 0; @%p1 exit;\n\
             st.global.v4.u32 [%d1], {{%r4, %r4, %r4, %r4}};"
        ),
        "barrier.sync %r7, 64;",
        false,
    );
    // Warp 3 arrives after it has met warp 2: warp 0 waits for warp 3 and reads what warp 2 wrote.
    let relay = "setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 1; setp.eq.u32 %p3, %r1, 2; @%p2 exit; @%p1 bra LAST; @!%p3 bra MEET;\n\
                 st.global.u32 [%d1], %r4; MEET: barrier.sync 3, 64; @%p3 exit; barrier.arrive 4, 64; exit;\n\
                 LAST: barrier.sync 4, 64; ld.global.u32 %r5, [%d1+256];";
    orders(relay, "barrier.sync 3, 64;", false);
}

#[test]
fn a_warp_orders_its_lanes_by_syncwarp_alone() {
    let neighbour = "xor.b32 %r6, %tid, 1; mad.lo.u32 %r6, %r2, 128, %r6; mul.wide.u32 %d4, %r6, 4; add.u64 %d4, %a0, %d4;";
    orders(
        &format!("{neighbour} {WRITE} bar.warp.sync -1; ld.global.u32 %r5, [%d4];"),
        "bar.warp.sync -1;",
        false,
    );
    // A lane reads, writes and reads again its own word.
    run(
        "ld.global.u32 %r5, [%d1]; st.global.u32 [%d1], %r4; ld.global.u32 %r5, [%d1]; st.global.u32 [%d1], 9;",
        false,
    )
    .unwrap();
}

/// Checks that the lane that used a word is known if the words are at a constant distance, and if
/// inactive lanes lie between lanes with consecutive words.
#[test]
fn lanes_of_a_warp_at_a_distance_are_told_apart() {
    let apart = "setp.ne.u32 %p1, %r1, 0; @%p1 exit; mad.lo.u32 %r6, %r2, 32, %tid; xor.b32 %r7, %r6, 1;\n\
                 mul.wide.u32 %d4, %r6, 16; add.u64 %d4, %a0, %d4; mul.wide.u32 %d5, %r7, 16; add.u64 %d5, %a0, %d5;";
    for (first, second) in [
        ("ld.global.u32 %r5, [%d4];", "st.global.u32 [%d5], 999;"),
        ("st.global.u32 [%d4], 999;", "ld.global.u32 %r5, [%d5];"),
    ] {
        orders(
            &format!("{apart} {first} bar.warp.sync -1; {second}"),
            "bar.warp.sync -1;",
            false,
        );
    }
    let even = "and.b32 %r8, %tid, 1; setp.ne.u32 %p1, %r8, 0; @%p1 exit; mad.lo.u32 %r6, %r2, 128, %tid; xor.b32 %r7, %r6, 2;\n\
                mul.wide.u32 %d4, %r6, 2; add.u64 %d4, %a0, %d4; mul.wide.u32 %d5, %r7, 2; add.u64 %d5, %a0, %d5;";
    orders(
        &format!(
            "{even} st.global.u32 [%d4], 999; bar.warp.sync 0x55555555; ld.global.u32 %r5, [%d5];"
        ),
        "bar.warp.sync 0x55555555;",
        false,
    );
}

/// Checks that a weak write that an atomic of its thread follows races with other threads' atomics.
#[test]
fn a_weak_write_below_a_strong_one_is_not_forgotten() {
    let word = "shr.u32 %r6, %tid, 5; mad.lo.u32 %r6, %r6, 0, %r2; mul.wide.u32 %d4, %r6, 4; add.u64 %d4, %a0, %d4;";
    orders(
        &format!(
            "{word} setp.ne.u32 %p1, %tid, 0; @%p1 bra MEET; st.global.u32 [%d4], 99; atom.global.add.u32 %r5, [%d4], 1;\n\
             MEET: bar.sync 0; atom.global.add.u32 %r5, [%d4], 1;"
        ),
        "bar.sync 0;",
        false,
    );
}

#[test]
fn phases_of_an_mbarrier_object_order_those_who_wait() {
    orders(
        &format!(
            "setp.ne.u32 %p1, %tid, 0; @!%p1 mbarrier.init.shared.b64 [%r50], 128; bar.sync 0;\n\
             {WRITE} mbarrier.arrive.shared.b64 %d5, [%r50];\n\
             W: mbarrier.try_wait.parity.shared.b64 %p2, [%r50], 0; @!%p2 bra W; {READ}"
        ),
        "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r50], 0; @!%p2 bra W;",
        false,
    );
}

#[test]
fn the_barrier_of_a_cluster_orders_its_blocks() {
    let meet = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;";
    let said = orders(
        &format!("st.global.u32 [%d1], %r3; {meet} ld.global.u32 %r5, [%d3];"),
        meet,
        true,
    );
    assert!(
        said.contains("of the cluster's block (0,0,0) read it"),
        "{said}"
    );
    // The block's own barrier does not order them.
    let fault = run(
        "st.global.u32 [%d1], %r3; bar.sync 0; ld.global.u32 %r5, [%d3];",
        true,
    );
    assert!(matches!(
        fault.unwrap_err().what,
        FaultKind::ThreadRace { block: Some(_), .. }
    ));
}

/// Checks that a thread that has ended has not arrived at a barrier of another block in the
/// cluster, nor at one with a count.
#[test]
fn threads_that_have_ended_meet_nobody() {
    let of_cluster = "setp.ne.u32 %p1, %r2, 0; @!%p1 st.global.u32 [%d1], 1; barrier.cluster.arrive; barrier.cluster.wait; @!%p1 exit; \
         nanosleep.u32 1; nanosleep.u32 1; nanosleep.u32 1; nanosleep.u32 1; bar.sync 0; ld.global.u32 %r5, [%d3];";
    orders(
        of_cluster,
        "barrier.cluster.arrive; barrier.cluster.wait;",
        true,
    );
    let of_a_count = "setp.ne.u32 %p1, %r1, 1; @!%p1 st.global.u32 [%d1], 1; bar.sync 2, 128; @!%p1 exit; \
         nanosleep.u32 1; nanosleep.u32 1; nanosleep.u32 1; nanosleep.u32 1; bar.sync 1, 96; \
         setp.eq.u32 %p2, %r1, 0; @%p2 ld.global.u32 %r5, [%d2];";
    orders(of_a_count, "bar.sync 2, 128;", false);
}

/// Checks a lock that one thread releases for its whole block: with a barrier before the release
/// this is correct, and without one it is a race, whichever thread releases.
#[test]
fn a_release_is_of_what_its_thread_is_behind() {
    for threads in [32, 64] {
        for releaser in [0, 17, threads - 1] {
            for barrier in ["", "bar.sync 0;"] {
                let body = format!(
                    "mul.wide.u32 %d1, %tid, 4; add.u64 %d1, %a1, %d1; setp.ne.u32 %p1, %tid, 0; @%p1 bra GO;\n\
                     SPIN: atom.global.acq_rel.gpu.cas.b32 %r1, [%a0], 0, 1; setp.ne.u32 %p2, %r1, 0; @%p2 bra SPIN;\n\
                     GO: bar.sync 0; ld.global.u32 %r2, [%d1]; add.u32 %r2, %r2, 1; st.global.u32 [%d1], %r2; {barrier}\n\
                     setp.ne.u32 %p3, %tid, {releaser}; @%p3 exit; membar.gl; atom.global.exch.b32 %r3, [%a0], 0; ret;"
                );
                let bench = Bench::new(&entry(2, &body));
                let lock = bench.words(&[0]);
                let data = bench.words(&[0; 64]);
                let arguments = [Arg::U64(lock), Arg::U64(data)];
                let result = bench.launch("k", 6, threads, &arguments);
                assert_eq!(result.is_ok(), !barrier.is_empty(), "{threads} {releaser}");
                if let Err(LaunchError::Fault(fault)) = result {
                    let race = matches!(fault.what, FaultKind::GlobalRace { .. });
                    assert!(race, "{fault}");
                }
            }
        }
    }
}

#[test]
fn lanes_of_one_store() {
    // Pairs of lanes write one word: each a different value, or both the same.
    let pairs = "shr.u32 %r6, %tid, 1; mad.lo.u32 %r6, %r2, 128, %r6; mul.wide.u32 %d4, %r6, 4; add.u64 %d4, %a0, %d4;";
    let fault = run(&format!("{pairs} st.global.u32 [%d4], %tid;"), false).unwrap_err();
    let FaultKind::WriteConflict { other } = fault.what else {
        panic!("{fault}")
    };
    assert_eq!((fault.thread.unwrap(), other), ([1, 0, 0], [0, 0, 0]));
    run(
        &format!("{pairs} st.global.u32 [%d4], %r6; ld.global.u32 %r5, [%d4];"),
        false,
    )
    .unwrap();
    // In reverse order, no two lanes write the same word.
    run(
        "sub.u32 %r6, 127, %tid; mad.lo.u32 %r6, %r2, 128, %r6; mul.wide.u32 %d4, %r6, 4; add.u64 %d4, %a0, %d4;\n\
         st.global.u32 [%d4], %tid;",
        false,
    )
    .unwrap();
}

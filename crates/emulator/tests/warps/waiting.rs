//! Checks lanes, warps and blocks that wait for each other, and barriers.

use super::*;
use emulator::{Acceptable, Acceptance, Config};

#[test]
fn a_lane_may_wait_for_another_lane_of_its_warp() {
    // Lanes take a lock in turn. If lanes ran only in lockstep, the loser's loop would never let
    // the winner continue.
    let text = entry(
        2,
        "L: atom.global.cas.b32 %r1, [%a0], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;\n\
         ld.volatile.global.u32 %r2, [%a1]; add.u32 %r2, %r2, 1; st.volatile.global.u32 [%a1], %r2;\n\
         membar.gl; atom.global.exch.b32 %r3, [%a0], 0; ret;",
    );
    let bench = Bench::new(&text);
    let (lock, count) = (bench.words(&[0]), bench.words(&[0]));
    bench.run("k", 3, 96, &[Arg::U64(lock), Arg::U64(count)]);
    assert_eq!(bench.read_words(count, 1), [288]);
}

#[test]
fn blocks_may_wait_for_later_blocks() {
    // A barrier of the whole grid: each block counts its arrival, then waits for all.
    let text = entry(
        2,
        "bar.sync 0; setp.ne.u32 %p1, %tid, 0; @%p1 bra W;\n\
         red.global.add.u32 [%a0], 1;\n\
         S: ld.acquire.gpu.global.u32 %r1, [%a0]; setp.lt.u32 %p2, %r1, 20; @%p2 bra S;\n\
         W: bar.sync 0; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r2, %r2, %r3, %tid;\n\
         ld.relaxed.gpu.global.u32 %r4, [%a0]; mul.wide.u32 %d1, %r2, 4; add.u64 %d1, %a1, %d1;\n\
         st.global.u32 [%d1], %r4; ret;",
    );
    let bench = Bench::new(&text);
    let (count, out) = (bench.words(&[0]), bench.device.alloc(4 * 20 * 64).unwrap());
    bench.run("k", 20, 64, &[Arg::U64(count), Arg::U64(out)]);
    assert_eq!(bench.read_words(out, 20 * 64), vec![20; 20 * 64]);
}

#[test]
fn warps_may_wait_for_each_other_through_shared_memory() {
    // Warp 1 waits for a flag that warp 0 sets later.
    let text = entry(
        1,
        "mov.u64 %d1, dynamic; setp.ge.u32 %p1, %tid, 32; setp.eq.u32 %p3, %tid, 0;\n\
         @%p3 st.shared.u32 [%d1], 0; bar.sync 0; @%p1 bra W;\n\
         @!%p3 bra E; st.shared.u32 [%d1+4], 77; membar.cta; st.release.cta.shared.u32 [%d1], 1; bra E;\n\
         W: ld.acquire.cta.shared.u32 %r1, [%d1]; setp.eq.u32 %p2, %r1, 0; @%p2 bra W;\n\
         ld.shared.u32 %r2, [%d1+4]; st.global.u32 [%a0], %r2;\n\
         E: ret;",
    );
    let bench = Bench::new(&text);
    let out = bench.words(&[0]);
    let launch = emulator::Launch {
        grid: [1, 1, 1],
        block: [64, 1, 1],
        dynamic_shared: 8,
    };
    bench.launch_with("k", launch, &[Arg::U64(out)]).unwrap();
    assert_eq!(bench.read_words(out, 1), [77]);
}

#[test]
fn an_early_return_does_not_hold_up_a_barrier() {
    // 40 threads of 64 return before the barrier: once by a branch to the end, once by exit, once
    // far from the end.
    for leave in [
        "@%p1 bra END;",
        "@%p1 exit;",
        "@!%p1 bra ON; st.global.u32 [%a0+8], %r9; ret; ON:",
    ] {
        let text = entry(
            1,
            &format!(
                "setp.ge.u32 %p1, %tid, 24; mov.u32 %r9, 3; {leave}\nbar.sync 0;\n\
                 mul.wide.u32 %d0, %tid, 4; add.u64 %d0, %a0, %d0; st.global.u32 [%d0], %tid;\nEND: ret;"
            ),
        );
        let mut rule = Acceptance::new("those that have not exited meet");
        rule.kind = Some(Acceptable::ExitedThread);
        let config = Config {
            accept: vec![rule],
            ..Config::default()
        };
        let bench = Bench::with(&text, config);
        let out = bench.words(&[99; 64]);
        bench.run("k", 1, 64, &[Arg::U64(out)]);
        let found = bench.read_words(out, 64);
        assert_eq!((found[0], found[23], found[24]), (0, 23, 99), "{leave}");
    }
}

#[test]
fn barriers_reduce() {
    let text = entry(
        1,
        "rem.u32 %r0, %tid, 3; setp.eq.u32 %p1, %r0, 0; bar.red.popc.u32 %r1, 0, %p1;\n\
         bar.red.and.pred %p2, 1, %p1; bar.red.or.pred %p3, 2, !%p1; bar.red.popc.u32 %r2, 3, 96, !%p1;\n\
         selp.u32 %r3, 100, 0, %p2; selp.u32 %r4, 1000, 0, %p3; add.u32 %r1, %r1, %r3; add.u32 %r1, %r1, %r4;\n\
         mad.lo.u32 %r1, %r2, 10000, %r1;\n\
         mul.wide.u32 %d0, %tid, 4; add.u64 %d0, %a0, %d0; st.global.u32 [%d0], %r1; ret;",
    );
    let bench = Bench::new(&text);
    let out = bench.words(&[0; 96]);
    bench.run("k", 1, 96, &[Arg::U64(out)]);
    // 32 of 96 are multiples of 3; not all are; some are not; 64 are not.
    assert_eq!(bench.read_words(out, 96), [640_000 + 1000 + 32; 96]);
}

#[test]
fn producers_and_consumers_at_named_barriers() {
    // Three times, warp 0 fills and warp 1 uses: "full" is barrier 1, "empty" barrier 2.
    let text = entry(
        1,
        "mov.u64 %d1, dynamic; mul.wide.u32 %d2, %tid, 4; and.b32 %r5, %tid, 31; mul.wide.u32 %d3, %r5, 4;\n\
         add.u64 %d1, %d1, %d3; mov.u32 %r1, 0; mov.u32 %r2, 0; setp.ge.u32 %p1, %tid, 32; @%p1 bra USE;\n\
         FILL: mad.lo.u32 %r3, %r1, 100, %tid; st.shared.u32 [%d1], %r3; bar.arrive 1, 64; bar.sync 2, 64;\n\
         add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 3; @%p2 bra FILL; ret;\n\
         USE: bar.sync 1, 64; ld.shared.u32 %r3, [%d1]; add.u32 %r2, %r2, %r3; bar.arrive 2, 64;\n\
         add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 3; @%p2 bra USE;\n\
         add.u64 %d0, %a0, %d3; st.global.u32 [%d0], %r2; ret;",
    );
    let bench = Bench::new(&text);
    let out = bench.words(&[0; 32]);
    let launch = emulator::Launch {
        grid: [1, 1, 1],
        block: [64, 1, 1],
        dynamic_shared: 128,
    };
    bench
        .launch_with("k", launch, &[Arg::U64(out)])
        .unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(
        bench.read_words(out, 32),
        (0..32).map(|i| 300 + 3 * i).collect::<Vec<_>>()
    );
}

//! Checks `alloca` and the other stack instructions, `discard`, vector registers.

use super::*;
use crate::common::kind;
use emulator::{Config, FaultKind, Space};

/// Checks that the allocations of a frame do not overlap: thread i allocates i + 1 words and 24
/// bytes, fills both, restores the stack, allocates again, and adds up the words.
#[test]
fn allocations_of_a_frame_are_apart_until_the_stack_is_restored() {
    let body = ".reg .b64 %s<4>;\n\
        add.u32 %r1, %tid, 1; shl.b32 %r2, %r1, 2; cvt.u64.u32 %d1, %r2;\n\
        alloca.u64 %d2, %d1; stacksave.u64 %s0; alloca.u64 %d3, 24, 64; and.b64 %d4, %d3, 63; cvt.u32.u64 %r9, %d4;\n\
        mov.u32 %r3, 0; mov.u64 %d5, %d2;\n\
        FILL: st.local.u32 [%d5], %r3; add.u64 %d5, %d5, 4; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r1; @%p1 bra FILL;\n\
        st.local.v2.u32 [%d3+16], {%tid, %r1}; stackrestore.u64 %s0;\n\
        alloca.u32 %r10, 8; cvt.u64.u32 %d6, %r10; sub.u64 %d7, %d6, %s0; cvta.local.u64 %d6, %d6; st.u64 [%d6], -1;\n\
        mov.u32 %r4, 0; mov.u32 %r3, 0; mov.u64 %d5, %d2;\n\
        SUM: ld.local.u32 %r5, [%d5]; add.u32 %r4, %r4, %r5; add.u64 %d5, %d5, 4; add.u32 %r3, %r3, 1;\n\
        setp.lt.u32 %p1, %r3, %r1; @%p1 bra SUM;\n\
        cvt.u32.u64 %r6, %d7; mul.wide.u32 %d8, %tid, 16; add.u64 %d8, %a0, %d8;\n\
        st.global.v4.u32 [%d8], {%r4, %r9, %r6, %r1}; ret;";
    let bench = Bench::with(
        &entry(1, body),
        Config {
            check_local_initialised: true,
            ..Config::default()
        },
    );
    let out = bench.words(&[0; 4 * 40]);
    bench.run("k", 1, 40, &[Arg::U64(out)]);
    for (i, found) in bench.read_words(out, 160).chunks_exact(4).enumerate() {
        let n = i as u32 + 1;
        // Memory that was allocated after `stacksave` is free again: at most the alignment lies
        // between.
        assert_eq!((found[0], found[1], found[3]), (n * (n - 1) / 2, 0, n));
        assert!(found[2] < 8, "{}", found[2]);
    }
    let fault = |body: &str| kind(Bench::new(&entry(0, body)).launch("k", 1, 32, &[]));
    let beyond = "alloca.u64 %d1, 16; st.local.u32 [%d1+16], 1; ret;";
    assert!(matches!(
        fault(beyond),
        FaultKind::OutOfBounds {
            space: Space::Local,
            ..
        }
    ));
    let restored =
        "stacksave.u64 %d2; alloca.u64 %d1, 16; stackrestore.u64 %d2; st.local.u32 [%d1], 1; ret;";
    assert!(matches!(fault(restored), FaultKind::OutOfBounds { .. }));
    let endless = "L: alloca.u64 %d1, 4096; bra L;";
    assert!(matches!(fault(endless), FaultKind::StackOverflow { .. }));
    assert!(matches!(
        fault("alloca.u64 %d1, -1; ret;"),
        FaultKind::StackOverflow { .. }
    ));
    assert!(matches!(
        fault("stackrestore.u64 4096; ret;"),
        FaultKind::Operand(_)
    ));
}

/// Checks that the contents of a discarded line are lost: it may be written, but not read before.
#[test]
fn a_discarded_line_is_not_initialised() {
    let launch = |body: &str, bytes: usize| {
        let bench = Bench::new(&entry(1, body));
        let buffer = bench.bytes(&vec![7; bytes]);
        let done = bench.launch("k", 1, 1, &[Arg::U64(buffer)]);
        (done, bench, buffer)
    };
    let discard = "discard.global.L2 [%a0+128], 128;";
    for right in [
        "ld.global.u32 %r1, [%a0+124];",
        "ld.global.u32 %r1, [%a0+256];",
        "st.global.u32 [%a0+200], 9; ld.global.u32 %r1, [%a0+200];",
    ] {
        let (done, bench, buffer) = launch(&format!("{discard} {right} ret;"), 384);
        done.unwrap();
        assert_eq!(bench.read_words(buffer, 1), [0x0707_0707]);
    }
    let read = |at: usize| {
        kind(
            launch(
                &format!("{discard} ld.global.u32 %r1, [%a0+{at}]; ret;"),
                384,
            )
            .0,
        )
    };
    for at in [128, 252] {
        assert!(matches!(read(at), FaultKind::Uninitialised { .. }), "{at}");
    }
    let faulty = |body: &str, bytes| kind(launch(body, bytes).0);
    assert!(matches!(
        faulty("discard.L2 [%a0+64], 128; ret;", 384),
        FaultKind::Misaligned { alignment: 128, .. }
    ));
    assert!(matches!(
        faulty("discard.L2 [%a0+128], 128; ret;", 192),
        FaultKind::OutOfBounds { .. }
    ));
}

/// Checks that hints and fences have no effect, and are counted.
#[test]
fn hints_and_fences_are_counted() {
    let list = [
        "griddepcontrol.wait",
        "griddepcontrol.launch_dependents",
        "fence.proxy.async",
        "fence.proxy.async.shared::cta",
        "fence.proxy.tensormap::generic.release.gpu",
        "fence.mbarrier_init.release.cluster",
        "membar.proxy.alias",
    ];
    let body: String = list.iter().map(|name| format!("{name};\n")).collect();
    let bench = Bench::new(&entry(
        1,
        &format!("{body} applypriority.global.L2::evict_normal [%a0], 128; ret;"),
    ));
    let report = bench.run("k", 1, 32, &[Arg::U64(0)]);
    for name in list
        .into_iter()
        .chain(["applypriority.global.L2::evict_normal"])
    {
        assert_eq!(report.opcodes.get(name), Some(&1), "{name}");
    }
}

#[test]
fn vector_registers_are_their_elements() {
    let body = ".reg .v4 .b32 %v, w<2>; .reg .v2 .b32 pair;\n\
        ld.global.v4.b32 %v, [%a0]; add.u32 %v.x, %v.w, %v.y; mov.v4.b32 w0, %v; add.u32 w0.a, w0.r, 1;\n\
        mov.v4.b32 w1, {w0.y, w0.x, w0.w, w0.z}; mov.v2.b32 {w1.x, w1.y}, {w1.y, w1.x};\n\
        mov.u32 pair.x, w1.z; mov.u32 pair.y, w1.w; mov.b64 %d1, pair;\n\
        st.global.v4.u32 [%a0], w1; st.global.u64 [%a0+16], %d1; ret;";
    let bench = Bench::new(&entry(1, body));
    let buffer = bench.words(&[1, 2, 3, 4, 0, 0]);
    bench.run("k", 1, 1, &[Arg::U64(buffer)]);
    assert_eq!(bench.read_words(buffer, 6), [6, 2, 7, 3, 7, 3]);
}

/// Checks the system's part of shared memory: cooperative groups keep the barriers of tiles of
/// several warps there, and no kernel initialises it.
#[test]
fn the_systems_part_of_shared_memory() {
    let body = |at: &str| {
        format!(
            ".shared .u32 own; mov.u32 %r1, %reserved_smem_offset_begin; mov.u32 %r2, %reserved_smem_offset_end;\n\
             mov.u32 %r3, %reserved_smem_offset_cap; mov.u32 %r4, %reserved_smem_offset_1; mov.u32 %r5, own;\n\
             st.shared.u32 [%r5], 7; sub.u32 %r2, %r2, %r1; setp.gt.u32 %p1, %r1, %r5;\n\
             cvt.u64.u32 %d1, %r4; cvta.shared.u64 %d1, %d1; shr.u32 %r6, %tid, 5; shl.b32 %r6, 1, %r6;\n\
             red.or.release.cta.b32 [%d1+{at}], %r6; barrier.sync 0; ld.shared.u32 %r7, [%r4+12];\n\
             selp.u32 %r8, 1, 0, %p1; st.global.v4.u32 [%a0], {{%r2, %r3, %r7, %r8}}; ret;"
        )
    };
    let launch = |at: &str| {
        let bench = Bench::new(&entry(1, &body(at)));
        let buffer = bench.words(&[9; 4]);
        let done = bench.launch("k", 1, 96, &[Arg::U64(buffer)]);
        (done, bench.read_words(buffer, 4))
    };
    let (done, found) = launch("12");
    done.unwrap();
    // The sizes are an H100's (driver 580), and the place comes after the block's own memory.
    assert_eq!(found, [288, 1024, 0b111, 1]);
    assert!(matches!(
        kind(launch("288").0),
        FaultKind::OutOfBounds { .. }
    ));
}

//! Checks races between the blocks of a launch in global memory: planted ones are found with their
//! place, and accesses that atomics order are not reported.

mod common;

use common::{Arg, Bench, entry};
use emulator::{Access, Config, Earlier, FaultKind, Launch, LaunchAttributes, LaunchError, Report};

/// Makes a kernel and its buffers. `%r20` is the block, `%r21` the number of blocks, and `%r22` the
/// thread of the launch; `%a0` holds 1,024 words that count up, and `%a1` 1,024 zeros.
fn bench(body: &str, config: Config) -> (Bench, [u64; 2]) {
    let text = entry(
        2,
        &format!(
            "mov.u32 %r20, %ctaid.x; mov.u32 %r21, %nctaid.x; mov.u32 %r23, %ntid.x;\n\
             mad.lo.u32 %r22, %r20, %r23, %tid; mul.wide.u32 %d20, %r20, 4; mul.wide.u32 %d22, %r22, 4;\n\
             mul.wide.u32 %d23, %tid, 4;\n{body}\nret;"
        ),
    );
    let bench = Bench::with(&text, config);
    let words: Vec<u32> = (0..1024).collect();
    let buffers = [bench.words(&words), bench.words(&[0; 1024])];
    (bench, buffers)
}

fn run(body: &str, blocks: u32) -> Result<Report, LaunchError> {
    let (bench, [a, b]) = bench(body, Config::default());
    bench.launch("k", blocks, 32, &[Arg::U64(a), Arg::U64(b)])
}

#[track_caller]
fn passes(body: &str, blocks: u32) {
    if let Err(error) = run(body, blocks) {
        panic!("{error}");
    }
}

/// Returns the race of a launch, and the instruction, block, thread, and offset in the buffer
/// `name` at which it is found.
#[track_caller]
fn race(body: &str, blocks: u32) -> (Access, Earlier, u32, String, u32, u32, u64, String) {
    let Err(LaunchError::Fault(fault)) = run(body, blocks) else {
        panic!("a race expected");
    };
    let FaultKind::GlobalRace {
        access,
        earlier,
        other,
        ..
    } = fault.what
    else {
        panic!("{fault}");
    };
    let buffer = fault.buffer.as_ref().unwrap();
    (
        access,
        earlier,
        other[0],
        fault.instruction.clone(),
        fault.block[0],
        fault.thread.unwrap()[0],
        fault.address.unwrap() - buffer.base,
        buffer.name.clone().unwrap(),
    )
}

#[test]
fn blocks_with_places_of_their_own_are_no_race() {
    passes(
        "add.u64 %d1, %a0, %d22; ld.global.u32 %r1, [%d1]; add.u64 %d2, %a1, %d22; st.global.u32 [%d2], %r1;",
        32,
    );
    // All threads read one word; neighbouring bytes are different places.
    passes("ld.global.u32 %r1, [%a0+128];", 32);
    passes(
        "cvt.u64.u32 %d1, %r22; add.u64 %d1, %a1, %d1; cvt.u16.u32 %h1, %r22; st.global.u8 [%d1], %h1; ld.global.u8 %h2, [%d1];",
        32,
    );
    passes(
        "mul.wide.u32 %d1, %r22, 16; add.u64 %d1, %a1, %d1; st.global.v4.u32 [%d1], {%tid,%tid,%tid,%r22};",
        8,
    );
    // All threads write the same value, as to a flag that many set.
    passes("st.global.u32 [%a1], 7;", 32);
    passes("add.u64 %d1, %a1, %d23; st.global.u32 [%d1], %tid;", 9);
    // Within one block, or between two launches, these accesses are no race between blocks.
    let (bench, [a, b]) = bench(
        "add.u64 %d1, %a1, %d23; st.global.u32 [%d1], %r22; ld.global.u32 %r1, [%d1]; add.u32 %r1, %r1, 1; st.global.u32 [%d1], %r1;",
        Config::default(),
    );
    for _ in 0..3 {
        bench.run("k", 1, 32, &[Arg::U64(a), Arg::U64(b)]);
    }
}

#[test]
fn writes_of_two_blocks() {
    let store = "st.global.u32 [%a1+8], %r20;";
    assert_eq!(
        race(&format!("add.u32 %r20, %r20, 1; {store}"), 2),
        (
            Access::Write,
            Earlier::Wrote,
            0,
            store.into(),
            1,
            0,
            8,
            "parameter `p1`".into()
        )
    );
    // The tile is one column too wide: the last thread of a block writes the first word of the next
    // block's tile.
    let body = "mad.lo.u32 %r1, %r20, 31, %tid; mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %a1, %d1;\n\
                add.u32 %r2, %r22, 1; st.global.u32 [%d1], %r2;";
    assert_eq!(
        race(body, 4),
        (
            Access::Write,
            Earlier::Wrote,
            0,
            "st.global.u32 [%d1], %r2;".into(),
            1,
            0,
            124,
            "parameter `p1`".into()
        )
    );
    // The vector reaches into the next block's place.
    let body = "setp.ne.u32 %p1, %tid, 0; @%p1 exit; mul.wide.u32 %d1, %r20, 8; add.u64 %d1, %a1, %d1; add.u32 %r1, %r20, 1;\n\
                and.b64 %d1, %d1, -16; st.global.v4.u32 [%d1], {%r1,%r1,%r1,%r1};";
    assert_eq!(race(body, 2).6, 0);
}

#[test]
fn a_read_of_what_another_block_writes() {
    // Each block reads what the block before it wrote, as in a pipeline without a barrier.
    let body = "add.u64 %d1, %a0, %d20; ld.global.u32 %r1, [%d1]; add.u32 %r1, %r1, 5; st.global.u32 [%d1+4], %r1;";
    assert_eq!(
        race(&format!("setp.ne.u32 %p1, %tid, 3; @%p1 exit; {body}"), 3),
        (
            Access::Read,
            Earlier::Wrote,
            0,
            "ld.global.u32 %r1, [%d1];".into(),
            1,
            3,
            4,
            "parameter `p0`".into()
        )
    );
    // Each block writes in place what the block before it has read.
    let body = "add.u64 %d1, %a0, %d20; ld.global.u32 %r1, [%d1+4]; add.u32 %r1, %r1, 5; st.global.u32 [%d1], %r1;";
    assert_eq!(
        race(&format!("setp.ne.u32 %p1, %tid, 3; @%p1 exit; {body}"), 3),
        (
            Access::Write,
            Earlier::Read,
            0,
            "st.global.u32 [%d1], %r1;".into(),
            1,
            3,
            4,
            "parameter `p0`".into()
        )
    );
    // The write is a cp.async, of all bytes and of the first ones only.
    for size in ["", ", 4"] {
        let copy = format!("cp.async.ca.shared.global [%r30], [%a1], 16{size};");
        let body = format!(
            ".shared .align 16 .b8 tile[16]; mov.u32 %r30, tile; setp.ne.u32 %p1, %tid, 0; @%p1 exit;\n\
             setp.eq.u32 %p2, %r20, 0; @%p2 st.global.u32 [%a1], 9; {copy} cp.async.wait_all;"
        );
        let found = race(&body, 2);
        assert_eq!(
            (found.0, found.1, found.3, found.4),
            (Access::Read, Earlier::Wrote, copy, 1)
        );
    }
}

#[test]
fn atomics_order_blocks() {
    // Blocks add by atomics, and the last block to arrive reads all partial results: right with a
    // counter, a race without.
    let last = |counter: &str| {
        format!(
            "setp.ne.u32 %p1, %tid, 0; @%p1 exit; add.u64 %d1, %a1, %d20; add.u32 %r1, %r20, 1; st.global.u32 [%d1+64], %r1;\n\
             {counter}\n add.u32 %r2, %r2, 1; setp.ne.u32 %p2, %r2, %r21; @%p2 exit;\n\
             ld.global.u32 %r3, [%a1+64]; ld.global.u32 %r4, [%a1+68]; ld.global.u32 %r5, [%a1+72];"
        )
    };
    passes(
        &last("membar.gl; atom.global.add.u32 %r2, [%a1], 1; membar.gl;"),
        3,
    );
    assert_eq!(
        race(&last("mov.u32 %r2, %r20;"), 3),
        (
            Access::Read,
            Earlier::Wrote,
            0,
            "ld.global.u32 %r3, [%a1+64];".into(),
            2,
            0,
            64,
            "parameter `p1`".into()
        )
    );
    // With a flag, the value written before the flag is ordered, and the value written after it is
    // not.
    let flag = |first: &str, second: &str| {
        format!(
            "setp.ne.u32 %p1, %tid, 0; @%p1 exit; setp.eq.u32 %p2, %r20, 0; @!%p2 bra READ; {first} {second} exit;\n\
             READ: ld.acquire.gpu.global.u32 %r1, [%a1]; setp.eq.u32 %p3, %r1, 0; @%p3 bra READ; ld.global.u32 %r2, [%a1+4];"
        )
    };
    let (value, set) = (
        "st.global.u32 [%a1+4], 5;",
        "st.release.gpu.global.u32 [%a1], 1;",
    );
    passes(&flag(value, set), 2);
    let found = race(&flag(set, value), 2);
    assert_eq!(
        (found.0, found.1, found.3.as_str(), found.6),
        (
            Access::Read,
            Earlier::Wrote,
            "ld.global.u32 %r2, [%a1+4];",
            4
        )
    );
    // A lock protects a counter; without the lock it is a race.
    let lock = "setp.ne.u32 %p1, %tid, 0; @%p1 exit; L: atom.acquire.gpu.global.cas.b32 %r1, [%a1], 0, 1; setp.ne.u32 %p2, %r1, 0; @%p2 bra L;";
    let count = "ld.global.u32 %r2, [%a1+4]; add.u32 %r2, %r2, 1; st.global.u32 [%a1+4], %r2;";
    passes(
        &format!("{lock} {count} atom.release.gpu.global.exch.b32 %r1, [%a1], 0;"),
        20,
    );
    let found = race(&format!("setp.ne.u32 %p1, %tid, 0; @%p1 exit; {count}"), 20);
    assert_eq!(
        (found.0, found.4, found.2, found.6),
        (Access::Read, 1, 0, 4)
    );
}

/// Checks that all blocks can wait for all others with a counter to which each block adds and which
/// it then polls. Without the wait there is a race.
#[test]
fn a_barrier_of_the_whole_grid() {
    let body = |wait: &str| {
        format!(
            "setp.ne.u32 %p1, %tid, 0; @%p1 exit; add.u64 %d1, %a1, %d20; add.u32 %r1, %r20, 1; st.global.u32 [%d1+128], %r1;\n\
             membar.gl; atom.global.add.u32 %r2, [%a1], 1;\n{wait}\n\
             ld.global.u32 %r3, [%a1+128]; ld.global.u32 %r4, [%a1+132]; ld.global.u32 %r5, [%a1+136]; ld.global.u32 %r6, [%a1+140];\n\
             st.global.u32 [%d1+128], %r1; st.global.u32 [%d1+256], %r6;"
        )
    };
    let wait =
        "W: ld.volatile.global.u32 %r2, [%a1]; setp.lt.u32 %p2, %r2, %r21; @%p2 bra W; membar.gl;";
    passes(&body(wait), 4);
    let found = race(&body(""), 4);
    // Block 0 runs first and reads the places of later blocks.
    assert_eq!(
        (found.0, found.1, found.2, found.4),
        (Access::Write, Earlier::Read, 0, 1)
    );
}

#[test]
fn plain_accesses_beside_atomics() {
    // Sums by atomics are no race, even from a thousand blocks.
    passes("red.global.add.u32 [%a1], 1;", 1000);
    // A plain read of the sum while others still add to it is a race, and so is a plain write.
    let add = "red.global.add.u32 [%a1+12], 1;";
    let one = "setp.ne.u32 %p1, %tid, 0; @%p1 exit;";
    let found = race(&format!("{one} {add} ld.global.u32 %r1, [%a1+12];"), 2);
    assert_eq!(
        (
            found.0,
            found.1,
            found.2,
            found.3.as_str(),
            found.4,
            found.6
        ),
        (Access::Atomic, Earlier::Read, 0, add, 1, 12)
    );
    let store = "st.global.u32 [%a1+12], 77;";
    let found = race(&format!("{one} {store} {add}"), 2);
    assert_eq!(
        (
            found.0,
            found.1,
            found.2,
            found.3.as_str(),
            found.4,
            found.6
        ),
        (Access::Write, Earlier::Wrote, 0, store, 1, 12)
    );
}

/// Checks that the plain load of the first guess in a loop of `atom.cas` is no race.
#[test]
fn loops_around_an_exchange() {
    let body = |load: &str| {
        format!(
            "{load} L: add.u32 %r2, %r1, 3; atom.global.cas.b32 %r3, [%a1+4], %r1, %r2; setp.ne.u32 %p1, %r3, %r1;\n\
             mov.u32 %r1, %r3; @%p1 bra L;"
        )
    };
    passes(&body("ld.global.u32 %r1, [%a1+4];"), 8);
    let found = race(
        &body(
            "setp.ne.u32 %p1, %tid, 0; @%p1 exit; ld.global.u32 %r1, [%a1+8]; st.global.u32 [%a1+8], %r22;",
        ),
        8,
    );
    assert_eq!((found.4, found.6), (1, 8));
}

/// Checks that the report is the same whichever block runs first and on any number of threads, and
/// that the check can be off.
#[test]
fn the_same_race_in_every_run() {
    let body = "add.u64 %d1, %a0, %d22; ld.global.u32 %r1, [%d1]; ld.global.u32 %r2, [%d1+128]; add.u32 %r1, %r1, %r2;\n\
                st.global.u32 [%d1], %r1;";
    let mut first = None;
    for threads in [1, 2, 5] {
        for _ in 0..10 {
            let (bench, [a, b]) = bench(
                body,
                Config {
                    threads: Some(threads),
                    ..Config::default()
                },
            );
            let fault = bench.fault("k", 30, 32, &[Arg::U64(a), Arg::U64(b)]);
            assert!(
                matches!(fault.what, FaultKind::GlobalRace { .. }),
                "{fault}"
            );
            // Block 0's words are written, and no words after the race.
            let words = bench.read_words(a, 64);
            assert_eq!((words[0], words[31], words[32]), (32, 94, 32));
            assert_eq!(first.get_or_insert(fault.clone()), &fault);
        }
    }
    let (bench, [a, b]) = bench(
        body,
        Config {
            check_global_races: false,
            ..Config::default()
        },
    );
    bench.run("k", 30, 32, &[Arg::U64(a), Arg::U64(b)]);
}

/// Checks the barrier of cooperative groups' `grid.sync()`: blocks count at the second word of the
/// workspace, the first block adds the rest up to the top bit, and all wait until that bit changes.
#[test]
fn blocks_of_a_cooperative_launch_meet_at_its_workspace() {
    let body = "mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2; mov.b64 %d1, {%r2, %r1};\n\
         setp.eq.u64 %p1, %d1, 0; @%p1 trap;\n\
         add.u64 %d2, %a1, %d22; st.global.u32 [%d2], %r22;\n\
         bar.sync 0; setp.ne.u32 %p2, %tid, 0; @%p2 bra MET;\n\
         sub.u32 %r3, 0x80000001, %r21; setp.eq.u32 %p3, %r20, 0; selp.u32 %r3, %r3, 1, %p3;\n\
         atom.add.release.gpu.u32 %r4, [%d1+4], %r3;\n\
         POLL: ld.acquire.gpu.u32 %r5, [%d1+4]; xor.b32 %r6, %r5, %r4;\n\
         setp.ge.s32 %p4, %r6, 0; @%p4 bra POLL;\n\
         MET: bar.sync 0;\n\
         mul.lo.u32 %r7, %r21, 32; sub.u32 %r7, %r7, %r22; sub.u32 %r7, %r7, 1;\n\
         mul.wide.u32 %d3, %r7, 4; add.u64 %d3, %a1, %d3; ld.global.u32 %r8, [%d3];\n\
         add.u64 %d4, %a0, %d22; st.global.u32 [%d4], %r8;";
    let (bench, [a, b]) = bench(body, Config::default());
    let launch = |cooperative| {
        let shape = Launch {
            grid: [4, 1, 1],
            block: [32, 1, 1],
            dynamic_shared: 0,
        };
        let attributes = LaunchAttributes {
            cooperative,
            ..LaunchAttributes::default()
        };
        let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
        let (device, program) = (&bench.device, &bench.program);
        device.launch_with(program, "k", &shape, &attributes, &[&a, &b], None)
    };
    // Each launch has its own workspace.
    for _ in 0..2 {
        launch(true).unwrap();
        let reversed: Vec<u32> = (0..128).rev().collect();
        assert_eq!(bench.read_words(a, 128), reversed);
    }
    let Err(LaunchError::Fault(fault)) = launch(false) else {
        panic!("a trap expected");
    };
    assert_eq!(fault.what, FaultKind::Trap);
}

/// Checks atomics of a byte as libraries make them: by `atom.cas` on the word around the byte, and
/// by reads of the byte only. Other atomics of the word overlap the byte in part.
#[test]
fn a_byte_is_read_beside_cas_of_its_word() {
    let with = |update: &str| {
        format!(
            "ld.relaxed.gpu.global.u8 %h1, [%a0+1]; ld.relaxed.gpu.global.u32 %r1, [%a0];\n\
             {update}\nld.relaxed.gpu.global.u8 %h2, [%a0+1];"
        )
    };
    let cas = "TRY: add.u32 %r2, %r1, 0x100; atom.relaxed.gpu.global.cas.b32 %r3, [%a0], %r1, %r2;\n\
               setp.ne.u32 %p1, %r3, %r1; mov.u32 %r1, %r3; @%p1 bra TRY;";
    passes(&with(cas), 3);
    let red = "red.relaxed.gpu.global.add.u32 [%a0], 0x100;";
    let Err(LaunchError::Fault(fault)) = run(&with(red), 3) else {
        panic!("a race expected");
    };
    let sentence = fault.to_string();
    assert!(
        sentence.contains("1 byte and this one 4 bytes"),
        "{sentence}"
    );
}

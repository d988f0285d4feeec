//! `cp.reduce.async.bulk` into shared memory of a cluster's block: sums of several blocks, and what
//! races with them.
//!
//! ```text
//! block 0   tile = 0 ─ proxy fence ─┐ cluster barrier ─ tile += own row ──┐
//! block 1                           └────────────────── tile += own row ──┴─► block 0 waits, reads the tile
//! ```

use super::*;

const CLUSTER: &str = ".reqnctapercluster 2";

/// A kernel's parts. `%r1` is the block's rank; `%p1` is true in all threads but the first, `%p3`
/// in those of block 1. In shared memory lie objects at 0 and 8, the block's own 32 words from 128
/// on and the tile from 512 on, whose addresses in block 0 are `%r20`, `%r21` and `%r22`.
struct Sums {
    zero: &'static str,
    fence: &'static str,
    meet: &'static str,
    before: &'static str,
    send: String,
    behind: &'static str,
    wait: String,
    read: String,
    rest: String,
}

const MEET: &str = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;";
const ZERO: &str = "st.shared.u32 [%r3+512], 0;";
const FENCE: &str = "fence.proxy.async.shared::cta;";
const READ: &str = "@!%p3 ld.shared.u32 %r9, [%r3+512];";

/// Returns the instructions that reduce `bytes` bytes of the block's own words into the tile, from
/// byte `from` on. The register `object` has the address of the mbarrier object.
fn reduce(from: usize, bytes: usize, object: &str) -> String {
    format!(
        "add.u32 %r26, %r22, {from}; add.u32 %r27, %r30, {};\n\
         cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r26], [%r27], {bytes}, [{object}];",
        128 + from
    )
}

/// Returns the instructions by which all threads of block 0 wait for the first phase of an object.
fn wait(object: usize) -> String {
    format!(
        "@%p3 bra PAST{object};\n\
         WAIT{object}: mbarrier.try_wait.parity.acquire.cluster.shared.b64 %p2, [%r30+{object}], 0; @!%p2 bra WAIT{object};\n\
         PAST{object}:\n"
    )
}

impl Sums {
    fn new() -> Sums {
        Sums {
            zero: ZERO,
            fence: FENCE,
            meet: MEET,
            before: "",
            send: format!(
                "@%p1 bra SENT;\n{}\nSENT: bar.warp.sync -1;",
                reduce(0, 128, "%r20")
            ),
            behind: "",
            wait: wait(0),
            read: READ.to_owned(),
            rest: String::new(),
        }
    }

    /// Returns the kernel in which the reduction of each block completes at its own object in block
    /// 0.
    fn at_own_objects() -> Sums {
        let send = Sums::new().send.replace("[%r20]", "[%r28]");
        Sums {
            send: format!("selp.u32 %r28, %r21, %r20, %p3;\n{send}"),
            wait: wait(0) + &wait(8),
            ..Sums::new()
        }
    }

    fn body(&self, expected: [u32; 2]) -> String {
        let Sums {
            zero,
            fence,
            meet,
            before,
            send,
            behind,
            wait,
            read,
            rest,
        } = self;
        let [first, second] = expected;
        format!(
            "mov.u32 %r1, %cluster_ctarank; setp.ne.u32 %p1, %tid, 0; setp.ne.u32 %p3, %r1, 0; mov.u32 %r9, 0;\n\
             mad.lo.u32 %r3, %tid, 4, %r30; mad.lo.u32 %r4, %r1, 100, %tid; st.shared.u32 [%r3+128], %r4;\n\
             mapa.shared::cluster.u32 %r20, %r30, 0; add.u32 %r21, %r20, 8; add.u32 %r22, %r20, 512;\n\
             {zero}\n{fence}\n\
             @%p1 bra MADE; mbarrier.init.shared.b64 [%r30], 1; mbarrier.init.shared.b64 [%r30+8], 1;\n\
             fence.mbarrier_init.release.cluster;\n\
             mbarrier.arrive.expect_tx.shared.b64 _, [%r30], {first}; mbarrier.arrive.expect_tx.shared.b64 _, [%r30+8], {second};\n\
             MADE: bar.warp.sync -1; {meet}\n\
             {before}\n{send}\n{behind}\n{wait}\n{read}\n{rest}\n\
             {MEET}\n\
             @%p3 bra END; mul.wide.u32 %d1, %tid, 4; add.u64 %d1, %a0, %d1; st.global.u32 [%d1], %r9; END:"
        )
    }

    fn run(&self, expected: [u32; 2]) -> Result<Vec<u32>, LaunchError> {
        let body = self.body(expected);
        run_in_clusters(CLUSTER, None, ([2, 1, 1], 32), &body)
    }

    /// Checks that the launch ends in a fault whose text contains one of the parts of `said`, which
    /// bars separate, at an instruction that contains `at`. The fault is the same under every
    /// schedule.
    #[track_caller]
    fn finds(&self, expected: [u32; 2], said: &str, at: &str) {
        match self.run(expected) {
            Err(LaunchError::Fault(fault)) => {
                let text = fault.to_string();
                let is_said = said.split('|').any(|said| text.contains(said));
                assert!(is_said && fault.instruction.contains(at), "{text}");
            }
            other => panic!("a fault expected, got {other:?}"),
        }
    }
}

/// What is said of a race with a reduction, whichever of the two comes first.
const RACE: &str = "race on shared memory|that a `cp.reduce.async.bulk";

const TOGETHER: [u32; 2] = [256, 0];
const APART: [u32; 2] = [128, 128];

/// Whether the tile is the sum of both blocks' rows, plus `more` in each word.
fn is_sum(found: &[u32], more: u32) -> bool {
    (0..32).all(|i| found[i as usize] == 2 * i + 100 + more)
}

#[test]
fn blocks_add_to_one_tile_at_the_same_time() {
    let right = Sums::new();
    assert!(is_sum(&right.run(TOGETHER).unwrap(), 0));
    assert!(is_sum(&Sums::at_own_objects().run(APART).unwrap(), 0));
    // Halves that each block adds by itself.
    let halves = Sums {
        send: format!(
            "@%p1 bra SENT; @%p3 bra UPPER;\n{}\nbra SENT;\nUPPER:\n{}\nSENT: bar.warp.sync -1;",
            reduce(0, 64, "%r20"),
            reduce(64, 64, "%r20")
        ),
        ..Sums::new()
    };
    let found = halves.run([128, 0]).unwrap();
    assert!((0..32).all(|i| found[i as usize] == i + if i < 16 { 0 } else { 100 }));
}

/// Returns the kernel that uses the tile a second time: block 0 writes ones, then come `fence`,
/// `barrier`, and a second reduction.
fn again(barrier: &str, fence: &str) -> Sums {
    let send = Sums::new()
        .send
        .replace("SENT", "AGAIN")
        .replace("%r20]", "%r21]");
    Sums {
        rest: format!(
            "@!%p3 st.shared.u32 [%r3+512], 1;\n{fence}\n{barrier}\n{send}\n{}{}",
            wait(8),
            READ
        ),
        ..Sums::new()
    }
}

#[test]
fn what_races_with_reductions_is_found_under_every_schedule() {
    let right = Sums::new;
    // Reads and writes by threads before the wait, of the tile's own block and of the other one.
    let reduces = "that a `cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32` writes";
    let early = Sums {
        behind: "@!%p3 ld.shared.u32 %r9, [%r3+512];",
        ..right()
    };
    early.finds(TOGETHER, reduces, "ld.shared.u32");
    for write in [
        "@!%p3 st.shared.u32 [%r3+512], 7;",
        "@%p3 mad.lo.u32 %r23, %tid, 4, %r22; @%p3 st.shared::cluster.u32 [%r23], 7;",
    ] {
        let written = Sums {
            behind: write,
            ..right()
        };
        written.finds(TOGETHER, reduces, "st.shared");
    }
    // One of two objects is not waited for.
    for kept in [0, 8] {
        let half = Sums {
            wait: wait(kept),
            ..Sums::at_own_objects()
        };
        half.finds(APART, reduces, "ld.shared.u32");
    }
    // Accesses by threads before the reductions, which nothing orders with them.
    let before = Sums {
        before: "@!%p3 ld.shared.u32 %r9, [%r3+512];",
        ..right()
    };
    before.finds(
        TOGETHER,
        &format!("{reduces}|asynchronous atomic operation (128 bytes"),
        "",
    );
    let before = Sums {
        before: "@!%p3 st.shared.u32 [%r3+512], 7; fence.proxy.async.shared::cta;",
        ..right()
    };
    before.finds(TOGETHER, RACE, "");
    let unordered = Sums {
        meet: "barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;",
        ..right()
    };
    unordered.finds(TOGETHER, RACE, "");
    // No fence between the proxies, and no zeros.
    let unfenced = Sums {
        fence: "",
        ..right()
    };
    unfenced.finds(TOGETHER, "fence.proxy.async", "cp.reduce.async.bulk");
    let unwritten = Sums {
        zero: "",
        ..right()
    };
    unwritten.finds(
        TOGETHER,
        "uninitialised shared memory",
        "cp.reduce.async.bulk",
    );
}

#[test]
fn what_races_with_reductions_by_other_copies_is_found() {
    let copy = "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes";
    let reduction =
        "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32";
    // Block 1 copies where block 0 adds; each in halves of their own is right.
    let send = |from: usize| {
        let copied = reduce(from, 64, "%r20").replace(reduction, copy);
        format!(
            "@%p1 bra SENT; @%p3 bra COPIES;\n{}\nbra SENT;\nCOPIES:\n{copied}\nSENT: bar.warp.sync -1;",
            reduce(0, 64, "%r20")
        )
    };
    let of = |from| Sums {
        send: send(from),
        ..Sums::new()
    };
    of(64).run([128, 0]).unwrap();
    of(0).finds([128, 0], "cp.", "cp.");
    // A bulk store of the tile before the wait, and behind it; a reduction while it reads.
    let store = |wait: &str| {
        format!(
            "@%p1 bra STORED; @%p3 bra STORED; add.u32 %r24, %r30, 512;\n\
             add.u64 %d4, %a0, 2048; cp.async.bulk.global.shared::cta.bulk_group [%d4], [%r24], 128; cp.async.bulk.commit_group; {wait}\n\
             STORED: bar.warp.sync -1;"
        )
    };
    let stored = Sums {
        read: format!("{READ}{}", store("cp.async.bulk.wait_group 0;")),
        ..Sums::new()
    };
    assert!(is_sum(&stored.run(TOGETHER).unwrap(), 0));
    let early = Sums {
        wait: String::new(),
        read: store("cp.async.bulk.wait_group 0;"),
        rest: wait(0),
        ..Sums::new()
    };
    early.finds(TOGETHER, "cp.reduce", "cp.async.bulk.global");
    for (waits, is_right) in [("cp.async.bulk.wait_group.read 0;", true), ("", false)] {
        let mut reads = again(MEET, FENCE);
        reads.rest = reads.rest.replace("@!%p3 st.shared.u32 [%r3+512], 1;", "");
        reads.read = format!("{READ}{}", store(waits));
        match is_right {
            true => {
                reads.run([256, 256]).unwrap();
            }
            false => reads.finds([256, 256], "cp.async.bulk.global", "cp.reduce"),
        }
    }
}

#[test]
fn a_tile_is_used_again_behind_a_barrier_alone() {
    let found = again(MEET, FENCE).run([256, 256]).unwrap();
    assert!(is_sum(&found, 1));
    again("", FENCE).finds([256, 256], RACE, "");
    again(MEET, "").finds([256, 256], "fence.proxy.async", "cp.reduce");
}

#[test]
fn atomics_whose_scope_is_too_narrow_race_with_reductions_of_another_block() {
    let of = |atomic: &'static str, send: &str| Sums {
        behind: atomic,
        send: Sums::new().send.replace("@%p1 bra SENT;", send),
        ..Sums::new()
    };
    let narrow = "@!%p3 red.relaxed.cta.shared.add.u32 [%r3+512], 5;";
    // The block's own reduction, and the other one's.
    of(narrow, "@%p1 bra SENT; @%p3 bra SENT;")
        .run([128, 0])
        .unwrap();
    of(narrow, "@%p1 bra SENT; @!%p3 bra SENT;").finds([128, 0], RACE, "");
}

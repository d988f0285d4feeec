//! Checks `st.async` and `red.async`: values that are sent to the next block of a cluster, and are
//! visible after a wait for a phase of that block's object.

use super::*;

const CLUSTER: &str = ".reqnctapercluster 4";
const COMPLETES: &str = "mbarrier::complete_tx::bytes";

/// Runs four blocks in which each thread executes `send` for its place in the next block (`%r5`, 16
/// bytes each from 64 on) with the object there (`%r6`), which waits for `bytes` bytes from each
/// thread. Then the thread executes `read`, and stores the word in `%r20`.
fn exchanged(send: &str, bytes: u32, read: &str) -> Result<Vec<u32>, LaunchError> {
    let body = format!(
        "mov.u32 %r1, %cluster_ctarank; add.u32 %r2, %r1, 1; and.b32 %r2, %r2, 3; setp.ne.u32 %p1, %tid, 0;\n\
         mad.lo.u32 %r3, %tid, 16, %r30; mad.lo.u32 %r7, %r1, 32, %tid; cvt.u64.u32 %d7, %r7;\n\
         mov.u32 %r9, 0; st.shared.v4.u32 [%r3+64], {{%r9, %r9, %r9, %r9}};\n\
         @%p1 bra MADE; mbarrier.init.shared.b64 [%r30], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%r30], {};\n\
         MADE: barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n\
         mapa.shared::cluster.u32 %r5, %r3, %r2; add.u32 %r5, %r5, 64; mapa.shared::cluster.u32 %r6, %r30, %r2;\n\
         {send}\n\
         WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [%r30], 0; @!%p2 bra WAIT;\n\
         {read}\n\
         mul.wide.u32 %d1, %r7, 4; add.u64 %d1, %a0, %d1; st.global.u32 [%d1], %r20;",
        32 * bytes
    );
    run_in_clusters(CLUSTER, None, ([4, 1, 1], 32), &body)
}

#[track_caller]
fn fault(send: &str, bytes: u32, read: &str) -> Box<emulator::Fault> {
    match exchanged(send, bytes, read) {
        Err(LaunchError::Fault(fault)) => fault,
        other => panic!("a fault expected, got {other:?}"),
    }
}

/// Returns the number in the cluster of the thread that sends to thread `i`; that thread is in the
/// previous block.
fn before(i: u32) -> u32 {
    (i + 96) % 128
}

#[test]
fn values_of_every_type_come_with_their_bytes() {
    for (ty, register, words) in [
        ("b32", "%r7", 1),
        ("u32", "%r7", 1),
        ("s32", "%r7", 1),
        ("f32", "%r7", 1),
        ("b64", "%d7", 2),
        ("u64", "%d7", 2),
        ("s64", "%d7", 2),
        ("f64", "%d7", 2),
    ] {
        for count in [1, 2, 4].into_iter().filter(|count| count * words <= 4) {
            let (vector, value) = match count {
                1 => (String::new(), register.to_owned()),
                n => (
                    format!(".v{n}"),
                    format!("{{{}}}", vec![register; n].join(", ")),
                ),
            };
            let send = format!(
                "st.async.weak.shared::cluster.{COMPLETES}{vector}.{ty} [%r5], {value}, [%r6];"
            );
            let last = 4 * words * (count - 1);
            let read = format!("ld.shared.u32 %r20, [%r3+{}];", 64 + last);
            let found = exchanged(&send, (4 * words * count) as u32, &read);
            let found = found.unwrap_or_else(|error| panic!("{send}: {error}"));
            assert!((0..128).all(|i| found[i as usize] == before(i)), "{send}");
        }
    }
    // Both addresses are generic.
    let send = format!(
        "cvt.u64.u32 %d2, %r5; cvta.shared.u64 %d2, %d2; cvt.u64.u32 %d3, %r6; cvta.shared.u64 %d3, %d3;\n\
         st.async.{COMPLETES}.b32 [%d2], %r7, [%d3];"
    );
    let found = exchanged(&send, 4, "ld.shared.u32 %r20, [%r3+64];").unwrap();
    assert!((0..128).all(|i| found[i as usize] == before(i)));
}

#[test]
fn reductions_of_all_threads_add_up() {
    // All threads of a block reduce to one word of the next block, which holds 5.
    let of = |operation: &str, ty: &str, value: &str, wide: bool| {
        let bytes = if wide { 8 } else { 4 };
        let send = format!(
            "mov.u32 %r8, 5; setp.eq.u32 %p3, %tid, 0; @%p3 st.shared.u32 [%r30+1000], %r8; @%p3 st.shared.u32 [%r30+1004], %r9;\n\
             barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n\
             mapa.shared::cluster.u32 %r5, %r30, %r2;\n\
             red.async.relaxed.cluster.shared::cluster.{COMPLETES}.{operation}.{ty} [%r5+1000], {value}, [%r6];"
        );
        let found = exchanged(&send, bytes, "ld.shared.u32 %r20, [%r30+1000];");
        found.unwrap_or_else(|error| panic!("{operation}.{ty}: {error}"))[64]
    };
    // Block 2 gets what threads 32 to 63 of the cluster, in block 1, sent.
    let sum = (32..64).sum::<u32>() + 5;
    for ty in ["u32", "s32"] {
        assert_eq!(of("add", ty, "%r7", false), sum, "{ty}");
        assert_eq!(of("max", ty, "%r7", false), 63, "{ty}");
        assert_eq!(of("min", ty, "%r7", false), 5, "{ty}");
    }
    assert_eq!(of("add", "u64", "%d7", true), sum);
    assert_eq!(of("add", "s64", "%d7", true), sum);
    assert_eq!(of("and", "b32", "%r7", false), 0);
    assert_eq!(of("or", "b32", "%r7", false), 63);
    assert_eq!(
        of("xor", "b32", "%r7", false),
        (32..64).fold(5, |a, b| a ^ b)
    );
    assert_eq!(of("inc", "u32", "%r7", false), 37);
    let decremented = (32..64).fold(5, |old, a| if old == 0 || old > a { a } else { old - 1 });
    assert_eq!(of("dec", "u32", "%r7", false), decremented);
}

const SEND: &str =
    "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r5], %r7, [%r6];";
const READ: &str = "ld.shared.u32 %r20, [%r3+64];";

#[test]
fn what_is_wrong_around_asynchronous_stores_is_found() {
    assert!(exchanged(SEND, 4, READ).is_ok());
    // The word is read before the wait: another block's value may not have arrived.
    let early =
        format!("{SEND} barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; {READ}");
    let found = fault(&early, 4, "");
    assert!(
        matches!(found.what, FaultKind::BulkUnwaited { .. }),
        "{found}"
    );
    let text = found.to_string();
    assert!(
        text.contains("st.async") && text.contains("4 bytes"),
        "{text}"
    );
    // The object expects more bytes than arrive, or fewer.
    for bytes in [8, 2] {
        let found = fault(SEND, bytes, READ);
        let known = matches!(
            found.what,
            FaultKind::Deadlock(_) | FaultKind::BulkUnwaited { .. }
        );
        assert!(known, "{found}");
        assert!(found.to_string().contains("bytes"), "{found}");
    }
    // A vector at an address that is no multiple of its size.
    let vector = SEND.replace(".b32 [%r5], %r7", ".v2.b32 [%r5+4], {%r7, %r7}");
    let found = fault(&vector, 8, READ);
    assert!(
        matches!(found.what, FaultKind::Misaligned { alignment: 8, .. }),
        "{found}"
    );
    // The object is in another block than the value.
    let found = fault(&SEND.replace("[%r6]", "[%r30]"), 4, READ);
    assert!(
        found
            .to_string()
            .contains("the object is in the cluster's block"),
        "{found}"
    );
    // There is no object at the address, or the address is not of shared memory.
    let found = fault(&SEND.replace("[%r6]", "[%r6+8]"), 4, READ);
    assert!(
        found.to_string().contains("no mbarrier object lies here"),
        "{found}"
    );
    let found = fault(
        &format!("st.async.{COMPLETES}.b32 [%a0], %r7, [%a0];"),
        4,
        READ,
    );
    assert!(
        found.to_string().contains("outside of shared memory"),
        "{found}"
    );
    // The address is past the block's memory.
    let found = fault(&SEND.replace("[%r5]", "[%r5+4096]"), 4, READ);
    assert!(
        matches!(found.what, FaultKind::OutOfBounds { .. }),
        "{found}"
    );
    // The value overwrites a word that the other block reads or writes, with nothing between.
    let over = "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned; st.shared.u32 [%r3+64], %r7;";
    let found = fault(&format!("{over} {SEND}"), 4, READ);
    assert!(
        matches!(
            found.what,
            FaultKind::Race { .. } | FaultKind::BulkUnwaited { .. }
        ),
        "{found}"
    );
}

/// Checks that a block that does not wait for values that another block stores into it ends too
/// soon. Values that a block stores into itself may be lost with it.
#[test]
fn a_store_to_a_block_that_does_not_wait_is_found() {
    let send = format!("{SEND} bra OUT;");
    let found = fault(&send, 4, &format!("{READ} OUT: mov.u32 %r20, 0;"));
    assert!(
        matches!(
            found.what,
            FaultKind::LeftBehind { .. } | FaultKind::PeerEnded { .. }
        ),
        "{found}"
    );
    let own = send.replace("[%r5]", "[%r3+64]").replace("[%r6]", "[%r30]");
    assert!(exchanged(&own, 4, &format!("{READ} OUT: mov.u32 %r20, 0;")).is_ok());
}

/// Checks that, if all lanes initialise one object and each sends a word to it, the bytes of each
/// have arrived after a wait.
#[test]
fn an_object_that_all_lanes_made_gets_the_bytes_of_each() {
    let body = "mbarrier.init.shared.b64 [%r30], 1; mov.u32 %r2, 1;\n\
        st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r30+16], %r2, [%r30];";
    passes("", 32, body);
    let waited = format!(
        "{body} bar.warp.sync -1; setp.eq.u32 %p1, %tid, 0; @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r30], 128;\n\
         WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [%r30], 0; @!%p2 bra WAIT; ld.shared.u32 %r3, [%r30+16]; st.global.u32 [%a0], %r3;"
    );
    assert_eq!(passes("", 32, &waited)[0], 1);
}

//! Checks clusters: ranks and positions of blocks, shared memory of other blocks, and the cluster's
//! barrier.

use super::*;

/// Launches blocks of 32 threads as [`run_in_clusters`] does.
#[track_caller]
fn clustered(
    directives: &str,
    cluster: Option<[u32; 3]>,
    grid: [u32; 3],
    body: &str,
) -> Result<Vec<u32>, LaunchError> {
    run_in_clusters(directives, cluster, (grid, 32), body)
}

#[track_caller]
fn fault(directives: &str, body: &str) -> Box<emulator::Fault> {
    match clustered(directives, None, [4, 1, 1], body) {
        Err(LaunchError::Fault(fault)) => fault,
        other => panic!("a fault expected, got {other:?}"),
    }
}

#[test]
fn every_block_knows_its_place() {
    // Each block writes 8 numbers at its own place in the buffer.
    let names = [
        "cluster_ctarank",
        "cluster_nctarank",
        "cluster_ctaid.x",
        "cluster_ctaid.y",
        "clusterid.x",
        "clusterid.y",
        "nclusterid.x",
        "cluster_nctaid.y",
    ];
    let mut body = "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mad.lo.u32 %r1, %r2, 4, %r1;\n\
                    mul.wide.u32 %d1, %r1, 32; add.u64 %d1, %a0, %d1;\n"
        .to_owned();
    for (i, name) in names.iter().enumerate() {
        body += &format!(
            "mov.u32 %r3, %{name}; st.global.u32 [%d1+{}], %r3;\n",
            4 * i
        );
    }
    let check = |found: Vec<u32>| {
        for (y, x) in (0..2).flat_map(|y| (0..4).map(move |x| (y, x))) {
            let at = 8 * (x + 4 * y) as usize;
            let expected = [x % 2 + 2 * y, 4, x % 2, y, x / 2, 0, 2, 2];
            assert_eq!(found[at..at + 8], expected, "block {x}, {y}");
        }
    };
    check(clustered(".reqnctapercluster 2, 2", None, [4, 2, 1], &body).unwrap());
    check(clustered("", Some([2, 2, 1]), [4, 2, 1], &body).unwrap());
    let alone = clustered("", None, [4, 2, 1], &body).unwrap();
    assert_eq!(alone[40..48], [0, 1, 0, 0, 1, 1, 4, 1]);
}

/// Each thread writes a word, and reads the word of the next of the cluster's four blocks.
const NEXT: &str = "mov.u32 %r1, %cluster_ctarank; mad.lo.u32 %r2, %r1, 32, %tid; mad.lo.u32 %r3, %tid, 4, %r30; st.shared.u32 [%r3], %r2;\n\
    barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n\
    add.u32 %r4, %r1, 1; and.b32 %r4, %r4, 3; mapa.shared::cluster.u32 %r5, %r3, %r4; ld.shared::cluster.u32 %r6, [%r5];\n\
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n\
    getctarank.shared::cluster.u32 %r7, %r5; mad.lo.u32 %r6, %r7, 1000, %r6;\n\
    mul.wide.u32 %d1, %r2, 4; add.u64 %d1, %a0, %d1; st.global.u32 [%d1], %r6;";

#[test]
fn blocks_read_each_others_shared_memory() {
    let expected: Vec<u32> = (0..128)
        .map(|i| {
            let next = (i / 32 + 1) % 4;
            1000 * next + 32 * next + i % 32
        })
        .collect();
    let read = |body: &str| clustered(".reqnctapercluster 4", None, [4, 1, 1], body).unwrap();
    assert_eq!(read(NEXT)[..128], expected);
    // The same by generic addresses.
    let generic = NEXT
        .replace(
            "mapa.shared::cluster.u32 %r5, %r3, %r4; ld.shared::cluster.u32 %r6, [%r5];",
            "cvt.u64.u32 %d2, %r3; cvta.shared.u64 %d2, %d2; mapa.u64 %d3, %d2, %r4; ld.u32 %r6, [%d3];",
        )
        .replace("getctarank.shared::cluster.u32 %r7, %r5;", "getctarank.u64 %r7, %d3;");
    assert_eq!(read(&generic)[..128], expected);
}

#[test]
fn what_is_wrong_between_blocks_is_found() {
    let cluster = ".reqnctapercluster 4";
    // Nothing orders the write and the read, or the reads and the end of the block that is read.
    let early = NEXT.replacen(
        "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;",
        "",
        1,
    );
    assert!(matches!(
        fault(cluster, &early).what,
        FaultKind::Uninitialised { .. } | FaultKind::Race { .. } | FaultKind::PeerEnded { .. }
    ));
    let last = NEXT.replacen(
        "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;",
        "",
        1,
    );
    let found = fault(cluster, &last);
    assert!(matches!(found.what, FaultKind::PeerEnded { .. }), "{found}");
    assert!(
        found.instruction.starts_with("ld.shared::cluster"),
        "{found}"
    );
    // A write to a block that may have ended is wrong too.
    let written = last.replace(
        "ld.shared::cluster.u32 %r6, [%r5];",
        "mov.u32 %r6, 1; st.shared::cluster.u32 [%r5+512], %r6;",
    );
    let found = fault(cluster, &written);
    assert!(
        found
            .to_string()
            .starts_with("write of shared memory of the cluster's block")
            && found.instruction.starts_with("st.shared::cluster"),
        "{found}"
    );
    // An arrival without a wait orders nothing.
    let unwaited = NEXT.replacen(" barrier.cluster.wait.acquire.aligned;", "", 1);
    let found = fault(cluster, &unwaited);
    assert!(
        matches!(
            found.what,
            FaultKind::Race { .. } | FaultKind::Uninitialised { .. }
        ),
        "{found}"
    );
    // The addresses are of a block that the cluster does not have, of a place that does not exist,
    // and an own address used as another block's.
    let beyond = NEXT.replace("and.b32 %r4, %r4, 3;", "add.u32 %r4, %r4, 4;");
    assert!(matches!(
        fault(cluster, &beyond).what,
        FaultKind::OutOfBounds { .. }
    ));
    let outside = NEXT.replace(
        "ld.shared::cluster.u32 %r6, [%r5]",
        "ld.shared::cluster.u32 %r6, [%r5+1024]",
    );
    assert!(matches!(
        fault(cluster, &outside).what,
        FaultKind::OutOfBounds { .. }
    ));
    let own = NEXT.replace("ld.shared::cluster.u32 %r6", "ld.shared::cta.u32 %r6");
    assert!(matches!(
        fault(cluster, &own).what,
        FaultKind::OutOfBounds { .. }
    ));
    // The write races with the other block's own.
    let race = NEXT.replace(
        "ld.shared::cluster.u32 %r6, [%r5];",
        "st.shared::cluster.u32 [%r5], %r2; ld.shared.u32 %r6, [%r3];",
    );
    let found = fault(cluster, &race);
    assert!(
        found.to_string().contains("race on shared memory"),
        "{found}"
    );
    let unarrived = "barrier.cluster.wait.aligned;";
    assert!(
        fault(cluster, unarrived)
            .to_string()
            .contains("without having arrived")
    );
}

#[test]
fn blocks_arrive_at_each_others_objects() {
    // Every block's object waits for the 32 threads of each of the two blocks, and for 8 bytes that
    // block 0 completes.
    let body = "setp.eq.u32 %p1, %tid, 0; @%p1 mbarrier.init.shared::cta.b64 [%r30], 65; fence.mbarrier_init.release.cluster;\n\
        barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; mov.u32 %r1, %cluster_ctarank;\n\
        @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r30], 8;\n\
        mad.lo.u32 %r2, %tid, 4, %r30; xor.b32 %r3, %r1, 1; mapa.shared::cluster.u32 %r4, %r2, %r3; add.u32 %r5, %r1, 7;\n\
        st.shared::cluster.u32 [%r4+64], %r5;\n\
        mapa.shared::cluster.u32 %r6, %r30, %r3; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r6];\n\
        mbarrier.arrive.shared::cta.b64 _, [%r30]; setp.eq.and.u32 %p2, %r1, 0, %p1;\n\
        @%p2 mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r6], 8; @%p2 mbarrier.complete_tx.shared::cluster.b64 [%r30], 8;\n\
        WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [%r30], 0; @!%p3 bra WAIT;\n\
        ld.shared.u32 %r7, [%r2+64]; mad.lo.u32 %r8, %r1, 32, %tid; mul.wide.u32 %d1, %r8, 4; add.u64 %d1, %a0, %d1; st.global.u32 [%d1], %r7;\n\
        barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;";
    let found = clustered(".reqnctapercluster 2", None, [2, 1, 1], body).unwrap();
    assert_eq!(found[..64], [vec![8; 32], vec![7; 32]].concat());
    let unwaited = body.replace("@!%p3 bra WAIT;", "");
    assert!(matches!(
        clustered(".reqnctapercluster 2", None, [2, 1, 1], &unwaited),
        Err(LaunchError::Fault(fault)) if matches!(fault.what, FaultKind::Race { .. } | FaultKind::Uninitialised { .. })
    ));
}

/// Checks that a relaxed arrival, at the cluster's barrier or at an object, releases what a fence
/// before it covers. To keep a block alive, the arrival suffices without a fence.
#[test]
fn relaxed_arrivals_release_what_a_fence_covers() {
    let cluster = ".reqnctapercluster 4";
    let read = |body: &str| clustered(cluster, None, [4, 1, 1], body);
    let relaxed = NEXT.replace("arrive.release.aligned;", "arrive.relaxed.aligned;");
    let found = fault(cluster, &relaxed);
    assert!(matches!(found.what, FaultKind::Race { .. }), "{found}");
    let fenced = |fence: &str| relaxed.replacen("barrier", &format!("{fence} barrier"), 1);
    read(&fenced("fence.acq_rel.cluster;")).unwrap();
    let narrow = fault(cluster, &fenced("fence.acq_rel.cta;"));
    assert!(matches!(narrow.what, FaultKind::Race { .. }), "{narrow}");
    let last = NEXT.replace(
        "barrier.cluster.arrive.aligned;",
        "barrier.cluster.arrive.relaxed.aligned;",
    );
    assert_ne!(last, NEXT);
    read(&last).unwrap();
    // Each block has an object and a word for the next block; the object is initialised before a
    // relaxed arrival.
    let body = "setp.eq.u32 %p1, %tid, 0; @%p1 mbarrier.init.shared::cta.b64 [%r30], 32; @%p1 fence.mbarrier_init.release.cluster;\n\
        barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;\n\
        mov.u32 %r1, %cluster_ctarank; add.u32 %r2, %r1, 1; and.b32 %r2, %r2, 3; mad.lo.u32 %r3, %tid, 4, %r30;\n\
        mapa.shared::cluster.u32 %r4, %r3, %r2; mapa.shared::cluster.u32 %r5, %r30, %r2; st.shared::cluster.u32 [%r4+64], %r1;\n\
        FENCE mbarrier.arrive.ORDER.shared::cluster.b64 _, [%r5];\n\
        WAIT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r30], 0; @!%p2 bra WAIT; ld.shared.u32 %r6, [%r3+64];\n\
        barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;";
    for (fence, order, ordered) in [
        ("", "release.cluster", true),
        ("", "release.cta", false),
        ("", "relaxed.cluster", false),
        ("fence.acq_rel.cluster;", "relaxed.cluster", true),
        ("fence.acq_rel.cta;", "relaxed.cluster", false),
        ("fence.sc.gpu;", "release.cta", true),
    ] {
        let one = read(&body.replace("FENCE", fence).replace("ORDER", order));
        match one {
            Ok(_) => assert!(ordered, "{fence} {order}"),
            Err(LaunchError::Fault(found)) => {
                let race = matches!(
                    found.what,
                    FaultKind::Race { .. } | FaultKind::Uninitialised { .. }
                );
                assert!(!ordered && race, "{fence} {order}: {found}");
            }
            Err(other) => panic!("{other}"),
        }
    }
}

/// Checks that lanes that come to the barrier in parts wait together: no part continues before the
/// others.
#[test]
fn a_warp_in_parts_waits_as_one() {
    // Lanes below 12 might end elsewhere, and so do not converge with the others before the
    // barrier; lane 0 initialises the object that all lanes read after it.
    let body = "mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, %tid; setp.eq.u32 %p1, %tid, 0;\n\
        setp.ge.u32 %p2, %r2, 12; @%p2 bra OUT; add.u32 %r2, %r2, 32; setp.gt.u32 %p4, %r2, 100; @!%p4 bra OUT; st.global.u32 [%a0], %r2; bra END;\n\
        OUT: @%p1 mbarrier.init.shared::cta.b64 [%r30], 1; @%p1 mbarrier.arrive.shared::cta.b64 _, [%r30];\n\
        barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n\
        WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r30], 0; @!%p3 bra WAIT;\n\
        mad.lo.u32 %r3, %r1, 32, %tid; mul.wide.u32 %d1, %r3, 4; add.u64 %d1, %a0, %d1; st.global.u32 [%d1], %r2;\n\
        barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; ret; END: st.global.u32 [%a0], %r2;";
    let found = clustered(".reqnctapercluster 4", None, [4, 1, 1], body).unwrap();
    let expected: Vec<u32> = (0..128)
        .map(|i| i % 32 + if i % 32 < 12 { 32 } else { 0 })
        .collect();
    assert_eq!(found[..128], expected);
}

#[test]
fn clusters_that_do_not_fit_are_refused() {
    let problem = |directives: &str, cluster, grid| {
        let refused = clustered(directives, cluster, grid, "");
        let Err(LaunchError::Cluster { problem, .. }) = refused else {
            panic!("{refused:?}")
        };
        problem
    };
    let own = problem(".reqnctapercluster 2", Some([4, 1, 1]), [4, 1, 1]);
    assert!(own.contains("for clusters of [2, 1, 1]"), "{own}");
    assert!(
        problem("", Some([2, 1, 1]), [3, 1, 1]).contains("the grid [3, 1, 1] is not a multiple")
    );
    assert!(problem("", Some([17, 1, 1]), [17, 1, 1]).contains("1 to 16"));
    assert!(problem("", Some([0, 1, 1]), [1, 1, 1]).contains("1 to 16"));
}

/// Checks that a race between blocks names both.
#[test]
fn a_race_names_the_block_of_each_thread() {
    let body = "mov.u32 %r1, %cluster_ctarank; setp.eq.u32 %p1, %r1, 1; mad.lo.u32 %r3, %tid, 4, %r30;\n\
        mapa.shared::cluster.u32 %r5, %r3, 2; setp.eq.u32 %p2, %r1, 3; or.pred %p1, %p1, %p2;\n\
        @%p1 st.shared::cluster.u32 [%r5], %r1;\n\
        barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;";
    let found = fault(".reqnctapercluster 4", body);
    let text = found.to_string();
    assert_eq!(found.block, [3, 0, 0], "{text}");
    assert!(
        text.starts_with(
            "race on shared memory: write after thread (0,0,0) of block (1,0,0) wrote it"
        ),
        "{text}"
    );
    // A race within a block needs no block's name.
    let own =
        "setp.eq.u32 %p1, %tid, 1; @%p1 st.shared.u32 [%r30], %tid; ld.shared.u32 %r1, [%r30];";
    let found = fault(".reqnctapercluster 4", own);
    assert!(
        found
            .to_string()
            .starts_with("race on shared memory: read after thread (1,0,0) wrote it"),
        "{found}"
    );
}

/// Checks the special registers: they say whether a cluster was requested, by the kernel or the
/// launch, even a cluster of one block. Vectors have a fourth element of 0.
#[test]
fn special_registers_say_what_was_asked_for() {
    let body = "mov.pred %p1, %is_explicit_cluster; selp.u32 %r1, 1, 0, %p1; mov.u32 %r2, 0; @%is_explicit_cluster mov.u32 %r2, 1;\n\
        @!%is_explicit_cluster add.u32 %r2, %r2, 2; mov.v4.u32 {%r3, %r4, %r5, %r6}, %ntid; mov.u32 %r7, %tid.w;\n\
        mov.u64 %d2, %current_graph_exec; cvt.u32.u64 %r8, %d2; mov.u32 %r9, %pm3;\n\
        st.global.v2.u32 [%a0], {%r1, %r2}; st.global.v4.u32 [%a0+16], {%r3, %r4, %r5, %r6}; st.global.v2.u32 [%a0+32], {%r7, %r8};\n\
        st.global.u32 [%a0+40], %r9;";
    let found = |directives: &str, cluster| {
        let found = clustered(directives, cluster, [4, 1, 1], body).unwrap();
        assert_eq!(found[4..11], [32, 1, 1, 0, 0, 0, 0]);
        (found[0], found[1])
    };
    assert_eq!(found("", None), (0, 2));
    assert_eq!(found(".reqnctapercluster 2", None), (1, 1));
    assert_eq!(found("", Some([2, 1, 1])), (1, 1));
    assert_eq!(found("", Some([1, 1, 1])), (1, 1));
}

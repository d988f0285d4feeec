//! `clusterlaunchcontrol`: who does the work of which cluster, and what is wrong around a request.
//!
//! ```text
//! block 0: tile 0, cancels 1: tile 1, cancels 2: ...     block 3, which began: tile 3, ...
//! ```

use super::common::{Arg, Bench, entry, kind};
use super::{SCHEDULES, blackwell};
use emulator::{Config, FaultKind, LaunchAttributes, LaunchError, Report, Schedule};

/// Clusters of each launch.
const TILES: u32 = 6;

/// Returns a persistent kernel for clusters of `ranks` blocks. As long as a cluster gets a tile,
/// each of its blocks adds 1 to the block's word of this tile. Then the block stores the number of
/// these tiles in its own word, after the words of all tiles.
fn persistent(ranks: u32) -> String {
    let (all, meet) = match ranks {
        1 => ("", "bar.sync 0;"),
        _ => (
            ".multicast::cluster::all",
            "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;",
        ),
    };
    let body = format!(
        ".reg .b128 %q; .shared .align 16 .b8 response[16]; .shared .align 8 .b64 object;
         mov.u32 %r1, response; mov.u32 %r2, object; mov.u32 %r9, %cluster_ctarank;
         setp.eq.u32 %p1, %tid, 0; setp.eq.and.u32 %p4, %r9, 0, %p1;
         @%p1 mbarrier.init.shared::cta.b64 [%r2], 1;
         @%p1 fence.mbarrier_init.release.cluster;
         {meet}
         mov.u32 %r3, %ctaid.x; sub.u32 %r3, %r3, %r9; mov.u32 %r10, 0; mov.u32 %r11, 0;
TILE:    @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 16;
         @%p4 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes{all}.b128 [%r1], [%r2];
         add.u32 %r3, %r3, %r9; mul.wide.u32 %d1, %r3, 4; add.u64 %d1, %a0, %d1;
         @%p1 ld.global.u32 %r4, [%d1]; @%p1 add.u32 %r4, %r4, 1; @%p1 st.global.u32 [%d1], %r4;
         add.u32 %r11, %r11, 1;
WAIT:    mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], %r10; @!%p2 bra WAIT;
         xor.b32 %r10, %r10, 1;
         ld.shared.b128 %q, [%r1];
         clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %q;
         @%p3 clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {{%r3, %r5, %r6, _}}, %q;
         @%p3 clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r3, %q;
         fence.proxy.async.shared::cta;
         {meet}
         @%p3 bra TILE;
         mov.u32 %r8, %ctaid.x; mul.wide.u32 %d1, %r8, 4; add.u64 %d1, %a0, %d1;
         @%p1 st.global.u32 [%d1+{}], %r11;
         ret;",
        4 * TILES * ranks,
    );
    entry(1, &body)
}

/// Launches a module and returns the words of the tiles, the words of the blocks, and the report.
fn launch(
    text: &str,
    schedule: Schedule,
    ranks: u32,
) -> Result<(Vec<u32>, Vec<u32>, Report), LaunchError> {
    let config = Config {
        schedule,
        ..blackwell()
    };
    let bench = Bench::with(text, config);
    let blocks = TILES * ranks;
    let out = bench.words(&vec![0; 2 * blocks as usize]);
    let report = bench.device.launch_with(
        &bench.program,
        "k",
        &emulator::Launch {
            grid: [blocks, 1, 1],
            block: [32, 1, 1],
            dynamic_shared: 0,
        },
        &LaunchAttributes {
            cluster: Some([ranks, 1, 1]),
            ..LaunchAttributes::default()
        },
        &[&out.to_le_bytes()],
        None,
    )?;
    let mut words = bench.read_words(out, 2 * blocks as usize);
    let own = words.split_off(blocks as usize);
    Ok((words, own, report))
}

#[test]
fn each_tile_has_one_cluster() {
    for ranks in [1, 2] {
        for schedule in SCHEDULES {
            let (tiles, own, report) = launch(&persistent(ranks), schedule, ranks)
                .unwrap_or_else(|error| panic!("{schedule}: {error}"));
            assert!(
                tiles.iter().all(|&times| times == 1),
                "{schedule}: {tiles:?}"
            );
            assert_eq!(
                own.iter().sum::<u32>(),
                TILES * ranks,
                "{schedule}: {own:?}"
            );
            let began = own.iter().filter(|&&tiles| tiles > 0).count();
            assert_eq!(report.blocks, began as u64, "{schedule}");
            match schedule {
                // A cluster that waits for another of its blocks lets the next one begin.
                Schedule::Early => assert!(began < (TILES * ranks) as usize),
                Schedule::Late => assert_eq!(began, (TILES * ranks) as usize),
                _ => {}
            }
        }
    }
}

#[test]
fn a_response_is_read_behind_a_wait_for_its_object() {
    let right = persistent(1);
    let wait =
        "WAIT:    mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], %r10; @!%p2 bra WAIT;";
    assert!(right.contains(wait));
    for schedule in SCHEDULES {
        let found = kind(launch(&right.replace(wait, ""), schedule, 1).map(|found| found.2));
        assert!(
            matches!(found, FaultKind::BulkUnwaited { .. }),
            "{schedule}: {found:?}"
        );
    }
    let fence = "@%p1 fence.mbarrier_init.release.cluster;";
    let found = kind(launch(&right.replace(fence, ""), Schedule::Early, 1).map(|found| found.2));
    assert!(matches!(found, FaultKind::Mbarrier { .. }), "{found:?}");
    let askew = right.replace("b128 [%r1], [%r2]", "b128 [%r1+8], [%r2]");
    let found = kind(launch(&askew, Schedule::Early, 1).map(|found| found.2));
    assert!(matches!(found, FaultKind::Misaligned { .. }), "{found:?}");
}

/// 128-bit registers: loaded, stored, made of two halves and taken apart.
#[test]
fn a_register_of_128_bits_is_two_halves() {
    let body = ".reg .b128 %q<3>; .reg .b128 whole;
        ld.global.b128 %q0, [%a0]; mov.b128 {%d1, %d2}, %q0;
        add.u64 %d1, %d1, 1; mov.b128 whole, {%d2, %d1}; mov.b128 %q2, whole;
        st.global.b128 [%a0+16], %q2; ret;";
    let bench = Bench::with(&entry(1, body), blackwell());
    let words = bench.longs(&[7, 9, 0, 0]);
    bench.run("k", 1, 1, &[Arg::U64(words)]);
    assert_eq!(bench.read_longs(words, 4), [7, 9, 9, 8]);
    let fault = bench.fault("k", 1, 1, &[Arg::U64(words + 8)]);
    assert!(
        matches!(fault.what, FaultKind::Misaligned { .. }),
        "{fault}"
    );
}

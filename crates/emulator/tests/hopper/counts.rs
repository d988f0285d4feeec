//! Compares the counts of bulk copies, `wgmma` and mbarrier waits with counts computed by hand, the
//! same under every schedule.

use super::bulk::{MADE, SCHEDULES, STORING, Tensors, WAIT, loading, mapped, numbers, tile};
use super::kernels::{GEMM, gemm};
use super::*;
use emulator::profile::{AsyncCounts, Flops, Unit};
use emulator::{Schedule, TensorSwizzle};

/// Returns the counts of a launch of `grid` blocks of 32 threads, the same under every schedule,
/// without the retries.
#[track_caller]
fn counts(directives: &str, grid: u32, body: &str) -> AsyncCounts {
    let tensor = numbers(128 * 96 / 2);
    let of = |schedule: Schedule| {
        let bench = Tensors::new(schedule, &tensor);
        let map = tile(bench.tensor, TensorSwizzle::B128);
        let report = bench
            .run(&mapped(directives, body), grid, 32, &map)
            .unwrap_or_else(|error| panic!("{schedule:?}: {error}"));
        summed(&report)
    };
    let early = of(Schedule::Early);
    for schedule in SCHEDULES {
        assert_eq!(of(schedule), early, "{schedule:?}");
    }
    early
}

/// Returns the sum of the lines' counts, which must be the report's. The retries, which depend on
/// the schedule, are left out.
#[track_caller]
fn summed(report: &Report) -> AsyncCounts {
    let mut sum = AsyncCounts::default();
    for line in &report.lines {
        sum += line.asynchronous;
    }
    assert_eq!(sum, report.asynchronous);
    sum.barrier_retries = 0;
    sum
}

#[test]
fn a_box_at_the_edge_is_loaded_in_part_and_delivered_whole() {
    // 64 x 64 halves from column -8 on: 8 of 64 columns are out of bounds.
    let found = counts("", 1, &loading(2, &[-8, 0], 8192));
    let expected = AsyncCounts {
        tensor_copies: 1,
        loaded_bytes: 64 * 56 * 2,
        delivered_bytes: 8192,
        filled_bytes: 64 * 8 * 2,
        expected_bytes: 8192,
        barrier_waits: 1,
        ..AsyncCounts::default()
    };
    assert_eq!(found, expected);
}

#[test]
fn a_multicast_is_loaded_once_and_delivered_to_each_block() {
    let body = format!(
        "{MADE}mov.u32 %r5, %cluster_ctarank; add.u32 %r1, %r30, 1024; setp.eq.and.u32 %p4, %r5, 1, %p1; mov.u16 %h1, 7;\n\
         barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n\
         @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r30], 8192;\n\
         @%p4 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%map, {{64, 48}}], [%r30], %h1;\n\
         {WAIT}barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
    );
    // 48 of the box's 64 rows are in bounds.
    let (loaded, delivered) = (48 * 64 * 2, 3 * 8192);
    let expected = AsyncCounts {
        tensor_copies: 1,
        loaded_bytes: loaded,
        delivered_bytes: delivered,
        filled_bytes: delivered - 3 * loaded,
        multicasts: 1,
        multicast_ctas: 3,
        multicast_loaded_bytes: loaded,
        multicast_delivered_bytes: delivered,
        expected_bytes: delivered,
        barrier_waits: 3,
        ..AsyncCounts::default()
    };
    assert_eq!(counts(".reqnctapercluster 3", 3, &body), expected);
}

#[test]
fn boxes_are_stored_and_reduced_where_they_are_inside() {
    // At (96, 48) of 128 x 96, 32 x 48 halves are in bounds.
    let inside = 32 * 48 * 2;
    let stored = AsyncCounts {
        tensor_copies: 1,
        stored_bytes: inside,
        ..AsyncCounts::default()
    };
    assert_eq!(counts("", 1, STORING), stored);
    let reduce = STORING.replace(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group",
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group",
    );
    let reduced = AsyncCounts {
        tensor_copies: 1,
        reduced_bytes: inside,
        ..AsyncCounts::default()
    };
    assert_eq!(counts("", 1, &reduce), reduced);
}

#[test]
fn runs_are_counted_by_where_they_go() {
    // In each of two blocks, 512 bytes are loaded, 512 are copied to the peer and 256 are added
    // there, 512 are stored, and 128 are reduced in global memory.
    let body = "@%p1 mbarrier.init.shared::cta.b64 [%r30], 1; @%p1 mbarrier.init.shared::cta.b64 [%r30+8], 1; @%p1 fence.mbarrier_init.release.cluster;\n\
        bar.sync 0; mov.u32 %r5, %cluster_ctarank; xor.b32 %r6, %r5, 1; mapa.shared::cluster.u32 %r7, %r30, %r6; mul.wide.u32 %d1, %r5, 512; add.u64 %d2, %a1, %d1;\n\
        add.u32 %r20, %r7, 2048; add.u32 %r21, %r7, 8; add.u32 %r22, %r7, 3072; mad.lo.u32 %r23, %tid, 8, %r30; mov.u32 %r24, 0;\n\
        st.shared.v2.u32 [%r23+3072], {%r24, %r24}; fence.proxy.async.shared::cta; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; @!%p1 bra END;\n\
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r30], 512; mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r30+8], 256; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r30+8], 512;\n\
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r30+1024], [%d2], 512, [%r30];\n\
        WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r30], 0; @!%p2 bra WAIT;\n\
        cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r20], [%r30+1024], 512, [%r21];\n\
        cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r22], [%r30+1024], 256, [%r21];\n\
        NEXT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r30+8], 0; @!%p2 bra NEXT;\n\
        cp.async.bulk.prefetch.L2.global [%d2], 512;\n\
        cp.async.bulk.global.shared::cta.bulk_group [%d2+4096], [%r30+2048], 512;\n\
        cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d2+4096], [%r30+1024], 128; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n\
        END: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;";
    let found = counts(".reqnctapercluster 2", 2, body);
    let expected = AsyncCounts {
        bulk_copies: 2 * 5,
        loaded_bytes: 2 * 512,
        delivered_bytes: 2 * 512,
        stored_bytes: 2 * 512,
        reduced_bytes: 2 * 128,
        peer_copied_bytes: 2 * 512,
        peer_reduced_bytes: 2 * 256,
        expected_bytes: 2 * (512 + 256 + 512),
        barrier_waits: 2 * 2,
        ..AsyncCounts::default()
    };
    assert_eq!(found, expected);
}

/// Checks the counts of a GEMM of 256 x 512 x 128 in tiles of 128 x 256 x 64: there are 4 tiles of
/// 2 k tiles, so 8 stages are filled.
#[test]
fn a_gemm_counts_what_its_tiles_say() {
    for schedule in SCHEDULES.into_iter().take(3) {
        let (_, report) =
            gemm(GEMM, (256, 512, 128), schedule).unwrap_or_else(|error| panic!("{error}"));
        let stages = 8;
        let stage_bytes = (128 * 64 + 256 * 64) * 2;
        // Two consumer groups have 64 rows each, and four k blocks of 16: A of 2 KiB and B of 8
        // KiB.
        let wgmmas = stages * 2 * 4;
        let expected = AsyncCounts {
            tensor_copies: 2 * stages,
            loaded_bytes: stages * stage_bytes,
            delivered_bytes: stages * stage_bytes,
            expected_bytes: stages * stage_bytes,
            // A producer and eight consumer warps wait for each stage.
            barrier_waits: stages * (1 + 8),
            wgmmas,
            operand_bytes: wgmmas * (64 + 256) * 32,
            operand_wavefronts: wgmmas * (64 + 256) * 32 / 128,
            ..AsyncCounts::default()
        };
        assert_eq!(summed(&report), expected, "{schedule:?}");
        let mut flops = Flops::default();
        for (opcode, &executed) in &report.opcodes {
            if opcode.starts_with("wgmma.") {
                flops += Flops::of(opcode, executed, 0);
            }
        }
        let units: Vec<_> = flops.units().collect();
        assert_eq!(units, [(Unit::TensorF16, 2 * 256 * 512 * 128)]);
        let of_line = report.lines.iter().find(|l| l.asynchronous.wgmmas > 0);
        assert_eq!(of_line.map(|l| l.asynchronous.wgmmas), Some(wgmmas / 4));
    }
}

#[test]
fn nothing_is_counted_where_memory_is_not() {
    let bench = Bench::with(
        &module(
            "",
            1,
            &format!(
                "setp.eq.u32 %p1, %tid, 0; {MADE}@%p1 mbarrier.arrive.shared::cta.b64 _, [%r30];\n{WAIT}"
            ),
        ),
        Config {
            count_memory: false,
            ..Config::default()
        },
    );
    let launch = Launch {
        grid: [1, 1, 1],
        block: [32, 1, 1],
        dynamic_shared: 1024,
    };
    let report = bench.launch_with("k", launch, &[Arg::U64(0)]).unwrap();
    assert!(report.asynchronous.is_zero());
}

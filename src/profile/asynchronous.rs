//! The rows about bulk copies, `wgmma` and mbarrier waits.
//!
//! ```text
//! TMA         16 boxes and 0 runs: 393 216 bytes loaded, 393 216 delivered to shared memory, ...
//! wgmma       64 instructions; operands of 655 360 bytes in 5 120 wavefronts of shared memory
//! mbarrier    72 waits, 393 216 bytes expected
//! ```
//!
//! Law: a kernel without any of them has none of these rows.

use super::LaunchProfile;
use super::picture::{count, grouped};
use emulator::counted;
use emulator::profile::AsyncCounts;
use std::fmt::Write;

/// Returns the lines about a launch in total.
pub(super) fn facts(counts: &AsyncCounts) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    if counts.tensor_copies + counts.bulk_copies > 0 {
        let runs = counted(grouped(counts.bulk_copies), "run");
        let boxes = match counts.tensor_copies {
            1 => "1 box".to_owned(),
            n => format!("{} boxes", grouped(n)),
        };
        let mut text = format!(
            "{boxes} and {runs}: {} bytes loaded, {} delivered to shared memory",
            grouped(counts.loaded_bytes),
            grouped(counts.delivered_bytes)
        );
        if counts.filled_bytes > 0 {
            let filled = grouped(counts.filled_bytes);
            let _ = write!(text, " ({filled} of them out-of-bounds fill)");
        }
        for (bytes, what) in [
            (counts.stored_bytes, "stored"),
            (counts.reduced_bytes, "reduced in global memory"),
            (counts.peer_copied_bytes, "copied to CTAs of the cluster"),
            (counts.peer_reduced_bytes, "reduced in CTAs of the cluster"),
        ] {
            if bytes > 0 {
                let _ = write!(text, "; {} {what}", grouped(bytes));
            }
        }
        facts.push(("TMA", text));
    }
    if counts.multicasts > 0 {
        facts.push((
            "multicast",
            format!(
                "{}, to {:.1} CTAs on average: {} bytes loaded, {} delivered",
                counted(grouped(counts.multicasts), "load"),
                counts.multicast_ctas as f64 / counts.multicasts as f64,
                grouped(counts.multicast_loaded_bytes),
                grouped(counts.multicast_delivered_bytes)
            ),
        ));
    }
    if counts.wgmmas > 0 {
        facts.push((
            "wgmma",
            format!(
                "{} of a warp group; operands of {} bytes in {} of shared memory",
                counted(grouped(counts.wgmmas), "instruction"),
                grouped(counts.operand_bytes),
                counted(grouped(counts.operand_wavefronts), "wavefront")
            ),
        ));
    }
    if counts.barrier_waits + counts.barrier_retries + counts.expected_bytes > 0 {
        facts.push((
            "mbarrier",
            format!(
                "{}, {} bytes expected; {} that found the phase incomplete, which depends on the emulator's schedule of warps",
                counted(grouped(counts.barrier_waits), "wait"),
                grouped(counts.expected_bytes),
                counted(grouped(counts.barrier_retries), "test")
            ),
        ));
    }
    facts
}

/// Returns the table of the instructions that have such counts, in the order of the PTX, or an
/// empty text if none has.
pub(super) fn section(profile: &LaunchProfile, top: usize) -> String {
    let rows = profile.instructions.iter();
    let rows: Vec<_> = rows
        .filter_map(|row| Some((row, row.costs.asynchronous?)))
        .collect();
    let mut out = String::new();
    if rows.is_empty() {
        return out;
    }
    let _ = writeln!(
        out,
        "\nPTX line {:>12} {:>10} {:>12} {:>12} {:>12} {:>9} {:>10} {:>8}  asynchronous ({} of {})",
        "loaded",
        "delivered",
        "stored",
        "reduced",
        "to peers",
        "wgmma",
        "wavefronts",
        "waits",
        rows.len().min(top),
        rows.len()
    );
    for (row, counts) in rows.into_iter().take(top) {
        let words: Vec<&str> = row.instruction.split_whitespace().collect();
        let text: String = words.join(" ").chars().take(90).collect();
        let _ = writeln!(
            out,
            "{:>8} {:>12} {:>10} {:>12} {:>12} {:>12} {:>9} {:>10} {:>8}  {text}",
            row.line,
            count(counts.loaded_bytes),
            count(counts.delivered_bytes),
            count(counts.stored_bytes),
            count(counts.reduced_bytes),
            count(counts.peer_copied_bytes + counts.peer_reduced_bytes),
            count(counts.wgmmas),
            count(counts.operand_wavefronts),
            count(counts.barrier_waits)
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Compiled, SortKey, Subject, table};
    use emulator::profile::Chip;
    use emulator::{Config, Emulator, Launch, Program};

    /// A kernel that writes 512 bytes to shared memory by a bulk copy, and multiplies zeros in two
    /// k blocks, one product each.
    const PTX: &str = ".version 8.0\n.target sm_90a\n.address_size 64\n.file 1 \"none.rs\"\n\
        .visible .entry k(.param .u64 p)\n{\n\t.reg .pred %p<3>;\n\t.reg .b32 %r<8>;\n\t.reg .b64 %d<4>;\n\t.reg .f32 %f<4>;\n\
        \t.shared .align 1024 .b8 tile[8192];\n\t.shared .align 8 .b8 full[8];\n\
        \tld.param.u64 %d0, [p];\n\tmov.u32 %r0, %tid.x;\n\tsetp.eq.u32 %p0, %r0, 0;\n\tmov.u32 %r1, tile;\n\tmov.u32 %r2, full;\n\
        \tmad.lo.u32 %r3, %r0, 64, %r1;\n\tmov.u32 %r4, 0;\n\tmov.u32 %r5, 64;\n\
        FILL:\n\tst.shared.u32 [%r3], %r4;\n\tadd.u32 %r3, %r3, 4;\n\tsub.u32 %r5, %r5, 4;\n\tsetp.ne.u32 %p1, %r5, 0;\n\t@%p1 bra FILL;\n\
        \tfence.proxy.async.shared::cta;\n\
        \t@%p0 mbarrier.init.shared::cta.b64 [%r2], 1;\n\t@%p0 fence.mbarrier_init.release.cluster;\n\tbar.sync 0;\n\
        \t.loc 1 7 0\n\t@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 512;\n\
        \t@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d0], 512, [%r2];\n\
        WAIT:\n\tmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0;\n\t@!%p2 bra WAIT;\n\
        \tmov.f32 %f0, 0f00000000;\n\tmov.f32 %f1, %f0;\n\tmov.f32 %f2, %f0;\n\tmov.f32 %f3, %f0;\n\
        \tshr.u32 %r1, %r1, 4;\n\tcvt.u64.u32 %d1, %r1;\n\tor.b64 %d1, %d1, 4611686293305360384;\n\
        \twgmma.fence.sync.aligned;\n\
        \t.loc 1 8 0\n\
        \twgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d1, 1, 1, 1, 0, 0;\n\
        \twgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d1, %d1, 1, 1, 1, 0, 0;\n\
        \twgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;\n\tret;\n}\n";

    #[test]
    fn rows_totals_and_json_have_what_was_counted() {
        let program = Program::parse(PTX).unwrap();
        let device = Emulator::new(Config {
            profile: true,
            ..Config::default()
        });
        device.load(&program).unwrap();
        let buffer = device.alloc(512).unwrap();
        device.write(buffer, &[0; 512]).unwrap();
        let launch = Launch {
            grid: [1, 1, 1],
            block: [128, 1, 1],
            dynamic_shared: 0,
        };
        let report = device
            .launch(&program, "k", &launch, &[&buffer.to_le_bytes()], None)
            .unwrap_or_else(|error| panic!("{error}"));
        let profile = LaunchProfile::new(Subject {
            ptx: PTX,
            kernel: "k",
            problem: "bulk copy and wgmma".into(),
            launch,
            static_shared: 8200,
            report: &report,
            accept: &[],
            chip: Chip::of("sm_90").unwrap(),
            compiled: Ok(Compiled {
                registers: 40,
                spill_stores: 0,
                spill_loads: 0,
            }),
            registers: program.registers("k").unwrap(),
        });
        let total = profile.totals.costs.asynchronous.unwrap();
        assert_eq!((total.bulk_copies, total.loaded_bytes), (1, 512));
        // Four warps wait. A product reads 64 rows of A and 8 of B, of 32 bytes each.
        assert_eq!((total.barrier_waits, total.wgmmas), (4, 2));
        assert_eq!(total.operand_bytes, 2 * 72 * 32);
        assert_eq!(profile.totals.costs.flops, 2 * 2 * 64 * 8 * 16);
        let lines: Vec<_> = profile.sources.iter().map(|row| row.line).collect();
        assert_eq!(lines, [7, 8]);
        let wavefronts = profile.sources[1].costs.asynchronous.unwrap();
        assert_eq!(wavefronts.operand_wavefronts, 2 * 72 * 32 / 128);

        let text = table(&profile, SortKey::Executed, 20);
        for said in [
            "TMA         0 boxes and 1 run: 512 bytes loaded, 512 delivered to shared memory\n",
            "wgmma       2 instructions of a warp group; operands of 4 608 bytes in 36 wavefronts of shared memory\n",
            "mbarrier    4 waits, 512 bytes expected; ",
            "asynchronous (5 of 5)",
        ] {
            assert!(text.contains(said), "{said}: {text}");
        }
        let json = serde_json::to_value(&profile).unwrap();
        assert_eq!(json["totals"]["asynchronous"]["delivered_bytes"], 512);
        let rows = json["instructions"].as_array().unwrap();
        let with = rows.iter().filter(|row| !row["asynchronous"].is_null());
        assert_eq!(with.count(), 5, "a copy, expected bytes, a wait, two wgmma");
    }
}

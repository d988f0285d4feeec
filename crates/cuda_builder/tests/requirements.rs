//! Compares the table of instructions with ptxas, if there is one: ptxas must accept each
//! instruction for the architecture that the table names, and refuse it for the preceding
//! architecture.
//!
//! ```text
//!   cp.async.ca.shared.global [%rd1], [%rd2], 4;     sm_75: refused, by check() and by ptxas     sm_80: taken by both
//! ```

use cuda_builder::NvvmArch;
use cuda_builder::requirements::check;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Cases of an architecture that lacks instructions, an architecture that has them, and the
/// instructions. There is at least one instruction for each rule of the table, and there are some
/// to which no rule applies.
const CASES: &[(&str, &str, &[&str])] = &[
    (
        "sm_75",
        "sm_80",
        &[
            "cp.async.ca.shared.global [%rd1], [%rd2], 4;",
            "cp.async.commit_group;",
            "cp.async.mbarrier.arrive.shared.b64 [%rd1];",
            "mbarrier.init.shared.b64 [%rd1], 1;",
            "redux.sync.add.s32 %r1, %r2, -1;",
            "createpolicy.fractional.L2::evict_last.b64 %rd1, 1.0;",
            "discard.global.L2 [%rd1], 128;",
            "applypriority.global.L2::evict_normal [%rd1], 128;",
            "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3}, {%f1, %f2, %f3, %f4};",
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};",
            "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r5}, {%f1, %f2, %f3, %f4};",
            "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r1, %r2, %r3, %r4};",
            "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r1, %r2, %r3, %r4};",
            "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%r5}, {%r1, %r2, %r3, %r4};",
            "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%r1, %r2, %r3, %r4};",
            "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc {%r1, %r2}, {%r3}, {%r4}, {%r1, %r2};",
            "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd1, %fd2}, {%fd3}, {%fd4}, {%fd1, %fd2};",
            "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6, %r7, %r8}, {%f1, %f2, %f3, %f4}, %r1, 0;",
            "wmma.load.a.sync.aligned.row.m16n16k16.bf16 {%r1, %r2, %r3, %r4}, [%rd1];",
            "cvt.rn.bf16x2.f32 %r1, %f1, %f2;",
            "cvt.rna.tf32.f32 %r1, %f1;",
            "fma.rn.bf16 %h1, %h2, %h3, %h1;",
            "fma.rn.bf16x2 %r1, %r2, %r3, %r1;",
            "ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;",
            "st.global.L2::cache_hint.u32 [%rd1], %r1, %rd2;",
        ],
    ),
    (
        "sm_86",
        "sm_89",
        &[
            "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};",
            "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};",
            "cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;",
            "cvt.rn.f16x2.e5m2x2 %r1, %h1;",
        ],
    ),
    (
        "sm_89",
        "sm_90",
        &[
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%rd1], [%rd2], 16, [%rd3];",
            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd1], [%rd2], 16;",
            "mbarrier.try_wait.parity.shared::cta.b64 %p1, [%rd1], 0;",
            "mbarrier.arrive.expect_tx.shared::cta.b64 %rd2, [%rd1], 16;",
            "fence.proxy.async;",
            "fence.mbarrier_init.release.cluster;",
            "fence.acq_rel.cluster;",
            "barrier.cluster.arrive;",
            "mapa.u64 %rd1, %rd2, 0;",
            "getctarank.u64 %r1, %rd2;",
            "ld.shared::cluster.u32 %r1, [%rd1];",
            "st.shared::cluster.u32 [%rd1], %r1;",
            "atom.shared::cluster.add.u32 %r1, [%rd1], %r2;",
            "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%rd1], {%r1};",
            "elect.sync _|%p1, -1;",
            "griddepcontrol.wait;",
            "multimem.red.relaxed.sys.global.add.u32 [%rd1], %r1;",
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%rd1], %r1, [%rd2];",
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%rd1], %r1, [%rd2];",
            "add.bf16x2 %r1, %r2, %r3;",
            "sub.bf16x2 %r1, %r2, %r3;",
            "mul.bf16x2 %r1, %r2, %r3;",
            "add.bf16 %h1, %h2, %h3;",
            "sub.bf16 %h1, %h2, %h3;",
            "mul.bf16 %h1, %h2, %h3;",
            "ex2.approx.ftz.bf16 %h1, %h2;",
            "tanh.approx.bf16 %h1, %h2;",
            "atom.add.noftz.global.bf16 %h1, [%rd1], %h2;",
            "red.add.noftz.global.bf16 [%rd1], %h2;",
            "prefetch.tensormap [%rd1];",
            "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%fd1, %fd2, %fd3, %fd4}, {%fd5, %fd6}, {%fd7}, {%fd1, %fd2, %fd3, %fd4};",
            "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%fd1, %fd2, %fd3, %fd4}, {%fd1, %fd2, %fd3, %fd4}, {%fd5, %fd6}, {%fd1, %fd2, %fd3, %fd4};",
            "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%fd1, %fd2, %fd3, %fd4}, {%fd1, %fd2, %fd3, %fd4, %fd5, %fd6, %fd7, %fd8}, {%fd5, %fd6, %fd7, %fd8}, {%fd1, %fd2, %fd3, %fd4};",
        ],
    ),
    (
        "sm_90",
        "sm_90a",
        &[
            "wgmma.fence.sync.aligned;",
            "setmaxnreg.inc.sync.aligned.u32 40;",
            "tensormap.replace.tile.global_address.global.b1024.b64 [%rd1], %rd2;",
        ],
    ),
    (
        "sm_100",
        "sm_100a",
        &[
            "tcgen05.wait::ld.sync.aligned;",
            "setmaxnreg.dec.sync.aligned.u32 40;",
        ],
    ),
    ("sm_90a", "sm_100a", &["tcgen05.wait::st.sync.aligned;"]),
    // Desktop GPUs have variants, and no tensor memory.
    (
        "sm_120a",
        "sm_100a",
        &[
            "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 512;",
            "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, %p1;",
            "tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r1, %r2}, [%r3];",
        ],
    ),
    (
        "sm_120f",
        "sm_100f",
        &["tcgen05.st.sync.aligned.32x32b.x1.b32 [%r3], {%r1};"],
    ),
    (
        "sm_121a",
        "sm_103f",
        &["tcgen05.fence::before_thread_sync;"],
    ),
    (
        "sm_100f",
        "sm_100a",
        &[
            "tcgen05.mma.cta_group::1.kind::i8 [%r1], %rd1, %rd2, %r2, %p1;",
            "tcgen05.shift.cta_group::1.down [%r1];",
        ],
    ),
    (
        "sm_103a",
        "sm_110a",
        &["tcgen05.mma.cta_group::1.kind::i8 [%r1], %rd1, %rd2, %r2, %p1;"],
    ),
    (
        "sm_100a",
        "sm_103a",
        &["tcgen05.ld.red.sync.aligned.32x32b.x2.max.f32 {%f1, %f2}, %f3, [%r3];"],
    ),
    ("sm_100a", "sm_90a", &["wgmma.fence.sync.aligned;"]),
];

/// Instructions that the oldest architecture of ptxas has, and to which no rule applies.
const EVERYWHERE: &[&str] = &[
    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%rd1];",
    "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;",
    "tanh.approx.f32 %f1, %f2;",
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r5}, {%f1, %f2, %f3, %f4};",
    "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r1, %r2}, {%r3}, {%r4}, {%r1, %r2};",
    "mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {%r1, %r2}, {%r3}, {%r4}, {%r1, %r2};",
    "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%r1, %r2}, {%r3}, {%r4}, {%r1, %r2};",
    "cvt.f32.f16 %f1, %h1;",
    "fma.rn.f16x2 %r1, %r2, %r3, %r1;",
    "st.shared.v4.b32 [%rd1], {%r1, %r2, %r3, %r4};",
    "fence.acq_rel.gpu;",
    "bar.sync 0;",
];

/// Returns a module for `sm` with a kernel that contains `code`.
fn module(code: &str, sm: &str) -> String {
    format!(
        ".version 9.0\n.target {sm}\n.address_size 64\n.visible .entry k()\n{{\n.reg .b16 %h<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n\
         .reg .f32 %f<9>;\n.reg .f64 %fd<9>;\n.reg .pred %p<9>;\n{code}\nret;\n}}\n"
    )
}

fn arch(sm: &str) -> NvvmArch {
    sm.parse().unwrap()
}

/// Returns the path of ptxas, if there is one: `CUTLET_PTXAS`, or otherwise from the `PATH`.
fn ptxas() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("CUTLET_PTXAS") {
        return Some(path.into());
    }
    let folders = std::env::var_os("PATH")?;
    let mut programs = std::env::split_paths(&folders).map(|folder| folder.join("ptxas"));
    programs.find(|path| path.is_file())
}

#[test]
fn the_table_says_what_ptxas_says() {
    let ptxas = ptxas();
    if ptxas.is_none() {
        println!("no ptxas on the PATH or in CUTLET_PTXAS: the table alone is asked");
    }
    let assembles = |code: &str, sm: &str| {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("requirements.ptx");
        std::fs::write(&file, module(code, sm)).unwrap();
        let mut command = Command::new(ptxas.as_ref()?);
        let command = command.args(["-arch", sm, "-o", "/dev/null"]).arg(&file);
        let run = command.output().expect("ptxas runs");
        Some((
            run.status.success(),
            String::from_utf8_lossy(&run.stderr).into_owned(),
        ))
    };
    let mut wrong = Vec::new();
    let mut ask = |code: &str, sm: &str, expected: bool| {
        let found = check(&module(code, sm), arch(sm));
        if found.is_empty() != expected {
            wrong.push(format!("{sm}: {code} {found:?}"));
        }
        if let Some((taken, said)) = assembles(code, sm)
            && taken != expected
        {
            wrong.push(format!("{sm}: {code} ptxas: {said}"));
        }
    };
    for (before, from, codes) in CASES {
        for code in *codes {
            ask(code, before, false);
            ask(code, from, true);
        }
    }
    for code in EVERYWHERE {
        ask(code, "sm_75", true);
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// What the name of an instruction does not show: its number of operands.
const NOT_BY_NAME: [&str; 2] = ["max.f32 %f0, %f1, %f2, %f3;", ", %p1, 8;"];

/// Compares the table with what ptxas 13.0.88 says of Blackwell's instructions, for the targets of
/// which it takes some and refuses some.
#[test]
fn the_table_says_what_ptxas_says_of_blackwell() {
    let (mut taken, mut refused) = (0, 0);
    let lines = include_str!("data/blackwell.txt").lines();
    for line in lines.filter(|line| !line.starts_with('#')) {
        let [version, has, lacks, code] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let targets = |list: &'static str| list[1..].split(',').filter(|target| !target.is_empty());
        if targets(has).next().is_none() || NOT_BY_NAME.iter().any(|part| code.contains(part)) {
            continue;
        }
        for target in targets(has) {
            assert_eq!(
                check(&module(code, target), arch(target)),
                [],
                "{code} for {target}"
            );
            taken += 1;
        }
        for target in targets(lacks) {
            let found = check(&module(code, target), arch(target));
            assert!(!found.is_empty(), "{code} for {target} ({version})");
            refused += 1;
        }
    }
    assert_eq!((taken, refused), (256, 87));
}

#[test]
fn an_instruction_is_said_once_with_its_first_line_and_the_architecture_to_ask_for() {
    let code = "cp.async.commit_group;\ncp.async.commit_group;\nfence.proxy.async;\nst.shared.b32 [%rd1], %r1;";
    let found = check(&module(code, "sm_75"), NvvmArch::Compute75);
    let said: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "cp.async.commit_group (compute capability 8.0 and later) in k, PTX line 12",
            "fence.proxy.async (compute capability 9.0 and later) in k, PTX line 14",
        ]
    );
    assert_eq!(found[1].needed(), NvvmArch::Compute90);
    let found = check(
        &module("wgmma.fence.sync.aligned;", "sm_90"),
        NvvmArch::Compute90,
    );
    assert_eq!(found[0].needed(), NvvmArch::Compute90a);
}

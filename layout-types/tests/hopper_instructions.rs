//! Checks Hopper's instructions in the PTX that rustc generates for `fixtures/hopper`, and the
//! assembler's verdict on this PTX.
//!
//! ```text
//!   fixtures/hopper ──cuda_builder, sm_90a──► PTX ──► each instruction as often as it is called
//!                                              └─ptxas, where there is one──► no error, no warning, no spill
//! ```

mod hopper_fixture;

use hopper_fixture::PTX;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Counts each instruction in a kernel and in the kernels of its name with a width, such as
/// `f32_f16_U64`.
fn instructions(kernel: &str) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for entry in PTX.split(".visible .entry ").skip(1) {
        let (name, text) = entry.split_once('(').expect("parameters");
        if name != kernel
            && name
                .rsplit_once("_U")
                .is_none_or(|(kind, _)| kind != kernel)
        {
            continue;
        }
        let (body, _) = text.split_once("\n}").expect("its end");
        for statement in body.split([';', '{', '}', '\n']) {
            let mut words = statement.split_whitespace();
            let word = words.find(|word| !word.starts_with('@'));
            if let Some(word) =
                word.filter(|word| word.contains('.') && !word.starts_with(['.', '/']))
            {
                *found.entry(word.to_owned()).or_default() += 1;
            }
        }
    }
    found
}

/// Checks that the kernel has each instruction of the list this number of times.
fn expect(kernel: &str, expected: &[(&str, usize)]) {
    let found = instructions(kernel);
    for (name, times) in expected {
        let count = found.get(*name).copied().unwrap_or_default();
        assert_eq!(count, *times, "{name} in {kernel}: {found:#?}");
    }
}

#[test]
fn barriers_are_their_instructions() {
    expect(
        "barriers",
        &[
            ("mbarrier.init.shared::cta.b64", 1),
            ("fence.mbarrier_init.release.cluster", 1),
            ("mbarrier.arrive.shared::cta.b64", 2),
            ("mapa.shared::cluster.u32", 1),
            ("mbarrier.arrive.release.cluster.shared::cluster.b64", 1),
            ("mbarrier.arrive.expect_tx.shared::cta.b64", 2),
            ("mbarrier.expect_tx.relaxed.cta.shared::cta.b64", 1),
            ("mbarrier.try_wait.parity.shared::cta.b64", 2),
            ("mbarrier.test_wait.parity.shared::cta.b64", 1),
            ("mbarrier.inval.shared::cta.b64", 1),
            ("fence.proxy.async.shared::cta", 1),
            ("fence.proxy.async", 1),
            ("bar.arrive", 1),
            ("bar.sync", 1),
        ],
    );
}

#[test]
fn clusters_are_their_instructions() {
    expect(
        "clusters",
        &[
            ("griddepcontrol.launch_dependents", 1),
            ("griddepcontrol.wait", 1),
            ("barrier.cluster.arrive.relaxed.aligned", 1),
            ("barrier.cluster.arrive.aligned", 1),
            ("barrier.cluster.wait.aligned", 2),
            ("mapa.shared::cluster.u32", 1),
            ("elect.sync", 1),
        ],
    );
    expect(
        "registers",
        &[
            ("setmaxnreg.dec.sync.aligned.u32", 1),
            ("setmaxnreg.inc.sync.aligned.u32", 1),
        ],
    );
}

#[test]
fn bulk_copies_are_their_instructions() {
    expect(
        "bulk",
        &[
            (
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes",
                1,
            ),
            (
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster",
                1,
            ),
            (
                "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes",
                1,
            ),
            ("cp.async.bulk.global.shared::cta.bulk_group", 1),
            (
                "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32",
                1,
            ),
            (
                "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16",
                1,
            ),
            ("cp.async.bulk.prefetch.L2.global", 1),
            ("cp.async.bulk.commit_group", 1),
            ("cp.async.bulk.wait_group.read", 1),
            ("cp.async.bulk.wait_group", 1),
        ],
    );
}

#[test]
fn tensor_copies_are_their_instructions_in_each_dimension() {
    for d in 1..=5 {
        let load = format!(
            "cp.async.bulk.tensor.{d}d.shared::cluster.global.mbarrier::complete_tx::bytes"
        );
        let mut expected = vec![
            ("prefetch.tensormap".to_owned(), 1),
            (load.clone(), 1),
            (format!("{load}.multicast::cluster"), 1),
            (
                format!("cp.async.bulk.tensor.{d}d.global.shared::cta.bulk_group"),
                1,
            ),
            (format!("cp.async.bulk.prefetch.tensor.{d}d.L2.global"), 1),
        ];
        for op in ["add", "min", "max", "inc", "dec", "and", "or", "xor"] {
            expected.push((
                format!("cp.reduce.async.bulk.tensor.{d}d.global.shared::cta.{op}.bulk_group"),
                1,
            ));
        }
        let expected: Vec<_> = expected
            .iter()
            .map(|(name, times)| (&**name, *times))
            .collect();
        expect(&format!("tensor_{d}d"), &expected);
    }
}

#[test]
fn wgmma_is_one_instruction_each_for_every_type_and_width() {
    let widths = |steps: usize| {
        (1..=32)
            .map(|w| 8 * w)
            .filter(move |n| *n <= 32 || n % steps == 0)
    };
    let expect_all = |kernel: &str, shape: &str, widths: Vec<usize>| {
        let mut expected = vec![
            ("wgmma.fence.sync.aligned".to_owned(), widths.len()),
            ("wgmma.commit_group.sync.aligned".to_owned(), widths.len()),
            ("wgmma.wait_group.sync.aligned".to_owned(), widths.len()),
        ];
        for n in widths {
            expected.push((format!("wgmma.mma_async.sync.aligned.m64n{n}{shape}"), 2));
        }
        let expected: Vec<_> = expected
            .iter()
            .map(|(name, times)| (&**name, *times))
            .collect();
        expect(kernel, &expected);
    };
    expect_all("f32_f16", "k16.f32.f16.f16", widths(8).collect());
    expect_all("f16_f16", "k16.f16.f16.f16", widths(8).collect());
    expect_all("s32_s8", "k32.s32.s8.s8", widths(16).collect());
    expect_all("f32_bf16", "k16.f32.bf16.bf16", vec![8, 256]);
    expect_all("f32_tf32", "k8.f32.tf32.tf32", vec![8, 256]);
    for d in ["f16", "f32"] {
        for a in ["e4m3", "e5m2"] {
            for b in ["e4m3", "e5m2"] {
                expect_all(
                    &format!("{d}_{a}_{b}"),
                    &format!("k32.{d}.{a}.{b}"),
                    vec![8, 256],
                );
            }
        }
    }
    for (kernel, shape) in [
        ("s32_s8_u8", "k32.s32.s8.u8"),
        ("s32_u8_s8", "k32.s32.u8.s8"),
        ("s32_u8_u8", "k32.s32.u8.u8"),
        ("s32_s8_s8_saturate", "k32.s32.s8.s8.satfinite"),
        ("s32_s8_u8_saturate", "k32.s32.s8.u8.satfinite"),
        ("s32_u8_s8_saturate", "k32.s32.u8.s8.satfinite"),
        ("s32_u8_u8_saturate", "k32.s32.u8.u8.satfinite"),
    ] {
        expect_all(kernel, shape, vec![8, 256]);
    }
}

/// Returns the path of ptxas, if there is one: `CUTLET_PTXAS`, or else the one on the `PATH`.
fn ptxas() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("CUTLET_PTXAS") {
        return Some(path.into());
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .map(|folder| folder.join("ptxas"))
        .find(|path| path.is_file())
}

#[test]
fn the_assembler_takes_every_instruction() {
    let Some(ptxas) = ptxas() else {
        println!("no ptxas on the PATH or in CUTLET_PTXAS: the PTX was not assembled");
        return;
    };
    let input = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hopper.ptx");
    std::fs::write(&input, &*PTX).unwrap();
    let run = Command::new(&ptxas)
        .args(["-v", "-arch", "sm_90a", "-o"])
        .arg(input.with_extension("cubin"))
        .arg(&input)
        .output()
        .expect("ptxas runs");
    let report = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{report}");
    // C7510 to C7514 say that asynchronous instructions were serialized.
    assert!(!report.contains("C75"), "{report}");
    let functions = report.matches("bytes stack frame").count();
    let clean = report.matches("0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads");
    assert_eq!(clean.count(), functions, "{report}");
    let kernels = report.matches("Compiling entry function").count();
    assert_eq!(kernels, 15 + 5 + 2 * 32 + 18 + 17 * 2, "{report}");
    // The number of registers that `threads = 384` and `min_blocks = 1` leave each thread at the
    // entry, which `setmaxnreg` shares out.
    let (_, gemm) = report
        .split_once("Compiling entry function 'tiled_gemm'")
        .unwrap();
    let used = gemm.lines().find(|line| line.contains("Used ")).unwrap();
    assert!(used.contains("Used 168 registers"), "{used}");
}

#[test]
fn a_tile_is_copied_by_one_instruction_a_box() {
    let multicast = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster";
    expect(
        "round_trip",
        &[
            (multicast, 2),
            ("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group", 2),
            (
                "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group",
                2,
            ),
            ("barrier.cluster.arrive.aligned", 2),
            ("barrier.cluster.wait.aligned", 2),
        ],
    );
    assert!(head("round_trip").ends_with(&[".maxntid 32, 1, 1", ".reqnctapercluster 2, 1, 1"]));
}

/// Checks the producer and the consumers of a warp-specialised product: registers are handed over,
/// and each k tile has two copies.
#[test]
fn a_warp_specialised_product_hands_over_registers_and_copies_each_stage() {
    let load = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes";
    expect(
        "tiled_gemm",
        &[
            ("setmaxnreg.dec.sync.aligned.u32", 1),
            ("setmaxnreg.inc.sync.aligned.u32", 1),
            ("bar.sync", 1),
        ],
    );
    // LLVM may unroll the producer's loop, which makes two copies per k tile.
    let loads = instructions("tiled_gemm")[load];
    assert!(loads > 0 && loads.is_multiple_of(2), "{loads}");
}

/// Checks that each accumulator of a tiled MMA is multiplied once per block along K, in one group:
/// two by two accumulators of 64 x 96 and of 64 x 64, four blocks.
#[test]
fn a_tiled_mma_is_an_instruction_for_each_atom_and_block() {
    for (kernel, atom) in [
        ("tiled_gemm", "m64n96k16.f32.f16.f16"),
        ("rs_gemm", "m64n64k16.f32.f16.f16"),
    ] {
        let wgmma = format!("wgmma.mma_async.sync.aligned.{atom}");
        expect(
            kernel,
            &[
                (&wgmma, 16),
                ("wgmma.fence.sync.aligned", 2),
                ("wgmma.commit_group.sync.aligned", 1),
                ("wgmma.wait_group.sync.aligned", 2),
            ],
        );
        assert_eq!(
            between_wgmma(kernel, &atom[..8]),
            [] as [&str; 0],
            "{kernel}"
        );
    }
}

/// Returns the instructions between the first and the last `wgmma` of a kernel that access a
/// register of an accumulator.
fn between_wgmma(kernel: &str, atom: &str) -> Vec<&'static str> {
    let (_, text) = PTX
        .split_once(&format!(".visible .entry {kernel}("))
        .expect("the kernel");
    let (body, _) = text.split_once("\n}").expect("its end");
    let lines: Vec<&str> = body.lines().collect();
    let wgmma = |line: &&str| line.contains("wgmma.mma_async") && line.contains(atom);
    let (first, last) = (
        lines.iter().position(&wgmma),
        lines.iter().rposition(&wgmma),
    );
    let part = &lines[first.unwrap()..=last.unwrap()];
    // The accumulators are the 32-bit registers in the first braces.
    let accumulators: BTreeSet<&str> = part
        .iter()
        .filter(|line| wgmma(line))
        .flat_map(|line| {
            line.split('{')
                .nth(2)
                .unwrap()
                .split('}')
                .next()
                .unwrap()
                .split(", ")
        })
        .collect();
    let words = |line: &'static str| line.split([' ', '\t', ',', ';', '{', '}', '[', ']']);
    part.iter()
        .filter(|line| !wgmma(line) && words(line).any(|word| accumulators.contains(word)))
        .copied()
        .collect()
}

/// Returns the head of a kernel: parameters and directives.
fn head(kernel: &str) -> Vec<&'static str> {
    let (_, text) = PTX
        .split_once(&format!(".visible .entry {kernel}("))
        .expect("the kernel");
    let (head, _) = text.split_once('{').expect("a body");
    head.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect()
}

#[test]
fn what_a_kernel_says_of_its_launch_stands_in_its_head() {
    assert_eq!(
        head("constants"),
        [
            ".param .u64 .ptr .align 1 constants_param_0,",
            ".param .u64 constants_param_1,",
            ".param .align 64 .b8 constants_param_2[128],",
            ".param .u32 constants_param_3,",
            ".param .align 64 .b8 constants_param_4[128],",
            ".param .align 4 .b8 constants_param_5[12]",
            ")",
            ".maxntid 64, 2, 1",
            ".minnctapersm 2",
            ".reqnctapercluster 2, 1, 1",
        ]
    );
    assert!(head("registers").ends_with(&[")", ".maxntid 384, 1, 1", ".minnctapersm 1"]));
    assert!(!PTX.contains("cutlet."));
    // A grid constant is read in place.
    expect("constants", &[("cvta.param.u64", 3)]);
    assert!(!PTX.contains(".local"));
}

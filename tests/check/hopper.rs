//! Checks Hopper's kernels by launch files: tensor maps, clusters, schedules.

use super::{ends_with, folder, run, text};
use cutlet::check::every_check;
use cutlet::launch_file::{LaunchFile, LaunchFileErrorKind, RunError, ScalarType};
use cutlet::testing::Check;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

const EXAMPLE: &str = include_str!("../../examples/hopper_gemm.toml");

/// Writes the example's launch file and its PTX to a folder, and returns the folder.
fn example(name: &str) -> PathBuf {
    let folder = folder(name);
    // The folder has only this kernel, because each command reads the file.
    let ptx = cutlet::kernels::alone("gemm_f16_f32_tn_128x256x64_s4_wgmma");
    std::fs::write(folder.join("gemm_sm90a.ptx"), ptx.unwrap().unwrap()).unwrap();
    std::fs::write(folder.join("hopper_gemm.toml"), EXAMPLE).unwrap();
    folder
}

fn profile(file: &Path, arguments: &[&str]) -> std::process::Output {
    let mut command = Command::new(super::cutlet());
    command.arg("profile").arg(file).args(arguments);
    command.output().unwrap()
}

#[test]
fn check_and_profile_take_the_hopper_gemm_by_its_launch_file() {
    let folder = example("hopper");
    let file = folder.join("hopper_gemm.toml");
    let report = ends_with(&run(&[file.to_str().unwrap()]), 0);
    assert!(report.contains("6 launches  no finding"), "{report}");
    // There is one hash for each size, under all three schedules.
    for m in [70, 256] {
        let line = |schedule: &str| {
            let start = format!("  k = 72, m = {m}, n = 136, schedule {schedule}: d: hash ");
            let mut lines = report.lines();
            let hash = lines.find_map(|line| line.strip_prefix(start.as_str()));
            hash.unwrap_or_else(|| panic!("no `{start}` in\n{report}"))
        };
        let hashes = ["early", "late", "seeded:1"].map(line);
        assert_eq!(hashes, [hashes[0]; 3]);
    }
    let one = ends_with(&run(&[file.to_str().unwrap(), "--schedule", "seeded:7"]), 0);
    assert!(one.contains("2 launches  no finding"), "{one}");
    assert!(!one.contains("schedule"), "{one}");
    let json = run(&[file.to_str().unwrap(), "--json", "--size", "m=70"]);
    let json: Value = serde_json::from_str(&text(&json.stdout)).unwrap();
    assert_eq!(json["kernels"][0]["launches"][1]["schedule"], "late");

    for schedule in [&[][..], &["--schedule", "late"]] {
        let table = ends_with(&profile(&file, schedule), 0);
        for part in [
            "gemm_f16_f32_tn_128x256x64_s4_wgmma",
            "wgmma",
            "cp.async.bulk",
        ] {
            assert!(table.contains(part), "no `{part}` in\n{table}");
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_hopper_gemm_by_its_launch_file_is_the_product() {
    let folder = example("hopper-product");
    let toml = EXAMPLE.replace("output = \"hash\"", "output = { print = 1 }");
    let file = LaunchFile::parse(&toml, &folder.join("hopper_gemm.toml")).unwrap();
    let program = file.program().unwrap();
    let case = &file.cases().unwrap()[0];
    let ran = file.run(&program, case, &every_check()).unwrap();
    let filled = file.fill(case).unwrap();
    let [m, n, k] = [70, 136, 72];
    let value = |bytes: &[u8], i: usize| ScalarType::F16.value(&bytes[2 * i..2 * i + 2]);
    let (a, b) = (filled[0].as_ref().unwrap(), filled[1].as_ref().unwrap());
    for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
        let products = (0..k).map(|p| value(a, i * k + p) * value(b, j * k + p));
        let (exact, found) = (
            products.sum::<f64>(),
            value(&ran.outputs[0].bytes, i * n + j),
        );
        assert!(
            (exact - found).abs() <= exact.abs() / 1024.0 + 1e-4,
            "[{i}][{j}]: {found}, not {exact}"
        );
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// The box of A in the example.
const A_BOX: &str = "box = [64, \"min(128, round_up(m, 8))\", 1]";

/// Returns the example with `to` in place of the first `from`.
fn changed(from: &str, to: &str) -> String {
    assert!(EXAMPLE.contains(from), "{from}");
    EXAMPLE.replacen(from, to, 1)
}

#[test]
fn a_tensor_map_that_cannot_be_is_told_with_its_place() {
    for (from, to, at, says) in [
        (
            "swizzle = 128",
            "swizzle = 64",
            "64",
            "a row of the box has 128 bytes; a 64-byte swizzle takes at most 64",
        ),
        (
            "swizzle = 128",
            "swizzle = 256",
            "256",
            "`swizzle` is 32, 64 or 128 bytes, or \"none\", not 256",
        ),
        (
            "extents = [\"k\", \"m\", 1]",
            "extents = [\"k\", \"m + 1\", 1]",
            "[\"k\", \"m + 1\", 1]",
            "the tensor spans 10224 bytes; the buffer has 10080",
        ),
        (
            "extents = [\"k\", \"m\", 1]",
            "extents = [\"k\", 0, 1]",
            "0, 1]",
            "extent 1 of the tensor is 0; it must be from 1 to 2^32",
        ),
        (
            "strides = [\"2 * k\", \"2 * m * k\"]",
            "strides = [\"2 * k + 2\", \"2 * m * k\"]",
            "+ 2",
            "stride 1 of the tensor is 146 bytes; it must be a multiple of 16",
        ),
        (
            "strides = [\"2 * k\", \"2 * m * k\"]",
            "strides = []",
            "[]",
            "0 strides were given for 3 dimensions; 2 are needed",
        ),
        (
            A_BOX,
            "box = [64, 300, 1]",
            "300",
            "extent 1 of the box is 300; it must be from 1 to 256",
        ),
        (
            A_BOX,
            "box = [\"k - 65\", 128, 1]",
            "[\"k",
            "a row of the box has 14 bytes; it must be a multiple of 16",
        ),
        (
            A_BOX,
            "box = [64]",
            "[64]",
            "1 extents of the box were given for 3 dimensions; 3 are needed",
        ),
        (
            A_BOX,
            "box = 64",
            "64",
            "`box` is a list, the innermost dimension first, not 64",
        ),
        (
            A_BOX,
            "box = [64, 128, 1]\nelement_strides = [1, 9, 1]",
            "9, 1]",
            "element stride 1 is 9; it must be from 1 to 8",
        ),
        (
            A_BOX,
            "box = [64, 128, 1]\noffset = 8",
            "8",
            "the tensor begins at 0x8, which is no multiple of 16",
        ),
        (
            A_BOX,
            "box = [64, 128, 1]\nelement = \"i16\"\noob_fill = \"nan\"",
            "\"nan\"",
            "u16 has no NaN to fill with",
        ),
        (
            A_BOX,
            "box = [64, 128, 1]\nelement = \"f8\"",
            "\"f8\"",
            "`element` is one of u8, i8, u16",
        ),
        (
            A_BOX,
            "box = [64, 128, 1]\noob_fill = 0",
            "0",
            "`oob_fill` is \"zeros\" or \"nan\", not 0",
        ),
        (
            "buffer = \"a\"",
            "buffer = \"c\"",
            "\"c\"",
            "`buffer` is the name of one buffer; there are a, b, d, not \"c\"",
        ),
        (
            "buffer = \"a\"\nextents",
            "buffer = \"a\"\nmap = 1\nextents",
            "map",
            "unknown key `map`; there are name, type, buffer, offset, element, extents",
        ),
        (
            "target = \"sm_90a\"",
            "target = \"sm_80\"",
            "",
            "tensor maps need compute capability 9.0 (Hopper); the target has 8.0",
        ),
        (
            "cluster = 1",
            "cluster = [2, 1, 1, 1]",
            "[2",
            "`cluster` is one to three extents",
        ),
        (
            "cluster = 1",
            "cluster = 0",
            "0",
            "the value is 0, not within 1..=4294967295",
        ),
        (
            "cluster = 1",
            "programmatic = 1",
            "1",
            "`programmatic` is true or false, not 1",
        ),
    ] {
        let toml = changed(from, to);
        let found = LaunchFile::parse(&toml, "hopper_gemm.toml".as_ref());
        let error = found.and_then(|file| file.cases()).unwrap_err();
        assert!(error.to_string().contains(says), "{to}: {says}:\n{error}");
        let line = toml.lines().nth(error.line - 1).unwrap();
        let tail: String = line.chars().skip(error.column - 1).collect();
        assert!(
            tail.starts_with(at),
            "{to}: the place is {tail:?}:\n{error}"
        );
    }
    let toml = changed(A_BOX, "box = [64, 300, 1]");
    let file = LaunchFile::parse(&toml, "hopper_gemm.toml".as_ref()).unwrap();
    let kind = file.cases().unwrap_err().kind;
    assert!(matches!(
        *kind,
        LaunchFileErrorKind::TensorMap {
            error: host::TensorMapError::Box {
                dimension: 1,
                found: 300
            },
            ..
        }
    ));
}

/// Checks tensor maps that are valid but do not fit the kernel: the mistake is found when the
/// kernel runs, or in its result.
#[test]
fn a_tensor_map_that_is_not_the_kernels_is_found() {
    let folder = example("hopper-wrong");
    let file = folder.join("hopper_gemm.toml");
    let at = |toml: String| {
        std::fs::write(&file, toml).unwrap();
        run(&[file.to_str().unwrap(), "--size", "m=70"])
    };
    let save = EXAMPLE.replace("\"hash\"", "{ save = \"d.npy\" }");
    ends_with(&at(save), 0);
    for (from, to, says) in [
        // A's boxes have 8 rows fewer than the barrier expects.
        (
            A_BOX,
            "box = [64, 64, 1]",
            "phase 0 waits for 0 of 1 arrivals and 1024 bytes",
        ),
        (
            "swizzle = 128",
            "swizzle = \"none\"",
            "is read with a 128-byte swizzle, and came by a tensor map with no swizzle",
        ),
        (
            "extents = [\"k\", \"m\", 1]",
            "extents = [\"k\", \"m - 1\", 1]",
            "wrong result in `d`: 136 elements differ, the first is [9384]",
        ),
        (
            "cluster = 1",
            "cluster = 2",
            "the grid [1, 1, 1] is not a multiple of it",
        ),
    ] {
        let compare = changed(from, to).replace("\"hash\"", "{ compare = \"d.npy\" }");
        let report = ends_with(&at(compare), 1);
        assert!(report.contains("3 findings"), "{to}:\n{report}");
        assert!(report.contains(says), "{to}: no `{says}` in\n{report}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// Checks the ranks of a cluster's blocks, by a kernel that does not mention clusters.
#[test]
fn a_launch_in_clusters_is_one() {
    let folder = folder("clusters");
    let ptx = ".version 8.0\n.target sm_90\n.address_size 64\n\
        .visible .entry ranks(.param .u64 y) {\n\
        .reg .b64 %a<3>; .reg .b32 %r<4>;\n\
        ld.param.u64 %a0, [y]; mov.u32 %r0, %ctaid.x; mul.wide.u32 %a1, %r0, 4; add.u64 %a0, %a0, %a1;\n\
        mov.u32 %r1, %cluster_ctarank; st.global.u32 [%a0], %r1; ret; }\n";
    std::fs::write(folder.join("ranks.ptx"), ptx).unwrap();
    let toml = "ptx = \"ranks.ptx\"\ngrid = 4\nblock = 1\n\
        buffers = [{ name = \"y\", type = \"u32\", length = 4, fill = \"poison\", output = \"print\" }]\n\
        [[launch]]\nentry = \"ranks\"\ncluster = [CLUSTER, 1, 1]\nprogrammatic = true\n\
        parameters = [{ type = \"pointer\", buffer = \"y\" }]\n";
    let file = folder.join("ranks.toml");
    for (cluster, ranks) in [
        ("1", "y = [0, 0, 0, 0]"),
        ("2", "y = [0, 1, 0, 1]"),
        ("4", "y = [0, 1, 2, 3]"),
    ] {
        std::fs::write(&file, toml.replace("CLUSTER", cluster)).unwrap();
        assert_eq!(Check::new().file(&file).launches[0].outputs, [ranks]);
    }
    let read = LaunchFile::read(&file).unwrap();
    assert!(read.launches[0].programmatic && read.launches[0].cluster.is_some());
    // 3 does not divide the grid, and 32 blocks are more than a cluster can have.
    for (cluster, says) in [
        ("3", "is not a multiple of it"),
        ("32", "1 to 16 blocks are possible"),
    ] {
        std::fs::write(&file, toml.replace("CLUSTER", cluster)).unwrap();
        let file = LaunchFile::read(&file).unwrap();
        let program = file.program().unwrap();
        let found = file.run(&program, &file.cases().unwrap()[0], &every_check());
        let Err(RunError::Launch(error)) = found else {
            panic!("{found:?}")
        };
        assert!(error.to_string().contains(says), "{error}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// Checks two kernels, one after the other. The second kernel is a programmatic dependent that does
/// not wait.
#[test]
fn a_dependent_launch_that_does_not_wait_is_found() {
    let folder = folder("dependents");
    let ptx = ".version 8.0\n.target sm_90\n.address_size 64\n\
        .visible .entry first(.param .u64 y) {\n\
        .reg .b64 %a<3>;\n\
        ld.param.u64 %a0, [y]; st.global.u32 [%a0], 7; ret; }\n\
        .visible .entry second(.param .u64 y) {\n\
        .reg .b64 %a<3>; .reg .b32 %r<4>;\n\
        ld.param.u64 %a0, [y]; griddepcontrol.wait; ld.global.u32 %r0, [%a0]; st.global.u32 [%a0+4], %r0; ret; }\n";
    let toml = "ptx = \"k.ptx\"\ngrid = 1\nblock = 1\n\
        buffers = [{ name = \"y\", type = \"u32\", length = 2, fill = \"poison\", output = \"print\" }]\n\
        parameters = [{ type = \"pointer\", buffer = \"y\" }]\n\
        [[launch]]\nentry = \"first\"\n[[launch]]\nentry = \"second\"\nprogrammatic = true\n";
    let file = folder.join("k.toml");
    std::fs::write(&file, toml).unwrap();
    let run = |ptx: &str, toml: &str| {
        std::fs::write(folder.join("k.ptx"), ptx).unwrap();
        std::fs::write(&file, toml).unwrap();
        let file = LaunchFile::read(&file).unwrap();
        let case = &file.cases().unwrap()[0];
        let ran = file.run(&file.program().unwrap(), case, &every_check());
        ran.map(|ran| ran.outputs)
            .map_err(|error| error.to_string())
    };
    assert!(run(ptx, toml).is_ok());
    let wrong = ptx.replace("griddepcontrol.wait;", "");
    let said = run(&wrong, toml).unwrap_err();
    let says = "read of global memory before griddepcontrol.wait: kernel `first`, which may not have ended yet, wrote it";
    assert!(said.contains(says) && said.contains("PTX line 9"), "{said}");
    let after = toml.replace("programmatic = true", "programmatic = false");
    assert!(run(&wrong, &after).is_ok());
    std::fs::remove_dir_all(folder).unwrap();
}

//! Checks the parts of launch files other than a kernel's buffers: variables, structures,
//! sequences, `.npy` files, accepted findings.

use super::{folder, run, text};
use cutlet::check::every_check;
use cutlet::launch_file::{LaunchFile, RunError};
use cutlet::testing::Check;
use emulator::Config;
use serde_json::Value;
use std::path::Path;

/// A kernel that computes `y[i] = taps[0] * x[i] + taps[1]` for the members of a structure, and one
/// that computes `y[i] *= f`.
const FILTER: &str = ".version 7.0\n.target sm_80\n.address_size 64\n\
    .const .align 4 .b8 taps[8];\n.global .align 4 .u32 calls;\n\
    .visible .entry filter(.param .align 8 .b8 a[24]) {\n\
      .reg .b64 %a<5>; .reg .b32 %r<5>; .reg .f32 %f<5>;\n\
      ld.param.u64 %a0, [a]; ld.param.u64 %a1, [a+8];\n\
      mov.u32 %r1, %tid.x; mul.wide.u32 %a2, %r1, 4; add.u64 %a0, %a0, %a2; add.u64 %a1, %a1, %a2;\n\
      ld.global.f32 %f0, [%a0]; ld.const.f32 %f1, [taps]; ld.const.f32 %f2, [taps+4];\n\
      fma.rn.f32 %f0, %f0, %f1, %f2; st.global.f32 [%a1], %f0;\n\
      ld.param.u32 %r0, [a+16]; atom.global.add.u32 %r2, [calls], %r0; ret; }\n\
    .visible .entry scale(.param .u64 y, .param .f32 f) {\n\
      .reg .b64 %a<5>; .reg .b32 %r<5>; .reg .f32 %f<5>;\n\
      ld.param.u64 %a0, [y]; ld.param.f32 %f1, [f]; mov.u32 %r1, %tid.x; mul.wide.u32 %a2, %r1, 4;\n\
      add.u64 %a0, %a0, %a2; ld.global.f32 %f0, [%a0]; mul.rn.f32 %f0, %f0, %f1; st.global.f32 [%a0], %f0; ret; }\n";

/// Writes a file in the format of `numpy.save`.
fn npy(file: &Path, descr: &str, elements: &[f32]) {
    let mut header = format!(
        "{{'descr': '{descr}', 'fortran_order': False, 'shape': ({},), }}",
        elements.len()
    );
    while !(10 + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(elements.iter().flat_map(|x| x.to_le_bytes()));
    std::fs::write(file, bytes).unwrap();
}

/// Returns the folder and the text of the example in the documents, and writes the file that it
/// expects.
fn example(name: &str) -> (std::path::PathBuf, String) {
    let document = include_str!("../../docs/emulator.md");
    let start = document.find("ptx = \"filter.ptx\"").expect("the example");
    let end = start + document[start..].find("```").unwrap();
    let folder = folder(name);
    std::fs::write(folder.join("filter.ptx"), FILTER).unwrap();
    // The expected value is taps[0] * x[n + i] + taps[1], twice: n = 4, and x counts up.
    npy(&folder.join("y.npy"), "<f4", &[3.0, 3.5, 4.0, 4.5]);
    (folder, document[start..end].to_owned())
}

#[test]
fn the_example_of_the_documents_runs() {
    let (folder, toml) = example("example");
    let file = folder.join("filter.toml");
    std::fs::write(&file, &toml).unwrap();
    let checked = Check::new().file(&file);
    assert_eq!(checked.kernel, "filter, scale");
    assert_eq!(checked.launches[0].outputs, ["calls = [16]"]);
    let output = run(&[file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    // Another expected value is not met, and another type is refused.
    npy(&folder.join("y.npy"), "<f4", &[3.0, 3.5, 4.0, 4.625]);
    let report = text(&run(&[file.to_str().unwrap()]).stdout);
    let says = "wrong result in `y`: 1 element differs, the first is [3]: 4.5, expected 4.625";
    assert!(report.contains(says), "{report}");
    npy(&folder.join("y.npy"), "<f8", &[3.0; 4]);
    let output = run(&[file.to_str().unwrap()]);
    let says = text(&output.stderr);
    assert!(
        says.contains("y.npy: its elements are `<f8`, those of f32 are `<f4`"),
        "{says}"
    );
    // A file that was saved as .npy is read again.
    let saves = toml
        .replace("compare = \"y.npy\"", "save = \"z.npy\"")
        .replace(", absolute = 1e-6", "");
    std::fs::write(&file, saves).unwrap();
    assert_eq!(run(&[file.to_str().unwrap()]).status.code(), Some(0));
    std::fs::write(&file, toml.replace("y.npy", "z.npy")).unwrap();
    assert_eq!(run(&[file.to_str().unwrap()]).status.code(), Some(0));
    let filled = toml.replace("fill = \"iota\"", "fill = { file = \"x.npy\" }");
    let x: Vec<f32> = (0..8).map(|i| i as f32).collect();
    npy(&folder.join("x.npy"), "<f4", &x);
    std::fs::write(&file, filled.replace("y.npy", "z.npy")).unwrap();
    assert_eq!(run(&[file.to_str().unwrap()]).status.code(), Some(0));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let (folder, toml) = example("places");
    for (from, to, at, says) in [
        (
            "buffer = \"y\" }",
            "buffer = \"z\" }",
            "\"z\"",
            "`buffer` is the name of one buffer; there are x, y, not \"z\"",
        ),
        (
            "offset = \"4 * n\"",
            "offset = \"9 * n\"",
            "* n\" }",
            "the value is 36, not within 0..=32 at n = 4",
        ),
        (
            "{ type = \"u32\", value = \"n\" }",
            "{ type = \"u32\", value = \"n\", at = 12 }",
            "12 }",
            "`at` is bytes from 16",
        ),
        (
            "name = \"taps\"",
            "name = \"tips\"",
            "\"tips\"",
            "the module has no variable `tips`; it has taps, calls",
        ),
        (
            "values = [0.25, 0.5] }",
            "values = [0.25, 0.5] }\nlength = 3",
            "\"taps\"",
            "variable `taps` has 8 bytes: 0 bytes and 12 bytes from there",
        ),
        (
            "entry = \"scale\"",
            "entry = \"scale\"\nblocks = 3",
            "blocks",
            "unknown key `blocks`",
        ),
        (
            "kind = \"uninitialised\"",
            "kind = \"out-of-bounds\"",
            "\"out-of",
            "`out-of-bounds` cannot be accepted: there is no memory at the address",
        ),
        (
            "kind = \"uninitialised\"",
            "kind = \"typo\"",
            "\"typo\"",
            "`typo` is no kind of finding; what can be accepted are uninitialised, uninitialised-register, provenance, race",
        ),
        ("reason = ", "raison = ", "raison", "unknown key `raison`"),
        (
            "reason = \"ragged tiles are read whole\"",
            "",
            "kind = ",
            "`reason` is missing",
        ),
        (
            "kind = \"uninitialised\"",
            "line = \"k.cu\"",
            "\"k.cu\"",
            "a source file and its line as \"kernel.cu:12\"",
        ),
    ] {
        assert_eq!(toml.matches(from).count(), 1, "{from}");
        let wrong = toml.replace(from, to);
        let file = folder.join("filter.toml");
        let found = LaunchFile::parse(&wrong, &file)
            .map_err(RunError::from)
            .and_then(|file| {
                let program = file.program()?;
                let case = &file.cases()?[0];
                file.run(&program, case, &every_check()).map(|_| ())
            });
        let Err(RunError::File(error)) = found else {
            panic!("{to}: {found:?}")
        };
        assert!(error.to_string().contains(says), "{says}:\n{error}");
        let line = wrong.lines().nth(error.line - 1).unwrap();
        let column = wrong.lines().nth(error.line - 1).unwrap().find(at);
        if at == "kind = " {
            // For a table in a list, the place is the table's header.
            assert_eq!((line, error.column), ("[[accept]]", 1));
        } else {
            assert_eq!(
                column.map(|column| column + 1),
                Some(error.column),
                "{at}:\n{error}"
            );
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn accepted_findings_are_counted_with_their_reasons() {
    let folder = folder("accepted");
    let file = super::neighbours(&folder, "");
    let toml = std::fs::read_to_string(&file).unwrap();
    let rules = "\n[[accept]]\nkind = \"warp-synchronous\"\ninstruction = \"ld.shared\"\nreason = \"a test\"\n\
        [[accept]]\nkind = \"uninitialised\"\nreason = \"the same\"\n\
        [[accept]]\nline = 1\nkernel = \"neighbours\"\nreason = \"nothing is there\"\n";
    std::fs::write(&file, toml + rules).unwrap();
    let output = run(&[&file]);
    let report = super::ends_with(&output, 0);
    for part in [
        "accepted 96 findings: kind warp-synchronous, instruction ld.shared (a test)",
        "accepted nothing: PTX line 1, kernel neighbours (nothing is there)",
        "no finding, ",
    ] {
        assert!(report.contains(part), "no `{part}` in\n{report}");
    }
    let output = run(&[&file, "--json", "--size", "n=5"]);
    let report: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    let accepted = &report["kernels"][0]["accepted"];
    assert_eq!(accepted[0]["reason"], "a test");
    assert_eq!(accepted[2]["findings"], 0);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_profile_counts_in_spite_of_findings() {
    let folder = folder("profiled");
    let file = super::neighbours(&folder, "");
    let command = |arguments: &[&str]| {
        std::process::Command::new(super::cutlet())
            .args(["profile", &file])
            .args(arguments)
            .output()
            .unwrap()
    };
    let output = command(&[]);
    let table = super::ends_with(&output, 0);
    for part in [
        "ld.shared.u32",
        "finding, ",
        "race on shared memory",
        "the earlier access: PTX line",
        "The checks found something, and the launch went on",
        "Not modelled: ",
    ] {
        assert!(table.contains(part), "no `{part}` in\n{table}");
    }
    let counters = table.find("wavefronts").unwrap();
    assert!(
        counters < table.find("finding, ").unwrap(),
        "below the counters"
    );
    let output = command(&["--launch", "2"]);
    let says = text(&output.stderr);
    assert_ne!(output.status.code(), Some(0));
    assert!(
        says.contains("has the launches 1 to 1, no launch 2"),
        "{says}"
    );
    let profile: Value = serde_json::from_str(&text(&command(&["--json"]).stdout)).unwrap();
    assert_eq!(profile["findings"][0]["kind"], "warp-synchronous");
    let reads = profile["instructions"].as_array().unwrap().iter();
    let mut reads = reads.filter(|row| row["opcode"] == "ld.shared.u32");
    assert!(reads.next().unwrap()["bank_phases"].is_array());
    std::fs::remove_dir_all(folder).unwrap();
}

/// A key that is no truth value is refused with its place.
#[test]
fn a_launch_file_asks_for_the_strict_order() {
    let folder = folder("strict");
    let file = super::neighbours(&folder, "bar.sync 0;");
    let launch = std::fs::read_to_string(&file).unwrap();
    for (key, is_strict) in [
        ("", false),
        ("strict_tensor_order = false\n", false),
        ("strict_tensor_order = true\n", true),
    ] {
        std::fs::write(&file, format!("{key}{launch}")).unwrap();
        let read = LaunchFile::read(Path::new(&file)).unwrap();
        assert_eq!(read.config(every_check()).strict_tensor_order, is_strict);
        let strict = Config {
            strict_tensor_order: true,
            ..every_check()
        };
        assert!(
            read.config(strict).strict_tensor_order,
            "as the option has it"
        );
    }
    std::fs::write(&file, format!("strict_tensor_order = 1\n{launch}")).unwrap();
    let refused = LaunchFile::read(Path::new(&file)).unwrap_err().to_string();
    assert!(refused.contains("true or false"), "{refused}");
    std::fs::remove_dir_all(folder).unwrap();
}

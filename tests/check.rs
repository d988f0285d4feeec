//! Tests `cutlet check` and the test helper, and checks that the kernels of the workspace have no
//! finding.

mod common;
#[path = "check/hopper.rs"]
mod hopper;
#[path = "check/json_findings.rs"]
mod json_findings;
#[path = "check/launch_files.rs"]
mod launch_files;

use common::cutlet;
use common::sample::is_pushed;
use cutlet::check::{Effort, every_check, kernels, own, own_launches};
use cutlet::launch_file::LaunchFile;
use cutlet::testing::Check;
use emulator::Config;
use host::Interface;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    Command::new(cutlet())
        .arg("check")
        .args(arguments)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Returns the output of a command. Panics unless the command ended with this status.
#[track_caller]
fn ends_with(output: &Output, status: i32) -> String {
    let report = text(&output.stdout);
    let found = output.status.code();
    assert_eq!(found, Some(status), "{report}{}", text(&output.stderr));
    report
}

/// Returns a folder that only this test uses.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("cutlet-check-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Returns a kernel that adds the neighbour's value. `barrier` is put at the place of a barrier.
fn neighbours(folder: &Path, barrier: &str) -> String {
    let ptx = format!(
        ".version 7.0\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 tile[];\n\
         .visible .entry neighbours(.param .u64 x, .param .u32 n, .param .f32 f) {{\n\
         .reg .pred %p<2>; .reg .b64 %a<5>; .reg .b32 %r<9>;\n\
         ld.param.u64 %a0, [x]; ld.param.u32 %r0, [n];\n\
         mov.u32 %r1, %tid.x; mul.wide.u32 %a1, %r1, 4; add.u64 %a2, %a0, %a1;\n\
         setp.ge.u32 %p0, %r1, %r0; mov.u32 %r2, 0;\n\
         @!%p0 ld.global.u32 %r2, [%a2];\n\
         mov.u32 %r3, tile; shl.b32 %r4, %r1, 2; add.u32 %r3, %r3, %r4;\n\
         st.shared.u32 [%r3], %r2;\n\
         {barrier}\n\
         xor.b32 %r5, %r4, 4; mov.u32 %r6, tile; add.u32 %r5, %r5, %r6;\n\
         ld.shared.u32 %r7, [%r5];\n\
         add.u32 %r2, %r2, %r7;\n\
         @!%p0 st.global.u32 [%a2], %r2;\n\
         ret;\n}}\n"
    );
    std::fs::write(folder.join("neighbours.ptx"), ptx).unwrap();
    let launch = r#"
ptx = "neighbours.ptx"
entry = "neighbours"
grid = 1
block = "round_up(n, 32)"
shared = "4 * round_up(n, 32)"
sizes = { n = [2, 33] }

[[parameters]]
name = "x"
type = "u32"
length = "n"
fill = "iota"
output = { print = 3 }
[[parameters]]
type = "u32"
value = "n"
[[parameters]]
type = "f32"
value = 0.5
"#;
    let file = folder.join("neighbours.toml");
    std::fs::write(&file, launch).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn nothing_is_found_on_the_kernels_of_the_workspace() {
    let config = Config {
        allow_local_memory: false,
        ..every_check()
    };
    let (mut launches, mut instructions) = (0, 0);
    let mut kernels = kernels();
    kernels.retain(|kernel| is_pushed(kernel));
    for kernel in &kernels {
        let checked = own(kernel, Effort::Few, &config).unwrap();
        if let Some((launched, finding)) = checked.findings().next() {
            panic!("{kernel} at {}: {finding}", launched.problem);
        }
        assert!(!checked.launches.is_empty(), "{kernel}");
        launches += checked.launches.len();
        instructions += checked
            .launches
            .iter()
            .map(|launched| launched.instructions)
            .sum::<u64>();
    }
    println!(
        "{launches} launches of {} kernels, {instructions} warp instructions: no finding",
        kernels.len()
    );
}

#[test]
fn every_kernel_of_the_module_is_checked() {
    let every = Interface::read(cutlet::kernels::ptx().unwrap()).unwrap();
    let known = kernels();
    let hopper = Interface::read(cutlet::kernels::sm90a().unwrap()).unwrap();
    let of_attention = (hopper.kernels.iter()).filter(|of| of.name.starts_with("attention"));
    for signature in every.kernels.iter().chain(of_attention) {
        assert!(
            known.contains(&signature.name.as_str()),
            "{} is not checked",
            signature.name
        );
    }
    for (name, count) in own_launches(Effort::Usual) {
        if !is_pushed(name) || cutlet::kernels::is_on_demand(name) {
            continue;
        }
        assert!(
            every.kernel(name).is_some() || hopper.kernel(name).is_some(),
            "{name} is in neither module"
        );
        assert!(count > 0, "{name}");
    }
}

#[test]
fn a_finding_is_told_with_its_place_and_ends_with_status_1() {
    let folder = folder("finding");
    let file = neighbours(&folder, "");
    let output = run(&[&file]);
    let report = ends_with(&output, 1);
    for part in [
        "neighbours",
        "2 launches",
        "2 findings",
        "n = 33, grid (1, 1, 1), block (64, 1, 1):",
        "race on shared memory: read after thread (1,0,0) wrote it",
        "in kernel `neighbours`, PTX line 15: ld.shared.u32 %r7, [%r5];",
    ] {
        assert!(report.contains(part), "no `{part}` in\n{report}");
    }
    let output = run(&[&file, "--json", "--size", "n=5"]);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    assert_eq!(
        (&report["findings"], &report["verdict"]),
        (&1.into(), &"findings".into())
    );
    let launch = &report["kernels"][0]["launches"][0];
    assert_eq!(launch["problem"], "n = 5");
    let finding = &launch["finding"];
    assert_eq!(finding["kind"], "Race");
    assert_eq!(finding["ptx_line"], 15);
    assert_eq!(finding["instruction"], "ld.shared.u32 %r7, [%r5];");
    assert_eq!(finding["thread"], serde_json::json!([0, 0, 0]));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_kernel_without_findings_ends_with_status_0() {
    let folder = folder("clean");
    let file = neighbours(&folder, "bar.sync 0;");
    let output = run(&[&file, "vecadd", "--sizes", "few", "--no-local-memory"]);
    let report = ends_with(&output, 0);
    for part in ["no finding", "n = 33: x = [1, 1, 5, ..]", "vecadd"] {
        assert!(report.contains(part), "no `{part}` in\n{report}");
    }
    let checked = Check::new().deny_local_memory().file(&file);
    assert_eq!(checked.launches.len(), 2);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
#[should_panic(expected = "race on shared memory")]
fn the_test_helper_fails_on_a_finding() {
    let folder = folder("helper");
    Check::new().file(neighbours(&folder, ""));
}

#[test]
fn outputs_are_compared() {
    let folder = folder("compare");
    let file = neighbours(&folder, "bar.sync 0;");
    let launch = std::fs::read_to_string(&file).unwrap();
    let with = |output: &str| {
        std::fs::write(&file, launch.replace("{ print = 3 }", output)).unwrap();
        run(&[&file, "--size", "n=4"])
    };
    assert_eq!(with("{ save = \"x.bin\" }").status.code(), Some(0));
    let saved = std::fs::read(folder.join("x.bin")).unwrap();
    assert_eq!(saved[..8], [1, 0, 0, 0, 1, 0, 0, 0]);
    assert_eq!(with("{ compare = \"x.bin\" }").status.code(), Some(0));
    std::fs::write(
        folder.join("x.bin"),
        [saved[..12].to_vec(), vec![9, 0, 0, 0]].concat(),
    )
    .unwrap();
    let output = with("{ compare = \"x.bin\" }");
    assert_eq!(output.status.code(), Some(1));
    let report = text(&output.stdout);
    assert!(
        report.contains("1 element differs, the first is [3]: 5, expected 9"),
        "{report}"
    );
    let hashed = text(&with("\"hash\"").stdout);
    let hash = hashed.split("hash ").nth(1).unwrap()[..16].to_owned();
    assert_eq!(
        with(&format!("{{ hash = \"{hash}\" }}")).status.code(),
        Some(0)
    );
    assert_eq!(
        with("{ hash = \"0000000000000000\" }").status.code(),
        Some(1)
    );
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn files_that_make_no_sense_are_refused_at_their_place() {
    let good = "ptx = \"a.ptx\"\nentry = \"k\"\ngrid = 1\nblock = 32\nsizes = { n = [1, 2] }\n";
    let parameter = |text: &str| format!("{good}[[parameters]]\n{text}\n");
    for (text, place, says) in [
        (good.replace("grid = 1\n", ""), (1, 1), "`grid` is missing"),
        (
            good.replace("grid = 1", "grid = \"n + q\""),
            (3, 13),
            "unknown variable `q`; there are n",
        ),
        (
            good.replace("32", "[1, 2, 3, 4]"),
            (4, 9),
            "`block` is one to three extents",
        ),
        (
            good.replace("32", "1.5"),
            (4, 9),
            "`block` is an integer, or a string with an expression, not 1.5",
        ),
        (
            good.replace("entry", "entrance"),
            (2, 1),
            "unknown key `entrance`",
        ),
        (good.replace("[1, 2]", "[]"), (5, 15), "combinations"),
        (
            good.replace("[1, 2]", "'x'"),
            (5, 15),
            "`sizes` is a table of numbers",
        ),
        (good.replace("= 1\n", "= = 1\n"), (3, 8), ""),
        (
            format!("{good}target = \"gfx90\"\n"),
            (6, 10),
            "a chip such as sm_80",
        ),
        (
            parameter("type = \"f31\"\nvalue = 1"),
            (7, 8),
            "one of u8, i8",
        ),
        (
            parameter("type = \"u32\""),
            (6, 1),
            "`one of `value` (a scalar) and `length` (a buffer)` is missing",
        ),
        (
            parameter("type = \"u32\"\nlength = 4"),
            (6, 1),
            "`fill` is missing",
        ),
        (
            parameter("type = \"u32\"\nlength = 4\nfill = \"ones\""),
            (9, 8),
            "`fill` is uninitialised, zeros",
        ),
        (
            parameter("type = \"u32\"\nvalue = 1.5"),
            (8, 9),
            "an integer or an expression",
        ),
        (
            parameter("type = \"bytes\"\nvalue = \"abc\""),
            (8, 9),
            "pairs of hexadecimal digits",
        ),
    ] {
        let error = LaunchFile::parse(&text, "a.toml".as_ref()).unwrap_err();
        assert_eq!((error.line, error.column), place, "{error}");
        assert!(error.to_string().contains(says), "{error}");
    }
    // These mistakes appear only at some size.
    for (change, says) in [
        (
            ("grid = 1", "grid = \"n - 1\""),
            "the value is 0, not within 1..=4294967295 at n = 1",
        ),
        (("32", "\"32 / (2 - n)\""), "division by 0 at n = 2"),
    ] {
        let file = LaunchFile::parse(&good.replace(change.0, change.1), "a.toml".as_ref()).unwrap();
        let error = file.cases().unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
    let output = run(&["nothing.toml"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("nothing.toml:1:1: cannot be read"));
    let output = run(&["nothing"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("no kernel `nothing`"));
}

/// Writes a launch file for a kernel with this body and grid, in the folder. Returns the file's
/// name.
fn without_end(folder: &Path, body: &str, grid: &str) -> String {
    let head = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() {\n";
    std::fs::write(folder.join("k.ptx"), format!("{head}{body}\n}}\n")).unwrap();
    let file = folder.join("k.toml");
    let text = format!("ptx = \"k.ptx\"\nentry = \"k\"\ngrid = {grid}\nblock = 32\n");
    std::fs::write(&file, text).unwrap();
    file.display().to_string()
}

#[test]
fn work_without_end_ends_by_its_budgets() {
    let folder = folder("budgets");
    let command = |command: &str, arguments: &[&str]| {
        let output = Command::new(cutlet()).arg(command).args(arguments).output();
        let output = output.unwrap();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        text(&output.stdout) + &text(&output.stderr)
    };
    let file = without_end(&folder, "L: bra L;", "2");
    for name in ["check", "profile"] {
        let said = command(name, &[&file, "--budget", "100000"]);
        assert!(said.contains("executed 100000 warp instructions"), "{said}");
    }
    let file = without_end(&folder, "ret;", "2147483647");
    for name in ["check", "profile"] {
        let said = command(name, &[&file, "--launch-budget", "100000"]);
        assert!(said.contains("in 100000 of 2147483647 blocks"), "{said}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Checks that long work reports its progress on stderr, with a line after 2 seconds and then less
/// and less often.
#[test]
fn long_work_tells_how_far_it_is() {
    use std::io::{BufRead, BufReader};
    let folder = folder("long");
    let file = without_end(&folder, "L: bra L;", "3");
    let mut child = Command::new(cutlet())
        .args(["check", &file])
        .stderr(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(line, format!("check: {file}: 0 of 3 blocks after 2 s\n"));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn files_without_end_are_refused() {
    let folder = folder("devices");
    let base = without_end(&folder, "ret;", "1");
    let text_of = std::fs::read_to_string(&base).unwrap();
    let zero = text_of.replace("k.ptx", "/dev/zero");
    let data = "parameters = [{ type = \"u8\", length = 4, fill = { file = \"/dev/zero\" } }]\n";
    for (name, content) in [("ptx", zero), ("fill", text_of.clone() + data)] {
        let file = folder.join(format!("{name}.toml"));
        std::fs::write(&file, content).unwrap();
        let output = run(&[file.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1));
        let said = text(&output.stderr);
        assert!(
            said.contains("/dev/zero: cannot be read: it is a device, not a regular file"),
            "{said}"
        );
    }
    // The file claims to be larger than any PTX, and nothing of it is read.
    let large = std::fs::File::create(folder.join("large.ptx")).unwrap();
    large.set_len(1 << 40).unwrap();
    let file = folder.join("large.toml");
    std::fs::write(&file, text_of.replace("k.ptx", "large.ptx")).unwrap();
    let said = text(&run(&[file.to_str().unwrap()]).stderr);
    assert!(
        said.contains("1099511627776 bytes, 67108864 are read at most"),
        "{said}"
    );
    let said = text(&run(&["/dev/zero.toml"]).stderr);
    assert!(said.contains("cannot be read"), "{said}");
    std::fs::remove_dir_all(&folder).unwrap();
}

//! A new user's path: `cutlet new`, the tests pass; one tile size edited, the message; put right, the tests pass again.

mod common;

use common::sample::all_cases;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;
use std::{env, fs};

/// A folder of the test's own, beside the test's executable.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn new(folder: &Path) -> Output {
    Command::new(common::cutlet())
        .arg("new")
        .arg(folder)
        .output()
        .unwrap()
}

/// `cargo` in the project, with the crates that this workspace has built already. On a push the emulator, which the project optimises,
/// is not: that takes a minute, for one small transpose.
fn cargo(project: &Path, arguments: &str) -> (bool, String) {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    if !all_cases() {
        for name in ["cutlet-emulator", "cutlet-host"] {
            cargo.arg("--config");
            cargo.arg(format!("profile.dev.package.{name}.opt-level=0"));
        }
    }
    let output = cargo
        .args(arguments.split_whitespace())
        .current_dir(project)
        .env("CARGO_TARGET_DIR", target)
        .env("CARGO_TERM_COLOR", "never")
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.success(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

/// Replaces `from` by `to` in a file, which must have it once.
fn edit(file: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert_eq!(
        text.matches(from).count(),
        1,
        "{from} in {}",
        file.display()
    );
    fs::write(file, text.replace(from, to)).unwrap();
}

/// Says how long it took so far, past the capture of a test's output.
fn told(what: &str, start: Instant) {
    let _ = writeln!(io::stderr(), "{what}: {:.0?}", start.elapsed());
}

#[test]
fn a_new_project_tests_refuses_and_tests_again() {
    let start = Instant::now();
    let project = scratch("new-project").join("my-kernels");
    let output = new(&project);
    assert!(output.status.success(), "{output:?}");

    let (passed, text) = cargo(&project, "test");
    assert!(passed, "{text}");
    for test in ["transposes", "the_launch_is_the_kernels", "launch (line"] {
        assert!(text.contains(test), "{test} did not run: {text}");
    }
    // Everything once more, optimised.
    if all_cases() {
        let (passed, text) = cargo(&project, "bench --no-run");
        assert!(passed, "{text}");
    }
    told("new, test, bench --no-run", start);

    // A tile twice as wide, and nobody who moves its second half.
    let kernels = project.join("kernels/src/lib.rs");
    let (right, wrong) = ("type Tile = tile!(32, 32);", "type Tile = tile!(32, 64);");
    edit(&kernels, right, wrong);
    let (passed, text) = cargo(&project, "check -p my-kernels-kernels");
    assert!(!passed, "a tile that nobody covers was accepted");
    let said = "does not cover (32,64) exactly once: tile cell 1024, at (0,32), has no owner";
    assert!(text.contains(said), "{text}");
    assert!(text.contains("kernels/src/lib.rs"), "{text}");

    edit(&kernels, wrong, right);
    let (passed, text) = cargo(&project, "test");
    assert!(passed, "{text}");
    told("the whole path", start);
}

#[test]
fn nothing_is_overwritten_and_bad_names_are_refused() {
    let folder = scratch("new-refused");
    let taken = folder.join("taken");
    fs::create_dir(&taken).unwrap();
    let output = new(&taken);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("exists; nothing was written"));
    assert_eq!(fs::read_dir(&taken).unwrap().count(), 0);
    for name in [
        "1st", "a b", "ä", "..", "fn", "self", "std", "core", "test", "gen", "host", "u32",
    ] {
        let output = new(&folder.join(name));
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("cannot name a package"),
            "{name}"
        );
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
}

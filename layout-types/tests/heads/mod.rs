//! Pins the heads of compiler errors.
//!
//! ```text
//!   CASE.rs  --cargo check, all cases in one run-->  the first five lines of its first error  ==  CASE.stderr
//! ```
//!
//! Law: the compiler has 1.5 GB of address space for each case. The head is the message, the place,
//! the line and its label; the lines that follow name this crate's own types and places, which may
//! change. `BLESS=1` writes the pinned heads.

#![allow(
    dead_code,
    reason = "each test file is a crate of its own and uses a part of this"
)]

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The number of lines of an error that are pinned.
const HEAD: usize = 5;

fn path(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(folder)
}

/// Returns the cases of a folder by name.
fn cases(folder: &Path) -> BTreeMap<String, String> {
    let mut cases = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("the folder of cases") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path
                .file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            cases.insert(name, fs::read_to_string(&path).expect("a case"));
        }
    }
    cases
}

/// Returns the head of each error of each case, as cargo renders it. The cases depend on this
/// crate, and on `half`.
fn errors(project: &str, cases: &BTreeMap<String, String>) -> BTreeMap<String, Vec<String>> {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let programs = temporary.join(project).join("src/bin");
    let _ = fs::remove_dir_all(&programs);
    fs::create_dir_all(&programs).expect("a folder for the cases");
    let manifest = format!(
        "[package]\nname = {project:?}\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n\
         half = {{ version = \"2\", default-features = false }}\n{} = {{ path = {crate_folder:?} }}\n",
        env!("CARGO_PKG_NAME")
    );
    let project = temporary.join(project);
    fs::write(project.join("Cargo.toml"), manifest).expect("a manifest");
    // The versions of this workspace.
    let lock = crate_folder
        .ancestors()
        .map(|folder| folder.join("Cargo.lock"))
        .find(|lock| lock.is_file())
        .expect("the lock file");
    fs::copy(lock, project.join("Cargo.lock")).expect("a lock file");
    for (name, text) in cases {
        fs::write(programs.join(format!("{name}.rs")), text).expect("a case can be written");
    }
    // No case may take the compiler much memory: it must refuse at once.
    let output = Command::new("sh")
        .args([
            "-c",
            "ulimit -v 1500000 && exec \"$0\" \"$@\"",
            env!("CARGO"),
        ])
        .args([
            "check",
            "--offline",
            "--bins",
            "--keep-going",
            "--message-format=json",
        ])
        .current_dir(&project)
        .env("CARGO_TARGET_DIR", temporary.join("heads"))
        .env("CARGO_TERM_COLOR", "never")
        .env_remove("RUSTFLAGS")
        .output()
        .expect("cargo runs");
    let mut errors: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(message) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        if message["reason"] != "compiler-message" || message["message"]["level"] != "error" {
            continue;
        }
        let (Some(name), Some(text)) = (
            message["target"]["name"].as_str(),
            message["message"]["rendered"].as_str(),
        ) else {
            continue;
        };
        if text.contains("could not compile") || text.contains("aborting due to") {
            continue;
        }
        errors
            .entry(name.to_string())
            .or_default()
            .push(text.to_string());
    }
    assert!(
        !errors.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    errors
}

/// Returns the lines of an error that are pinned.
fn head(error: &str) -> Vec<&str> {
    error.lines().take(HEAD).map(str::trim_end).collect()
}

/// Returns the head, and the notes that this crate writes.
fn head_and_notes(error: &str) -> Vec<&str> {
    let notes = error.lines().skip(HEAD).map(str::trim_end);
    let ours = notes.filter(|line| {
        let note = line.trim_start().strip_prefix("= note: ");
        let rustc = [
            "this error originates",
            "required for",
            "inside ",
            "the full name for the type",
            "consider using `--verbose`",
        ];
        note.is_some_and(|note| !rustc.iter().any(|start| note.starts_with(start)))
    });
    head(error).into_iter().chain(ours).collect()
}

/// Checks that every case of `folder` is refused with its pinned head, in decimals, at a line of
/// the case, and that there are at least `least` cases.
pub fn check(folder: &str, project: &str, least: usize) {
    compare(folder, project, least, |errors| head(&errors[0]));
}

/// Checks as [`check`] does, for the heads and the notes of all errors of each case.
pub fn check_all(folder: &str, project: &str, least: usize) {
    compare(folder, project, least, |errors| {
        errors
            .iter()
            .flat_map(|error| head_and_notes(error))
            .collect()
    });
}

/// Checks as [`check`] does, for the lines that `pinned` selects from a case's errors.
fn compare(folder: &str, project: &str, least: usize, pinned: fn(&[String]) -> Vec<&str>) {
    let folder = path(folder);
    let cases = cases(&folder);
    assert!(cases.len() >= least, "only {} cases", cases.len());
    let errors = errors(project, &cases);
    let mut wrong = Vec::new();
    for name in cases.keys() {
        let Some(found) = errors.get(name) else {
            wrong.push(format!("{name}: compiles"));
            continue;
        };
        let lines = pinned(found);
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        // A label that rustc itself writes names the type.
        let rustc = |line: &str| line.contains("` is not implemented for `");
        if lines
            .iter()
            .any(|line| line.contains("UInt<") && !rustc(line))
        {
            wrong.push(format!("{name}: not in decimals:\n{text}"));
        }
        let mut places = lines
            .iter()
            .filter(|line| line.trim_start().starts_with("--> "));
        if !places.all(|place| place.contains(&format!("src/bin/{name}.rs:"))) {
            wrong.push(format!("{name}: not at the line written:\n{text}"));
        }
        let file = folder.join(format!("{name}.stderr"));
        if env::var_os("BLESS").is_some() {
            fs::write(&file, &text).expect("a message can be pinned");
        }
        // The longest line number decides the width of all; it may be in a note, in this crate's
        // sources.
        let lines = |text: &str| -> Vec<String> {
            text.lines()
                .map(|line| line.trim_start().to_owned())
                .collect()
        };
        if lines(&fs::read_to_string(&file).unwrap_or_default()) != lines(&text) {
            wrong.push(format!("{name}: another message:\n{text}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} cases:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}
